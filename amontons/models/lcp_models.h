#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/models/common/contact_model.h"

#include <optional>

namespace amontons {

/// Distinguishes the members of the LCP family (the law: lcp_assembly.h; docs/theory.md, section
/// 3).
struct LcpModelOptions {
  LawKind law = LawKind::Pyramid;  ///< Pyramid, ConvexPyramid or Frictionless
  std::optional<double> gamma;     ///< preset share of an overlap [-], where the model has one
  bool predicted_position = false;
  bool touching_only = false;  ///< only contacts with a gap of at most touching_gap() take part
};

/// Implements the complementarity models: `anitescu-potra`, `stewart-trinkle`, `anitescu-hart`,
/// their convex relaxation `convex-relaxation`, and `frictionless`. They are solved exactly, by
/// Lemke's method on working sets (working_set.h). Islands of many freedoms first try sweeps and
/// Newton's method on the polygon's cones (cone_problem_solver.h), and beyond a few hundred
/// freedoms these alone. The page docs/theory/lcp.md gives the order of attempts.
///
/// The solution has one of these statuses:
///
/// - Converged: the law asked, certified to the tolerance.
/// - Convexified: an island of many freedoms whose friction was not found: the relaxation on the
///   round cone, certified.
/// - Safe: friction has no solution, or none was found in several orders of pivoting. Normal
///   impulses only; the law claimed is Frictionless, certified, and energy is not added. A jam that
///   overlaps has no solution: friction holds what stabilization must open.
/// - Infeasible: no velocity satisfies the normal conditions; the remark names contacts and bodies,
///   and the solution is that of the least relaxation (least_violation.h). Also where the joints
///   contradict each other.
/// - Stalled: the laws hold, but rounding of huge impulses that cancel misses the energy bound or
///   the equation of motion. Or nothing was certified nor proved: the solution of the least
///   relaxation.
/// - NumericalFailure: no solution, no impulses.
///
/// `attempts` lists the methods that were tried, in order. Redundant contacts share the load as the
/// pivots leave it.
class LcpModel : public ContactModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
  LcpModel(const LcpModelOptions& options, const ModelSettings& settings);

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  ModelTraits traits() const override {
    return {.gamma = options_.gamma,
            .predicted_position = options_.predicted_position,
            .law = law(),
            .touching_only = options_.touching_only};
  }

 private:
  ContactLaw law() const;

  LcpModelOptions options_;
  ModelSettings settings_;
};

}  // namespace amontons
