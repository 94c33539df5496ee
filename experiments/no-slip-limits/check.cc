#include "amontons/math/runge_kutta.h"
#include "amontons/models/acceleration/viscous_acceleration.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

// Decay under viscous friction, and what sticks without slip.

namespace amontons::experiments {
namespace {

constexpr double kViscous = 2.0, kDuration = 1.0;  // sum of all four contacts [N s/m], [s]
constexpr Eigen::Index kPlanarX = 0, kFreeX = 3;   // places of the speed along x in v

// Speed along x after a second under the model viscous.
double implicit_speed(const Context& context, double step) {
  double speed = 0.0;
  context.simulate(
      context.load("block.yaml", {{"simulation.step", fmt::format("{}", step)}}),
      [&](const Simulator& simulator, const StepReport&) { speed = simulator.state().v[kFreeX]; });
  return speed;
}

// The same by the classical Runge-Kutta method on the acceleration-level law, at the place where
// the block starts: the plane is the same everywhere.
double runge_kutta_speed(const Context& context, int steps) {
  Simulator simulator = context.simulator(context.load("block.yaml"));
  ContactProblem problem = simulator.step().problem;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
  const Eigen::VectorXd weight =
      problem.mass_matrix * (problem.free_velocity - problem.velocity) / problem.step;
  const auto rate = [&](double, const Eigen::VectorXd& v, Eigen::VectorXd& acceleration) {
    problem.velocity = v;
    acceleration = viscous_acceleration(problem, weight, none, Eigen::VectorXd()).acceleration;
  };
  Eigen::VectorXd v = Eigen::VectorXd::Unit(6, kFreeX), next;
  RungeKutta method;
  const double h = kDuration / steps;
  for (int k = 0; k < steps; ++k) {
    method.step_rk4(rate, k * h, v, h, next);
    std::swap(v, next);
  }
  return v[kFreeX];
}

void check_decay(const Context& context, Findings& findings) {
  const double exact = std::exp(-kViscous * kDuration);
  Table table{"A4: error of v(1 s) against exp(-mu_v t/m)",
              {"step [s]", "implicit, velocity level", "Runge-Kutta, acceleration level"},
              {}};
  std::vector<double> implicit, runge_kutta;
  for (const int steps : {25, 50, 100, 200}) {
    implicit.push_back(std::abs(implicit_speed(context, kDuration / steps) - exact));
    runge_kutta.push_back(std::abs(runge_kutta_speed(context, steps) - exact));
    table.rows.push_back({fmt::format("{}", kDuration / steps),
                          fmt::format("{:.3e}", implicit.back()),
                          fmt::format("{:.3e}", runge_kutta.back())});
  }
  findings.tables.push_back(std::move(table));
  findings.expect_within("A4, R12: order of the implicit velocity level",
                         std::log2(implicit[2] / implicit[3]), 0.9, 1.1);
  findings.expect_within("A4, R12: order of Runge-Kutta at acceleration level",
                         std::log2(runge_kutta[0] / runge_kutta[1]), 3.9, 4.1);
  // h mu_v/m = 100: ten steps of 50 s.
  double least = 1.0, largest = 0.0;
  context.simulate(context.load("block.yaml", {{"simulation.step", "50"},
                                               {"simulation.duration", "500"},
                                               {"gravity", "[0, 0, 0]"}}),
                   [&](const Simulator& simulator, const StepReport&) {
                     least = std::min(least, simulator.state().v[kFreeX]);
                     largest = std::max(largest, simulator.state().v[kFreeX]);
                   });
  findings.expect_within("A4: h mu_v/m = 100, speed never beyond its start", largest, 0.0, 1.0);
  findings.expect_at_least("A4: h mu_v/m = 100, speed never turned round", least, 0.0);
}

struct OneStep {
  Eigen::VectorXd v;
  double slip = 0.0;  // at the contact [m/s]
  bool certified = false;
};

OneStep one_step(const Context& context, const std::string& file, const Overrides& overrides) {
  Simulator simulator = context.simulator(context.load(file, overrides));
  const StepReport& report = context.step(simulator);
  const Eigen::VectorXd u = report.problem.contact_velocities(report.solution.velocity);
  return {report.solution.velocity, u.head<2>().norm(), report.certificate.holds};
}

void check_rod(const Context& context, Findings& findings) {
  const OneStep trailing = one_step(context, "rod.yaml", {{"simulation.model", "coulomb"}});
  findings.expect_within("A5: trailing rod, friction 10^6: it still slides, v_x [m/s]",
                         trailing.v[kPlanarX], 0.934639 - 1e-5, 0.934639 + 1e-5);
  const OneStep leading =
      one_step(context, "rod.yaml",
               {{"simulation.model", "coulomb"}, {"bodies.rod.velocity.linear", "[-1, 0, 0]"}});
  findings.expect_at_most("A5: leading rod, friction 10^6: it sticks, slip [m/s]", leading.slip,
                          1e-8);
  for (const std::string speed : {"[1, 0, 0]", "[-1, 0, 0]"}) {
    const OneStep held = one_step(context, "rod.yaml", {{"bodies.rod.velocity.linear", speed}});
    findings.expect_at_most("A5: no slip under the published list, v = " + speed + ": slip [m/s]",
                            held.slip, 1e-10);
    findings.expect_true("A5: certified", held.certified);
  }
}

void check_wall(const Context& context, Findings& findings) {
  const double g_h = 9.81 * 0.01;
  const OneStep coulomb = one_step(context, "wall.yaml", {{"simulation.model", "coulomb"}});
  const OneStep ours = one_step(context, "wall.yaml", {});
  const OneStep literal = one_step(context, "wall.yaml", {{"simulation.sticking", "touching"}});
  findings.expect_at_most("A5: box beside a wall, Coulomb: it falls, against g h [m/s]",
                          std::abs(coulomb.v[1] + g_h), 1e-12);
  findings.expect_at_most("A5: box beside a wall, no-slip: it falls, against g h [m/s]",
                          std::abs(ours.v[1] + g_h), 1e-12);
  findings.expect_at_most("A5: box beside a wall, published list: it hangs by its contact [m/s]",
                          literal.slip, 1e-12);
  // Angular momentum about the contact: (0.1 + 0.04) w = 0.2 m g h.
  findings.expect_at_most("A5: and swings about it, against 0.2 g h/0.14 [rad/s]",
                          std::abs(std::abs(literal.v[2]) - 0.2 * g_h / 0.14), 1e-3 * g_h);
}

// Half-angles below and above the friction angle. Within friction nothing that the overlaps ask for
// is possible: the step ends on normal impulses alone, and says so. Without slip no angle is
// enough.
void check_wedge(const Context& context, Findings& findings) {
  for (const double share : {0.9, 1.1}) {
    const double alpha = share * std::atan(0.4);
    const auto wall = [&](double side) {
      return fmt::format("[{{half_space: {{normal: [{:.17g}, 0, {:.17g}], offset: -0.099}}}}]",
                         side * std::cos(alpha), std::sin(alpha));
    };
    for (const std::string model : {"coulomb", "stewart-trinkle", "no-slip", "viscous"}) {
      Simulator simulator =
          context.simulator(context.load("wedge.yaml", {{"simulation.model", model},
                                                        {"bodies.left.shapes", wall(1.0)},
                                                        {"bodies.right.shapes", wall(-1.0)}}));
      const StepReport& report = simulator.step();  // apart: that some jam is what is asked
      const bool jams = report.solution.status == SolveStatus::Safe;
      const bool expected = model == "no-slip" || (model != "viscous" && share < 1.0);
      findings.expect_true(
          fmt::format("K2: half-angle {} of the friction angle, {}: {}", share, model,
                      expected ? "jams" : "slides out"),
          jams == expected && report.certificate.holds && report.solution.velocity.allFinite(),
          to_string(report.solution.status));
    }
  }
}

}  // namespace

void check_no_slip_limits(Context& context, Findings& findings) {
  check_decay(context, findings);
  check_rod(context, findings);
  check_wall(context, findings);
  check_wedge(context, findings);
}

}  // namespace amontons::experiments
