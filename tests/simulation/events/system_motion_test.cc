#include "amontons/simulation/events/system_motion.h"

#include "amontons/simulation/smooth/smooth_motion.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"
#include "tests/simulation/scenes.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <random>

namespace amontons::test {
namespace {

TEST_CASE(
    "The motion of a body that flies has its velocities at start and end, whatever its shape") {
  for (const Shape& shape : {Shape(Sphere{0.1}), Shape(Box{{0.2, 0.3, 0.1}})}) {
    CAPTURE(shape_type_name(shape));
    Scene scene = empty_scene(0.01, 1.0);
    add_body(scene, "body", shape, 1.0, {0.0, 0.0, 1.0});
    const System system(scene);
    const double h = 0.5;
    Eigen::VectorXd q(7), v(6);
    q << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0;
    v << 0.3, -0.2, 0.1, 1.0, 2.0, 3.0;
    SmoothMotion flight(system, 0, Integrator::RungeKutta4, 1e-9);
    REQUIRE(flight.start(q, v, 0.0, h, 100) == SolveStatus::Converged);
    Eigen::VectorXd q_end(7), v_end(6);
    flight.state_at(h, q_end, v_end);
    SystemMotion motion(system);
    motion.begin(q, v_end, 0.0, h);
    motion.follow(0, flight);
    const Eigen::Vector3d fall(0.0, 0.0, -kGravity * h);
    CHECK(motion.bound(0, 0.0, 0.0).velocity.isApprox(v.tail<3>(), 1e-12));
    CHECK(motion.bound(0, 0.0, 0.0).angular_velocity.isApprox(v.head<3>(), 1e-12));
    CHECK(motion.bound(0, h, h).velocity.isApprox(v.tail<3>() + fall, 1e-12));
    CHECK(motion.pose(0, h).translation.isApprox(q_end.tail<3>(), 1e-12));
    // The bound of the whole motion holds both.
    const MotionBound whole = motion.bound(0, 0.0, h);
    CHECK((whole.velocity - v.tail<3>()).norm() <= whole.deviation * (1.0 + 1e-9));
    CHECK((whole.velocity - v_end.tail<3>()).norm() <= whole.deviation * (1.0 + 1e-9));
  }
}

// A hinge by rows of J lets its body spin about an axis that swings with it, as in a step.
TEST_CASE("The search for impacts follows a body that swings with its hinge to where a step ends") {
  Scene scene = empty_scene(0.01, 1.0);
  add_body(scene, "frame", Box{{0.2, 0.3, 0.1}}, 1.0, {0.0, 0.0, 1.0});
  add_body(scene, "rotor", Box{{0.2, 0.3, 0.1}}, 1.0, {0.5, 0.0, 1.0});
  add_joint(scene, "hinge", JointType::Continuous, "frame", "rotor", Eigen::Vector3d::UnitX(),
            {0.3, 0.0, 1.0})
      .coordinates = Coordinates::Maximal;
  const System system(scene);
  const double h = 0.02;
  std::mt19937_64 random(41);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 20; ++round) {
    Eigen::VectorXd q(14), v(12);
    for (Eigen::Index i = 0; i < 12; ++i) v(i) = (i % 6 < 3 ? 20.0 : 1.0) * normal(random);
    q << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0;
    SystemMotion motion(system);
    motion.begin(q, v, 0.0, h);
    for (const int body : {0, 1}) {
      const MotionBound whole = motion.bound(body, 0.0, h);
      for (const double share : {0.1, 0.5, 0.77, 1.0}) {
        CAPTURE(round, body, share);
        const double t = share * h;
        SystemKinematics at;
        compute_kinematics(system, integrate_positions(system, q, v, t), v, t, at);
        const Pose& expected = at.X_WB[static_cast<std::size_t>(body)];
        const Pose found = motion.pose(body, t);
        CHECK((found.rotation - expected.rotation).norm() < 1e-13);
        CHECK((found.translation - expected.translation).norm() < 1e-13);
        // Its velocities are the derivatives of that way, within the bounds of the whole.
        const MotionBound now = motion.bound(body, t, t);
        const double dt = 1e-6;
        const Eigen::Matrix3d turned =
            motion.pose(body, t + dt).rotation * motion.pose(body, t - dt).rotation.transpose();
        const Eigen::AngleAxisd turn(turned);
        CHECK((turn.angle() * turn.axis() / (2.0 * dt) - now.angular_velocity).norm() < 1e-5);
        CHECK((now.angular_velocity - whole.angular_velocity).norm() <=
              whole.angular_deviation * (1.0 + 1e-9) + 1e-12);
        CHECK((now.velocity - whole.velocity).norm() <= whole.deviation * (1.0 + 1e-9) + 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace amontons::test
