#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

// A rolling cue ball hits another at three angles, and both roll on.

namespace amontons::experiments {
namespace {

constexpr double kRadius = 0.028575, kMass = 0.17, kSpeed = 1.0, kCloth = 0.2;

Scene table(double angle) {
  Scene scene = scene_of(0.005, 1.2, kCloth);
  scene.gravity = {0.0, 0.0, -9.81};
  scene.simulation.method = "event-driven";
  scene.simulation.events.sustained = SustainedContact::CoulombAcceleration;
  scene.materials.push_back({"ball", kCloth, 0.0, 0.0});
  scene.material_pairs.push_back({"ball", "ball", 0.0, 1.0, {}});
  // The line of centers at the impact turns by `angle` from the cue ball's path.
  const double before = 0.05;
  const Eigen::Vector3d line(std::cos(angle), std::sin(angle), 0.0);
  const Eigen::Vector3d struck(0.0, 0.0, kRadius);
  const Eigen::Vector3d cue = struck - 2.0 * kRadius * line - Eigen::Vector3d(before, 0.0, 0.0);
  for (const bool is_cue : {true, false}) {
    SceneBody ball = solid_of_mass(is_cue ? "cue" : "struck", Sphere{kRadius}, kMass,
                                   {Eigen::Matrix3d::Identity(), is_cue ? cue : struck});
    ball.shapes[0].material = "ball";
    if (is_cue) {
      ball.linear_velocity = {kSpeed, 0.0, 0.0};
      ball.angular_velocity = {0.0, kSpeed / kRadius, 0.0};
    }
    scene.bodies.push_back(ball);
  }
  scene.bodies.push_back(fixed("cloth", HalfSpace{}));
  return scene;
}

}  // namespace

void check_billiards(Context& context, Findings& findings) {
  for (const double degrees : {15.0, 30.0, 60.0}) {
    const double angle = degrees * std::numbers::pi / 180.0;
    Eigen::Vector3d cue = Eigen::Vector3d::Zero(), struck = cue;
    context.simulate(
        table(angle),
        [&](const Simulator& simulator, const StepReport&) {
          cue = velocity_of(simulator, 0);
          struck = velocity_of(simulator, 1);
        },
        degrees == 30.0 ? &findings : nullptr, "half-ball");

    // The impact takes the speed along the line of centers; sliding ends at 5/7 of the velocity
    // then and 2/7 of that of the spin, which the impact leaves.
    const Eigen::Vector3d line(std::cos(angle), std::sin(angle), 0.0);
    const Eigen::Vector3d along = kSpeed * Eigen::Vector3d::UnitX();
    const Eigen::Vector3d after = along - along.dot(line) * line;
    const Eigen::Vector3d cue_exact = 5.0 / 7.0 * after + 2.0 / 7.0 * along;
    const Eigen::Vector3d struck_exact = 5.0 / 7.0 * along.dot(line) * line;
    const double turn = std::atan2(-cue.y(), cue.x()) * 180.0 / std::numbers::pi;
    const double exact = std::atan2(-cue_exact.y(), cue_exact.x()) * 180.0 / std::numbers::pi;
    const std::string name = fmt::format("line of centers at {} degrees", degrees);
    findings.compare(name + ": deflection of the cue ball [degrees]",
                     degrees == 30.0 ? "players' rule: about 30 for a half-ball hit" : "",
                     fmt::format("{:.6g}", exact), fmt::format("{:.6g}", turn));
    findings.expect_at_most(name + ": velocity of the cue ball [m/s]", (cue - cue_exact).norm(),
                            1e-6);
    findings.expect_at_most(name + ": velocity of the struck ball [m/s]",
                            (struck - struck_exact).norm(), 1e-6);
  }
}

}  // namespace amontons::experiments
