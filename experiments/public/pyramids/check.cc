#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
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

/// Returns the largest motion of a box [m]; the steps end where it exceeds `enough` [m].
double stand(const Context& context, const Scene& scene, double enough,
             Findings* findings = nullptr, const std::string& run = "") {
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

Scene pyramids_scene(int side, int base, int steps) {
  Scene scene = scene_of(kStep, steps * kStep, kFriction);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      add_pyramid(scene, side > 1 ? fmt::format("pyramid-{}-{}", i, j) : "box", base, 12.0 * i,
                  6.0 * j);
    }
  }
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  return scene;
}

void check_pyramids(Context& context, Findings& findings) {
  // One pyramid.
  constexpr int kBase = 100, kSteps = 200;
  const Scene large = pyramids_scene(1, kBase, kSteps);
  const int boxes = static_cast<int>(large.bodies.size()) - 1;
  const double moved = stand(context, large, kFallen, &findings, "large");
  findings.compare(
      fmt::format("large_pyramid, {} boxes: largest motion in {} steps [m]", boxes, kSteps),
      "Box3D: one of 80 boxes at its base falls after 1000 steps", "statics: 0",
      fmt::format("{:.1e}", moved));
  findings.expect_at_most(fmt::format("large_pyramid, {} boxes: largest motion [m]", boxes), moved,
                          1e-6);

  // Many pyramids of 55 boxes.
  constexpr int kSide = 14, kManySteps = 100;
  const Scene many = pyramids_scene(kSide, 10, kManySteps);
  const int number = static_cast<int>(many.bodies.size()) - 1;
  const double all = stand(context, many, kFallen);
  findings.compare(
      fmt::format("many_pyramids, {} boxes: largest motion in {} steps [m]", number, kManySteps),
      "Box3D: times only", "statics: 0", fmt::format("{:.1e}", all));
  findings.expect_at_most(fmt::format("many_pyramids, {} boxes: largest motion [m]", number), all,
                          1e-6);

  // The measure can fail: a pyramid that has lost two boxes at the end of its base.
  Scene loose = pyramids_scene(1, 5, 60);
  loose.bodies.erase(loose.bodies.begin(), loose.bodies.begin() + 2);
  findings.expect_at_least("control: a pyramid without its first two boxes moves [m]",
                           stand(context, loose, 0.1), 0.1);
}

}  // namespace amontons::experiments
