#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

// A house of thin cards that overlap a little at the start.

namespace amontons::experiments {
namespace {

constexpr double kHalfLength = 0.2, kHalfThickness = 0.001, kHalfDepth = 0.1;
constexpr double kLean = 25.0 * std::numbers::pi / 180.0, kStep = 1.0 / 60.0;

}  // namespace

Scene thin_card_house_scene(double friction, double duration) {
  Scene scene = scene_of(kStep, duration, friction);
  const auto card = [&scene](double x, double z, double angle) {
    scene.bodies.push_back(solid(fmt::format("card-{}", scene.bodies.size()),
                                 Box{{2.0 * kHalfThickness, 2.0 * kHalfDepth, 2.0 * kHalfLength}},
                                 1000.0, turned({x, 0.0, z}, angle)));
  };
  double first = 0.0, z = kHalfLength - 0.02;
  for (int tents = 5; tents > 0; --tents) {
    double x = first;
    for (int tent = 0; tent < tents; ++tent) {
      if (tent + 1 < tents) card(x + 0.25, z + kHalfLength - 0.015, -0.5 * std::numbers::pi);
      card(x, z, kLean);
      x += 0.175;
      card(x, z, -kLean);
      x += 0.175;
    }
    z += 2.0 * kHalfLength - 0.03;
    first += 0.175;
  }
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  return scene;
}

namespace {

struct Standing {
  double moved = 0.0, speed = 0.0, overlap = 0.0;  // largest in the end [m, m/s, m]
};

Standing stand(const Context& context, double friction, double duration,
               Findings* findings = nullptr) {
  const Scene scene = thin_card_house_scene(friction, duration);
  Standing result;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        result.moved = largest_displacement(simulator, scene);
        result.speed = simulator.state().v.cwiseAbs().maxCoeff();
        result.overlap = report.certificate.infeasibility;
      },
      findings, "house");
  return result;
}

}  // namespace

void check_thin_card_house(Context& context, Findings& findings) {
  const Standing found = stand(context, 0.7, 1.0, &findings);
  findings.compare("largest motion of a card in 1 s [m]; largest rate in the end",
                   "Box3D: a sample whose thin boxes do not stand yet", "",
                   fmt::format("{:.3g}; {:.1e}", found.moved, found.speed));
  findings.expect_at_most("largest motion of a card [m]", found.moved, 0.03);
  findings.expect_at_most("largest rate in the end [m/s, rad/s]", found.speed, 1e-6);
  findings.expect_at_most("overlap in the end, of 2 mm at the start [m]", found.overlap, 1e-8);
  findings.expect_at_least("control: with mu 0.1 a card moves [m]", stand(context, 0.1, 0.5).moved,
                           0.1);
}

}  // namespace amontons::experiments
