#include "amontons/simulation/system/divergence_error.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/joint_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

// The arm of eight joints with dry friction above the torque of gravity.

namespace amontons::experiments {
namespace {

constexpr Eigen::Index kBicep = 1;
constexpr double kMark = 1e-2;   // between the marks of a figure [s]
constexpr double kRest = 1e-10;  // joint speed that counts as rest [rad/s]

struct Hold {
  double speed = 0.0, drift = 0.0;  // largest |q'| and |q - q0| [rad/s, rad]
  double torque_error = 0.0;        // difference of friction and gravity [N m]
  int missed = 0;
  JointTrace bicep{kMark};
};

/// A step's friction impulse, whichever way it was solved.
Eigen::VectorXd friction_impulse(const StepReport& report) {
  const Eigen::VectorXd change =
      report.problem.mass_matrix * (report.solution.velocity - report.problem.free_velocity);
  return change;
}

Hold hold(const Context& context, const std::string& mode, double step, Findings* findings,
          const std::string& run) {
  const Scene scene = context.load(
      "arm.yaml", {{"simulation.joint_friction", mode}, {"simulation.step", std::to_string(step)}});
  Hold result;
  const auto observe = [&](const Simulator& simulator, const StepReport& report) {
    const Eigen::VectorXd& v = simulator.state().v;
    result.speed = std::max(result.speed, v.lpNorm<Eigen::Infinity>());
    result.drift = std::max(result.drift, simulator.state().q.lpNorm<Eigen::Infinity>());
    result.bicep.add(simulator.time(), simulator.state().q[kBicep], v[kBicep]);
    if (mode != "coupled") return;
    // At rest v_free is what gravity alone would do: M v_free = h times its torque.
    const Eigen::VectorXd gravity = report.problem.mass_matrix * report.problem.free_velocity;
    const double error = (friction_impulse(report) + gravity).lpNorm<Eigen::Infinity>();
    result.torque_error = std::max(result.torque_error, error / report.step);
    const double rows = (report.solution.bounded_impulses + gravity).lpNorm<Eigen::Infinity>();
    result.torque_error = std::max(result.torque_error, rows / report.step);
  };
  try {
    result.missed = context.simulate(scene, observe, findings, run);
  } catch (const DivergenceError&) {
    result.speed = std::numeric_limits<double>::infinity();
  }
  return result;
}

}  // namespace

void check_arm_holding(Context& context, Findings& findings) {
  std::vector<std::pair<std::string, JointTrace>> runs;
  double published = 0.0;  // joint speed of the published form at 10 ms [rad/s]
  // (a), (d) Friction of both implicit forms keeps the arm at rest, in balance with gravity.
  for (const std::string mode : {"coupled", "box-qp"}) {
    for (const double step : {1e-2, 1e-3}) {
      const std::string at = mode + ", h = " + std::to_string(step) + " s: ";
      const bool recorded = mode == "coupled" && step == 1e-2;
      const Hold held =
          hold(context, mode, step, recorded ? &findings : nullptr, recorded ? "coupled" : "");
      if (mode == "box-qp" && step == 1e-2) {
        runs.emplace_back("box-qp, 10 ms", held.bicep);
        published = held.speed;
      }
      findings.expect_at_most("(a) " + at + "joint speed [rad/s]", held.speed, kRest);
      findings.expect_at_most("(a) " + at + "drift [rad]", held.drift, 1e-10);
      findings.expect_true("(a) " + at + "every step certified", held.missed == 0);
      if (mode != "coupled") continue;
      findings.expect_at_most("(d) " + at + "friction against the torque of gravity [N m]",
                              held.torque_error, 1e-9);
    }
  }

  // (b), (c) The sgn() form chatters, in proportion to the step.
  Table table{"The sgn() model",
              {"h [s]", "largest joint speed [rad/s]", "largest joint angle from its start [rad]"},
              {}};
  std::vector<double> chatter;
  for (const double step : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const Hold moved = hold(context, "explicit", step, nullptr, "");
    const double speed = moved.speed;
    if (step >= 1e-3) {
      findings.expect_at_least("(b) explicit, h = " + std::to_string(step) + " s: chatter [rad/s]",
                               speed, 1e-3);
    }
    if (step <= 1e-3) chatter.push_back(speed);
    table.rows.push_back({fmt::format("{:g}", step), fmt::format("{:.3g}", speed),
                          fmt::format("{:.3g}", moved.drift)});
    if (step == 1e-3) runs.emplace_back("sgn(), 1 ms", moved.bicep);
    if (step != 1e-5) continue;
    runs.emplace_back("sgn(), 10 us", moved.bicep);
    // The published form does better at a step a thousand times larger than this.
    findings.expect_at_least("(e) explicit, h = 10 us: speed over that of box-qp at 10 ms",
                             speed / std::max(published, kRest), 100.0);
  }
  draw_traces("bicep", "Fig. 8", runs, findings);
  for (std::size_t i = 1; i < chatter.size(); ++i) {
    findings.expect_within("(c) explicit: chatter over that at a tenth of the step",
                           chatter[i - 1] / chatter[i], 9.0, 11.0);
  }
  findings.tables.push_back(std::move(table));
}

}  // namespace amontons::experiments
