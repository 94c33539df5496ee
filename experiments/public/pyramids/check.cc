#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

// Pyramids of boxes stand: one large, and many small ones.

namespace amontons::experiments {
namespace {

constexpr double kStep = 1.0 / 60.0, kHalf = 0.5, kDensity = 100.0, kFriction = 0.6;

void add_pyramid(Scene& scene, const std::string& name, int base, double x, double y) {
  for (int row = 0; row < base; ++row) {
    for (int column = row; column < base; ++column) {
      const double place = x + kHalf * (row + 1) + 2.0 * kHalf * (column - row) - kHalf * base;
      scene.bodies.push_back(solid(fmt::format("{}-{}-{}", name, row, column),
                                   Box{Eigen::Vector3d::Constant(2.0 * kHalf)}, kDensity,
                                   at(place, y, kHalf * (2 * row + 1))));
    }
  }
}

// A motion beyond which a pyramid counts as fallen: the fall of thousands of boxes takes hours [m].
constexpr double kFallen = 1e-3;

/// Returns the largest motion of a box in `steps` steps [m]; the steps end where it exceeds
/// `enough` [m].
double stand(const Context& context, Scene scene, int steps, double enough,
             Findings* findings = nullptr, const std::string& run = "") {
  scene.simulation.duration = steps * kStep;
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  double moved = 0.0;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport&) {
        moved = std::max(moved, largest_displacement(simulator, scene));
      },
      findings, run, [&] { return moved > enough; });
  return moved;
}

}  // namespace

void check_pyramids(Context& context, Findings& findings) {
  // One pyramid.
  constexpr int kBase = 100, kSteps = 200;
  Scene large = scene_of(kStep, 1.0, kFriction);
  add_pyramid(large, "box", kBase, 0.0, 0.0);
  const int boxes = static_cast<int>(large.bodies.size());
  const double moved = stand(context, large, kSteps, kFallen, &findings, "large");
  findings.compare(
      fmt::format("large_pyramid, {} boxes: largest motion in {} steps [m]", boxes, kSteps),
      "Box3D: one of 80 boxes at its base falls after 1000 steps", "statics: 0",
      fmt::format("{:.1e}", moved));
  findings.expect_at_most(fmt::format("large_pyramid, {} boxes: largest motion [m]", boxes), moved,
                          1e-6);

  // Many pyramids of 55 boxes.
  constexpr int kSide = 14, kManySteps = 100;
  Scene many = scene_of(kStep, 1.0, kFriction);
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      add_pyramid(many, fmt::format("pyramid-{}-{}", i, j), 10, 12.0 * i, 6.0 * j);
    }
  }
  const int number = static_cast<int>(many.bodies.size());
  const double all = stand(context, many, kManySteps, kFallen);
  findings.compare(
      fmt::format("many_pyramids, {} boxes: largest motion in {} steps [m]", number, kManySteps),
      "Box3D: times only", "statics: 0", fmt::format("{:.1e}", all));
  findings.expect_at_most(fmt::format("many_pyramids, {} boxes: largest motion [m]", number), all,
                          1e-6);

  // The measure can fail: a pyramid that has lost two boxes at the end of its base.
  Scene loose = scene_of(kStep, 1.0, kFriction);
  add_pyramid(loose, "box", 5, 0.0, 0.0);
  loose.bodies.erase(loose.bodies.begin(), loose.bodies.begin() + 2);
  findings.expect_at_least("control: a pyramid without its first two boxes moves [m]",
                           stand(context, loose, 60, 0.1), 0.1);
}

}  // namespace amontons::experiments
