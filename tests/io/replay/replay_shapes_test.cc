#include "amontons/io/replay/replay_shapes.h"

#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

using namespace amontons;
using namespace amontons::test;

// Moments of a homogeneous ellipsoid: m (b^2 + c^2) / 5 about its first axis, and so on.
TEST_CASE("A link without shapes is drawn as the ellipsoid that has its inertia") {
  const System system(parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.1}
bodies:
  - {name: bar, mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.04], center_of_mass: [0.1, 0.2, 0.3]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}]}
  - {name: hook, fixed: true}
)"));
  const std::vector<io::ReplayBody> bodies = io::replay_bodies(system);
  CHECK(bodies[1].shapes.size() == 1);
  CHECK(bodies[2].shapes.empty());  // a body at rest that touches nothing has no inertia to show
  REQUIRE(bodies[0].shapes.size() == 1);
  const io::ReplayShape& drawn = bodies[0].shapes[0];
  CHECK(drawn.type == "ellipsoid");
  const Eigen::Vector3d squares =
      Eigen::Map<const Eigen::Vector3d>(drawn.size.data()).array().square();
  const Eigen::Vector3d moments = 2.0 / 5.0 * (Eigen::Vector3d::Constant(squares.sum()) - squares);
  const Eigen::Matrix3d& axes = drawn.X_BG.rotation;
  Eigen::Matrix3d expected;
  expected << 0.3, 0.02, -0.03, 0.02, 0.4, 0.04, -0.03, 0.04, 0.5;
  CHECK((axes * moments.asDiagonal() * axes.transpose() - expected).norm() <= 1e-14);
  CHECK((drawn.X_BG.translation - Eigen::Vector3d(0.1, 0.2, 0.3)).norm() <= 1e-15);
  CHECK(axes.determinant() == Catch::Detail::Approx(1.0));
}
