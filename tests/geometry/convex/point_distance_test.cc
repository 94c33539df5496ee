#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

// Points in the planes of symmetry of an ellipsoid, where a term of the equation of its nearest
// point is 0/0: inside the evolute the nearest point is beside the plane, outside in it.
TEST_CASE("An ellipsoid has the same depth on its planes of symmetry as beside them") {
  Dice dice(91);
  const double radius = 0.1;
  for (int k = 0; k < num_cases(20000); ++k) {
    const Vector3d e(dice.uniform(0.2, 2.0), dice.uniform(0.2, 2.0), dice.uniform(0.2, 2.0));
    Vector3d center(dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0));
    center = center.cwiseProduct(e);
    center[k % 3] = 0.0;
    if (k % 7 == 0) center[(k + 1) % 3] = 0.0;
    const SignedDistance found = signed_distance(Ellipsoid{e}, Pose{}, Sphere{radius},
                                                 at(center.x(), center.y(), center.z()));
    CAPTURE(k, e.transpose(), center.transpose(), found.distance);
    // The point is on the ellipsoid, as far from the center as the depth says.
    CHECK(found.p_A_W.cwiseQuotient(e).squaredNorm() == Approx(1.0).epsilon(1e-9));
    CHECK((found.p_A_W - center).norm() == Approx(std::abs(found.distance + radius)).margin(1e-9));
    // No point of the surface is nearer.
    Vector3d beside = center;
    beside[k % 3] = 1e-9;
    const SignedDistance next = signed_distance(Ellipsoid{e}, Pose{}, Sphere{radius},
                                                at(beside.x(), beside.y(), beside.z()));
    CHECK(std::abs(next.distance - found.distance) <= 1e-8);
  }
}
