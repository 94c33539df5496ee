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

// A box slides upright; with friction above width over height it tips over its leading edge.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kStep = 1.0 / 60.0, kDuration = 2.0, kSpeed = 4.0;
const Eigen::Vector3d kSize(0.3, 1.2, 0.6);

}  // namespace

Scene painleve_box_scene(double mu) {
  Scene scene = scene_of(kStep, kDuration, mu);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.bodies.push_back(solid("box", Box{kSize}, 200.0, at(0.0, 0.0, 0.5 * kSize.z())));
  scene.bodies[0].linear_velocity = {kSpeed, 0.0, 0.0};
  scene.bodies.push_back(fixed("floor", HalfSpace{}));
  return scene;
}

namespace {

struct Motion {
  double travel = 0.0, upright = 1.0, speed = 0.0;  // in the end [m, -, m/s]
  double largest_energy_rise = 0.0;                 // over a step [J]
  std::vector<double> time, tilt;
};

Motion slide(const Context& context, double mu, Findings* findings) {
  Motion motion;
  double energy = HUGE_VAL;
  context.simulate(
      painleve_box_scene(mu),
      [&](const Simulator& simulator, const StepReport& report) {
        const Pose pose = pose_of(simulator, 0);
        motion.travel = pose.translation.x();
        motion.upright = pose.rotation(2, 2);
        motion.speed = velocity_of(simulator, 0).norm() + spin_of(simulator, 0).norm() * kSize.z();
        const double now = report.energy.kinetic + report.energy.potential;
        motion.largest_energy_rise = std::max(motion.largest_energy_rise, now - energy);
        energy = now;
        motion.time.push_back(simulator.time());
        motion.tilt.push_back(std::acos(std::clamp(motion.upright, -1.0, 1.0)));
      },
      findings, fmt::format("mu{}", mu));
  return motion;
}

}  // namespace

void check_painleve_box(Context& context, Findings& findings) {
  // The discrete motion of a box that only slides.
  double exact = 0.0;
  for (double v = kSpeed - 0.5 * kGravity * kStep; v > 0.0; v -= 0.5 * kGravity * kStep) {
    exact += kStep * v;
  }
  Figure figure{"Tilt of the box", "time [s]", "tilt [rad]", false, {}};
  Motion slides = slide(context, 0.5, &findings), tips = slide(context, 0.55, &findings);
  findings.compare("mu 0.5: outcome; travel [m]", "FBF and Kamino: slides and rests upright",
                   fmt::format("discrete sliding {:.6g} m; v^2/(2 mu g) = {:.5g} m", exact,
                               kSpeed * kSpeed / kGravity),
                   fmt::format("rests {}; {:.6g} m", slides.upright > 0.999 ? "upright" : "tipped",
                               slides.travel));
  findings.compare(
      "mu 0.55: outcome; travel [m]", "FBF and Kamino: travels less, then tumbles; MuJoCo jumps",
      "tips for mu above width/height = 0.5",
      fmt::format("{}; {:.6g} m", tips.upright > 0.5 ? "rests upright" : "tumbles", tips.travel));
  findings.expect_at_least("mu 0.5: cosine of the tilt in the end", slides.upright, 1.0 - 1e-6);
  findings.expect_at_most("mu 0.5: travel against the discrete sliding [m]",
                          std::abs(slides.travel - exact), 1e-6);
  findings.expect_at_most("mu 0.5: speed in the end [m/s]", slides.speed, 1e-6);
  findings.expect_at_most("mu 0.55: cosine of the tilt in the end", std::abs(tips.upright), 0.02);
  findings.expect_at_most("energy of a step against that before it, both [J]",
                          std::max(slides.largest_energy_rise, tips.largest_energy_rise), 1e-6);
  figure.curves.push_back({"mu 0.5", std::move(slides.time), std::move(slides.tilt)});
  figure.curves.push_back({"mu 0.55", std::move(tips.time), std::move(tips.tilt)});
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
