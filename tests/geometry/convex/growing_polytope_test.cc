#include "amontons/geometry/convex/growing_polytope.h"

#include <catch2/catch.hpp>

#include <cmath>

using amontons::narrow_phase::GrowingPolytope;
using Eigen::Vector3d;

// A cone about a face's normal cuts a disk out of the face; on its rim the face is 1 / cos(angle)
// away. All that lies behind the rest of the face is at least that far, and no more is known.
TEST_CASE("A face about a settled normal grows on while it hides something nearer outside its cone",
          "[epa]") {
  GrowingPolytope polytope;
  REQUIRE(polytope.begin({Vector3d(10.0, 0.0, 1.0), Vector3d(-5.0, 8.66, 1.0),
                          Vector3d(-5.0, -8.66, 1.0), Vector3d(0.0, 0.0, -3.0)}));
  const int top = polytope.nearest_face();
  REQUIRE((polytope.face(top).normal - Vector3d::UnitZ()).norm() <= 1e-15);
  const double angle = 0.1;
  const double on_the_rim = 1.0 / std::cos(angle);
  CHECK(polytope.exclude_cone(Vector3d::UnitZ(), std::cos(angle), on_the_rim * (1.0 + 1e-12)));
  CHECK(polytope.nearest_face() == top);
  CHECK(polytope.exclude_cone(Vector3d::UnitZ(), std::cos(angle), on_the_rim * (1.0 - 1e-12)));
  CHECK(polytope.nearest_face() != top);
  CHECK(polytope.is_settled(Vector3d(0.09, 0.0, 1.0).normalized()));
  CHECK(!polytope.is_settled(Vector3d(0.11, 0.0, 1.0).normalized()));
}
