#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/quadruped.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

// A quadruped is thrown up by a force and falls: its energy stays while it falls.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kStep = 0.001, kLift = 1.0, kFall = 2.0, kMass = 32.8;

/// Returns the mean squared error of the energy of the fall [J^2].
double fall(const Context& context, const std::string& method, Findings* findings = nullptr) {
  Scene scene = scene_of(kStep, kLift + kFall, 0.0);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.simulation.method = method;
  add_quadruped(scene, 2.0, Coordinates::Reduced);
  for (SceneBody& body : scene.bodies) body.shapes.clear();  // legs pass through each other
  // Twice the weight acts at the trunk for one second.
  const double force = 2.0 * kMass * kGravity;
  BodyWrench wrench;
  wrench.body = "trunk";
  for (int k = 0; k < 6; ++k) {
    const double size = k == 2 ? force : 0.0;
    wrench.table.emplace_back(std::vector<double>{0.0, kLift, kLift + 1e-9},
                              std::vector<double>{size, size, 0.0}, Interpolation::Linear);
  }
  scene.wrenches.push_back(wrench);
  double start = NAN, sum = 0.0, last = 0.0;
  int samples = 0;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        if (simulator.time() <= last) return;  // rows of events take no time
        last = simulator.time();
        if (last < kLift + 1.5 * kStep) return;
        const double energy = report.energy.kinetic + report.energy.potential;
        if (samples == 0) start = energy;
        sum += (energy - start) * (energy - start);
        ++samples;
      },
      findings, "fall");
  return sum / samples;
}

}  // namespace

void check_energy(Context& context, Findings& findings) {
  const double events = fall(context, "event-driven", &findings);
  const double steps = fall(context, "time-stepping");
  // An Euler step changes the energy of a fall by m g^2 h^2/2.
  const double rate = 0.5 * kMass * kGravity * kGravity * kStep;
  const double euler = rate * rate * kFall * kFall / 3.0;
  const std::string published =
      "MuJoCo RK4 1.6e-17, RaiSim 0.0118, MuJoCo Euler 3.48, Bullet 3.65, ODE 3.89, DART 237";
  findings.compare("event-driven: mean squared error of the energy [J^2]", published,
                   "0: the energy stays", fmt::format("{:.1e}", events));
  findings.compare("time stepping: the same [J^2]", published,
                   fmt::format("Euler's scheme loses m g^2 h t/2: {:.3g}", euler),
                   fmt::format("{:.3g}", steps));
  findings.expect_at_most("event-driven: mean squared error of the energy [J^2]", events, 1e-12);
  findings.expect_within("time stepping: the error over that of Euler's scheme", steps / euler, 0.9,
                         1.1);
}

}  // namespace amontons::experiments
