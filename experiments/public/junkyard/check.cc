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

/// Returns a yard for `side` x `side` columns of `layers` rocks.
Scene yard(int side, int layers, double duration) {
  Scene scene = scene_of(kStep, duration, kFriction);
  const double half = 0.5 * kPitch * side + 2.0, wall = 8.0;
  const Shape shape = rock();
  for (int k = 0; k < layers; ++k) {
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        const double middle = 0.5 * (side - 1);
        scene.bodies.push_back(
            solid(fmt::format("rock-{}-{}-{}", i, j, k), shape, 1000.0,
                  at(kPitch * (i - middle), kPitch * (j - middle), kPitch * k + 8.5)));
      }
    }
  }
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  for (const double sign : {-1.0, 1.0}) {
    const std::string end = sign < 0.0 ? "-low" : "-high";
    scene.bodies.push_back(
        fixed("wall-x" + end, Box{{2.0, 2.0 * half, 2.0 * wall}}, at(sign * half, 0.0, wall)));
    scene.bodies.push_back(
        fixed("wall-y" + end, Box{{2.0 * half, 2.0, 2.0 * wall}}, at(0.0, sign * half, wall)));
  }

  // The post hangs on an arm that turns by 6 degrees a second.
  const double radius = 0.7 * half - 4.0;
  SceneBody post = solid("post", Cylinder{2.0, 6.0}, 1000.0, at(std::max(0.0, radius), 0.0, 3.01));
  scene.bodies.push_back(post);
  SceneJoint arm;
  arm.name = "arm";
  arm.parent = "world";
  arm.child = "post";
  scene.joints.push_back(arm);
  JointMotion motion;
  motion.joint = "arm";
  const double rate = -6.0 * std::numbers::pi / 180.0;
  motion.trajectory =
      Trajectory({0.0, duration + 1.0}, {0.0, rate * (duration + 1.0)}, Interpolation::Linear);
  scene.joint_motions.push_back(motion);
  return scene;
}

}  // namespace

void check_junkyard(Context& context, Findings& findings) {
  const int side = context.full() ? 12 : 3, layers = context.full() ? 4 : 2;
  const double duration = context.full() ? 500.0 / 60.0 : 2.0;
  double overlap = 0.0, settled = 0.0;
  int most = 0;
  context.simulate(yard(side, layers, duration),
                   [&](const Simulator& simulator, const StepReport& report) {
                     overlap = std::max(overlap, report.certificate.infeasibility);
                     if (simulator.time() > 0.5 * duration) {
                       settled = std::max(settled, report.certificate.infeasibility);
                     }
                     most = std::max(most, static_cast<int>(report.problem.contacts.size()));
                   });
  const int rocks = side * side * layers;
  findings.compare(fmt::format("{} rocks: largest overlap over the radius of a rock", rocks),
                   "Box3D: times only", "0", fmt::format("{:.2g}", overlap / kRock));
  findings.expect_at_most("largest overlap over the radius of a rock", overlap / kRock, 0.02);
  findings.expect_at_most("the same in the second half", settled / kRock, 0.01);
  findings.expect_at_least("contacts of a step, at most", most, 2.0 * rocks);
}

}  // namespace amontons::experiments
