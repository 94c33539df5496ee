#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

// A slender block rocks from one lower edge to the other.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kHalfWidth = 0.1, kHalfHeight = 0.5, kStart = 0.12;
constexpr int kImpacts = 6;

}  // namespace

Scene rocking_block_scene(double step, const std::string& method) {
  Scene scene = scene_of(step, 4.0, 2.0);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.simulation.method = method;
  if (method == "event-driven") {
    scene.simulation.events.sustained = SustainedContact::CoulombAcceleration;
  }
  // Tilted about its left lower edge, which lies at the origin.
  const double sine = std::sin(kStart), cosine = std::cos(kStart);
  SceneBody body = solid_of_mass("block", Box{{2.0 * kHalfWidth, 0.3, 2.0 * kHalfHeight}}, 1.0,
                                 turned({cosine * kHalfWidth - sine * kHalfHeight, 0.0,
                                         sine * kHalfWidth + cosine * kHalfHeight},
                                        -kStart));
  body.base = BaseType::Planar;
  scene.bodies.push_back(body);
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  return scene;
}

// An impact leaves the share 1 - 3/2 sin^2(alpha) of the rate [Housner 1963].
double rocking_energy_ratio() {
  const double squares = kHalfWidth * kHalfWidth + kHalfHeight * kHalfHeight;
  const double ratio = 1.0 - 1.5 * kHalfWidth * kHalfWidth / squares;
  return ratio * ratio;
}

namespace {

struct Rocking {
  std::vector<double> energies;  // above that at rest, half a swing after each impact [J]
  double first_impact = 0.0;     // [s]
  Curve curve;
};

Rocking rock(const Context& context, double step, const std::string& method,
             Findings* findings = nullptr) {
  const double rest = kGravity * kHalfHeight;
  Rocking result;
  double last_tilt = -kStart, last_rate = 0.0;
  context.simulate(
      rocking_block_scene(step, method),
      [&](const Simulator& simulator, const StepReport& report) {
        const double tilt = simulator.state().q[2], rate = simulator.state().v[2];
        // The block turns back between two impacts.
        if (rate * last_rate < 0.0 && std::abs(tilt) > 1e-3) {
          result.energies.push_back(report.energy.kinetic + report.energy.potential - rest);
        }
        if (result.first_impact == 0.0 && tilt * last_tilt <= 0.0) {
          result.first_impact = simulator.time();
        }
        last_tilt = tilt;
        last_rate = rate;
        result.curve.x.push_back(simulator.time());
        result.curve.y.push_back(tilt);
      },
      findings, "block");
  return result;
}

}  // namespace

void check_rocking_block(Context& context, Findings& findings) {
  const double ratio = rocking_energy_ratio();
  const double start =
      kGravity * (kHalfWidth * std::sin(kStart) + kHalfHeight * (std::cos(kStart) - 1.0));
  Rocking events = rock(context, 0.005, "event-driven", &findings);
  double worst = 0.0, expected = start;
  for (int k = 0; k < kImpacts && k < static_cast<int>(events.energies.size()); ++k) {
    expected *= ratio;
    worst =
        std::max(worst, std::abs(events.energies[static_cast<std::size_t>(k)] / expected - 1.0));
  }
  const double found = events.energies.empty() ? NAN : events.energies[0] / start;
  // Quarter of a period of a slender block.
  const double rate = std::sqrt(0.75 * kGravity / std::hypot(kHalfWidth, kHalfHeight));
  const double alpha = std::atan2(kHalfWidth, kHalfHeight);
  const double quarter = std::acosh(1.0 / (1.0 - kStart / alpha)) / rate;
  findings.compare("energy after the first impact over that before", "",
                   fmt::format("(1 - 3/2 sin^2 a)^2 = {:.8g}", ratio),
                   fmt::format("{:.8g}", found));
  findings.compare("time of the first impact [s]", "",
                   fmt::format("slender block: {:.4g}", quarter),
                   fmt::format("{:.4g}", events.first_impact));
  findings.expect_at_least("swings after impacts", static_cast<double>(events.energies.size()),
                           kImpacts);
  findings.expect_at_most("energy after six impacts against Housner's law, relative", worst, 1e-6);
  findings.expect_at_most("time of the first impact against that of a slender block, relative",
                          std::abs(events.first_impact / quarter - 1.0), 0.01);
  Rocking steps = rock(context, 0.001, "time-stepping");
  findings.expect_within("time stepping, h 1 ms: energy after one impact over Housner's",
                         steps.energies.empty() ? NAN : steps.energies[0] / (start * ratio), 0.95,
                         1.02);
  events.curve.name = "events";
  steps.curve.name = "steps of 1 ms";
  findings.figures.push_back({"Tilt of the block",
                              "time [s]",
                              "tilt [rad]",
                              false,
                              {std::move(events.curve), std::move(steps.curve)}});
}

}  // namespace amontons::experiments
