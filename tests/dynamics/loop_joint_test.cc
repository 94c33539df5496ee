#include "amontons/dynamics/loop_joint.h"

#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <Eigen/QR>
#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

namespace amontons::test {
namespace {

const std::vector<JointType>& all_joint_types() {
  static const std::vector<JointType> types = {
      JointType::Fixed,      JointType::Free,      JointType::Planar,    JointType::Revolute,
      JointType::Continuous, JointType::Prismatic, JointType::Spherical, JointType::Distance,
      JointType::Universal,  JointType::Screw};
  return types;
}

Pose moved(const Pose& X, const Vector6d& V, double t) {
  return {rotation_from_vector(t * V.head<3>()) * X.rotation, X.translation + t * V.tail<3>()};
}

// Returns a position of a joint at which its rows must vanish. Screws turn by up to half a turn
// here.
Pose allowed_pose(JointGeometry& joint, Eigen::VectorXd& q, Engine& engine) {
  const JointType type = joint.type;
  if (type == JointType::Distance) {
    const Pose X_FM = random_pose(engine);
    joint.length = X_FM.translation.norm();
    return X_FM;
  }
  q.resize(num_positions(type));
  integrate_joint(type, neutral_position(type), 3.0 * random_vector(engine, num_velocities(type)),
                  1.0, q);
  return joint_transform(joint, q);
}

}  // namespace

TEST_CASE("A loop joint has six rows less the freedoms of its type, and a distance has one") {
  CHECK(num_loop_rows(JointType::Fixed) == 6);
  CHECK(num_loop_rows(JointType::Free) == 0);
  CHECK(num_loop_rows(JointType::Planar) == 3);
  CHECK(num_loop_rows(JointType::Revolute) == 5);
  CHECK(num_loop_rows(JointType::Continuous) == 5);
  CHECK(num_loop_rows(JointType::Prismatic) == 5);
  CHECK(num_loop_rows(JointType::Spherical) == 3);
  CHECK(num_loop_rows(JointType::Distance) == 1);
  CHECK(num_loop_rows(JointType::Universal) == 4);
  CHECK(num_loop_rows(JointType::Screw) == 5);
}

TEST_CASE("The rows of a loop joint vanish on its motions and forbid every other one") {
  Engine engine(61);
  for (int trial = 0; trial < num_cases(5000); ++trial) {
    for (const JointType type : all_joint_types()) {
      JointGeometry joint = random_joint(engine, type);
      const Pose X_WF = random_pose(engine);
      Eigen::VectorXd q;
      const Pose X_FM = allowed_pose(joint, q, engine);
      const LoopJointRows rows = loop_joint_rows(joint, X_WF, X_WF * X_FM);
      CAPTURE(trial, static_cast<int>(type));
      REQUIRE(rows.error.size() == num_loop_rows(type));
      REQUIRE(rows.jacobian_F.rows() == num_loop_rows(type));
      REQUIRE(rows.jacobian_M.rows() == num_loop_rows(type));
      CHECK(rows.error.norm() <= 1e-14 * (1.0 + X_FM.translation.norm()));
      if (type == JointType::Distance || type == JointType::Free) continue;
      Eigen::MatrixXd S_W = joint_motion_subspace(joint, q);
      for (int k = 0; k < S_W.cols(); ++k) {
        S_W.col(k).head<3>() = (X_WF.rotation * S_W.col(k).head<3>()).eval();
        S_W.col(k).tail<3>() = (X_WF.rotation * S_W.col(k).tail<3>()).eval();
      }
      CHECK((rows.jacobian_M * S_W).norm() <= 1e-13);
      CHECK(Eigen::MatrixXd(rows.jacobian_M).colPivHouseholderQr().rank() == num_loop_rows(type));
    }
  }
}

TEST_CASE("Loop joint Jacobians are the slopes of the error, also far from consistency") {
  Engine engine(62);
  for (int trial = 0; trial < num_cases(10000); ++trial) {
    for (const JointType type : all_joint_types()) {
      JointGeometry joint = random_joint(engine, type);
      joint.length = 0.3;
      const Pose X_WF = random_pose(engine);
      // Errors of up to 2.8 rad, short of the half turn at which the direction is undefined; and
      // tiny ones, where the formulas change.
      const bool is_tiny = trial % 2 == 1;
      const double angle = is_tiny ? uniform(engine, 0.0, 2e-4) : uniform(engine, 0.0, 2.8);
      const Pose disturbance{rotation_from_vector(angle * random_unit(engine)),
                             random_vector3(engine)};
      const Pose X_WM = X_WF * disturbance;
      const Vector6d V_F = random_vector(engine, 6);
      const Vector6d V_M = random_vector(engine, 6);
      const LoopJointRows rows = loop_joint_rows(joint, X_WF, X_WM);
      // Half a turn of thread away the row of a screw jumps to the next turn.
      const bool jumps = type == JointType::Screw &&
                         std::abs(rows.error[4]) > std::numbers::pi * std::abs(joint.pitch) - 0.05;
      if (jumps) continue;
      const auto error_at = [&](double t) -> Eigen::VectorXd {
        return loop_joint_rows(joint, moved(X_WF, V_F, t), moved(X_WM, V_M, t)).error;
      };
      const double step = 1e-3;
      const Eigen::VectorXd slope = (8.0 * (error_at(step) - error_at(-step)) -
                                     (error_at(2.0 * step) - error_at(-2.0 * step))) /
                                    (12.0 * step);
      CAPTURE(trial, static_cast<int>(type), rows.error.transpose());
      // The fifth derivative grows as the alignment nears its half turn (0.34 rad away at least).
      // So it does as the two points of a distance meet, or the two axes of a universal joint.
      double nearness = is_tiny ? 3.0 : 0.3;
      if (type == JointType::Distance) nearness = disturbance.translation.norm();
      if (type == JointType::Universal) {
        const Eigen::Vector3d axis_W = X_WF.rotation * joint.axis;
        nearness = std::min(nearness, axis_W.cross(X_WM.rotation * joint.axis2).norm());
      }
      const double truncation = std::pow(step, 4) / 30.0 * 120.0 * 50.0 / std::pow(nearness, 5);
      CHECK((rows.jacobian_F * V_F + rows.jacobian_M * V_M - slope).norm() <= 1e-11 + truncation);
    }
  }
}

TEST_CASE("A distance whose points meet has a direction, along which they separate") {
  const Pose at{rotation_from_vector({0.3, -0.2, 0.5}), {1.0, 2.0, 3.0}};
  JointGeometry joint{JointType::Distance, Eigen::Vector3d::UnitZ()};
  joint.length = 0.5;
  const LoopJointRows rows = loop_joint_rows(joint, at, at);
  CHECK(rows.error[0] == -0.5);
  CHECK(std::abs(rows.jacobian_M.norm() - 1.0) <= 1e-15);
  CHECK(rows.jacobian_F == -rows.jacobian_M);
  // M moves by t along the row: the distance grows by t.
  Pose moved = at;
  moved.translation += 0.1 * rows.jacobian_M.row(0).tail<3>().transpose();
  CHECK(std::abs(loop_joint_rows(joint, at, moved).error[0] + 0.4) <= 1e-15);
}

TEST_CASE("Angular errors of loop joints are angles, from nanoradians to almost half a turn") {
  Engine engine(63);
  for (const double angle : {1e-12, 1e-9, 1e-6, 9.9e-5, 1.1e-4, 9e-3, 0.5, 2.0, 3.1}) {
    const Eigen::Vector3d axis = random_unit(engine);
    const Pose X_WF = random_pose(engine);
    const Eigen::Vector3d direction = random_unit(engine);
    const Eigen::Vector3d tilt_axis = direction.cross(axis).normalized();
    const Pose turned{rotation_from_vector(angle * direction), Eigen::Vector3d::Zero()};
    const Pose tilted{rotation_from_vector(angle * tilt_axis), Eigen::Vector3d::Zero()};
    CAPTURE(angle);
    // Rounding of the rotation matrices, amplified near half a turn by 1 / (pi - angle).
    const double tolerance = 4e-15 / std::min(1.0, 3.14159 - angle);
    const Eigen::VectorXd fixed =
        loop_joint_rows({JointType::Fixed, axis}, X_WF, X_WF * turned).error.tail<3>();
    CHECK((fixed - angle * direction).norm() <= tolerance);
    const Eigen::VectorXd hinge =
        loop_joint_rows({JointType::Revolute, axis}, X_WF, X_WF * tilted).error.tail<2>();
    CHECK(std::abs(hinge.norm() - angle) <= tolerance);
  }
}

TEST_CASE("The error of a loop joint does not depend on where in the world the joint is") {
  Engine engine(64);
  for (const JointType type : all_joint_types()) {
    JointGeometry joint = random_joint(engine, type);
    joint.length = 0.1;
    const Pose X_WF = random_pose(engine);
    const Pose X_WM = random_pose(engine);
    const Pose elsewhere = random_pose(engine);
    const Eigen::VectorXd error = loop_joint_rows(joint, X_WF, X_WM).error;
    const Eigen::VectorXd moved_error =
        loop_joint_rows(joint, elsewhere * X_WF, elsewhere * X_WM).error;
    CHECK((error - moved_error).norm() <= 1e-13);
  }
}

TEST_CASE("A loop joint without a direction is refused: opposed axes") {
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  const Pose flipped{Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal(), Eigen::Vector3d::Zero()};
  CHECK_THROWS_AS(loop_joint_rows({JointType::Revolute, z}, Pose{}, flipped), std::domain_error);
  CHECK_THROWS_AS(loop_joint_rows({JointType::Planar, z}, Pose{}, flipped), std::domain_error);
  CHECK_THROWS_AS(loop_joint_rows({JointType::Universal, z, z}, Pose{}, flipped),
                  std::domain_error);
  CHECK_NOTHROW(loop_joint_rows({JointType::Spherical, z}, Pose{}, flipped));
}

TEST_CASE("A nut knows its turns by its way along the thread, to within half a thread") {
  Engine engine(65);
  for (int trial = 0; trial < 200; ++trial) {
    const JointGeometry joint = random_joint(engine, JointType::Screw);
    const double angle = uniform(engine, -100.0, 100.0);
    const double error = uniform(engine, -3.0, 3.0) * joint.pitch;  // half a thread is pi * pitch
    Pose X_FM = joint_transform(joint, Eigen::VectorXd::Constant(1, angle));
    X_FM.translation += error * joint.axis;
    const Pose X_WF = random_pose(engine);
    const Eigen::VectorXd theta = loop_joint_rows(joint, X_WF, X_WF * X_FM).error;
    CHECK(theta.head<4>().norm() <= 1e-12);
    CHECK(std::abs(theta[4] - error) <= 1e-12);
  }
}

}  // namespace amontons::test
