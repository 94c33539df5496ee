#include "amontons/dynamics/joint.h"

#include "tests/dynamics/random_tree.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {

TEST_CASE("A planar joint about y moves in x and z, and its angle counts about +y") {
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
  const Eigen::Vector3d q(0.3, -0.7, 0.4);
  const Pose X_FM = joint_transform({JointType::Planar, y}, q);
  CHECK((X_FM.translation - Eigen::Vector3d(0.3, 0.0, -0.7)).norm() == 0.0);
  CHECK((X_FM.rotation - rotation_from_vector(0.4 * y)).norm() <= 1e-15);
  // A positive angle about y carries z into x.
  CHECK((X_FM.rotation * Eigen::Vector3d::UnitZ()).x() > 0.0);
}

TEST_CASE("The axes of a planar joint span the plane normal to its axis") {
  Engine engine(71);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Vector3d axis = random_unit(engine);
    const Eigen::Matrix<double, 3, 2> axes = plane_axes(axis);
    CHECK((axes.transpose() * axes - Eigen::Matrix2d::Identity()).norm() <= 1e-14);
    CHECK((axes.col(0).cross(axes.col(1)) + axis).norm() <= 1e-14);
  }
}

TEST_CASE("A joint's motion subspace is the slope of its pose along each rate") {
  Engine engine(72);
  for (const JointType type : moving_joint_types()) {
    const JointGeometry joint = random_joint(engine, type);
    const int nv = num_velocities(type);
    Eigen::VectorXd q(num_positions(type));
    integrate_joint(type, neutral_position(type), random_vector(engine, nv), 1.0, q);
    const Eigen::Matrix<double, 6, Eigen::Dynamic> S = joint_motion_subspace(joint, q);
    REQUIRE(S.cols() == nv);
    for (int k = 0; k < nv; ++k) {
      const double step = 1e-5;
      const auto pose_at = [&](double offset) {
        Eigen::VectorXd q_moved(q.size());
        integrate_joint(type, q, Eigen::VectorXd::Unit(nv, k), offset, q_moved);
        return joint_transform(joint, q_moved);
      };
      const Pose before = pose_at(-step);
      const Pose after = pose_at(step);
      Vector6d slope;
      slope << vector_from_quaternion(
          Eigen::Quaterniond(Eigen::Matrix3d(after.rotation * before.rotation.transpose()))),
          after.translation - before.translation;
      slope /= 2.0 * step;
      CAPTURE(static_cast<int>(type), k);
      CHECK((S.col(k) - slope).norm() <= 1e-9);  // rounding 1e-16 / step
    }
  }
}

TEST_CASE("A joint at its zero position joins its two frames, and a step of zero goes nowhere") {
  Engine engine(73);
  for (const JointType type : moving_joint_types()) {
    const Eigen::VectorXd q = neutral_position(type);
    REQUIRE(q.size() == num_positions(type));
    const Pose X_FM = joint_transform(random_joint(engine, type), q);
    CHECK(X_FM.rotation == Eigen::Matrix3d::Identity());
    CHECK(X_FM.translation == Eigen::Vector3d::Zero());
    Eigen::VectorXd q_next(q.size());
    integrate_joint(type, q, random_vector(engine, num_velocities(type)), 0.0, q_next);
    CHECK(q_next == q);
  }
}

TEST_CASE("An axis that a joint does not use does not matter") {
  const Eigen::Vector3d nan = Eigen::Vector3d::Constant(std::nan(""));
  for (const JointType type : {JointType::Free, JointType::Spherical, JointType::Fixed}) {
    const Eigen::VectorXd q = neutral_position(type);
    CHECK(joint_transform({type, nan}, q).rotation == Eigen::Matrix3d::Identity());
    CHECK(joint_motion_subspace({type, nan}, q).allFinite());
  }
}

TEST_CASE("A distance joint has no coordinates to move") {
  const Eigen::VectorXd none;
  Eigen::VectorXd next;
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  CHECK_THROWS_AS(joint_transform({JointType::Distance, z}, none), std::invalid_argument);
  CHECK_THROWS_AS(joint_motion_subspace({JointType::Distance, z}, none), std::invalid_argument);
  CHECK_THROWS_AS(integrate_joint(JointType::Distance, none, none, 0.1, next),
                  std::invalid_argument);
}

}  // namespace amontons::test
