#include "amontons/dynamics/articulation.h"
#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

namespace amontons::test {

TEST_CASE("The mass matrix of composite bodies equals the sum of J' I J over the links") {
  Engine engine(21);
  for (int trial = 0; trial < num_cases(10000); ++trial) {
    const Articulation tree = random_tree(engine, 1 + trial % 9);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const ArticulationKinematics kinematics = kinematics_at(tree, random_position(engine, tree), v);
    const Eigen::MatrixXd M = tree.mass_matrix(kinematics);
    const Eigen::MatrixXd expected = mass_matrix_by_jacobians(tree, kinematics);
    CAPTURE(trial);
    CHECK((M - expected).norm() <= 1e-13 * expected.norm());
    CHECK(M == M.transpose());
    CHECK(Eigen::LLT<Eigen::MatrixXd>(M).info() == Eigen::Success);
    CHECK(tree.kinetic_energy(kinematics) == Approx(0.5 * v.dot(M * v)).epsilon(1e-13));
  }
}

TEST_CASE("Two degrees of freedom share inertia only if one carries the other") {
  Engine engine(22);
  for (int trial = 0; trial < num_cases(1000); ++trial) {
    const Articulation tree = random_tree(engine, 10);
    const ArticulationKinematics kinematics = kinematics_at(
        tree, random_position(engine, tree), Eigen::VectorXd::Zero(tree.num_velocities()));
    const Eigen::MatrixXd M = tree.mass_matrix(kinematics);
    const std::vector<int>& parents = tree.dof_parents();
    REQUIRE(parents.size() == static_cast<std::size_t>(tree.num_velocities()));
    for (int i = 0; i < tree.num_velocities(); ++i) {
      std::vector<bool> is_ancestor(parents.size(), false);
      for (int a = i; a >= 0; a = parents[static_cast<std::size_t>(a)]) {
        REQUIRE(parents[static_cast<std::size_t>(a)] < a);
        is_ancestor[static_cast<std::size_t>(a)] = true;
      }
      for (int j = 0; j < i; ++j) {
        if (!is_ancestor[static_cast<std::size_t>(j)]) CHECK(M(i, j) == 0.0);
      }
    }
  }
}

TEST_CASE("A free body's mass matrix is its spatial inertia about its own origin") {
  Engine engine(23);
  Link link = random_link(engine, -1, JointType::Free);
  link.X_PF = Pose{};
  link.X_MB = Pose{};
  const Articulation body({link});
  const Eigen::VectorXd q = random_position(engine, body);
  const ArticulationKinematics kinematics = kinematics_at(body, q, Eigen::VectorXd::Zero(6));
  const Pose orientation{kinematics.X_WB[0].rotation, Eigen::Vector3d::Zero()};
  const Matrix6d expected = transform(orientation, link.inertia).matrix();
  CHECK((body.mass_matrix(kinematics) - expected).norm() <= 1e-14 * expected.norm());
}

}  // namespace amontons::test
