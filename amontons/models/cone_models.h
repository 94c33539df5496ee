#pragma once

#include "amontons/models/common/contact_model.h"

namespace amontons {

struct SingleConeMethod;  // optimization/ccp/methods/single_methods.h

/// Implements the models on the round friction cone, without any preferred direction:
///
/// - `coulomb`: Signorini's condition, Coulomb's cone and maximal dissipation, exactly [De Saxce,
///   Feng 1998; docs/theory.md, section 9];
/// - `convex-relaxation`: min 1/2 p'A p + (b + s n)'p over the cone [Anitescu, Hart 2004,
///   fixed-point iteration], which lifts a sliding contact by h mu |u_t|.
///
/// Islands are solved one by one by the cone problem solver
/// (optimization/ccp/strategy/cone_problem_solver.h; docs/theory/cone-solver.md). Under Coulomb's
/// law single contacts have a closed form (single_contact_solver.h). The solution has one of these
/// statuses:
///
/// - Converged: the law asked, certified to the tolerance.
/// - Acceptable: the law asked, within ModelSettings::acceptable_tolerance (acceptable_answer.h).
/// - Convexified: Coulomb's law was not reached; the relaxation, certified as such.
/// - Safe: neither was; normal impulses only, certified as frictionless.
/// - Infeasible, Stalled, NumericalFailure: as `frictionless` says (lcp_models.h).
///
/// `attempts` lists the methods that were tried, in order, and why each stopped.
class ConeModel : public ContactModel {
 public:
  /// @param law  Coulomb or ConvexCone.
  /// @param method  solves alone, to compare methods: it has no fallback, and no closed form of a
  /// single contact precedes it. Its end is Converged, Acceptable or IterationLimit. Null: all.
  /// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
  ConeModel(LawKind law, const ModelSettings& settings, const SingleConeMethod* method = nullptr);

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  CertifiedSolution solve_certified(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    ModelMemory& memory) const override;
  std::unique_ptr<ModelMemory> make_memory() const override;
  ModelTraits traits() const override;

 private:
  LawKind law_;
  ModelSettings settings_;
  const SingleConeMethod* method_;
};

}  // namespace amontons
