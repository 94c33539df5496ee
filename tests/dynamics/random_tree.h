#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/math/rotation.h"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace amontons::test {

using Engine = std::mt19937_64;

inline double uniform(Engine& engine, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(engine);
}

inline Eigen::VectorXd random_vector(Engine& engine, Eigen::Index size) {
  Eigen::VectorXd x(size);
  for (double& entry : x) entry = uniform(engine, -1.0, 1.0);
  return x;
}

inline Eigen::Vector3d random_vector3(Engine& engine) { return random_vector(engine, 3); }

inline Eigen::Vector3d random_unit(Engine& engine) {
  Eigen::Vector3d x;
  do {
    x = random_vector3(engine);
  } while (x.norm() < 0.1);
  return x.normalized();
}

inline Pose random_pose(Engine& engine) {
  return {rotation_from_vector(3.0 * random_vector3(engine)), random_vector3(engine)};
}

/// Makes a solid body with distinct principal moments, its center of mass away from the origin.
inline SpatialInertia random_inertia(Engine& engine) {
  SpatialInertia body;
  body.mass = uniform(engine, 0.5, 3.0);
  body.center_of_mass = 0.5 * random_vector3(engine);
  Eigen::Matrix3d second_moments = Eigen::Matrix3d::Zero();
  for (int k = 0; k < 3; ++k) second_moments(k, k) = uniform(engine, 0.05, 0.5);
  const Eigen::Matrix3d R = rotation_from_vector(3.0 * random_vector3(engine));
  body.inertia =
      R * (second_moments.trace() * Eigen::Matrix3d::Identity() - second_moments) * R.transpose();
  return body;
}

/// Lists every type of joint that an articulation may hold.
inline const std::vector<JointType>& tree_joint_types() {
  static const std::vector<JointType> types = {
      JointType::Free,      JointType::Planar,    JointType::Revolute, JointType::Continuous,
      JointType::Prismatic, JointType::Spherical, JointType::Screw};
  return types;
}

/// Lists those, and universal joints, which a tree takes after split_universal_joints.
inline const std::vector<JointType>& moving_joint_types() {
  static const std::vector<JointType> types = [] {
    std::vector<JointType> all = tree_joint_types();
    all.push_back(JointType::Universal);
    return all;
  }();
  return types;
}

/// Makes a joint of the type with arbitrary axes, those of a universal joint 0.4 rad apart at
/// least.
inline JointGeometry random_joint(Engine& engine, JointType type) {
  JointGeometry joint{type, random_unit(engine)};
  do {
    joint.axis2 = random_unit(engine);
  } while (joint.axis.cross(joint.axis2).norm() < 0.4);
  joint.pitch = uniform(engine, 0.1, 1.0);
  return joint;
}

/// Makes a link with arbitrary frames. X_MB is never the identity, so that no origin is special.
inline Link random_link(Engine& engine, int parent, JointType type) {
  Link link;
  link.parent = parent;
  const JointGeometry joint = random_joint(engine, type);
  link.joint = type;
  link.axis = joint.axis;
  link.axis2 = joint.axis2;
  link.pitch = joint.pitch;
  link.X_PF = random_pose(engine);
  link.X_MB = random_pose(engine);
  link.inertia = random_inertia(engine);
  return link;
}

/// Makes the links of a branching tree with one root, of the given type or an arbitrary one.
inline std::vector<Link> random_links(Engine& engine, int num_links,
                                      std::optional<JointType> root = {}) {
  std::vector<Link> links;
  for (int i = 0; i < num_links; ++i) {
    const int parent = i == 0 ? -1 : std::uniform_int_distribution<int>(0, i - 1)(engine);
    const std::vector<JointType>& types = tree_joint_types();
    const std::size_t type =
        std::uniform_int_distribution<std::size_t>(0, types.size() - 1)(engine);
    links.push_back(random_link(engine, parent, i == 0 && root ? *root : types[type]));
  }
  return links;
}

/// Makes a branching tree with joints drawn from `types`; several links may be roots.
inline Articulation random_tree(Engine& engine, int num_links,
                                const std::vector<JointType>& types = tree_joint_types()) {
  std::vector<Link> links;
  for (int i = 0; i < num_links; ++i) {
    const int parent = std::uniform_int_distribution<int>(-1, i - 1)(engine);
    const std::size_t type =
        std::uniform_int_distribution<std::size_t>(0, types.size() - 1)(engine);
    links.push_back(random_link(engine, parent, types[type]));
  }
  return Articulation(std::move(links));
}

/// Draws a position far from the zero position.
inline Eigen::VectorXd random_position(Engine& engine, const Articulation& tree) {
  return tree.integrate(tree.neutral_position(), random_vector(engine, tree.num_velocities()), 2.0);
}

inline ArticulationKinematics kinematics_at(const Articulation& tree, const Eigen::VectorXd& q,
                                            const Eigen::VectorXd& v) {
  ArticulationKinematics kinematics;
  tree.compute_kinematics(q, v, kinematics);
  return kinematics;
}

/// Returns M(q) as the sum over links of J' I J, from frame Jacobians at the links' origins.
inline Eigen::MatrixXd mass_matrix_by_jacobians(const Articulation& tree,
                                                const ArticulationKinematics& kinematics) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(tree.num_velocities(), tree.num_velocities());
  for (int l = 0; l < tree.num_links(); ++l) {
    const std::size_t i = static_cast<std::size_t>(l);
    const Pose& X_WB = kinematics.X_WB[i];
    const Pose orientation{X_WB.rotation, Eigen::Vector3d::Zero()};
    const Eigen::MatrixXd J = tree.frame_jacobian(kinematics, l, X_WB.translation);
    M += J.transpose() * transform(orientation, tree.links()[i].inertia).matrix() * J;
  }
  return M;
}

}  // namespace amontons::test
