#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/quadruped.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

// A quadruped stands on its feet under proportional-derivative control.

namespace amontons::experiments {

void check_pd_control(Context& context, Findings& findings) {
  constexpr double kStep = 0.005, kGain = 400.0, kDamping = 10.0;
  const double duration = 5.0;
  Scene scene = scene_of(kStep, duration, 0.8);
  add_quadruped(scene, feet_height(), Coordinates::Reduced);
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  for (const std::string& joint : quadruped_joints()) {
    JointServo servo;
    servo.joint = joint;
    servo.kp = kGain;
    servo.kd = kDamping;
    scene.servos.push_back(servo);
  }
  int fewest = 1000, most = 0;
  double speed = 0.0, drift = 0.0;
  Eigen::Vector3d settled = Eigen::Vector3d::Zero();
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        const int contacts = static_cast<int>(report.problem.contacts.size());
        fewest = std::min(fewest, contacts);
        most = std::max(most, contacts);
        const Eigen::Vector3d trunk = pose_of(simulator, 0).translation;
        if (simulator.time() < 0.5 * duration) settled = trunk;
        drift = (trunk - settled).norm();
        speed = simulator.state().v.cwiseAbs().maxCoeff();
      },
      &findings, "stand");
  findings.compare("trunk's motion over the last half [m]",
                   "only times; \"consistent slip\" of MuJoCo without its no-slip pass",
                   "0 at rest under the law", fmt::format("{:.1e}", drift));
  findings.expect_true("one contact at each foot in every step", fewest == 4 && most == 4,
                       fmt::format("{} to {}", fewest, most));
  findings.expect_at_most("trunk's motion over the last half [m]", drift, 1e-6);
  findings.expect_at_most("largest rate in the end [m/s, rad/s]", speed, 1e-6);
}

}  // namespace amontons::experiments
