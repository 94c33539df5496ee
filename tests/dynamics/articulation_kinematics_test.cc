#include "amontons/dynamics/articulation.h"
#include "amontons/math/rotation.h"
#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

// Returns the displacement of a link's frame and of a point fixed to it, per unit of h, from h =
// -step to +step along the velocity v. The error is O(step^2).
Vector6d central_difference(const Articulation& tree, const Eigen::VectorXd& q,
                            const Eigen::VectorXd& v, std::size_t link,
                            const Eigen::Vector3d& point_B, double step) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(tree.num_velocities());
  const Pose before = kinematics_at(tree, tree.integrate(q, v, -step), rest).X_WB[link];
  const Pose after = kinematics_at(tree, tree.integrate(q, v, step), rest).X_WB[link];
  Vector6d rate;
  rate << vector_from_quaternion(
      Eigen::Quaterniond(Eigen::Matrix3d(after.rotation * before.rotation.transpose()))),
      after * point_B - before * point_B;
  return rate / (2.0 * step);
}

}  // namespace

TEST_CASE("Frame Jacobians and link velocities are the second-order limit of moving poses") {
  Engine engine(11);
  for (int trial = 0; trial < num_cases(3000); ++trial) {
    const Articulation tree = random_tree(engine, 6);
    const Eigen::VectorXd q = random_position(engine, tree);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const ArticulationKinematics kinematics = kinematics_at(tree, q, v);
    // Velocities of all links at rates other than those of the kinematics.
    const Eigen::VectorXd rates = 2.0 * v.reverse();
    std::vector<Vector6d> velocities;
    tree.link_velocities(kinematics, rates, velocities);
    for (int l = 0; l < tree.num_links(); ++l) {
      const std::size_t i = static_cast<std::size_t>(l);
      const Vector6d own =
          tree.frame_velocity(kinematics, l, kinematics.X_WB[i].translation, rates);
      CHECK((velocities[i] - own).norm() <= 1e-13 * (1.0 + own.norm()));
      const Eigen::Vector3d point_B = random_vector3(engine);
      const Eigen::Vector3d p_W = kinematics.X_WB[i] * point_B;
      const Vector6d V = tree.frame_jacobian(kinematics, l, p_W) * v;
      const double coarse = (V - central_difference(tree, q, v, i, point_B, 1e-2)).norm();
      const double fine = (V - central_difference(tree, q, v, i, point_B, 1e-3)).norm();
      CAPTURE(trial, l, coarse, fine);
      // A hundredfold, within a factor 2; rounding contributes 1e-15 * |p| / 1e-3 at most.
      CHECK(fine <= 0.02 * coarse + 1e-11);
      CHECK((tree.point_jacobian(kinematics, l, p_W) * v - V.tail<3>()).norm() <= 1e-14);
      CHECK((tree.frame_velocity(kinematics, l, p_W, v) - V).norm() <= 1e-13 * (1.0 + V.norm()));
      const Eigen::Matrix3d R = rotation_from_vector(random_vector3(engine));
      Eigen::MatrixXd turned = Eigen::MatrixXd::Ones(3, tree.num_velocities());
      tree.add_point_jacobian(kinematics, l, p_W, R, turned);
      CHECK((turned * v - v.sum() * Eigen::Vector3d::Ones() - R * V.tail<3>()).norm() <=
            1e-13 * (1.0 + V.norm() + v.norm()));
      const Vector6d V_origin =
          tree.frame_jacobian(kinematics, l, kinematics.X_WB[i].translation) * v;
      CHECK((V_origin - kinematics.V_WB[i]).norm() <= 1e-13 * (1.0 + V_origin.norm()));
    }
  }
}

TEST_CASE("The motion of a link against another has no part of what carries both") {
  Engine engine(13);
  for (int trial = 0; trial < num_cases(300); ++trial) {
    const Articulation tree = random_tree(engine, 8);
    const ArticulationKinematics kinematics = kinematics_at(
        tree, random_position(engine, tree), random_vector(engine, tree.num_velocities()));
    const Eigen::Vector3d p_W = random_vector3(engine);
    const Eigen::Matrix3d R = rotation_from_vector(random_vector3(engine));
    const auto carries = [&tree](int ancestor, int link) {
      while (link > ancestor) link = tree.links()[static_cast<std::size_t>(link)].parent;
      return link == ancestor;
    };
    for (int a = 0; a < tree.num_links(); ++a) {
      const int b = (3 * a + trial) % tree.num_links();
      Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, tree.num_velocities());
      tree.add_relative_jacobian(kinematics, a, b, p_W, R, J);
      const Eigen::MatrixXd expected =
          R * (tree.point_jacobian(kinematics, b, p_W) - tree.point_jacobian(kinematics, a, p_W));
      CAPTURE(trial, a, b);
      CHECK((J - expected).norm() <= 1e-13 * (1.0 + expected.norm()));
      for (int l = 0; l < tree.num_links(); ++l) {
        if (!carries(l, a) || !carries(l, b)) continue;
        const int nv = num_velocities(tree.links()[static_cast<std::size_t>(l)].joint);
        CHECK(J.middleCols(tree.v_offset(l), nv).isZero(0.0));
      }
    }
  }
}

TEST_CASE("A link does not feel the joints that do not carry it") {
  Engine engine(12);
  const Articulation tree = random_tree(engine, 12);
  const ArticulationKinematics kinematics = kinematics_at(
      tree, random_position(engine, tree), random_vector(engine, tree.num_velocities()));
  for (int l = 0; l < tree.num_links(); ++l) {
    std::vector<bool> carries(static_cast<std::size_t>(tree.num_links()), false);
    for (int a = l; a >= 0; a = tree.links()[static_cast<std::size_t>(a)].parent) {
      carries[static_cast<std::size_t>(a)] = true;
    }
    const Eigen::MatrixXd J = tree.frame_jacobian(kinematics, l, Eigen::Vector3d(1.0, 2.0, 3.0));
    for (int a = 0; a < tree.num_links(); ++a) {
      const int nv = num_velocities(tree.links()[static_cast<std::size_t>(a)].joint);
      const bool is_zero = J.middleCols(tree.v_offset(a), nv).isZero(0.0);
      CHECK(is_zero != carries[static_cast<std::size_t>(a)]);
    }
  }
}

TEST_CASE("A free root's coordinates are its pose and velocity in the world") {
  Link link;
  link.inertia = {2.0, {0.1, -0.2, 0.3}, Eigen::Matrix3d::Identity()};
  link.axis.setConstant(std::nan(""));  // a free joint has no axis
  const Articulation body({link});
  Engine engine(13);
  const Pose X_WB = random_pose(engine);
  Eigen::VectorXd q(7);
  q << wxyz_from_quaternion(Eigen::Quaterniond(X_WB.rotation)), X_WB.translation;
  const Eigen::VectorXd v = random_vector(engine, 6);
  const ArticulationKinematics kinematics = kinematics_at(body, q, v);
  CHECK((kinematics.X_WB[0].rotation - X_WB.rotation).norm() <= 1e-15);
  CHECK(kinematics.X_WB[0].translation == X_WB.translation);
  CHECK(kinematics.V_WB[0] == v);
  CHECK(kinematics.subspace == Matrix6d::Identity());
}

TEST_CASE("Moving the whole tree by 1.5 km along a power of two changes no bit of its dynamics") {
  Engine engine(14);
  for (int trial = 0; trial < num_cases(2000); ++trial) {
    std::vector<Link> links = random_tree(engine, 5).links();
    // A multiple of 2^-20 m, so that neither position is rounded when the other is not.
    for (Link& link : links) {
      if (link.parent >= 0) continue;
      if (link.joint == JointType::Free || link.joint == JointType::Planar) continue;
      link.X_PF.translation = (link.X_PF.translation * 1048576.0).array().round() / 1048576.0;
    }
    const Articulation near(links);
    for (Link& link : links) {
      if (link.parent < 0) link.X_PF.translation += Eigen::Vector3d(1536.0, -1536.0, 512.0);
    }
    const Articulation far(links);
    const Eigen::VectorXd q = random_position(engine, near);
    const Eigen::VectorXd v = random_vector(engine, near.num_velocities());
    const ArticulationKinematics at_origin = kinematics_at(near, q, v);
    const ArticulationKinematics away = kinematics_at(far, q, v);
    const Eigen::Vector3d gravity(0.0, 0.0, -9.81);
    CHECK(near.mass_matrix(at_origin) == far.mass_matrix(away));
    CHECK(near.bias_forces(at_origin, v) == far.bias_forces(away, v));
    CHECK(near.gravity_forces(at_origin, gravity) == far.gravity_forces(away, gravity));
    CHECK(near.kinetic_energy(at_origin) == far.kinetic_energy(away));
  }
}

TEST_CASE("A tree refuses links that it cannot describe") {
  Engine engine(15);
  const Link good = random_link(engine, -1, JointType::Revolute);
  Link bad = good;
  bad.parent = 0;
  CHECK_THROWS_AS(Articulation({bad}), std::invalid_argument);
  bad = good;
  bad.parent = -2;
  CHECK_THROWS_AS(Articulation({bad}), std::invalid_argument);
  bad = good;
  bad.axis *= 1.001;
  CHECK_THROWS_AS(Articulation({bad}), std::invalid_argument);
  bad = good;
  bad.axis[0] = std::nan("");
  CHECK_THROWS_AS(Articulation({bad}), std::invalid_argument);
  for (const JointType type : {JointType::Fixed, JointType::Distance}) {
    bad = good;
    bad.joint = type;
    CHECK_THROWS_AS(Articulation({bad}), std::invalid_argument);
  }
  CHECK_NOTHROW(Articulation({good}));
}

}  // namespace amontons::test
