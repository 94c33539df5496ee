#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

// A stone that spins in one sense only.

namespace amontons::experiments {
namespace {

constexpr double kSpin = 5.0, kTilt = 0.5 * 3.14159265358979324 / 180.0;
const Eigen::Vector3d kAxes(0.2, 0.03, 0.02);  // semi-axes [m]
constexpr double kBelow = 0.01;                // of the center of mass below the ellipsoid's [m]

Scene stone(double spin, double step, double duration, const std::string& method) {
  Scene scene = scene_of(step, duration, 5.0);
  scene.gravity = {0.0, 0.0, -9.81};
  scene.simulation.method = method;
  if (method == "event-driven") {
    scene.simulation.events.sustained = SustainedContact::CoulombAcceleration;
  }
  SceneBody body = solid_of_mass("stone", Ellipsoid{kAxes}, 1.0, {});
  body.inertia.center_of_mass = {0.0, 0.0, -kBelow};
  body.inertia.inertia << 2e-4, -2e-5, 0.0, -2e-5, 1.6e-3, 0.0, 0.0, 0.0, 1.7e-3;
  // Tilted about its long axis, in contact.
  const double sine = std::sin(kTilt), cosine = std::cos(kTilt);
  body.pose.rotation << 1.0, 0.0, 0.0, 0.0, cosine, -sine, 0.0, sine, cosine;
  body.pose.translation.z() = std::hypot(kAxes.y() * sine, kAxes.z() * cosine);
  body.angular_velocity = {0.0, 0.0, spin};
  scene.bodies.push_back(body);
  scene.bodies.push_back(fixed("table", HalfSpace{}));
  return scene;
}

struct Spin {
  double end = 0.0, change = 0.0;  // spin in the end [rad/s], largest change of the energy [J]
  double reversed_at = 0.0;        // when the spin first changes its sign [s]
  Curve curve;
};

Spin spin(const Context& context, double start, double step, const std::string& method,
          Findings* findings = nullptr) {
  Spin result;
  double energy = 0.0;
  bool first = true;
  context.simulate(
      stone(start, step, 6.0, method),
      [&](const Simulator& simulator, const StepReport& report) {
        const double now = report.energy.kinetic + report.energy.potential;
        if (first) energy = now;
        first = false;
        result.change = std::max(result.change, std::abs(now - energy));
        result.end = spin_of(simulator, 0).z();
        if (result.reversed_at == 0.0 && result.end * start < 0.0) {
          result.reversed_at = simulator.time();
        }
        result.curve.x.push_back(simulator.time());
        result.curve.y.push_back(result.end);
      },
      findings, "stone");
  return result;
}

}  // namespace

void check_rattleback(Context& context, Findings& findings) {
  Spin stable = spin(context, kSpin, 4e-3, "event-driven", &findings);
  Spin reversing = spin(context, -kSpin, 4e-3, "event-driven");
  const Spin coarse = spin(context, -kSpin, 2e-4, "time-stepping");
  const Spin fine = spin(context, -kSpin, 1e-4, "time-stepping");
  const double limit = 2.0 * fine.reversed_at - coarse.reversed_at;
  findings.compare("spin after 6 s, started at +5 rad/s [rad/s]", "", "stable sense: it stays",
                   fmt::format("{:.4g}", stable.end));
  findings.compare("time at which the spin reverses, started at -5 rad/s [s]", "",
                   "unstable sense: it reverses; rolling keeps the energy",
                   fmt::format("{:.4g} by events; {:.4g} and {:.4g} by steps of 0.2 and 0.1 ms",
                               reversing.reversed_at, coarse.reversed_at, fine.reversed_at));
  findings.expect_at_least("started at +5 rad/s: spin after 6 s [rad/s]", stable.end, 4.9);
  findings.expect_at_least("started at -5 rad/s: spin after 6 s [rad/s]", reversing.end, 1.0);
  findings.expect_at_most("energy by events against the start [J]",
                          std::max(stable.change, reversing.change), 1e-6);
  findings.expect_at_most(
      "time of the reversal, steps extrapolated to h = 0 against events, relative",
      std::abs(limit / reversing.reversed_at - 1.0), 0.05);
  stable.curve.name = "started at +5 rad/s";
  reversing.curve.name = "started at -5 rad/s";
  findings.figures.push_back({"Spin of the stone",
                              "time [s]",
                              "spin [rad/s]",
                              false,
                              {std::move(stable.curve), std::move(reversing.curve)}});
}

}  // namespace amontons::experiments
