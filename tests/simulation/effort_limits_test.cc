#include "amontons/simulation/effort_limits.h"

#include "amontons/simulation/property_changes.h"
#include "amontons/simulation/system/loop_joint_of.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <array>
#include <limits>

namespace amontons::test {

TEST_CASE("The limit of effort is the least of joint and servos, along trees and along rows of J") {
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    Scene scene = empty_scene(0.01, 1.0, "coulomb");
    add_mass(scene, "part", 2.0, Eigen::Vector3d::Constant(0.1), {0.0, 0.0, 1.0});
    SceneJoint& joint = add_joint(scene, "j", JointType::Revolute, "world", "part",
                                  Eigen::Vector3d::UnitX(), {0.0, 0.0, 1.0});
    joint.coordinates = coordinates;
    joint.dynamics.limits = std::array{-1.0, 1.0};
    joint.dynamics.effort_limit = 5.0;
    JointServo servo;
    servo.joint = "j";
    servo.kp = 10.0;
    servo.effort = EffortRange::symmetric(3.0);
    scene.servos.push_back(servo);
    Simulator simulator(scene);
    const JointCoordinate& own = joint_of(simulator.system(), "j");
    const auto limit = [&] {
      const EffortLimits all = effort_limits(simulator.system());
      return own.loop >= 0 ? all.along_loops[own.loop] : all.along_v[own.v_offset];
    };
    CHECK(limit() == 3.0);
    simulator.change(servo_gains_change(simulator, "j", {10.0, {}, 8.0}));
    CHECK(limit() == 5.0);
    if (own.loop >= 0) {
      CHECK(effort_limits(simulator.system()).along_v.minCoeff() ==
            std::numeric_limits<double>::infinity());
    }
    CHECK(loop_joint_of(simulator.system(), own) == (own.loop >= 0 ? 0 : -1));
  }
}

}  // namespace amontons::test
