#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

// A force pulls a plate from under 25 balls, which roll on it.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kStep = 0.001, kForce = 150.0, kPlate = 10.0, kBall = 1.0;
constexpr int kSide = 5, kBalls = kSide * kSide;
constexpr double kPlateFriction = 0.4, kBallFriction = 0.8;

Scene plate(const Eigen::Vector3d& direction, double duration) {
  Scene scene = scene_of(kStep, duration, 0.5);
  scene.gravity = {0.0, 0.0, -kGravity};
  for (const char* name : {"plate", "ball", "ground"}) {
    scene.materials.push_back({name, 0.5, 0.0, 0.0});
  }
  scene.material_pairs.push_back({"ground", "plate", kPlateFriction, {}, {}});
  scene.material_pairs.push_back({"plate", "ball", kBallFriction, {}, {}});
  scene.bodies.push_back(solid_of_mass("plate", Box{{20.0, 20.0, 1.0}}, kPlate, at(0.0, 0.0, 0.5)));
  scene.bodies.back().shapes[0].material = "plate";
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      scene.bodies.push_back(solid_of_mass(fmt::format("ball-{}-{}", i, j), Sphere{0.5}, kBall,
                                           at(2.0 * i - 4.0, 2.0 * j - 4.0, 1.5)));
      scene.bodies.back().shapes[0].material = "ball";
    }
  }
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  scene.bodies.back().shapes[0].material = "ground";
  BodyWrench wrench;
  wrench.body = "plate";
  wrench.force_W = kForce * direction;
  scene.wrenches.push_back(wrench);
  return scene;
}

}  // namespace

void check_rolling(Context& context, Findings& findings) {
  // A rolling ball follows the plate with 2/7 of its acceleration.
  const double sliding = kPlateFriction * (kPlate + kBalls * kBall) * kGravity;
  const double plate_rate = (kForce - sliding) / (kPlate + kBalls * kBall * 2.0 / 7.0);
  const double duration = context.full() ? 4.0 : 1.0;
  for (const bool oblique : {true, false}) {
    const Eigen::Vector3d direction(oblique ? 0.5 : 0.0, oblique ? std::sqrt(0.75) : 1.0, 0.0);
    double sum = 0.0;
    int steps = 0;
    context.simulate(
        plate(direction, duration),
        [&](const Simulator& simulator, const StepReport&) {
          const double t = simulator.time();
          sum += (velocity_of(simulator, 0) - plate_rate * t * direction).squaredNorm() +
                 (velocity_of(simulator, 1) - 2.0 / 7.0 * plate_rate * t * direction).squaredNorm();
          ++steps;
        },
        oblique ? &findings : nullptr, "oblique");
    const double error = sum / steps;
    const std::string name = oblique ? "force 60 degrees from x" : "force along y";
    findings.compare(
        name + ": mean squared error of the velocities of plate and ball [m^2/s^2]",
        oblique ? "Bullet 5.7e-09, RaiSim 4.1e-07, MuJoCo (Newton) 0.0069, ODE 3.1, DART 3.1"
                : "Bullet 4.9e-09, ODE 7.7e-09, RaiSim 4.1e-07, MuJoCo (Newton) 0.0092, DART 0.43",
        fmt::format("plate a = (F - mu N)/(M + 2/7 m) = {:.6g} m/s^2", plate_rate),
        fmt::format("{:.1e}", error));
    findings.expect_at_most(name + ": mean squared error of the velocities [m^2/s^2]", error,
                            1e-18);
  }
}

}  // namespace amontons::experiments
