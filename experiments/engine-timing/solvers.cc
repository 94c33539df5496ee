#include "experiments/engine-timing/solvers.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/optimization/lcp/lemke.h"
#include "amontons/optimization/lcp/plain_lemke.h"
#include "experiments/processor_stopwatch.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace amontons::experiments {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int kDirections = 4;

/// Returns the LCP of all contacts with friction variables, at mu = 0.
FrictionLcp pyramid_lcp(const ContactProblem& problem, const ContactSpace& space) {
  std::vector<int> all(problem.num_contacts());
  std::iota(all.begin(), all.end(), 0);
  const auto n = static_cast<Index>(all.size());
  const ContactSubset subset{space.delassus(all),       space.free_contact_velocity(),
                             problem.stabilized_gaps(), VectorXd::Ones(n),
                             VectorXd::Zero(n),         VectorXd::Zero(n)};
  FrictionLcp lcp = assemble_lcp(subset, polygon_directions(kDirections), false);
  // The variables of friction are those of mu = 1; the rows of lambda then have mu = 0.
  for (std::size_t c = 0; c + 1 < lcp.first.size(); ++c) {
    lcp.lcp.M(lcp.first[c + 1] - 1, lcp.first[c]) = 0.0;
  }
  return lcp;
}

/// Solves by the paper's routine, to its own tolerance.
EngineAnswer by_routine(const EngineProblem& problem, PlainLemkeRule rule) {
  EngineAnswer answer;
  const ProcessorStopwatch watch;
  const PlainLemkeSolution found =
      solve_plain_lemke(problem.lcp(), {.regularize = false, .rule = rule});
  answer.seconds = watch.seconds();
  answer.solved = found.status == SolveStatus::Converged;
  answer.residual = found.residual;
  answer.velocity = problem.velocity_after(found.z);
  return answer;
}

EngineAnswer by_lexicographic(const EngineProblem& problem) {
  EngineAnswer answer;
  const ProcessorStopwatch watch;
  const LcpSolution found = solve_lemke(problem.lcp(), {.tolerance = kEngineTolerance});
  answer.seconds = watch.seconds();
  answer.solved = found.status == SolveStatus::Converged;
  answer.residual = found.residual;
  answer.velocity = problem.velocity_after(found.z);
  return answer;
}

/// Solves with a model from nothing, and certifies the solution.
EngineAnswer by_model(const ContactModel& model, const EngineProblem& problem) {
  EngineAnswer answer;
  const ProcessorStopwatch watch;
  const ContactSolution found = model.solve(problem.contacts(), problem.scaling(), VectorXd());
  answer.seconds = watch.seconds();
  const Certificate certificate =
      certify(problem.contacts(), problem.scaling(), found, kEngineTolerance);
  answer.solved = certificate.holds && found.status == SolveStatus::Converged;
  answer.residual = certificate.normal.value;
  answer.velocity = found.velocity;
  return answer;
}

}  // namespace

EngineProblem::EngineProblem(const ContactProblem& problem)
    : problem_(&problem),
      scaling_(problem),
      space_(problem, scaling_),
      lcp_(pyramid_lcp(problem, space_)) {}

VectorXd EngineProblem::velocity_after(const VectorXd& z) const {
  VectorXd velocity, joint_impulses;
  space_.apply(impulses_from(lcp_, polygon_directions(kDirections), z), velocity, joint_impulses);
  return velocity;
}

const std::vector<EngineSolver>& engine_solvers() {
  static const std::shared_ptr<const ContactModel> phase_one = make_model("frictionless", {}),
                                                   phases = make_model("maximum-dissipation", {});
  static const std::vector<EngineSolver> solvers = {
      {"described", "Lemke of the paper, as described", PlainLemkeSettings().tolerance,
       [](const EngineProblem& p) { return by_routine(p, PlainLemkeRule::LargestEntry); }},
      {"published", "Lemke of the paper, as published", PlainLemkeSettings().tolerance,
       [](const EngineProblem& p) { return by_routine(p, PlainLemkeRule::FirstRow); }},
      {"lexicographic", "lexicographic Lemke", kEngineTolerance, by_lexicographic},
      {"phase-1", "phase I", kEngineTolerance,
       [](const EngineProblem& p) { return by_model(*phase_one, p); }},
      {"phases", "all phases", kEngineTolerance,
       [](const EngineProblem& p) { return by_model(*phases, p); }},
  };
  return solvers;
}

}  // namespace amontons::experiments
