#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

// Coulomb's law between forces and accelerations, and where it has no solution.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81;
constexpr double kEnd = 1e-9;  // radius of the rod's end [m]

void check_box(const Context& context, Findings& findings) {
  const double slope = std::numbers::pi / 6.0;
  const double a = kGravity * (std::sin(slope) - 0.3 * std::cos(slope));
  const Eigen::Vector3d down(std::cos(slope), 0.0, -std::sin(slope));
  double worst = 0.0;
  Eigen::Vector3d start = Eigen::Vector3d::Zero();
  const int missed = context.simulate(
      context.load("box.yaml"),
      [&](const Simulator& simulator, const StepReport& report) {
        const Eigen::Vector3d at = simulator.state().q.tail<3>();
        if (report.start->time == 0.0) start = report.start->q.tail<3>();
        const double way = 0.5 * a * simulator.time() * simulator.time();
        worst = std::max(worst, (at - start - way * down).norm());
      },
      &findings, "box");
  findings.expect_at_most("A7: box on a ramp by rk4 against a t^2 / 2 over 1 s [m]", worst, 1e-12);
  findings.expect_at_most("A7: box, steps without certificate", missed, 0.0);
}

/// A state of the rod: angle above the ground, slip of its end along x, rate about +y.
struct Lean {
  double angle, slip, turn = 0.0;
};

/// The rod up and to the right of its end, which is at the origin.
void place(const Lean& lean, Simulator& simulator) {
  const double c = 0.5 * std::cos(lean.angle), s = 0.5 * std::sin(lean.angle);
  // x, z, angle about +y, which turns +x down.
  simulator.set_state(Eigen::Vector3d(c, s + kEnd, -lean.angle),
                      Eigen::Vector3d(lean.slip + lean.turn * s, -lean.turn * c, lean.turn));
}

/// Angle, its rate, x and its rate of a rod whose end slides along +x with friction mu: the end
/// stays down, and friction -mu N acts there.
Eigen::Vector4d sliding_rate(const Eigen::Vector4d& y, double mu) {
  const double c = 0.5 * std::cos(y[0]), s = 0.5 * std::sin(y[0]);
  const double lever = -c - mu * s;
  const double N = (kGravity - s * y[1] * y[1]) / (1.0 - 12.0 * c * lever);
  return {y[1], 12.0 * lever * N, y[3], -mu * N};
}

void check_order(const Context& context, Findings& findings) {
  // The reference is the planar rod, by Runge-Kutta with 20,000 steps.
  const double mu = 0.1, duration = 0.2;
  const Lean lean{1.0, 2.0};
  Eigen::Vector4d y(lean.angle, 0.0, 0.5 * std::cos(lean.angle), lean.slip);
  const int parts = 20000;
  const double h = duration / parts;
  for (int i = 0; i < parts; ++i) {
    const Eigen::Vector4d k1 = sliding_rate(y, mu), k2 = sliding_rate(y + 0.5 * h * k1, mu),
                          k3 = sliding_rate(y + 0.5 * h * k2, mu),
                          k4 = sliding_rate(y + h * k3, mu);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }

  // Error of position and height after the same time.
  const auto error = [&](const std::string& integrator, double step) {
    Simulator simulator = context.simulator(
        context.load("rod.yaml", {{"simulation.integrator", integrator},
                                  {"simulation.step", fmt::format("{}", step)},
                                  {"materials.default.friction", fmt::format("{}", mu)}}));
    place(lean, simulator);
    while (simulator.time() < duration - 1e-9) context.step(simulator);
    const Eigen::VectorXd& q = simulator.state().q;
    return std::hypot(q[0] - y[2], q[1] - kEnd - 0.5 * std::sin(y[0]));
  };
  Figure figure{"A rod that falls on its sliding end, by forces: error after 0.2 s",
                "step [s]",
                "|dq| [m]",
                true,
                {}};

  // The order comes from the two smallest steps.
  const std::vector<double> steps = {0.05, 0.025, 0.0125};
  std::vector<double> errors;
  for (const double step : steps) errors.push_back(error("rk4", step));
  findings.expect_within("A7: rod that slides, order of rk4 (25 and 12.5 ms)",
                         std::log2(errors[1] / errors[2]), 3.6, 4.6);
  findings.expect_at_most("A7: rod that slides, dormand-prince [m]", error("dormand-prince", 0.05),
                          1e-10);
  figure.curves.push_back({"rk4", steps, errors});
  findings.figures.push_back(std::move(figure));
}

double critical_friction(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return (1.0 + 3.0 * c * c) / (3.0 * s * c);
}

const char* name_of(SlidingLaw law) {
  if (law == SlidingLaw::Determined) return "one force";
  return law == SlidingLaw::Ambiguous ? "several" : "none";
}

void check_paradox(const Context& context, Findings& findings) {
  Table table{
      "A rod drawn toward its contact at 1 m/s",
      {"angle [rad]", "rate [rad/s]", "mu / critical", "law", "first step", "slip after [m/s]"},
      {}};
  int wrong = 0, uncertified = 0, stopped = 0;
  double slip_after = 0.0, fastest = 0.0, gained = -1e9;
  for (const double angle : {0.6, std::atan(2.0), 1.3}) {
    for (const double turn : {0.0, 6.0}) {
      for (const double factor : {0.5, 0.999, 1.001, 2.0}) {
        Simulator simulator = context.simulator(context.load(
            "rod.yaml", {{"materials.default.friction",
                          fmt::format("{:.17g}", factor * critical_friction(angle))}}));
        place({angle, -1.0, turn}, simulator);
        const StepReport& first = context.step(simulator);
        // The end would rise where the turn lifts it faster than it falls.
        const bool rises = turn * turn * 0.5 * std::sin(angle) > kGravity;
        const SlidingLaw expected = factor < 1.0 ? SlidingLaw::Determined
                                    : rises      ? SlidingLaw::Ambiguous
                                                 : SlidingLaw::Impossible;
        const bool is_impact = first.events.impact && first.step == 0.0;
        wrong += first.events.sliding == expected && is_impact == (factor > 1.0) ? 0 : 1;
        const Eigen::VectorXd u = first.problem.contact_velocities(simulator.state().v);
        const double slip = u.size() > 0 ? u.head<2>().norm() : 0.0;
        if (is_impact) {
          slip_after = std::max(slip_after, slip);
          gained = std::max(gained, first.certificate.energy_gained);
        }
        table.rows.push_back({fmt::format("{:.3f}", angle), fmt::format("{}", turn),
                              fmt::format("{}", factor), name_of(first.events.sliding),
                              is_impact ? "impact" : "motion", fmt::format("{:.2e}", slip)});
        uncertified += first.certificate.holds ? 0 : 1;
        while (!simulator.finished()) {
          uncertified += context.step(simulator).certificate.holds ? 0 : 1;
          fastest = std::max(fastest, simulator.state().v.norm());
        }
        ++stopped;
      }
    }
  }
  findings.tables.push_back(std::move(table));
  findings.expect_at_most(
      "A7: no force or several, and then an impact, exactly beyond the critical friction: wrong of "
      "24",
      wrong, 0.0);
  findings.expect_at_most("A7: slip after that impact [m/s]", slip_after, 1e-12);
  findings.expect_at_most("A7: energy gained in it [J]", gained, 1e-12);
  findings.expect_at_most("A7: steps without certificate, 0.2 s each", uncertified, 0.0);
  findings.expect_at_most("A7: and continues: fastest motion [m/s or rad/s]", fastest, 20.0);
}

void check_velocity_level(const Context& context, Findings& findings) {
  double residual = 0.0, fastest = 0.0, gained = 0.0;
  int missed = 0;
  for (const char* friction : {"0.5", "2", "10", "1e6"}) {
    for (const double slip : {-1.0, 1.0}) {
      Scene scene = context.load("rod.yaml", {{"materials.default.friction", friction}});
      scene.simulation.method = "time-stepping";
      scene.simulation.events = {};
      scene.simulation.steps = {0.01};
      Simulator simulator = context.simulator(scene);
      place({0.8, slip}, simulator);
      while (!simulator.finished()) {
        const StepReport& report = context.step(simulator);
        missed += report.certificate.holds ? 0 : 1;
        residual = std::max(
            {residual, report.certificate.normal.value, report.certificate.friction.value});
        fastest = std::max(fastest, simulator.state().v.norm());
        gained = std::max(gained, report.certificate.energy_gained);
      }
    }
  }
  findings.expect_at_most("R09: velocity level, mu 0.5 to 10^6: residual of the law", residual,
                          1e-9);
  findings.expect_at_most("R09: steps without certificate", missed, 0.0);
  findings.expect_at_most("R09: finite: fastest motion [m/s or rad/s]", fastest, 20.0);
  findings.expect_at_most("R09: energy gained in a step [J]", gained, 1e-10);
}

}  // namespace

void check_painleve_rod(Context& context, Findings& findings) {
  check_box(context, findings);
  check_order(context, findings);
  check_paradox(context, findings);
  check_velocity_level(context, findings);
}

}  // namespace amontons::experiments
