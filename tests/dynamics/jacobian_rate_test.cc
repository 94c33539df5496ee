#include "amontons/dynamics/jacobian_rate.h"

#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace amontons::test {
namespace {

TEST_CASE("The rate of a Jacobian is its derivative along the motion of the tree") {
  Engine engine(17);
  double largest = 0.0;
  for (int i = 0; i < num_cases(2000); ++i) {
    const Articulation tree = random_tree(engine, 5);
    const Eigen::VectorXd q = random_position(engine, tree);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const int link = tree.num_links() - 1 - i % tree.num_links();
    const Eigen::Vector3d arm = random_vector3(engine);
    const auto jacobian = [&](double t) {
      ArticulationKinematics at;
      tree.compute_motion(tree.integrate(q, v, t), v, at);
      return tree.frame_jacobian(at, link, at.X_WB[static_cast<std::size_t>(link)] * arm);
    };
    ArticulationKinematics at;
    tree.compute_motion(q, v, at);
    Eigen::MatrixXd rate(6, tree.num_velocities());
    frame_jacobian_rate(tree, at, link, at.X_WB[static_cast<std::size_t>(link)] * arm, rate);
    // Central differences: t^2/6 times the third derivative, some 1e2 here, and rounding / t.
    constexpr double kTime = 1e-4;
    const Eigen::MatrixXd difference = (jacobian(kTime) - jacobian(-kTime)) / (2.0 * kTime);
    CHECK((rate - difference).cwiseAbs().maxCoeff() < 1e-5);
    largest = std::max(largest, rate.cwiseAbs().maxCoeff());
  }
  CHECK(largest > 1.0);
}

}  // namespace
}  // namespace amontons::test
