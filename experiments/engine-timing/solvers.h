#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/formulation/lcp_assembly.h"

#include <Eigen/Core>

#include <functional>
#include <string>
#include <vector>

namespace amontons::experiments {

/// Holds a contact problem of the engine, which has no friction, and its LCP with friction's
/// variables: six for each contact, as the pyramid of four directions has them.
class EngineProblem {
 public:
  explicit EngineProblem(const ContactProblem& problem);

  const ContactProblem& contacts() const { return *problem_; }
  const ProblemScaling& scaling() const { return scaling_; }
  const LinearComplementarityProblem& lcp() const { return lcp_.lcp; }
  double order() const { return static_cast<double>(lcp_.lcp.q.size()); }  ///< of the LCP
  /// Returns the velocity [nv] after the impulses of a solution of the LCP.
  Eigen::VectorXd velocity_after(const Eigen::VectorXd& z) const;

 private:
  const ContactProblem* problem_;
  ProblemScaling scaling_;
  ContactSpace space_;
  FrictionLcp lcp_;
};

/// Bounds the residual of our own solvers [-].
inline constexpr double kEngineTolerance = 1e-8;

/// Holds the answer of a solver to one problem.
struct EngineAnswer {
  bool solved = false;       ///< within the solver's tolerance
  double seconds = 0.0;      ///< processor time
  double residual = 0.0;     ///< of the LCP, or of the normal law [-]
  Eigen::VectorXd velocity;  ///< [nv]
};

struct EngineSolver {
  std::string key, name;
  double tolerance;  ///< of the residual: kEngineTolerance, or the published routine's own 1e-5
  std::function<EngineAnswer(const EngineProblem&)> solve;
};

/// Returns the solvers that are compared: the paper's Lemke by both rules and the lexicographic one
/// on the LCP of order 6 n, phase I of the convex model, and all its phases.
const std::vector<EngineSolver>& engine_solvers();

}  // namespace amontons::experiments
