#include "amontons/geometry/shapes/convex_polyhedron.h"

#include "tests/support/test_size.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

using namespace amontons;
using Points = std::vector<Eigen::Vector3d>;

namespace {

constexpr double kPi = 3.14159265358979323846;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Eigen::Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

Eigen::Matrix3d random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

double largest_coordinate(const Points& points) {
  double largest = 0.0;
  for (const Eigen::Vector3d& p : points) largest = std::max(largest, p.cwiseAbs().maxCoeff());
  return largest;
}

// Checks that a list of faces and edges is the hull of the points, by the definition of a hull.
void check_is_hull_of(const ConvexPolyhedron& hull, const Points& points, double tolerance) {
  // Corners are points; each face supports all points and passes through its corners.
  const auto less = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  const std::set<Eigen::Vector3d, decltype(less)> all(points.begin(), points.end(), less);
  double worst_outside = -1.0, worst_face = 0.0, worst_normal = 0.0;
  bool corners_are_points = true, turns_left = true;
  for (const Eigen::Vector3d& v : hull.vertices()) corners_are_points &= all.count(v) == 1;
  for (const ConvexPolyhedron::Face& face : hull.faces()) {
    worst_normal = std::max(worst_normal, std::abs(face.normal.norm() - 1.0));
    for (const Eigen::Vector3d& p : points) {
      worst_outside = std::max(worst_outside, face.normal.dot(p) - face.offset);
    }
    const std::size_t n = face.vertices.size();
    for (std::size_t k = 0; k < n; ++k) {
      const Eigen::Vector3d& a = hull.vertices()[at(face.vertices[k])];
      const Eigen::Vector3d& b = hull.vertices()[at(face.vertices[(k + 1) % n])];
      const Eigen::Vector3d& c = hull.vertices()[at(face.vertices[(k + 2) % n])];
      worst_face = std::max(worst_face, std::abs(face.normal.dot(a) - face.offset));
      turns_left &= face.normal.dot((b - a).cross(c - b)) > 0.0;
    }
  }
  CHECK(corners_are_points);
  CHECK(worst_normal <= 1e-15 * 4);
  CHECK(worst_outside <= tolerance);
  CHECK(worst_face <= tolerance);
  CHECK(turns_left);

  // A closed surface of the type of a ball [Euler].
  CHECK(hull.vertices().size() + hull.faces().size() == hull.edges().size() + 2);
  std::set<std::pair<int, int>> directed;
  std::size_t num_sides = 0;
  for (const ConvexPolyhedron::Face& face : hull.faces()) {
    for (std::size_t k = 0; k < face.vertices.size(); ++k) {
      directed.insert({face.vertices[k], face.vertices[(k + 1) % face.vertices.size()]});
    }
    num_sides += face.vertices.size();
  }
  CHECK(directed.size() == num_sides);
  CHECK(num_sides == 2 * hull.edges().size());
  const auto runs_along = [&hull](int face, int tail, int head) {
    const std::vector<int>& loop = hull.faces()[at(face)].vertices;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      if (loop[k] == tail && loop[(k + 1) % loop.size()] == head) return true;
    }
    return false;
  };
  bool edges_fit = true;
  for (const ConvexPolyhedron::Edge& edge : hull.edges()) {
    edges_fit &= edge.tail < edge.head && runs_along(edge.left, edge.tail, edge.head) &&
                 runs_along(edge.right, edge.head, edge.tail);
  }
  CHECK(edges_fit);
}

Points cube(int points_per_side) {
  Points points;
  const double step = 2.0 / (points_per_side - 1);
  for (int i = 0; i < points_per_side; ++i) {
    for (int j = 0; j < points_per_side; ++j) {
      for (int k = 0; k < points_per_side; ++k) {
        points.emplace_back(-1.0 + step * i, -1.0 + step * j, -1.0 + step * k);
      }
    }
  }
  return points;
}

Points prism(int num_sides) {
  Points points;
  for (int i = 0; i < num_sides; ++i) {
    const double angle = 2.0 * kPi * i / num_sides;
    points.emplace_back(std::cos(angle), std::sin(angle), -0.5);
    points.emplace_back(std::cos(angle), std::sin(angle), 0.5);
  }
  return points;
}

Points sphere_points(std::mt19937_64& random, int n) {
  Points points;
  for (int i = 0; i < n; ++i) points.push_back(random_vector(random).normalized());
  return points;
}

Points moved(Points points, const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  for (Eigen::Vector3d& v : points) v = R * v + p;
  return points;
}

}  // namespace

TEST_CASE("The hull of a random cloud holds every point, and each of its faces supports it") {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> count(4, 80);
  std::uniform_real_distribution<double> exponent(-4.0, 0.0);
  for (int i = 0; i < test::num_cases(20000); ++i) {
    // Anything from balls to needles and plates, of any size and place.
    const Eigen::Array3d stretch(1.0, std::pow(10.0, exponent(random)),
                                 std::pow(10.0, exponent(random)));
    const double size = std::pow(10.0, exponent(random) + 2.0);
    Points points;
    for (int k = count(random); k > 0; --k) {
      points.emplace_back(size * stretch * random_vector(random).array());
    }
    points = moved(points, random_rotation(random), 100.0 * random_vector(random));
    CAPTURE(i, points.size(), stretch.transpose());
    // Rounding of the coordinates, and of offsets that are products of them.
    const double tolerance = 1e-14 * (largest_coordinate(points) + 10.0 * size);
    check_is_hull_of(ConvexPolyhedron::hull_of(points), points, tolerance);
  }
}

TEST_CASE("A cube is six squares, whatever points lie inside its faces and edges") {
  std::mt19937_64 random(2);
  const int points_per_side = GENERATE(2, 3, 6);
  for (int i = 0; i < 50; ++i) {
    const Points points =
        moved(cube(points_per_side), random_rotation(random), random_vector(random));
    const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(points);
    CAPTURE(i, points_per_side);
    REQUIRE(hull.vertices().size() == 8);
    REQUIRE(hull.faces().size() == 6);
    CHECK(hull.edges().size() == 12);
    for (const ConvexPolyhedron::Face& face : hull.faces()) CHECK(face.vertices.size() == 4);
    check_is_hull_of(hull, points, 1e-14 * largest_coordinate(points));
  }
}

TEST_CASE("A prism has two polygons and a rectangle for each of their sides") {
  std::mt19937_64 random(3);
  const int n = GENERATE(3, 5, 32, 128);
  const Points points = moved(prism(n), random_rotation(random), random_vector(random));
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(points);
  CHECK(hull.vertices().size() == 2 * at(n));
  CHECK(hull.faces().size() == at(n) + 2);
  check_is_hull_of(hull, points, 1e-14 * largest_coordinate(points));
}

TEST_CASE("Axis-aligned boxes have exact normals and offsets") {
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(cube(2));
  for (const ConvexPolyhedron::Face& face : hull.faces()) {
    CHECK(face.normal.cwiseAbs().sum() == 1.0);
    CHECK(face.normal.cwiseAbs().maxCoeff() == 1.0);
    CHECK(face.offset == 1.0);
  }
  CHECK(hull.bounding_radius() == Approx(std::sqrt(3.0)).epsilon(1e-15));
}

TEST_CASE("Points repeated or inside a hull do not change it") {
  std::mt19937_64 random(4);
  const Points corners = sphere_points(random, 30);
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(corners);
  Points more = corners;
  more.insert(more.end(), corners.begin(), corners.end());
  for (const Eigen::Vector3d& p : corners) more.push_back(0.3 * p);
  const ConvexPolyhedron same = ConvexPolyhedron::hull_of(more);
  REQUIRE(same.faces().size() == hull.faces().size());
  std::set<std::vector<int>> faces, same_faces;
  for (const ConvexPolyhedron::Face& face : hull.faces()) faces.insert(face.vertices);
  for (const ConvexPolyhedron::Face& face : same.faces()) same_faces.insert(face.vertices);
  CHECK(faces == same_faces);
}

TEST_CASE("Rounding a shape to single precision leaves its faces whole, given the flatness") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 50; ++i) {
    Points points = moved(cube(4), random_rotation(random), random_vector(random));
    for (Eigen::Vector3d& p : points) p = p.cast<float>().cast<double>();
    const double flatness = 1e-6 * largest_coordinate(points);
    const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(points, flatness);
    CHECK(hull.faces().size() == 6);
    check_is_hull_of(hull, points, flatness);
    // The counterexample: without the flatness, rounding makes facets.
    CHECK(ConvexPolyhedron::hull_of(points).faces().size() > 6);
  }
}

TEST_CASE("A plate thinner than the flatness is still a plate") {
  Points points = cube(2);
  for (Eigen::Vector3d& p : points) p.z() *= 1e-4;
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(points, 1e-2);
  CHECK(hull.faces().size() == 6);
  check_is_hull_of(hull, points, 1e-14);
}

TEST_CASE("The support vertex is the farthest one along any direction") {
  std::mt19937_64 random(6);
  const int n = GENERATE(4, 20, 200, 2000);
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(sphere_points(random, n));
  for (int i = 0; i < test::num_cases(50000); ++i) {
    const Eigen::Vector3d direction =
        std::pow(10.0, 6.0 * random_vector(random).x()) * random_vector(random);
    double farthest = -std::numeric_limits<double>::infinity();
    for (const Eigen::Vector3d& v : hull.vertices())
      farthest = std::max(farthest, v.dot(direction));
    const int found = hull.support(direction);
    REQUIRE(hull.vertices()[at(found)].dot(direction) >= farthest - 1e-15 * direction.norm());
  }
}

TEST_CASE("Among equally far vertices the one with the smallest index is the support") {
  // Exact coordinates, so that ties are exact: a fine ring of points on two levels.
  Points points;
  for (int i = 0; i <= 40; ++i) {
    for (double z : {-1.0, 1.0}) points.emplace_back(i - 20, (i - 20) * (i - 20) / 64.0, z);
  }
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(points);
  REQUIRE(hull.vertices().size() == 82);
  CHECK(hull.support({0.0, 0.0, 1.0}) == 1);
  CHECK(hull.support({0.0, 0.0, -1.0}) == 0);
  CHECK(hull.support({0.0, 1.0, 0.0}) == 0);
  CHECK(hull.support({0.0, -1.0, 1.0}) == 41);
  CHECK(hull.support({0.0, 0.0, 0.0}) == 0);
}

TEST_CASE("The support among many ties is that of a comparison of all vertices") {
  std::mt19937_64 random(12);
  for (int i = 0; i < test::num_cases(400); ++i) {
    // Points of a lattice have faces with many corners; noise makes faces uneven.
    const int size = 2 + static_cast<int>(random() % 8);
    const bool is_uneven = random() % 2 == 0;
    Points points;
    for (int k = 0; k < 400; ++k) {
      Eigen::Vector3d p = (size * random_vector(random)).array().round();
      if (is_uneven) p += 1e-4 * random_vector(random);
      points.push_back(p);
    }
    const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(points, is_uneven ? 1e-2 : 0.0);
    const auto check = [&](const Eigen::Vector3d& direction) {
      int first = 0;
      for (int v = 1; v < static_cast<int>(hull.vertices().size()); ++v) {
        if (direction.dot(hull.vertices()[at(v)]) > direction.dot(hull.vertices()[at(first)]))
          first = v;
      }
      REQUIRE(hull.support(direction) == first);
    };
    for (const ConvexPolyhedron::Face& face : hull.faces()) check(face.normal);
    for (const ConvexPolyhedron::Edge& edge : hull.edges()) {
      check(hull.faces()[at(edge.left)].normal + hull.faces()[at(edge.right)].normal);
    }
  }
}

TEST_CASE("Faces and edges near a direction are those of all faces and edges") {
  std::mt19937_64 random(11);
  const int n = GENERATE(4, 8, 60, 700);
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(sphere_points(random, n));
  std::vector<int> found;
  for (int i = 0; i < test::num_cases(2000); ++i) {
    const Eigen::Vector3d direction = random_vector(random).normalized();
    double nearest = std::numeric_limits<double>::infinity();
    const double window = std::pow(10.0, -1.0 - 3.0 * std::abs(random_vector(random).x()));
    std::vector<int> expected;
    for (std::size_t f = 0; f < hull.faces().size(); ++f) {
      const double distance = (hull.faces()[f].normal - direction).norm();
      nearest = std::min(nearest, distance);
      if (distance <= window) expected.push_back(static_cast<int>(f));
    }
    const int towards = hull.face_towards(direction);
    CHECK((hull.faces()[at(towards)].normal - direction).norm() == nearest);
    hull.find_faces_towards(direction, window, found);
    CHECK(std::is_sorted(found.begin(), found.end()));
    CHECK(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
    // An edge may be touched along the normals between those of its faces.
    expected.clear();
    for (std::size_t e = 0; e < hull.edges().size(); ++e) {
      const Eigen::Vector3d left = hull.faces()[at(hull.edges()[e].left)].normal;
      const Eigen::Vector3d right = hull.faces()[at(hull.edges()[e].right)].normal;
      for (double share = 0.0; share <= 1.0; share += 0.125) {
        if ((((1.0 - share) * left + share * right).normalized() - direction).norm() > window) {
          continue;
        }
        expected.push_back(static_cast<int>(e));
        break;
      }
    }
    hull.find_edges_towards(direction, window, found);
    CHECK(std::is_sorted(found.begin(), found.end()));
    CHECK(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

TEST_CASE("The edges at a vertex are those that begin or end there") {
  std::mt19937_64 random(12);
  const ConvexPolyhedron hull = ConvexPolyhedron::hull_of(sphere_points(random, 100));
  for (int v = 0; v < static_cast<int>(hull.vertices().size()); ++v) {
    std::vector<int> expected;
    for (std::size_t e = 0; e < hull.edges().size(); ++e) {
      const ConvexPolyhedron::Edge& edge = hull.edges()[e];
      if (edge.tail == v || edge.head == v) expected.push_back(static_cast<int>(e));
    }
    const std::span<const int> edges = hull.edges_at(v);
    CHECK(std::vector<int>(edges.begin(), edges.end()) == expected);
  }
}

TEST_CASE("The order of the points does not change the solid") {
  std::mt19937_64 random(7);
  Points points = sphere_points(random, 40);
  const auto planes = [](const ConvexPolyhedron& hull) {
    std::multiset<double> offsets;
    for (const ConvexPolyhedron::Face& face : hull.faces()) offsets.insert(face.offset);
    return offsets;
  };
  const std::multiset<double> before = planes(ConvexPolyhedron::hull_of(points));
  std::shuffle(points.begin(), points.end(), random);
  const std::multiset<double> after = planes(ConvexPolyhedron::hull_of(points));
  REQUIRE(before.size() == after.size());
  for (auto a = before.begin(), b = after.begin(); a != before.end(); ++a, ++b) {
    CHECK(*a == Approx(*b).epsilon(1e-13));
  }
}

TEST_CASE("Points that do not span space have no hull, and the message says why") {
  std::mt19937_64 random(8);
  const double scale = GENERATE(1.0, 1e-3, 1e4);
  const Eigen::Vector3d offset = GENERATE(0.0, 1.0, 1e3) * Eigen::Vector3d(1.0, -2.0, 0.5);
  const Eigen::Vector3d a = scale * random_vector(random), b = scale * random_vector(random);
  std::uniform_real_distribution<double> weight(-1.0, 1.0);
  Points in_point(10, offset), on_line, in_plane;
  for (int i = 0; i < 10; ++i) {
    on_line.push_back(offset + weight(random) * a);
    in_plane.push_back(offset + weight(random) * a + weight(random) * b);
  }
  CAPTURE(scale, offset.transpose());
  CHECK_THROWS_AS(ConvexPolyhedron::hull_of(in_point), std::invalid_argument);
  CHECK_THROWS_WITH(ConvexPolyhedron::hull_of(in_point), Catch::Contains("points coincide"));
  CHECK_THROWS_AS(ConvexPolyhedron::hull_of(on_line), std::invalid_argument);
  CHECK_THROWS_WITH(ConvexPolyhedron::hull_of(on_line), Catch::Contains("lie on one line"));
  CHECK_THROWS_AS(ConvexPolyhedron::hull_of(in_plane), std::invalid_argument);
  CHECK_THROWS_WITH(ConvexPolyhedron::hull_of(in_plane), Catch::Contains("lie in one plane"));
  // The counterexample: one point off the plane makes a solid.
  in_plane.push_back(offset + a.cross(b).normalized() * scale);
  CHECK_NOTHROW(ConvexPolyhedron::hull_of(in_plane));
}

TEST_CASE("Too few points and numbers that are not finite are refused") {
  Points points = cube(2);
  CHECK_THROWS_WITH(ConvexPolyhedron::hull_of({points[0], points[1], points[2]}),
                    Catch::Contains("four points, has 3"));
  CHECK_THROWS_AS(ConvexPolyhedron::hull_of(points, -1.0), std::invalid_argument);
  CHECK_THROWS_AS(ConvexPolyhedron::hull_of(points, std::nan("")), std::invalid_argument);
  for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    points[3].y() = bad;
    CHECK_THROWS_AS(ConvexPolyhedron::hull_of(points), std::invalid_argument);
    CHECK_THROWS_WITH(ConvexPolyhedron::hull_of(points), Catch::Contains("point 3 is not finite"));
  }
}
