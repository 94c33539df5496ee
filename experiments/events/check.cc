#include "amontons/math/rotation.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Event-driven simulation against closed forms, and beside time stepping.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81;

void check_ball(const Context& context, Findings& findings) {
  // Times and apexes of the first five impacts against their geometric series.
  const double e = 0.9, fall = std::sqrt(2.0 / kGravity);
  int impacts = 0;
  double apex_error = 0.0, time_error = 0.0, last_time = 0.0, last_speed = 0.0;
  const int missed = context.simulate(
      context.load("ball.yaml"),
      [&](const Simulator& simulator, const StepReport& report) {
        if (!report.events.impact) return;
        ++impacts;
        last_time = simulator.time();
        last_speed = simulator.state().v[5];
        if (impacts > 5) return;
        const double apex = last_speed * last_speed / (2.0 * kGravity);
        apex_error = std::max(apex_error, std::abs(apex - std::pow(e, 2 * impacts)));
        const double time = fall * (1.0 + 2.0 * e * (1.0 - std::pow(e, impacts - 1)) / (1.0 - e));
        time_error = std::max(time_error, std::abs(last_time - time));
      },
      &findings, "ball");

  // The remaining bounces sum up to the Zeno time.
  findings.expect_at_most("R03: first five apexes against e^2k H [m]", apex_error, 1e-9);
  findings.expect_at_most("R03: their impacts against the closed form [s]", time_error, 1e-9);
  findings.expect_at_most("R03: Zeno time, the last bounces summed up [s]",
                          std::abs(last_time + 2.0 * last_speed / (kGravity * (1.0 - e)) -
                                   fall * (1.0 + e) / (1.0 - e)),
                          1e-9);
  findings.notes.push_back(fmt::format("{} impacts before bounces are shorter than 1 ms", impacts));

  // A ball with e = 1 keeps its apex over many bounces.
  const int bounces = context.full() ? 1000 : 200;
  const double period = 2.0 * fall;
  double worst = 0.0;
  impacts = 0;
  const int missed_elastic = context.simulate(
      context.load("ball.yaml",
                   {{"materials.default.restitution", "1"},
                    {"simulation.duration", fmt::format("{:.17g}", (bounces + 0.1) * period)}}),
      [&](const Simulator& simulator, const StepReport& report) {
        const double v = simulator.state().v[5];
        const double apex = simulator.state().q[6] - 0.1 + v * v / (2.0 * kGravity);
        worst = std::max(worst, std::abs(apex - 1.0));
        impacts += report.events.impact ? 1 : 0;
      });
  findings.expect_at_most(fmt::format("e = 1: apex over {} bounces against 1 m [m]", bounces),
                          worst, 1e-9);
  findings.expect_at_most("e = 1: bounces missing", std::abs(impacts - bounces), 0.0);
  findings.expect_at_most("steps and impacts without certificate", missed + missed_elastic, 0.0);
}

void check_free_top(const Context& context, Findings& findings) {
  const Eigen::Matrix3d inertia = Eigen::Vector3d(1.0, 2.0, 3.0).asDiagonal();
  const auto momentum = [&inertia](const State& state) -> Eigen::Vector3d {
    const Eigen::Matrix3d R = quaternion_from_wxyz(state.q.head<4>()).toRotationMatrix();
    return R * inertia * R.transpose() * state.v.head<3>();
  };
  const Eigen::Vector3d start = inertia * Eigen::Vector3d(0.1, 5.0, 0.1);
  double worst = 0.0, drift = 0.0, energy = 0.0;
  context.simulate(context.load("top.yaml", {{"simulation.integrator_tolerance", "1e-13"}}),
                   [&](const Simulator& simulator, const StepReport& report) {
                     worst = std::max(worst, (momentum(simulator.state()) - start).norm());
                     if (energy == 0.0) energy = report.energy.kinetic;
                     drift = std::max(drift, std::abs(report.energy.kinetic - energy));
                   });
  findings.expect_at_most("R05: momentum of a free top over 20 s, relative", worst / start.norm(),
                          1e-10);
  findings.notes.push_back(
      fmt::format("R05: its energy drifts by {:.1e} of {:.4g} J", drift, energy));
}

// Textbook equations in angles from the vertical; equal masses and lengths of 1.
Eigen::Vector4d double_pendulum_rate(const Eigen::Vector4d& y) {
  const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
  Eigen::Matrix2d M;
  M << 2.0, c, c, 1.0;
  const Eigen::Vector2d f(-s * y[3] * y[3] - 2.0 * kGravity * std::sin(y[0]),
                          s * y[2] * y[2] - kGravity * std::sin(y[1]));
  const Eigen::Vector2d a = M.inverse() * f;
  return {y[2], y[3], a[0], a[1]};
}

Eigen::Vector4d double_pendulum(double duration, int steps) {
  const double h = duration / steps, level = std::acos(0.0);
  Eigen::Vector4d y(level - 1.0, level - 1.2, 0.0, 0.0);
  for (int i = 0; i < steps; ++i) {
    const Eigen::Vector4d k1 = double_pendulum_rate(y), k2 = double_pendulum_rate(y + 0.5 * h * k1),
                          k3 = double_pendulum_rate(y + 0.5 * h * k2),
                          k4 = double_pendulum_rate(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return y;
}

void check_pendulum(const Context& context, Findings& findings) {
  const Eigen::Vector4d exact = double_pendulum(10.0, 200000);
  // The scene's angles turn the other way, from level: sum of both is the lower one's.
  const auto error = [&](const std::string& integrator, const std::string& step) {
    const Scene scene = context.load("pendulum.yaml", {{"simulation.integrator", integrator},
                                                       {"simulation.integrator_tolerance", "1e-13"},
                                                       {"simulation.step", step}});
    Simulator simulator = context.simulator(scene);
    while (!simulator.finished()) context.step(simulator);
    const Eigen::VectorXd& q = simulator.state().q;
    const double level = std::acos(0.0);
    return std::hypot(level - q[0] - exact[0], level - q[0] - q[1] - exact[1]);
  };
  findings.expect_at_most("R06: double pendulum after 10 s, dormand-prince [rad]",
                          error("dormand-prince", "0.01"), 1e-11);
  findings.expect_within("R06: order of rk4 (4 and 2 ms)",
                         std::log2(error("rk4", "0.004") / error("rk4", "0.002")), 3.7, 4.3);
  findings.expect_within(
      "R06: order of symplectic-euler (2 and 1 ms)",
      std::log2(error("symplectic-euler", "0.002") / error("symplectic-euler", "0.001")), 0.8, 1.2);
}

void check_heavy_top(const Context& context, Findings& findings) {
  Simulator simulator = context.simulator(
      context.load("heavy-top.yaml", {{"simulation.integrator_tolerance", "1e-13"}}));
  const double spin = 40.0, precession = kGravity * 0.3 / (0.02 * spin);
  simulator.set_state(simulator.state().q, Eigen::Vector3d(spin, 0.0, precession));
  while (!simulator.finished()) context.step(simulator);
  const Eigen::Vector3d axis =
      quaternion_from_wxyz(simulator.state().q.head<4>()).toRotationMatrix().col(0);
  const double angle = precession * simulator.time();
  findings.expect_at_most("R07: axis of the heavy top after 2 s of steady precession [rad]",
                          (axis - Eigen::Vector3d(std::cos(angle), std::sin(angle), 0.0)).norm(),
                          1e-9);
}

struct Fall {
  int rows = 0, impacts = 0, missed = 0;
  double infeasibility = 0.0, first_impact = 0.0;
};

Fall drop_ellipse(const Context& context, const Overrides& overrides) {
  Fall result;
  result.missed = context.simulate(
      context.load("ellipse.yaml", overrides),
      [&](const Simulator& simulator, const StepReport& report) {
        ++result.rows;
        result.impacts += report.events.impact ? 1 : 0;
        result.infeasibility = std::max(result.infeasibility, report.certificate.infeasibility);
        if (result.first_impact == 0.0 && !report.solution.impulses.isZero(0.0)) {
          result.first_impact = simulator.time();
        }
      });
  return result;
}

void check_restart(const Context& context, Findings& findings) {
  const Fall stepping = drop_ellipse(context, {{"simulation.model", "anitescu-hart"}});
  const Fall restart = drop_ellipse(context, {{"simulation.method", "event-driven"},
                                              {"simulation.integrator", "symplectic-euler"},
                                              {"simulation.impact_model", "anitescu-potra"},
                                              {"simulation.model", "anitescu-hart"}});
  const Fall exact = drop_ellipse(context, {{"simulation.method", "event-driven"}});
  Table table{"E10: the ellipse for 3 s, h 50 ms",
              {"method", "steps and impacts", "impacts", "first impact [s]", "largest I(q) [m]"},
              {}};
  const auto add = [&table](const std::string& name, const Fall& fall) {
    table.rows.push_back({name, std::to_string(fall.rows), std::to_string(fall.impacts),
                          fmt::format("{:.6f}", fall.first_impact),
                          fmt::format("{:.2e}", fall.infeasibility)});
  };
  add("time stepping, gamma 0.4", stepping);
  add("restart", restart);
  add("event-driven, dormand-prince", exact);
  findings.tables.push_back(std::move(table));
  findings.expect_at_most("E10: first impact, event by event, against 1.09938 s [s]",
                          std::abs(exact.first_impact - 1.09938), 1e-5);
  findings.expect_at_most("E10: first impact by restart, in steps of h from it",
                          std::abs(restart.first_impact - 1.09938) / 0.05, 1.0);
  findings.expect_at_least("E10: restart takes more steps than time stepping, by",
                           restart.rows - stepping.rows, 1.0);
  findings.expect_at_most("E10: steps without certificate",
                          stepping.missed + restart.missed + exact.missed, 0.0);
}

// Positions at each 24 ms [columns].
Eigen::MatrixXd path_of(const Context& context, double h, Overrides how) {
  constexpr double kInterval = 0.024;
  how.emplace_back("simulation.step", fmt::format("{}", h));
  Simulator simulator = context.simulator(context.load("converge.yaml", how));
  Eigen::MatrixXd path(simulator.state().q.size(), 25);
  for (Eigen::Index i = 0; i < path.cols(); ++i) {
    const double time = kInterval * static_cast<double>(i + 1);
    while (simulator.time() < time - 1e-9) context.step(simulator);
    path.col(i) = simulator.state().q;
  }
  return path;
}

void check_convergence(const Context& context, Findings& findings) {
  const std::vector<double> steps = {0.008, 0.004, 0.002, 0.001};
  // Contacts that last by forces, all of it integrated.
  const Eigen::MatrixXd reference =
      path_of(context, 0.001,
              {{"simulation.sustained_contact", "coulomb-acceleration"},
               {"simulation.integrator_tolerance", "1e-12"}});
  // Free bodies have seven positions, the planar rod three, in the order of the scene.
  struct Part {
    std::string name;
    Eigen::Index first, size;
  };
  const std::vector<Part> parts = {{"box on a ramp", 0, 7},
                                   {"sphere that comes to roll", 7, 7},
                                   {"rod that falls on its end", 14, 3},
                                   {"bouncing ball", 17, 7}};
  struct Method {
    std::string name;
    Overrides how;
    std::vector<Eigen::MatrixXd> paths;
  };
  // Impacts by one law: that of time stepping.
  std::vector<Method> methods = {
      {"time stepping", {{"simulation.method", "time-stepping"}}, {}},
      {"event by event", {{"simulation.method", "event-driven"}}, {}},
      {"hybrid", {{"simulation.method", "hybrid"}, {"simulation.impact_model", "coulomb"}}, {}}};
  for (Method& method : methods) {
    for (const double h : steps) method.paths.push_back(path_of(context, h, method.how));
  }
  Table table{"Order in h over 8 to 1 ms, and distance from the reference at 1 ms in 0.6 s",
              {"motion", "time stepping", "event by event", "hybrid"},
              {}};
  for (const Part& part : parts) {
    Figure figure{
        "Largest distance from the reference in 0.6 s: " + part.name, "step [s]", "|dq|", true, {}};
    std::vector<std::string> row = {part.name};
    for (const Method& method : methods) {
      std::vector<double> errors;
      for (const Eigen::MatrixXd& path : method.paths) {
        errors.push_back(
            (path - reference).middleRows(part.first, part.size).colwise().norm().maxCoeff());
      }
      // Over the whole range: where impacts fall within a step the error is not smooth in h.
      const double order = std::log2(errors.front() / errors.back()) / 3.0;
      const std::string text = fmt::format("{}, {}: ", part.name, method.name);
      // The integrator moves flying bodies: there is no error left to converge.
      const bool is_exact = errors.front() < 1e-8;
      if (!is_exact) findings.expect_at_least(text + "order in h", order, 0.7);
      row.push_back(is_exact ? fmt::format("exact, {:.1e}", errors.back())
                             : fmt::format("{:.2f}, {:.1e}", order, errors.back()));
      findings.expect_at_most(text + "distance from the reference at 1 ms", errors.back(), 0.02);
      figure.curves.push_back({method.name, steps, errors});
    }
    table.rows.push_back(std::move(row));
    findings.figures.push_back(std::move(figure));
  }
  findings.tables.push_back(std::move(table));
}

}  // namespace

void check_events(Context& context, Findings& findings) {
  check_ball(context, findings);
  check_free_top(context, findings);
  check_pendulum(context, findings);
  check_heavy_top(context, findings);
  check_restart(context, findings);
  check_convergence(context, findings);
}

}  // namespace amontons::experiments
