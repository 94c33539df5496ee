#include "amontons/dynamics/coupled_inertia.h"

#include "amontons/dynamics/inertial_step.h"
#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

// Inertial forces of a step that ends with any velocity, as impulses of contact choose it.

namespace amontons::test {
namespace {

/// Returns the motion of a step: a position, and velocities at both of its ends.
struct Motion {
  Eigen::VectorXd q, v, w;
};

Motion random_motion(Engine& engine, const Articulation& tree, double speed) {
  const Eigen::Index n = tree.num_velocities();
  return {random_position(engine, tree), speed * random_vector(engine, n),
          speed * random_vector(engine, n)};
}

}  // namespace

TEST_CASE("Inertial forces of a struck tree do the work that the change of its inertia explains") {
  Engine engine(41);
  const int cases = num_cases(2000);
  int num_balanced = 0;
  for (int i = 0; i < cases; ++i) {
    const JointType root = i % 2 == 0 ? JointType::Free : JointType::Revolute;
    const Articulation tree(
        random_links(engine, std::uniform_int_distribution<int>(2, 6)(engine), root));
    const Motion motion = random_motion(engine, tree, 3.0);
    const double h = uniform(engine, 1e-3, 0.02);
    const ArticulationKinematics at = kinematics_at(tree, motion.q, motion.v);
    const Eigen::MatrixXd M = tree.mass_matrix(at);
    InertialWorkspace work;
    const Eigen::VectorXd impulse =
        coupled_inertial_impulse(tree, at, motion.q, motion.v, motion.w, M, h, work);
    // The same inertia from kinematics at the end.
    const Eigen::MatrixXd M_end =
        tree.mass_matrix(kinematics_at(tree, tree.integrate(motion.q, motion.w, h), motion.w));
    const Eigen::MatrixXd change = M_end - M;
    const Eigen::VectorXd mean = 0.5 * (motion.v + motion.w);
    const double scale = motion.v.dot(M * motion.v) + motion.w.dot(M * motion.w);
    CAPTURE(i, h);
    // The impulse along the mean motion relative to the center of mass has no room for the energy
    // where that motion is slow.
    Eigen::VectorXd relative = mean;
    if (root == JointType::Free) relative.segment<3>(3) -= (M * mean).segment<3>(3) / M(3, 3);
    if (relative.dot(M * relative) > 0.02 * scale) {
      ++num_balanced;
      CHECK(std::abs(mean.dot(impulse) + 0.5 * motion.w.dot(change * motion.w)) < 1e-10 * scale);
    }
    if (root != JointType::Free) continue;
    // A force-free center of mass keeps its velocity.
    const Eigen::Vector3d momentum = (change * motion.w).segment<3>(3);
    CHECK((impulse.segment<3>(3) + momentum).norm() < 1e-10 * (1.0 + (M * motion.w).norm()));
  }
  CHECK(num_balanced >= cases * 9 / 10);
}

TEST_CASE("Where no impulse acts, coupled inertial forces are those of the motion by inertia") {
  Engine engine(43);
  const Articulation tree(random_links(engine, 5, JointType::Free));
  const Motion start = random_motion(engine, tree, 2.0);
  const ArticulationKinematics at = kinematics_at(tree, start.q, start.v);
  const Eigen::MatrixXd M = tree.mass_matrix(at);
  const auto difference = [&](double h) {
    InertialWorkspace work;
    Eigen::VectorXd x(tree.num_velocities());
    inertial_step(tree, at, start.q, start.v, M, h, work, x);
    const Eigen::VectorXd coupled =
        coupled_inertial_impulse(tree, at, start.q, start.v, x, M, h, work);
    return (coupled - M * (x - start.v)).norm();
  };
  // Both are of the order of h.
  CHECK(std::log2(difference(1e-3) / difference(5e-4)) > 1.9);
}

}  // namespace amontons::test
