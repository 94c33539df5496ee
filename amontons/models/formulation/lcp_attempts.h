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

/// The solvers that the complementarity models ask, one attempt at a time: each takes restitution
/// phase by phase and adds its attempt and iterations to a solution. Nothing is judged here.
///
/// What an attempt needs of the problem (contact space, rows of the normals) is made by the first
/// that needs it and kept.
class LcpAttempts {
 public:
  /// The references must outlive the attempts.
  /// @param solution  its attempts and iterations are added to.
  LcpAttempts(const ContactProblem& problem, const ProblemScaling& scaling,
              const ModelSettings& settings, ContactSolution& solution)
      : problem_(problem),
        scaling_(scaling),
        settings_(settings),
        may_bounce_(scaling.may_bounce),
        solution_(solution) {}

  /// By Lemke's method on a working set, `problem.space` being given here.
  RestitutionSolution by_lemke(const char* name, const PolyhedralProblem& problem,
                               const WorkingSetOptions& options);

  /// Normal impulses alone, by modified principal pivoting, whose iterations are not limited.
  /// @param guess  impulses [3 nc], or empty.
  RestitutionSolution by_pivoting(const char* name, const PolyhedralProblem& problem,
                                  const Eigen::VectorXd& guess);

  /// The solution's law by the cone solvers.
  /// @param warm_start  impulses [3 nc], or empty.
  RestitutionSolution by_cone_solvers(const Eigen::VectorXd& warm_start);

  /// Whether a contact may bounce in attempts that follow.
  bool may_anything_bounce() const;
  void let_nothing_bounce();

  /// The problem seen from contact space: modified pivoting does without.
  const ContactSpace* space();
  /// The same where there are loop joints, else null.
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
