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
  Eigen::VectorXd impulses;                 ///< x [3 nc] [N s]
  std::vector<DissipationWitness> witness;  ///< [nc]
  std::vector<SolveAttempt> attempts;
  int iterations = 0;
};

/// Holds what phase II takes from phase I.
struct DissipationCap {
  double sum = 0.0;              ///< kappa [N s]
  std::vector<char> stays_open;  ///< contacts that stay open [nc]
  std::vector<char> loaded;      ///< contacts with viscous friction that phase I loads [nc]
};

/// Solves Drumwright and Shell's phases I and II (contact/certificate/dissipation_residual.h) on
/// one island.
///
/// Modified principal pivoting solves phase I, on large islands Lemke's method on a working set.
/// Its cap kappa is the least sum over its solutions (a linear program where they have different
/// sums). Phase II is solved by capped_friction.h on a working set of contacts too. The others
/// carry nothing, do not approach, and would not dissipate more for their share of the cap.
/// Bounded rows of joints take no part here (dissipation_rows.h).
class DissipationPhases {
 public:
  /// The arguments must outlive the object; no contact is a joint's row.
  /// @param free  free motion of the contacts, without their impulses.
  DissipationPhases(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSpace& space, const ModelSettings& settings,
                    FreeContactMotion free);

  /// Solves both phases.
  /// @param first  true if viscous friction acts: not in the second phase of a bounce.
  DissipationSolution solve(const ContactPhase& phase, bool first);

  /// Solves phase I and writes its y into the witness.
  /// @returns false if it was not solved; the status says why.
  bool solve_phase_one(const ContactPhase& phase, DissipationCap& cap,
                       DissipationSolution& dissipation) const;

  /// Solves phase II and writes its impulses and multipliers.
  void solve_phase_two(const ContactPhase& phase, const DissipationCap& cap, bool first,
                       DissipationSolution& dissipation);

 private:
  struct Base;
  PhaseSolution solve_normals(const ContactPhase& phase) const;
  bool find_phase_one(const ContactPhase& phase, DissipationSolution& dissipation) const;
  Eigen::VectorXd phase_one_slack(const ContactPhase& phase,
                                  const DissipationSolution& dissipation) const;
  void choose_least_sum(const Eigen::VectorXd& slack, DissipationSolution& dissipation) const;
  std::vector<int> first_set(const Base& base,
                             const std::vector<DissipationWitness>& witness) const;
  std::vector<int> violated_contacts(const Base& base, const std::vector<int>& set,
                                     const DissipationSolution& dissipation) const;
  SolveStatus solve_on(const Base& base, const std::vector<int>& set,
                       DissipationSolution& dissipation);
  bool moves(std::size_t contact) const {
    return scaling_.scales.inverse_mass(static_cast<Eigen::Index>(contact)) > 0.0;
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ContactSpace& space_;
  const ImpulseResponse response_;
  const ModelSettings& settings_;
  const double tolerance_;
  const FreeContactMotion free_;
};

}  // namespace amontons
