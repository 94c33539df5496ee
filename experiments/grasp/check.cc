#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/formulation/lcp_assembly.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/optimization/lcp/lemke.h"
#include "amontons/optimization/lcp/plain_lemke.h"
#include "amontons/optimization/qp/nonnegative_quadratic_program.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/grasp/trials.h"
#include "experiments/median.h"

#include <Eigen/QR>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

// Two cubes pressed together by two grippers, each contact listed three times.

namespace amontons::experiments {
namespace {

constexpr double kForce = 100.0;  // [N] of each gripper and cube
constexpr double kShown = 10.0;   // [s] of a run that is kept

struct Hold {
  std::vector<double> time, sag;
  double largest_sag = 0.0, largest_speed = 0.0;
  double force_error = 0.0;  // error of the normal impulses of an interface over h [N]
  double residual = 0.0;
  std::size_t contacts = 0;
  double first_ten_s = 0.0;  // wall time of the first ten steps
  int missed = 0;
};

// Sum of normal impulses over h for each pair of bodies that touch [N].
std::map<std::pair<int, int>, double> interface_forces(const StepReport& report) {
  std::map<std::pair<int, int>, double> forces;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    forces[std::minmax(contact.body_a, contact.body_b)] +=
        report.solution.impulses[ContactProblem::row(i) + 2] / report.step;
  }
  return forces;
}

Hold hold(const Context& context, int pairs, const std::string& model, double duration,
          Findings& findings) {
  Hold result;
  // The grippers' force changes a velocity by 2 m/s a step: an iterative solution certified to 1e-8
  // of that need not be at rest to 1e-8 m/s. Lemke's solution is a basis, exact to rounding.
  const std::string tolerance = model == "coulomb" ? "1e-10" : "1e-8";
  const Scene scene = grasp(context, pairs,
                            {{"simulation.model", model},
                             {"simulation.tolerance", tolerance},
                             {"simulation.duration", fmt::format("{}", duration)}});
  const Simulator start(scene);
  const Eigen::VectorXd q0 = start.state().q;
  result.missed = context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        // q: the left rail, the cubes (orientation, position), the right rail.
        double sag = 0.0;
        for (Eigen::Index z = 1 + 6; z < q0.size() - 1; z += 7) {
          sag = std::max(sag, std::abs(simulator.state().q[z] - q0[z]));
        }
        result.largest_sag = std::max(result.largest_sag, sag);
        result.largest_speed =
            std::max(result.largest_speed, simulator.state().v.lpNorm<Eigen::Infinity>());
        for (const auto& [pair, force] : interface_forces(report)) {
          result.force_error = std::max(result.force_error, std::abs(force - 2 * pairs * kForce));
        }
        result.residual = std::max(
            {result.residual, report.certificate.normal.value, report.certificate.friction.value});
        result.contacts = report.problem.num_contacts();
        if (simulator.state().step_count <= 10) result.first_ten_s += report.step_time_s;
        result.time.push_back(simulator.time());
        result.sag.push_back(sag);
      },
      &findings, duration > kShown || pairs > 1 ? "" : "grasp-" + model);
  return result;
}

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

void check_whole_lcp(const ContactProblem& problem, Findings& findings) {
  const ContactSpace space(problem);
  const FrictionLcp lcp = whole_lcp(problem, space);
  const LcpSolution solution = solve_lemke(lcp.lcp);
  Eigen::VectorXd velocity, joint_impulses;
  space.apply(impulses_from(lcp, polygon_directions(4), solution.z), velocity, joint_impulses);
  findings.expect_within("(d) Stewart-Trinkle: variables of the LCP of one step",
                         static_cast<double>(lcp.lcp.q.size()), 216.0, 216.0);
  findings.expect_true(
      "(b) Lemke's method on all 216 at once: solved", solution.status == SolveStatus::Converged,
      fmt::format("{} after {} pivots", to_string(solution.status), solution.pivots));
  findings.expect_at_most("(b) its residual [-]", solution.residual, 1e-8);
  findings.expect_at_most("(c) its largest velocity [m/s]", velocity.lpNorm<Eigen::Infinity>(),
                          1e-8);
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

void check_pivots(const Context& context, Findings& findings) {
  Simulator simulator =
      context.simulator(context.load("grasp.yaml", {{"simulation.model", "no-slip"}}));
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
  findings.expect_within("(d) no-slip: variables of the LCP of one step",
                         static_cast<double>(variables), 36.0, 36.0);
  findings.expect_at_most("(f) positive normal impulses of any step (at most the rank of N)",
                          positive, static_cast<double>(rank));
  findings.expect_at_most("(f) pivots from nothing, at most 3 m", most, 3.0 * 14.0);
  findings.notes.push_back(
      fmt::format("Pivots from nothing over {} steps: mean {:.1f}, most {} (paper: 5.5 and 7).",
                  kSteps, pivots / kSteps, most));
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
// nothing.
void compare_times(const ContactProblem& problem, Findings& findings) {
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
  findings.expect_at_most("block pivoting and PPM: departure of their velocities, in the norm of M",
                          (lcp_of_normals.start + by_qp - no_slip.normals.solution().a).norm(),
                          1e-10);

  const auto us = [](double seconds) { return fmt::format("{:.1f}", 1e6 * seconds); };
  const auto ratio = [&](double of) { return fmt::format("{:.1f}", plain / of); };
  const auto count = [](int steps) { return fmt::format("{}", steps); };
  findings.tables.push_back(
      {"Table I: the paper's ten steps, and our one contact solve",
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
  findings.timing_at_most("(e) the paper's Lemke / no-slip by PPM, at least 6.58: PPM", pivoting,
                          plain / 6.58);
  findings.timing_at_most("(e) the paper's Lemke / no-slip by QP, at least 5.51: QP",
                          block_pivoting, plain / 5.51);
  findings.timing_at_most("(e) PPM not slower than QP: PPM", pivoting, block_pivoting);
  findings.timing_at_most("(e) model no-slip not slower than stewart-trinkle", whole_no_slip,
                          whole_st);
}

// One cube between two plates: a basic solution loads one contact on each side, about which the
// cube could turn.
void check_cube(const Context& context, Findings& findings) {
  const Scene scene = context.load("cube.yaml");
  const Eigen::VectorXd q0 = Simulator(scene).state().q;
  double moved = 0.0;
  int fewest = std::numeric_limits<int>::max();
  const int missed =
      context.simulate(scene, [&](const Simulator& simulator, const StepReport& report) {
        moved = std::max(moved, (simulator.state().q - q0).lpNorm<Eigen::Infinity>());
        int loaded = 0;
        for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
          loaded += report.solution.impulses[ContactProblem::row(i) + 2] > 0.0;
        }
        fewest = std::min(fewest, loaded);
      });
  findings.expect_within("one cube between two plates: contacts that carry an impulse", fewest, 2.0,
                         6.0);
  findings.expect_at_most(
      "it does not spin or sag in 10 s: largest change of a position or of the "
      "quaternion",
      moved, 1e-9);
  findings.expect_at_most("its steps without certificate", missed, 0.0);
}

/// More cubes in the same grip. Besides the interfaces' own contacts those are listed that 800 N
/// could close within a step.
void check_more_cubes(Context& context, Findings& findings) {
  Table table{"More cubes, 1000 iterations of each model",
              {"cubes", "contacts", "model", "largest sag [m]", "worst residual", "first 10 [ms]"},
              {}};
  for (const int pairs : {2, 4}) {
    for (const std::string model : {"stewart-trinkle", "no-slip", "coulomb"}) {
      context.progress(fmt::format("grasp: {} cubes, {}", 2 * pairs, model));
      const Hold held = hold(context, pairs, model, kShown, findings);
      const std::string name = fmt::format("{} cubes, {}: ", 2 * pairs, model);
      findings.expect_at_least(name + "contacts listed", static_cast<double>(held.contacts),
                               12.0 * (2 * pairs + 1));
      // A pyramid's law has solutions that slide beside those that stick; Lemke's method finds one.
      if (model != "stewart-trinkle") {
        findings.expect_at_most(name + "largest sag |z - z0| in 1000 iterations [m]",
                                held.largest_sag, 1e-6);
      }
      findings.expect_true(name + "every step certified", held.missed == 0,
                           fmt::format("{} missed", held.missed));
      table.rows.push_back({fmt::format("{}", 2 * pairs), fmt::format("{}", held.contacts), model,
                            fmt::format("{:.1e}", held.largest_sag),
                            fmt::format("{:.1e}", held.residual),
                            fmt::format("{:.2f}", 1e3 * held.first_ten_s)});
    }
  }
  findings.tables.push_back(std::move(table));
}

}  // namespace

Scene grasp(const Context& context, int pairs, Overrides overrides) {
  const std::string grid = fmt::format("[{}, 1, 1]", pairs);
  const std::string place = fmt::format("[{}, 0, 1]", 0.2 * pairs - 0.05);
  const Overrides size = {{"repeat.0.grid", grid},
                          {"repeat.1.grid", grid},
                          {"bodies.right.pose.position", place},
                          {"joints.right-rail.at", place},
                          {"actuators.0.effort", fmt::format("{}", 2 * pairs * kForce)},
                          {"actuators.1.effort", fmt::format("{}", -2 * pairs * kForce)}};
  overrides.insert(overrides.end(), size.begin(), size.end());
  return context.load("grasp.yaml", overrides);
}

void check_grasp(Context& context, Findings& findings) {
  // Checks of the first contact problem, and of other scenes.
  const ContactProblem first = context.simulator(context.load("grasp.yaml")).step().problem;
  check_whole_lcp(first, findings);
  check_pivots(context, findings);
  compare_times(first, findings);
  check_cube(context, findings);
  check_more_cubes(context, findings);
  check_trials(context, context.full() ? 5 : 2, findings);
  Figure figure{"Sag of the boxes", "time [s]", "|z - z0| [m]", true, {}};

  // The grasp of the paper under three models.
  for (const std::string model : {"stewart-trinkle", "no-slip", "coulomb"}) {
    const bool is_long = model != "coulomb";  // from exact rest, where each step repeats the last
    context.progress("grasp: " + model);
    const Hold held = hold(context, 1, model, is_long ? 100.0 : kShown, findings);
    findings.expect_within(model + ": contacts listed", static_cast<double>(held.contacts), 36.0,
                           36.0);
    findings.expect_at_least("from exact rest, " + model + ": iterations",
                             static_cast<double>(held.time.size()), is_long ? 10000.0 : 1000.0);
    findings.expect_at_most("from exact rest, " + model + ": largest sag |z - z0| [m]",
                            held.largest_sag, 1e-6);
    findings.expect_at_most("(c) " + model + ": largest velocity [m/s or rad/s]",
                            held.largest_speed, 1e-8);
    findings.expect_at_most("(g) " + model + ": normal force of an interface against 200 N [N]",
                            held.force_error, 1e-9 / 0.01);
    findings.expect_at_most(model + ": worst residual [-]", held.residual, 1e-8);
    findings.expect_true(model + ": every step certified", held.missed == 0,
                         fmt::format("{} missed", held.missed));
    findings.timing_at_most("(h) " + model + ": the first 10 iterations", held.first_ten_s, 0.010);
    figure.curves.push_back({model, held.time, held.sag});
  }
  findings.figures.push_back(std::move(figure));
  findings.notes.push_back(
      "From exact rest without noise each step repeats the last one bit by bit, so that thousands "
      "of iterations are one solve. With noise some drop: the law of the pyramid has solutions "
      "that slide beside those that stick, and Lemke's method finds one. At mu 1e20 it also loses "
      "its digits: ours then solves with mu 1e4 and keeps what obeys the law asked.");
}

}  // namespace amontons::experiments
