#include "amontons/geometry/shapes/bounding_box.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

using namespace amontons;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Eigen::Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

// Returns the farthest point of a shape along a direction, in the shape's frame.
using Support = std::function<Eigen::Vector3d(const Eigen::Vector3d&)>;

// Checks that the box of a convex shape is tight: its surface reaches the box along each world
// axis.
void check_tight(const Shape& shape, const Support& support) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    const Pose X{rotation_from_vector(random_vector(random)), random_vector(random)};
    const Aabb box = bounding_box(shape, X);
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d e = X.rotation.row(axis);
      CHECK(box.upper[axis] == Approx((X * support(e))[axis]).margin(1e-14));
      CHECK(box.lower[axis] == Approx((X * support(-e))[axis]).margin(1e-14));
    }
  }
}

Eigen::Vector3d signs(const Eigen::Vector3d& d) {
  return {std::copysign(1.0, d.x()), std::copysign(1.0, d.y()), std::copysign(1.0, d.z())};
}

}  // namespace

TEST_CASE("The box of a bounded shape touches the shape's farthest points") {
  using V = Eigen::Vector3d;
  check_tight(Sphere{0.7}, [](const V& d) -> V { return 0.7 * d.normalized(); });
  const V size(0.4, 1.0, 2.0);
  check_tight(Box{size}, [&](const V& d) -> V { return 0.5 * size.cwiseProduct(signs(d)); });
  check_tight(Capsule{0.3, 1.2}, [](const V& d) -> V {
    return 0.3 * d.normalized() + 0.6 * signs(d).z() * V::UnitZ();
  });
  check_tight(Cylinder{0.3, 1.2}, [](const V& d) -> V {
    const V radial(d.x(), d.y(), 0.0);
    return 0.3 * radial.normalized() + 0.6 * signs(d).z() * V::UnitZ();
  });
  const V axes(0.2, 0.5, 1.5);
  check_tight(Ellipsoid{axes}, [&](const V& d) -> V {
    return axes.cwiseAbs2().cwiseProduct(d) / axes.cwiseProduct(d).norm();
  });
  std::mt19937_64 random(2);
  std::vector<V> points;
  for (int i = 0; i < 100; ++i) points.push_back(random_vector(random));
  const auto hull = std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
  check_tight(hull, [&points](const V& d) -> V {
    V farthest = points[0];
    for (const V& p : points) {
      if (d.dot(p) > d.dot(farthest)) farthest = p;
    }
    return farthest;
  });
}

TEST_CASE("The containing box holds every vertex, also where those of an uneven face tie") {
  using V = Eigen::Vector3d;
  // A prism of 40 sides, with corners of its ends off their planes by up to 0.1 um.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> off(0.0, 1e-7);
  std::vector<V> points;
  for (int side = 0; side < 40; ++side) {
    const double angle = side * std::numbers::pi / 20.0;
    for (const double end : {-1.0, 1.0}) {
      points.emplace_back(0.1 * std::cos(angle), 0.1 * std::sin(angle), end * (0.1 + off(random)));
    }
  }
  const auto hull =
      std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points, 1e-6));
  REQUIRE(hull->vertices().size() == points.size());
  for (int turn = 0; turn < 200; ++turn) {
    // Axes of the world along normals, edges and anything else.
    const V axis = turn % 2 == 0 ? V(V::Unit(turn % 3)) : V(random_vector(random).normalized());
    const double angle = turn % 5 * std::numbers::pi / 4.0 + (turn < 100 ? 0.0 : off(random));
    const Pose X{Eigen::AngleAxisd(angle, axis).toRotationMatrix(), V(1.0, -2.0, 0.5)};
    const Aabb tight = bounding_box(hull, X), box = containing_box(hull, X);
    for (const V& vertex : hull->vertices()) {
      const V at = X * vertex;
      REQUIRE((at.array() >= box.lower.array() - 1e-14).all());
      REQUIRE((at.array() <= box.upper.array() + 1e-14).all());
    }
    REQUIRE((box.upper - tight.upper).maxCoeff() < 1e-5);
    REQUIRE((tight.lower - box.lower).maxCoeff() < 1e-5);
  }
}

TEST_CASE("A half-space is bounded only along a world axis that is its normal") {
  const Aabb floor = bounding_box(HalfSpace{}, Pose{Eigen::Matrix3d::Identity(), {1.0, 2.0, 3.0}});
  CHECK(floor.upper == Eigen::Vector3d(kInfinity, kInfinity, 3.0));
  CHECK(floor.lower == Eigen::Vector3d::Constant(-kInfinity));
  const Aabb wall = bounding_box(HalfSpace{-Eigen::Vector3d::UnitX(), 2.0}, Pose{});
  CHECK(wall.lower == Eigen::Vector3d(-2.0, -kInfinity, -kInfinity));
  CHECK(wall.upper == Eigen::Vector3d::Constant(kInfinity));
  const Aabb ramp = bounding_box(HalfSpace{{0.6, 0.0, 0.8}, 0.0}, Pose{});
  CHECK(ramp.upper == Eigen::Vector3d::Constant(kInfinity));
  CHECK(ramp.lower == Eigen::Vector3d::Constant(-kInfinity));
}

TEST_CASE("A terrain's box holds its surface and has no bottom") {
  Eigen::MatrixXd heights(3, 3);
  heights << 0.0, 0.5, -0.2, 0.1, 1.5, 0.3, 0.0, 0.0, -0.4;
  const auto field = std::make_shared<const HeightField>(heights, 4.0, 2.0);
  const Aabb level = bounding_box(field, Pose{Eigen::Matrix3d::Identity(), {1.0, 1.0, 1.0}});
  CHECK(level.upper == Eigen::Vector3d(3.0, 2.0, 2.5));
  CHECK(level.lower == Eigen::Vector3d(-1.0, 0.0, -kInfinity));
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) {
    const Pose X{rotation_from_vector(random_vector(random)), random_vector(random)};
    const Aabb box = bounding_box(field, X);
    for (Eigen::Index a = 0; a < 3; ++a) {
      for (Eigen::Index b = 0; b < 3; ++b) {
        for (double depth : {0.0, 1e3}) {
          const Eigen::Vector3d p = X * (field->vertex(a, b) - depth * Eigen::Vector3d::UnitZ());
          CHECK((p.array() <= box.upper.array() + 1e-14).all());
          CHECK((p.array() >= box.lower.array() - 1e-14).all());
        }
      }
    }
  }
}
