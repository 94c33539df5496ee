#pragma once

#include "amontons/contact/certificate/dissipation_residual.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/dissipation_first_phase.h"
#include "amontons/models/dissipation_on_bodies.h"
#include "amontons/models/dissipation_row_sides.h"
#include "amontons/optimization/ccp/capped/capped_friction.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons {

/// Solves Drumwright and Shell's phases I and II (contact/certificate/dissipation_residual.h) on
/// one island, with bounded rows of joints in the form of contacts (rows_as_contacts.h).
///
/// Phase I is dissipation_first_phase.h. Phase II is solved by capped_friction.h on a working set
/// of contacts. The others carry nothing, do not approach, and would not dissipate more for their
/// share of the cap.
///
/// The rows keep their own law in both phases: an effort or the friction of a joint is not spent as
/// friction of a contact. That law is a union of sides (dissipation_row_sides.h), on each of which
/// phase II is convex. The solution of phase I is feasible on the sides it lies on, where phase II
/// begins. Where the solution on these sides is at a kink whose other side holds points of less
/// energy, phase II is solved on that side. Its energy cannot be higher, and no choice of sides is
/// visited twice.
class DissipationPhases {
 public:
  /// The arguments must outlive the object.
  DissipationPhases(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSpace& space, const ModelSettings& settings);

  /// Solves both phases; the witness includes the rows.
  /// @param first  true if viscous friction acts: not in the second phase of a bounce.
  DissipationSolution solve(const ContactPhase& phase, bool first) const;

 private:
  struct Base;
  void solve_phase_two(const ContactPhase& phase, const DissipationCap& cap, bool first,
                       DissipationSolution& dissipation) const;
  void carry_nothing(const Base& base, DissipationSolution& dissipation) const;
  void solve_from_first_phase(Base& base, DissipationSolution& dissipation) const;
  void solve_on_sides(const Base& base, DissipationSolution& dissipation) const;
  SolveStatus solve_on(const Base& base, const std::vector<int>& set,
                       DissipationSolution& dissipation) const;
  CappedFrictionProblem assemble(const Base& base, const std::vector<int>& set,
                                 const std::vector<std::size_t>& rows, double unit,
                                 const Eigen::VectorXd& root, const Eigen::MatrixXd& A) const;
  double smallest_tolerance(const CappedFrictionProblem& capped, const std::vector<int>& moved,
                            const Eigen::VectorXd& root) const;
  std::vector<int> first_set(const Base& base,
                             const std::vector<DissipationWitness>& witness) const;
  std::vector<int> violated_contacts(const Base& base, const std::vector<int>& set,
                                     const DissipationSolution& dissipation) const;
  bool cross(const Base& base, const DissipationSolution& dissipation,
             DissipationRowSides& sides) const;
  /// Returns true if a contact is no row of a joint, and some impulse moves it.
  bool is_contact(std::size_t contact) const { return is_contact_[contact] != 0; }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ContactSpace& space_;
  const ImpulseResponse response_;
  const ModelSettings& settings_;
  const double tolerance_;
  const FreeContactMotion free_;
  std::vector<char> is_contact_;                  // [nc]
  std::optional<DissipationOnBodies> on_bodies_;  // where it applies
};

}  // namespace amontons
