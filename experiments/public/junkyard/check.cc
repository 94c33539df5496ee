#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

// Rocks fall into a yard, in which a post goes around.

namespace amontons::experiments {
namespace {

constexpr double kStep = 1.0 / 60.0, kRock = 1.5, kPitch = 4.0, kFriction = 0.6;

/// Returns a rock: the hull of points on a sphere.
Shape rock() {
  std::mt19937 engine(1);
  const auto number = [&engine] {
    return 2.0 * static_cast<double>(engine()) / static_cast<double>(std::mt19937::max()) - 1.0;
  };
  std::vector<Eigen::Vector3d> points;
  while (points.size() < 24) {  // a point of the cube lies in the shell with a chance above 1/3
    const Eigen::Vector3d point(number(), number(), number());
    if (point.norm() > 0.5 && point.norm() < 1.0) points.push_back(kRock * point.normalized());
  }
  return std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
}

/// Returns a yard for `side` x `side` columns of `layers` rocks. With 21 columns it is that of the
/// benchmark; the post of a smaller one shrinks with it.
Scene yard(int side, int layers, double duration) {
  constexpr double kMargin = 10.0, kWall = 16.0, kLowest = 25.0;  // [m]
  constexpr double kHalf = 50.0, kOrbit = 35.0, kPost = 4.0, kPostHeight = 24.0;
  Scene scene = scene_of(kStep, duration, kFriction);
  const double outermost = 0.5 * kPitch * (side - 1), half = outermost + kMargin;
  const Shape shape = rock();
  for (int k = 0; k < layers; ++k) {
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        scene.bodies.push_back(
            solid(fmt::format("rock-{}-{}-{}", i, j, k), shape, 1000.0,
                  at(kPitch * i - outermost, kPitch * j - outermost, kPitch * k + kLowest)));
      }
    }
  }
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  for (const double sign : {-1.0, 1.0}) {
    const std::string end = sign < 0.0 ? "-low" : "-high";
    scene.bodies.push_back(
        fixed("wall-x" + end, Box{{2.0, 2.0 * half, kWall}}, at(sign * half, 0.0, 0.5 * kWall)));
    scene.bodies.push_back(
        fixed("wall-y" + end, Box{{2.0 * half, 2.0, kWall}}, at(0.0, sign * half, 0.5 * kWall)));
  }

  // The post hangs on an arm that turns by 6 degrees a second, just above the ground.
  const double scale = half / kHalf;
  const Pose start = at(kOrbit * scale, 0.0, (0.5 * kPostHeight + 0.01) * scale);
  scene.bodies.push_back(
      solid("post", Cylinder{kPost * scale, kPostHeight * scale}, 1000.0, start));
  scene.joints.push_back(hinge("arm", "world", "post", {0.0, 0.0, 1.0}));
  JointMotion motion;
  motion.joint = "arm";
  const double rate = -6.0 * std::numbers::pi / 180.0;
  motion.trajectory =
      Trajectory({0.0, duration + 1.0}, {0.0, rate * (duration + 1.0)}, Interpolation::Linear);
  scene.joint_motions.push_back(motion);
  return scene;
}

/// Holds the extremes of a part of the motion.
struct Extremes {
  double overlap = 0.0, spin = 0.0;  // deepest [m], of the fastest rock [rad/s]

  /// Returns the overlap over what two rocks of that spin make in a step, which moves their points
  /// along tangents: 2 r (1 - cos(w h)). The next step removes it while it makes another.
  double relative() const { return overlap / (2.0 * kRock * (1.0 - std::cos(spin * kStep))); }
};

double fastest_spin(const Simulator& simulator, int rocks) {
  double fastest = 0.0;
  for (int k = 0; k < rocks; ++k) fastest = std::max(fastest, spin_of(simulator, k).norm());
  return fastest;
}

}  // namespace

void check_junkyard(Context& context, Findings& findings) {
  const int side = context.full() ? 21 : 8, layers = context.full() ? 24 : 2;
  const int rocks = side * side * layers;
  const double duration = context.full() ? 500.0 / 60.0 : 5.0;
  Extremes all, second;
  int most = 0;
  // The run of the whole yard would take many gigabytes.
  context.simulate(
      yard(side, layers, duration),
      [&](const Simulator& simulator, const StepReport& report) {
        const double spin = fastest_spin(simulator, rocks);
        for (Extremes* part : {&all, &second}) {
          if (part == &second && simulator.time() <= 0.5 * duration) continue;
          part->overlap = std::max(part->overlap, report.certificate.infeasibility);
          part->spin = std::max(part->spin, spin);
        }
        most = std::max(most, static_cast<int>(report.problem.contacts.size()));
      },
      context.full() ? nullptr : &findings, "yard");
  findings.compare(fmt::format("{} rocks: largest overlap over the radius of a rock", rocks),
                   "Box3D: times only", "0", fmt::format("{:.2g}", all.overlap / kRock));
  findings.expect_at_most("largest overlap over what the fastest spin makes in a step",
                          all.relative(), 2.0);
  findings.expect_at_most("the same in the second half", second.relative(), 2.0);
  findings.expect_at_least("contacts of a step, at most", most, 2.0 * rocks);
}

}  // namespace amontons::experiments
