#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

// A ball is thrown forwards with so much backspin that it comes back.

namespace amontons::experiments {
namespace {

constexpr double kRadius = 0.25, kSpeed = 4.0, kSpin = -200.0, kFriction = 0.5, kStep = 1.0 / 60.0;
constexpr double kGravity = 9.81;
constexpr int kSteps = 240;

/// Moves by steps of the exact law: friction slows the slip v - r w until a step can end it.
struct DiscreteBall {
  double v = kSpeed, w = kSpin, x = 0.0;

  void step() {
    // An impulse p changes v by p and r w by -5/2 p, a slip by 7/2 p.
    const double slip = v - kRadius * w, bound = kFriction * kGravity * kStep;
    const double p = std::clamp(-2.0 / 7.0 * slip, -bound, bound);
    v += p;
    w -= 2.5 * p / kRadius;
    x += kStep * v;
  }
};

}  // namespace

Scene backspin_scene() {
  Scene scene = scene_of(kStep, kSteps * kStep, kFriction);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.bodies.push_back(solid_of_mass("ball", Sphere{kRadius}, 1.0, at(0.0, 0.0, kRadius)));
  scene.bodies[0].linear_velocity = {kSpeed, 0.0, 0.0};
  scene.bodies[0].angular_velocity = {0.0, kSpin, 0.0};
  scene.bodies.push_back(fixed("floor", HalfSpace{}));
  return scene;
}

void check_backspin(Context& context, Findings& findings) {
  // Simulated beside the discrete motion.
  DiscreteBall exact;
  double error = 0.0, farthest = 0.0, v = 0.0, w = 0.0;
  Curve position{"ours", {}, {}};
  context.simulate(
      backspin_scene(),
      [&](const Simulator& simulator, const StepReport&) {
        exact.step();
        const double x = pose_of(simulator, 0).translation.x();
        v = velocity_of(simulator, 0).x();
        w = spin_of(simulator, 0).y();
        error = std::max(
            {error, std::abs(x - exact.x), std::abs(v - exact.v), kRadius * std::abs(w - exact.w)});
        farthest = std::max(farthest, x);
        position.x.push_back(simulator.time());
        position.y.push_back(x);
      },
      &findings, "ball");

  // It ends rolling, with the angular momentum about a point of the floor that it had at the start.
  const double end = (5.0 * kSpeed + 2.0 * kRadius * kSpin) / 7.0;
  const double turn = kSpeed * kSpeed / (2.0 * kFriction * kGravity);
  findings.compare("velocity in the end [m/s]", "paper -11.429",
                   fmt::format("(5 v + 2 r w)/7 = {:.7g}", end), fmt::format("{:.10g}", v));
  findings.compare("spin in the end [rad/s]", "paper -45.71", fmt::format("{:.7g}", end / kRadius),
                   fmt::format("{:.10g}", w));
  findings.expect_at_most("velocity in the end against the closed form [m/s]", std::abs(v - end),
                          1e-9);
  findings.expect_at_most("spin in the end against the closed form [rad/s]",
                          std::abs(w - end / kRadius), 1e-8);
  findings.expect_at_most(
      "position, velocity and r w of all steps against the discrete motion "
      "[m, m/s]",
      error, 1e-8);
  findings.expect_within("farthest point against v^2/(2 mu g) less h v/2 [m]", farthest,
                         turn - 0.5 * kStep * kSpeed - 1e-3, turn - 0.5 * kStep * kSpeed + 1e-3);
  findings.figures.push_back(
      {"The ball comes back", "time [s]", "position [m]", false, {std::move(position)}});
}

}  // namespace amontons::experiments
