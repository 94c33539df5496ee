#pragma once

#include "amontons/contact/certificate/dissipation_residual.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the solution of phases I and II.
struct DissipationSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd impulses;                 ///< x, with the rows of joints [3 nc] [N s]
  std::vector<DissipationWitness> witness;  ///< [nc]
  std::vector<SolveAttempt> attempts;
  int iterations = 0;
  double residual = 0.0;  ///< of phase II's conditions, as a share of the largest speed [-]
};

/// Holds what phase II takes from phase I.
struct DissipationCap {
  double sum = 0.0;              ///< kappa [N s]
  bool needs_none = false;       ///< contacts and rows start at rounding, and phase I is at zero
  std::vector<char> stays_open;  ///< contacts that stay open [nc]
  std::vector<char> loaded;      ///< contacts with viscous friction that phase I loads [nc]
};

/// Solves Drumwright and Shell's phase I (contact/certificate/dissipation_residual.h) on one
/// island: normal impulses y without friction, and impulses f of the bounded rows of joints, in the
/// form of contacts (rows_as_contacts.h), by the rows' own law.
///
/// Where there are no rows, modified principal pivoting solves it for few contacts, and the cone
/// solver's sparse methods for many. Lemke's method on a working set solves it with rows, and where
/// these fail, and block pivoting on the box program where Lemke's method fails. The cap kappa is
/// the least sum of y over its solutions, by a linear program where they have different sums.
class DissipationFirstPhase {
 public:
  /// The arguments must outlive the object.
  DissipationFirstPhase(const ContactProblem& problem, const ProblemScaling& scaling,
                        const ContactSpace& space, const ImpulseResponse& response,
                        const ModelSettings& settings)
      : problem_(problem),
        scaling_(scaling),
        space_(space),
        response_(response),
        settings_(settings) {}

  /// Solves phase I and writes y and f into the witness.
  /// @returns false if it was not solved; the status says why.
  bool solve(const ContactPhase& phase, DissipationCap& cap,
             DissipationSolution& dissipation) const;

 private:
  bool starts_at_rounding(const ContactPhase& phase) const;
  bool find(const ContactPhase& phase, DissipationSolution& dissipation) const;
  PhaseSolution by_cones(const ContactPhase& phase) const;
  PhaseSolution by_pivoting(const ContactPhase& phase) const;
  PhaseSolution by_lemke(const ContactPhase& phase) const;
  PhaseSolution by_box_program(const ContactPhase& phase) const;
  void record(const PhaseSolution& found, DissipationSolution& dissipation) const;
  Eigen::VectorXd slack(const ContactPhase& phase, const DissipationSolution& dissipation) const;
  void choose_least_sum(const ContactPhase& phase, const Eigen::VectorXd& slack,
                        DissipationSolution& dissipation) const;
  bool has_rows() const;
  bool is_row(std::size_t contact) const { return problem_.contacts[contact].is_joint_row; }
  bool moves(std::size_t contact) const {
    return scaling_.scales.inverse_mass(static_cast<Eigen::Index>(contact)) > 0.0;
  }
  Eigen::Index slot(std::size_t contact) const;
  double lower(const ContactPhase& phase, std::size_t contact) const;
  double upper(const ContactPhase& phase, std::size_t contact) const;

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ContactSpace& space_;
  const ImpulseResponse& response_;
  const ModelSettings& settings_;
};

}  // namespace amontons
