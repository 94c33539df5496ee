// Hulls of a limited number of vertices: which they are, and how far inside the whole hull they
// lie.
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace amontons;
using namespace amontons::test;
using Points = std::vector<Eigen::Vector3d>;

namespace {

/// Makes a hull of 8 to 200 random points: a ball, a plate or a needle, of any size and place.
ConvexPolyhedron random_hull(Dice& dice) {
  const double size = dice.decade(-2.0, 2.0);
  const Eigen::Vector3d stretch =
      size * Eigen::Vector3d(1.0, dice.decade(-3.0, 0.0), dice.decade(-3.0, 0.0));
  const Pose pose = dice.pose(size * dice.direction());
  Points points;
  for (int i = 8 + dice.index(193); i > 0; --i) {
    const Eigen::Vector3d p = stretch.cwiseProduct(dice.direction());
    points.emplace_back(pose.rotation * p + pose.translation);
  }
  return ConvexPolyhedron::hull_of(points);
}

/// Returns true if each vertex of one polyhedron is one of the other.
bool has_vertices_of(const ConvexPolyhedron& whole, const ConvexPolyhedron& part) {
  return std::all_of(part.vertices().begin(), part.vertices().end(), [&](const auto& v) {
    return std::find(whole.vertices().begin(), whole.vertices().end(), v) != whole.vertices().end();
  });
}

/// Returns the distance of a point from a polyhedron [m] by GJK, with a ball around the point.
double distance_by_gjk(const ConvexPolyhedron& hull, const Eigen::Vector3d& point, double radius) {
  const Shape shape = std::make_shared<const ConvexPolyhedron>(hull);
  return signed_distance(shape, Pose{}, Sphere{radius}, at(point.x(), point.y(), point.z()))
             .distance +
         radius;
}

bool same_bits(const ConvexPolyhedron& a, const ConvexPolyhedron& b) {
  return a.vertices() == b.vertices() && a.faces().size() == b.faces().size() &&
         std::equal(a.faces().begin(), a.faces().end(), b.faces().begin(),
                    [](const auto& f, const auto& g) {
                      return f.vertices == g.vertices && f.normal == g.normal &&
                             f.offset == g.offset;
                    });
}

}  // namespace

TEST_CASE("A simplified hull has vertices of the whole one, at most as many as asked") {
  Dice dice(1);
  for (int i = 0; i < num_cases(10000); ++i) {
    const ConvexPolyhedron whole = random_hull(dice);
    const int limit = 4 + dice.index(30);
    CAPTURE(i, whole.vertices().size(), limit);
    const ConvexPolyhedron simplified = whole.simplified(limit);
    CHECK(simplified.vertices().size() <= static_cast<std::size_t>(limit));
    CHECK(simplified.vertices().size() >= 4);
    CHECK(has_vertices_of(whole, simplified));
    CHECK(same_bits(simplified, whole.simplified(limit)));
    // A limit that nothing exceeds changes nothing.
    const int count = static_cast<int>(whole.vertices().size());
    CHECK(same_bits(whole, whole.simplified(count)));
    CHECK(same_bits(whole, whole.simplified(count + 5)));
  }
}

TEST_CASE("No point of a hull lies farther outside the simplified one than is said") {
  Dice dice(2);
  for (int i = 0; i < num_cases(5000); ++i) {
    const ConvexPolyhedron whole = random_hull(dice);
    const ConvexPolyhedron simplified = whole.simplified(4 + dice.index(20));
    const double said = largest_distance(whole, simplified);
    const double size = whole.bounding_radius();
    CAPTURE(i, whole.vertices().size(), simplified.vertices().size(), said);
    double largest = 0.0;
    for (const Eigen::Vector3d& v : whole.vertices()) {
      largest = std::max(largest, distance_by_gjk(simplified, v, size));
    }
    // Both are exact to rounding of coordinates, which the tilt of a needle's faces multiplies.
    CHECK(std::abs(said - largest) <= 1e-11 * size);
    // Points between the vertices are no farther away.
    for (int k = 0; k < 20; ++k) {
      const auto vertex = [&] {
        return whole.vertices()[static_cast<std::size_t>(
            dice.index(static_cast<int>(whole.vertices().size())))];
      };
      const double share = dice.uniform(0.0, 1.0);
      const Eigen::Vector3d p = share * vertex() + (1.0 - share) * vertex();
      CHECK(simplified.distance_to(p) <= said + 1e-13 * size);
    }
  }
}

TEST_CASE("Distances from cubes and octahedra are those of right triangles") {
  const auto cube = [](double half) {
    Points corners;
    for (const double x : {-half, half}) {
      for (const double y : {-half, half}) {
        for (const double z : {-half, half}) corners.emplace_back(x, y, z);
      }
    }
    return ConvexPolyhedron::hull_of(corners);
  };
  const ConvexPolyhedron octahedron = ConvexPolyhedron::hull_of(
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
  // To a corner, to a face, along an edge, and inside.
  CHECK(largest_distance(cube(1.0), cube(0.5)) == Approx(std::sqrt(0.75)).epsilon(1e-15));
  CHECK(largest_distance(cube(1.0), octahedron) == Approx(2.0 / std::sqrt(3.0)).epsilon(1e-15));
  CHECK(cube(1.0).distance_to({3.0, 4.0, 0.5}) == Approx(std::sqrt(13.0)).epsilon(1e-15));
  CHECK(largest_distance(cube(0.5), cube(1.0)) == 0.0);
  CHECK(octahedron.distance_to({0.2, 0.3, 0.4}) == 0.0);
}

TEST_CASE("Each further vertex brings the simplified hull nearer to the whole one") {
  Dice dice(3);
  Points points;
  for (int i = 0; i < 300; ++i) points.push_back(dice.direction());
  const ConvexPolyhedron whole = ConvexPolyhedron::hull_of(points);
  double before = 2.0;
  for (int limit = 4; limit <= 300; ++limit) {
    const ConvexPolyhedron simplified = whole.simplified(limit);
    CHECK(simplified.vertices().size() == static_cast<std::size_t>(limit));
    const double distance = largest_distance(whole, simplified);
    CHECK(distance <= before + 1e-15);
    before = distance;
  }
  CHECK(before == 0.0);
}

TEST_CASE("Of all vertices the farthest outside is the next that a simplified hull has") {
  Dice dice(6);
  for (int i = 0; i < num_cases(1000); ++i) {
    const ConvexPolyhedron whole = random_hull(dice);
    // From 32 vertices on several are added to one hull.
    const int limit = 4 + dice.index(28);
    if (whole.vertices().size() <= static_cast<std::size_t>(limit)) continue;
    const ConvexPolyhedron less = whole.simplified(limit), more = whole.simplified(limit + 1);
    CAPTURE(i, whole.vertices().size(), limit);
    REQUIRE(has_vertices_of(more, less));
    double added = 0.0, largest = 0.0;
    for (const Eigen::Vector3d& v : whole.vertices()) {
      largest = std::max(largest, distance_by_gjk(less, v, whole.bounding_radius()));
    }
    for (const Eigen::Vector3d& v : more.vertices()) {
      added = std::max(added, distance_by_gjk(less, v, whole.bounding_radius()));
    }
    CHECK(std::abs(added - largest) <= 1e-11 * whole.bounding_radius());
  }
}

TEST_CASE("A hull and one that is 1024 times as large are simplified to the same vertices") {
  Dice dice(4);
  for (int i = 0; i < 20; ++i) {
    const ConvexPolyhedron small = random_hull(dice);
    Points points = small.vertices();
    for (Eigen::Vector3d& p : points) p *= 1024.0;
    const ConvexPolyhedron large = ConvexPolyhedron::hull_of(points).simplified(12);
    points = small.simplified(12).vertices();
    for (Eigen::Vector3d& p : points) p *= 1024.0;
    CHECK(large.vertices() == points);
  }
}

TEST_CASE("A plate as thin as files can give it keeps its thickness where it is simplified") {
  for (const double thickness : {1e-2, 1e-5, 1e-8}) {
    Points points;
    for (const Eigen::Vector3d& v : ball_mesh(8).vertices) {
      points.emplace_back(v.x(), v.y(), thickness * v.z());
    }
    const ConvexPolyhedron whole = ConvexPolyhedron::hull_of(points);
    for (const int limit : {4, 5, 8, 16, 64}) {
      CAPTURE(thickness, limit);
      const ConvexPolyhedron simplified = whole.simplified(limit);
      CHECK(has_vertices_of(whole, simplified));
      CHECK(largest_distance(whole, simplified) <= 1.0);
    }
  }
}

TEST_CASE("A hull of fewer than four vertices is refused") {
  Dice dice(5);
  const ConvexPolyhedron hull = random_hull(dice);
  for (const int limit : {3, 0, -1}) {
    CHECK_THROWS_AS(hull.simplified(limit), std::invalid_argument);
    CHECK_THROWS_WITH(hull.simplified(limit), Catch::Contains("at least four"));
  }
}
