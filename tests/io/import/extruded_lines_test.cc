#include "amontons/io/import/extruded_lines.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <stdexcept>

// Prisms over areas with holes, against closed forms and random nested polygons.

namespace amontons::test {
namespace {

using Eigen::Vector2d;
using io::extrude_lines;
using Lines = std::vector<std::vector<Vector2d>>;

std::vector<Vector2d> rectangle(double x, double y, double width, double depth) {
  return {{x, y}, {x + width, y}, {x + width, y + depth}, {x, y + depth}};
}

/// Returns a star of random radii around a center, any direction of which meets it once.
std::vector<Vector2d> star(std::mt19937& engine, const Vector2d& center, double least, double most,
                           int corners) {
  std::uniform_real_distribution<double> radius(least, most);
  std::vector<Vector2d> line;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / corners, r = radius(engine);
    line.emplace_back(center.x() + r * std::cos(angle), center.y() + r * std::sin(angle));
  }
  return line;
}

double area_in(const std::vector<Vector2d>& line) {
  double twice = 0.0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Vector2d &a = line[i], &b = line[(i + 1) % line.size()];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return 0.5 * std::abs(twice);
}

/// Checks that a prism is closed and has the volume of an area times its height.
void check_prism(const Lines& lines, double area, double height) {
  const TriangleMesh mesh = extrude_lines(lines, height);
  CHECK(is_closed(mesh));
  const SolidProperties solid = mesh_properties(mesh);
  CHECK(solid.volume == Approx(area * height).epsilon(1e-9));
  CHECK(solid.center.z() == Approx(0.5 * height).epsilon(1e-9));
}

}  // namespace

TEST_CASE("A line within another one bounds a hole, and one within that a solid again") {
  const std::vector<Vector2d> outer = rectangle(0, 0, 4, 3), hole = rectangle(1, 1, 1, 1),
                              second = rectangle(2.5, 0.5, 1, 2), island = rectangle(2.7, 1, .5, 1);
  check_prism({outer}, 12.0, 0.5);
  check_prism({outer, hole}, 11.0, 0.5);
  check_prism({hole, outer, second}, 9.0, 2.0);
  check_prism({outer, island, second, hole}, 9.5, 2.0);
  check_prism({outer, rectangle(10, 0, 2, 2)}, 16.0, 1.0);
  // The direction does not count; a first point that is repeated, and points on a side, neither.
  std::vector<Vector2d> other(hole.rbegin(), hole.rend());
  other.push_back(other.front());
  other.insert(other.begin() + 1, Vector2d(0.5 * (other[0] + other[1])));
  check_prism({outer, other}, 11.0, 0.5);
}

TEST_CASE("Prisms over random polygons with holes have the volume of what is left") {
  std::mt19937 engine(61);
  for (int k = 0; k < 60; ++k) {
    CAPTURE(k);
    Lines lines{star(engine, {0.0, 0.0}, 10.0, 14.0, 25)};
    double area = area_in(lines[0]);
    for (int i = 0; i < 5; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / 5.0 + 0.3 * k;
      lines.push_back(
          star(engine, {5.5 * std::cos(angle), 5.5 * std::sin(angle)}, 0.7, 2.8, 5 + i));
      area -= area_in(lines.back());
    }
    check_prism(lines, area, 0.3);
  }
}

TEST_CASE("Lines that bound no area, or touch or cross, are refused") {
  CHECK_THROWS_AS(extrude_lines({{{0, 0}, {1, 0}}}, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(extrude_lines({{{0, 0}, {1, 0}, {2, 0}}}, 1.0), std::invalid_argument);
  CHECK_THROWS_WITH(extrude_lines({{{0, 0}, {1, 1}, {1, 0}, {0, 1}, {-1, 3}}}, 1.0),
                    Catch::Contains("cross"));
  CHECK_THROWS_WITH(extrude_lines({rectangle(0, 0, 2, 2), rectangle(1, 1, 2, 2)}, 1.0),
                    Catch::Contains("cross"));
  CHECK_THROWS_WITH(extrude_lines({rectangle(0, 0, 2, 2), rectangle(2, 0, 1, 1)}, 1.0),
                    Catch::Contains("touch"));
  CHECK_THROWS_WITH(extrude_lines({{{0, 0}, {2, 0}, {1, 0}, {1, 1}}}, 1.0),
                    Catch::Contains("touch"));
  CHECK_THROWS_WITH(extrude_lines({std::vector<Vector2d>(2001, Vector2d(0, 0))}, 1.0),
                    Catch::Contains("more than 2000"));
}

}  // namespace amontons::test
