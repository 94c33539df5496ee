#include "amontons/geometry/convex/epa.h"

#include "amontons/geometry/convex/polytope_axes.h"
#include "tests/geometry/shape_fixtures.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

/// Makes a prism about z of height 0.1 whose caps are flat within 1e-7, as files round them.
Shape rounded_prism(int corners, std::mt19937_64& random) {
  std::uniform_real_distribution<double> rounding(-1e-7, 1e-7);
  std::vector<Vector3d> points;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2.0 * 3.14159265358979323846 * k / corners;
    for (const double z : {-0.05, 0.05}) {
      points.emplace_back(0.1 * std::cos(angle), 0.1 * std::sin(angle), z + rounding(random));
    }
  }
  return std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points, 1e-6));
}

}  // namespace

TEST_CASE("The depth of hulls with rounded facets needs no search of all their axes") {
  std::mt19937_64 random(4);
  int num_overlapping = 0, num_unproven = 0;
  for (int n = 0; n < 200; ++n) {
    const Shape A = rounded_prism(40, random), B = rounded_prism(40, random);
    // B presses on A's cap, leaning by as little as the caps are rounded.
    Pose X_AB;
    X_AB.translation = {0.05, 0.02, 0.1 - 3e-7};
    X_AB.rotation = Eigen::AngleAxisd(1e-7 * n, Vector3d::UnitX()).toRotationMatrix();
    const ConvexCore core_A = make_core(A, Pose{}, Vector3d::Zero());
    const ConvexCore core_B = make_core(B, X_AB, Vector3d::Zero());
    const CorePair pair{core_A, core_B};
    const GjkResult apart = gjk(pair, Vector3d::UnitZ(), 0.0);
    if (!apart.overlap) continue;
    ++num_overlapping;
    const EpaResult found = epa(pair, apart.simplex);
    num_unproven += found.proven || found.is_largest ? 0 : 1;
    CAPTURE(n, found.separation.distance, found.proven);
    // Normals of facets that count as flat are known to their rounding.
    CHECK(std::abs(found.separation.distance - find_polytope_axis(pair).distance) <= 4e-7);
  }
  CHECK(num_overlapping > 20);
  CHECK(num_unproven < num_overlapping / 10);
}

}  // namespace amontons::narrow_phase
