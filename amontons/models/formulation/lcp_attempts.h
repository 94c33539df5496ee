#pragma once

#include "amontons/contact/operators/contact_space.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/formulation/cone_phases.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/models/formulation/working_set.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons {

/// Runs the solvers of the complementarity models, one attempt at a time. Each attempt solves
/// restitution phase by phase and adds itself and its iterations to a solution. Nothing is
/// certified here.
///
/// The first attempt that needs the contact space or the rows of the normals makes them; they are
/// kept.
class LcpAttempts {
 public:
  /// The references must outlive the attempts.
  /// @param solution  receives the attempts and iterations.
  LcpAttempts(const ContactProblem& problem, const ProblemScaling& scaling,
              const ModelSettings& settings, ContactSolution& solution)
      : problem_(problem),
        scaling_(scaling),
        settings_(settings),
        may_bounce_(scaling.may_bounce),
        solution_(solution) {}

  /// Solves by Lemke's method on a working set. The attempt itself sets `problem.space`.
  RestitutionSolution by_lemke(const char* name, const PolyhedralProblem& problem,
                               const WorkingSetOptions& options);

  /// Solves for normal impulses alone, by modified principal pivoting, whose iterations are not
  /// limited.
  /// @param guess  impulses [3 nc] [N s], or empty.
  RestitutionSolution by_pivoting(const char* name, const PolyhedralProblem& problem,
                                  const Eigen::VectorXd& guess);

  /// Solves the solution's law by the cone solvers.
  /// @param warm_start  impulses [3 nc] [N s], or empty.
  RestitutionSolution by_cone_solvers(const Eigen::VectorXd& warm_start);

  /// Returns true if any contact may bounce in attempts that follow.
  bool may_anything_bounce() const;
  /// Excludes restitution from the attempts that follow.
  void let_nothing_bounce();

  /// Returns the contact space of the problem. Modified pivoting needs none.
  const ContactSpace* space();
  /// Returns the contact space where there are loop joints, else null.
  const ContactSpace* space_of_joints();

 private:
  RestitutionSolution in_phases(const char* name, const PolyhedralProblem& problem,
                                const Eigen::VectorXd& guess, const PhaseSolver& solve_phase);

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ModelSettings& settings_;
  std::vector<char> may_bounce_;
  std::optional<ContactSpace> space_;
  std::optional<NormalImpulses> normals_;
  ConeMemory cone_memory_;
  ContactSolution& solution_;
};

}  // namespace amontons
