#include "experiments/grasp/one_step.h"

#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/formulation/lcp_assembly.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/optimization/lcp/lemke.h"
#include "amontons/optimization/lcp/plain_lemke.h"
#include "amontons/optimization/qp/nonnegative_quadratic_program.h"
#include "experiments/median.h"

#include <Eigen/QR>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

// Contact problems of single steps, solved from nothing.

namespace amontons::experiments {
namespace {

std::vector<int> all_contacts(const ContactProblem& problem) {
  std::vector<int> all(problem.num_contacts());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The whole LCP of a step at once, as the paper's solver gets it.
FrictionLcp whole_lcp(const ContactProblem& problem, const ContactSpace& space) {
  const std::vector<int> all = all_contacts(problem);
  const auto count = static_cast<Eigen::Index>(all.size());
  Eigen::VectorXd friction(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    friction[i] = problem.contacts[static_cast<std::size_t>(i)].friction;
  }
  const ContactSubset subset{space.delassus(all),          space.free_contact_velocity(),
                             problem.stabilized_gaps(),    friction,
                             Eigen::VectorXd::Zero(count), Eigen::VectorXd::Zero(count)};
  return assemble_lcp(subset, polygon_directions(4), false);
}

void check_whole_lcp(const ContactProblem& problem, const std::string& name, Findings& findings) {
  const ContactSpace space(problem);
  const FrictionLcp lcp = whole_lcp(problem, space);
  const LcpSolution solution = solve_lemke(lcp.lcp);
  Eigen::VectorXd velocity, joint_impulses;
  space.apply(impulses_from(lcp, polygon_directions(4), solution.z), velocity, joint_impulses);
  findings.expect_within(name + "(d) Stewart-Trinkle: variables of the LCP of one step",
                         static_cast<double>(lcp.lcp.q.size()), 216.0, 216.0);
  findings.expect_true(
      name + "(b) Lemke's method on all 216 at once: solved",
      solution.status == SolveStatus::Converged,
      fmt::format("{} after {} pivots", to_string(solution.status), solution.pivots));
  findings.expect_at_most(name + "(b) its residual [-]", solution.residual, 1e-8);
  findings.expect_at_most(name + "(c) its largest velocity [m/s]",
                          velocity.lpNorm<Eigen::Infinity>(), 1e-8);
}

// The no-slip problem of a step with all contacts sticking, from nothing.
struct NoSlipProblem {
  explicit NoSlipProblem(const ContactProblem& contacts)
      : problem(&contacts),
        scaling(contacts),
        every(contacts.num_contacts(), 1),
        normals(contacts, scaling, every, 1e-8) {}

  void find_indices() { normals.hold(every); }
  void pivot() { normals.solve(plain_phase(*problem, scaling)); }

  const ContactProblem* problem;
  ProblemScaling scaling;
  std::vector<char> every;
  NormalImpulses normals;
};

// The same LCP as a quadratic program, for block pivoting.
NonnegativeQuadraticProgram as_quadratic_program(const FactoredLcp& lcp) {
  const Eigen::MatrixXd rows = lcp.rows.to_dense();
  Eigen::MatrixXd left = rows;
  if (lcp.held != nullptr) left -= rows * lcp.held->basis() * lcp.held->basis().transpose();
  return {left * left.transpose(), rows * lcp.start + lcp.offset};
}

Eigen::Index rank_of(const Eigen::MatrixXd& X) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(X);
  qr.setThreshold(1e-9);
  return qr.rank();
}

/// @returns the rank of the normals.
Eigen::Index check_pivots(const Context& context, const std::string& file, const std::string& name,
                          Findings& findings) {
  Simulator simulator = context.simulator(context.load(file, {{"simulation.model", "no-slip"}}));
  double pivots = 0.0;
  int most = 0, positive = 0;
  Eigen::Index rank = 0, variables = 0;
  constexpr int kSteps = 100;
  for (int step = 0; step < kSteps; ++step) {
    NoSlipProblem cold(simulator.step().problem);
    cold.find_indices();
    cold.pivot();
    const FactoredLcpSolution& solution = cold.normals.solution();
    pivots += solution.pivots;
    most = std::max(most, solution.pivots);
    positive = std::max(positive, static_cast<int>((solution.z.array() > 0.0).count()));
    rank = rank_of(cold.normals.problem().rows.to_dense());
    variables = cold.normals.num_rows();
  }
  findings.expect_within(name + "(d) no-slip: variables of the LCP of one step",
                         static_cast<double>(variables), 36.0, 36.0);
  findings.expect_at_most(name + "(f) positive normal impulses of any step (at most the rank of N)",
                          positive, static_cast<double>(rank));
  findings.expect_at_most(name + "(f) pivots from nothing, at most 3 m", most, 3.0 * 14.0);
  findings.notes.push_back(
      fmt::format("{}Pivots from nothing over {} steps: mean {:.1f}, most {} (paper: 5.5 and 7).",
                  name, kSteps, pivots / kSteps, most));
  return rank;
}

// Median wall time of one call [s].
double median_time(int calls, const std::function<void()>& call) {
  std::vector<double> times;
  for (int k = 0; k < calls; ++k) {
    const Stopwatch watch;
    call();
    times.push_back(watch.seconds());
  }
  return median(times);
}

// Table I: ten steps of each method there; here the contact problem of one step, solved from
// nothing. @returns all but the rank.
OneStep compare_times(const ContactProblem& problem, const std::string& name, Findings& findings) {
  const ContactSpace space(problem);
  const FrictionLcp lcp = whole_lcp(problem, space);
  LcpSolution by_lemke;
  PlainLemkeSolution by_plain_lemke;
  const double lemke = median_time(20, [&] { by_lemke = solve_lemke(lcp.lcp); });
  const double plain = median_time(20, [&] { by_plain_lemke = solve_plain_lemke(lcp.lcp); });
  NoSlipProblem no_slip(problem);
  const double pivoting = median_time(200, [&] {
    no_slip.find_indices();
    no_slip.pivot();
  });
  // The default tolerance of 1e-10 would end it one step early: the velocities are compared below.
  BoxQpSolution by_block_pivoting;
  const double block_pivoting = median_time(200, [&] {
    no_slip.find_indices();
    by_block_pivoting = solve_block_pivoting(
        as_box_qp(as_quadratic_program(no_slip.normals.problem())), {.tolerance = 1e-12});
  });
  const auto solve_with = [&](const char* model) {
    const auto own = make_model(model, {});
    return median_time(50, [&] { (void)own->solve(problem, Eigen::VectorXd()); });
  };
  const double whole_st = solve_with("stewart-trinkle"), whole_no_slip = solve_with("no-slip");
  // Both minimize the same energy over the same normal impulses: the velocity is unique.
  const FactoredLcp& lcp_of_normals = no_slip.normals.problem();
  Eigen::VectorXd by_qp = lcp_of_normals.rows.transpose_times(by_block_pivoting.x);
  if (lcp_of_normals.held != nullptr) lcp_of_normals.held->project_out(by_qp);
  findings.expect_at_most(
      name + "block pivoting and PPM: departure of their velocities, in the norm of M",
      (lcp_of_normals.start + by_qp - no_slip.normals.solution().a).norm(), 1e-10);

  const auto us = [](double seconds) { return fmt::format("{:.1f}", 1e6 * seconds); };
  const auto ratio = [&](double of) { return fmt::format("{:.1f}", plain / of); };
  const auto count = [](int steps) { return fmt::format("{}", steps); };
  findings.tables.push_back(
      {name + "Table I: the paper's ten steps, and our one contact solve",
       {"method", "paper [s]", "ST/method", "pivots", "ours [us]", "ST/method", "pivots"},
       {{"Stewart-Trinkle, Lemke of the paper", "10.9681", "1", "", us(plain), "1",
         fmt::format("{}, residual {:.0e}", by_plain_lemke.pivots, by_plain_lemke.residual)},
        {"Stewart-Trinkle, lexicographic Lemke", "", "", "", us(lemke), ratio(lemke),
         fmt::format("{}, residual {:.0e}", by_lemke.pivots, by_lemke.residual)},
        {"no-slip, QP by block pivoting", "1.9892", "5.51", "", us(block_pivoting),
         ratio(block_pivoting), fmt::format("{} factorizations", by_block_pivoting.factorizations)},
        {"no-slip, modified PPM", "1.6680", "6.58", "5.5 (mean), 7 (most)", us(pivoting),
         ratio(pivoting), count(no_slip.normals.solution().pivots)},
        {"model stewart-trinkle (working set)", "", "", "", us(whole_st), ratio(whole_st), ""},
        {"model no-slip (with its list and certificate)", "", "", "", us(whole_no_slip),
         ratio(whole_no_slip), ""}}});
  findings.timing_at_most(name + "(e) the paper's Lemke / no-slip by PPM, at least 6.58: PPM",
                          pivoting, plain / 6.58);
  findings.timing_at_most(name + "(e) the paper's Lemke / no-slip by QP, at least 5.51: QP",
                          block_pivoting, plain / 5.51);
  findings.timing_at_most(name + "(e) PPM not slower than QP: PPM", pivoting, block_pivoting);
  return {0, whole_st, whole_no_slip};
}

}  // namespace

OneStep check_one_step(const Context& context, const std::string& file, const std::string& name,
                       Findings& findings) {
  const ContactProblem first = context.simulator(context.load(file)).step().problem;
  check_whole_lcp(first, name, findings);
  const Eigen::Index rank = check_pivots(context, file, name, findings);
  OneStep result = compare_times(first, name, findings);
  result.rank = rank;
  return result;
}

}  // namespace amontons::experiments
