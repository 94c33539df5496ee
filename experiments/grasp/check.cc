#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/grasp/one_step.h"
#include "experiments/grasp/three_directions.h"
#include "experiments/grasp/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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
  const OneStep one = check_one_step(context, "grasp.yaml", "", findings);
  findings.expect_within("rank of the normals that no-slip leaves free",
                         static_cast<double>(one.rank), 5.0, 5.0);
  findings.timing_at_most("(e) model no-slip not slower than stewart-trinkle", one.no_slip_s,
                          one.stewart_trinkle_s);
  check_cube(context, findings);
  check_more_cubes(context, findings);
  check_trials(context, context.full() ? 5 : 2, findings);
  check_three_directions(context, findings);
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
