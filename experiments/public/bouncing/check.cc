#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

// Balls bounce without loss.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kMass = 10.0, kRadius = 0.1, kHeight = 5.0;
constexpr int kSide = 7;
constexpr double kEnergy = kSide * kSide * kMass * kGravity * kHeight;  // [J]

}  // namespace

Scene bouncing_scene(double step, double duration, const std::string& method) {
  Scene scene = scene_of(step, duration, 0.0, 1.0);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.simulation.method = method;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      scene.bodies.push_back(solid_of_mass(fmt::format("ball-{}-{}", i, j), Sphere{kRadius}, kMass,
                                           at(2.0 * i, 2.0 * j, kHeight)));
    }
  }
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  return scene;
}

namespace {

/// Returns the mean squared error of the energy [J^2], of states at equal times.
double error_of(const Context& context, double step, const std::string& method, double duration,
                Curve* curve = nullptr) {
  double sum = 0.0, last = 0.0;
  int samples = 0;
  context.simulate(bouncing_scene(step, duration, method),
                   [&](const Simulator& simulator, const StepReport& report) {
                     // Rows of impacts take no time.
                     if (simulator.time() <= last) return;
                     last = simulator.time();
                     const double energy = report.energy.kinetic + report.energy.potential;
                     sum += (energy - kEnergy) * (energy - kEnergy);
                     ++samples;
                     if (curve == nullptr) return;
                     curve->x.push_back(last);
                     curve->y.push_back(energy / kEnergy);
                   });
  return sum / samples;
}

}  // namespace

void check_bouncing(Context& context, Findings& findings) {
  const double duration = context.full() ? 20.0 : 10.0;
  Curve steps{"time stepping, h 10 ms", {}, {}};
  const double events = error_of(context, 0.01, "event-driven", duration);
  const double coarse = error_of(context, 0.01, "time-stepping", duration, &steps);
  const double fine = error_of(context, 0.001, "time-stepping", duration);

  // Published errors at both steps.
  findings.compare("event-driven, output each 10 ms: mean squared error of the energy [J^2]",
                   "RaiSim 186, ODE 18808, DART 7.4e6, Bullet 7.4e6",
                   fmt::format("energy {:.6g} J", kEnergy), fmt::format("{:.1e}", events));
  findings.compare("time stepping, h 10 ms: the same [J^2]",
                   "RaiSim 186, ODE 18808, DART 7.4e6, Bullet 7.4e6", "",
                   fmt::format("{:.4g}", coarse));
  findings.compare("time stepping, h 1 ms: the same [J^2]",
                   "RaiSim 0.0186, ODE 185, DART 72274, Bullet 75245", "",
                   fmt::format("{:.4g}", fine));
  findings.expect_at_most("event-driven: error [J^2]", events, 1e-6);
  findings.expect_at_most("time stepping, h 10 ms: error against ODE's [J^2]", coarse, 4 * 18808.0);
  findings.expect_within("time stepping: error at 10 ms over that at 1 ms (second order: 100)",
                         coarse / fine, 50.0, 200.0);
  findings.figures.push_back(
      {"Energy over that at the start", "time [s]", "energy [-]", false, {std::move(steps)}});
}

}  // namespace amontons::experiments
