#include "amontons/geometry/shapes/height_field.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using namespace amontons;

namespace {

Eigen::MatrixXd random_heights(std::mt19937_64& random, Eigen::Index nx, Eigen::Index ny) {
  std::uniform_real_distribution<double> height(-1.0, 2.0);
  Eigen::MatrixXd result(nx, ny);
  for (Eigen::Index i = 0; i < nx; ++i) {
    for (Eigen::Index j = 0; j < ny; ++j) result(i, j) = height(random);
  }
  return result;
}

// Returns the height at (x, y) of the plane through three points.
double plane_height(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                    double x, double y) {
  const Eigen::Vector3d n = (b - a).cross(c - a);
  return a.z() - (n.x() * (x - a.x()) + n.y() * (y - a.y())) / n.z();
}

}  // namespace

TEST_CASE("A terrain passes through its grid vertices, centered at the origin") {
  std::mt19937_64 random(1);
  const HeightField field(random_heights(random, 5, 9), 3.0, 2.0);
  for (Eigen::Index i = 0; i < 5; ++i) {
    for (Eigen::Index j = 0; j < 9; ++j) {
      const Eigen::Vector3d p = field.vertex(i, j);
      CHECK(p.x() == Approx(-1.5 + 0.75 * static_cast<double>(i)).margin(1e-15));
      CHECK(p.y() == Approx(-1.0 + 0.25 * static_cast<double>(j)).margin(1e-15));
      CHECK(p.z() == field.heights()(i, j));
      CHECK(field.height_at(p.x(), p.y()) == Approx(p.z()).margin(1e-14));
    }
  }
  CHECK(field.vertex(4, 8).head<2>() == Eigen::Vector2d(1.5, 1.0));
  CHECK(field.lowest() == field.heights().minCoeff());
  CHECK(field.highest() == field.heights().maxCoeff());
  CHECK(field.spacing_x() == 0.75);
  CHECK(field.spacing_y() == 0.25);
}

TEST_CASE("Each cell of a terrain is two planes that meet at the diagonal (i, j) to (i+1, j+1)") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> inside(0.0, 1.0);
  const HeightField field(random_heights(random, 4, 3), 6.0, 5.0);
  for (Eigen::Index i = 0; i + 1 < 4; ++i) {
    for (Eigen::Index j = 0; j + 1 < 3; ++j) {
      for (int k = 0; k < 20; ++k) {
        const double u = inside(random), v = inside(random);
        const Eigen::Vector3d a = field.vertex(i, j), d = field.vertex(i + 1, j + 1);
        const Eigen::Vector3d corner = u >= v ? field.vertex(i + 1, j) : field.vertex(i, j + 1);
        const double x = a.x() + u * field.spacing_x(), y = a.y() + v * field.spacing_y();
        CAPTURE(i, j, u, v);
        CHECK(field.height_at(x, y) == Approx(plane_height(a, corner, d, x, y)).margin(1e-13));
      }
    }
  }
}

TEST_CASE("A tilted plane sampled on a grid is that plane everywhere") {
  Eigen::MatrixXd heights(7, 4);
  const auto plane = [](double x, double y) { return 0.3 * x - 0.7 * y + 0.2; };
  for (Eigen::Index i = 0; i < 7; ++i) {
    for (Eigen::Index j = 0; j < 4; ++j) {
      heights(i, j) = plane(-1.5 + 0.5 * static_cast<double>(i), -1.5 + static_cast<double>(j));
    }
  }
  const HeightField field(heights, 3.0, 3.0);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> place(-1.5, 1.5);
  for (int k = 0; k < 100; ++k) {
    const double x = place(random), y = place(random);
    CHECK(field.height_at(x, y) == Approx(plane(x, y)).margin(1e-14));
  }
}

TEST_CASE("Beyond its border a terrain goes on at the border's height") {
  std::mt19937_64 random(4);
  const HeightField field(random_heights(random, 4, 4), 2.0, 2.0);
  CHECK(field.height_at(9.0, 0.3) == field.height_at(1.0, 0.3));
  CHECK(field.height_at(-9.0, 0.3) == field.height_at(-1.0, 0.3));
  CHECK(field.height_at(0.3, 1e300) == field.height_at(0.3, 1.0));
  CHECK(field.height_at(-1e300, -1e300) == field.heights()(0, 0));
}

TEST_CASE("A terrain needs two heights each way, a size, and finite numbers") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Eigen::MatrixXd flat = Eigen::MatrixXd::Zero(2, 2);
  CHECK_NOTHROW(HeightField(flat, 1.0, 1.0));
  CHECK_THROWS_AS(HeightField(Eigen::MatrixXd::Zero(1, 5), 1.0, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(HeightField(Eigen::MatrixXd::Zero(5, 1), 1.0, 1.0), std::invalid_argument);
  for (double size : {0.0, -1.0, nan, infinity}) {
    CHECK_THROWS_AS(HeightField(flat, size, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(HeightField(flat, 1.0, size), std::invalid_argument);
  }
  for (double height : {nan, infinity}) {
    Eigen::MatrixXd heights = flat;
    heights(1, 0) = height;
    CHECK_THROWS_WITH(HeightField(heights, 1.0, 1.0), Catch::Contains("(1, 0)"));
  }
}
