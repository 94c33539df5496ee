#include "amontons/dynamics/velocity_curvature.h"

#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace amontons::test {
namespace {

TEST_CASE("No point of a tree at constant rates leaves the line between its velocities farther") {
  Engine engine(5);
  double tightest = 0.0;
  for (int i = 0; i < num_cases(10000); ++i) {
    const Articulation tree = random_tree(engine, 4);
    const Eigen::VectorXd q = random_position(engine, tree);
    const Eigen::VectorXd v = 3.0 * random_vector(engine, tree.num_velocities());
    const double h = uniform(engine, 0.01, 0.2);
    const int link = tree.num_links() - 1;
    const Eigen::Vector3d arm = 0.3 * random_vector3(engine);
    const auto velocities = [&](double t) {
      ArticulationKinematics at;
      tree.compute_motion(tree.integrate(q, v, t), v, at);
      const auto k = static_cast<std::size_t>(link);
      Vector6d V = at.V_WB[k];
      V.tail<3>() += V.head<3>().cross(at.X_WB[k].rotation * arm);
      return V;
    };
    const VelocityCurvature most = velocity_curvature(tree, link, q, v, h, arm.norm());
    const Vector6d begin = velocities(0.0), end = velocities(h);
    for (int k = 1; k < 20; ++k) {
      const double share = k / 20.0;
      const Vector6d off = velocities(share * h) - (1.0 - share) * begin - share * end;
      CHECK(off.head<3>().norm() <= h * h / 8.0 * most.angular + 1e-12);
      CHECK(off.tail<3>().norm() <= h * h / 8.0 * most.linear + 1e-12);
      tightest = std::max(tightest, off.tail<3>().norm() / (h * h / 8.0 * most.linear + 1e-12));
    }
  }
  CHECK(tightest > 0.01);  // a bound, not a number beyond all motion
}

}  // namespace
}  // namespace amontons::test
