#include "amontons/optimization/cone_sets/generated_cone.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Kind = GeneratedCone::Kind;

GeneratedCone polygon(double radius, int corners, double turn) {
  GeneratedCone cone;
  cone.kind = Kind::Polygon;
  cone.radius = radius;
  cone.corners = corners;
  cone.turn = turn;
  return cone;
}

GeneratedCone rays(int count) {
  GeneratedCone cone;
  cone.num_rays = count;
  cone.rays = {Vector3d(0.3, 0.1, 1.0), Vector3d(-0.2, 0.5, 1.0)};
  return cone;
}

std::vector<GeneratedCone> finite_cones() {
  return {rays(0),
          rays(1),
          rays(2),
          polygon(0.5, 4, 0.0),
          polygon(2.0, 6, 0.7),
          polygon(1e3, 64, -3.0)};
}

int num_generators(const GeneratedCone& cone) {
  return cone.kind == Kind::Polygon ? cone.corners + 1 : cone.num_rays;
}

Vector3d random_point(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

// Moreau: r is the projection of z if and only if r in K, z - r in the polar cone, r . (z - r) = 0.
TEST_CASE("The nearest point of a generated cone leaves a rest in its polar cone") {
  std::mt19937_64 random(1);
  for (const GeneratedCone& cone : finite_cones()) {
    for (int n = 0; n < 200; ++n) {
      const Vector3d z = random_point(random), r = cone.project(z).r;
      CAPTURE(int(cone.kind), cone.num_rays, cone.radius, z.transpose(), r.transpose());
      CHECK(std::abs(r.dot(z - r)) < 1e-13 * z.squaredNorm());
      for (int k = 0; k < num_generators(cone); ++k) {
        CHECK(cone.generator(k).dot(z - r) < 1e-13 * z.norm());
      }
      Vector3d sum = Vector3d::Zero();
      for (const ConeCoordinate& part : coordinates(cone, r)) {
        REQUIRE(part.value > 0.0);
        sum += part.value * cone.generator(part.generator);
      }
      CHECK((sum - r).norm() < 1e-12 * z.norm());
    }
  }
}

TEST_CASE("The derivative of the projection on a generated cone is that of differences") {
  std::mt19937_64 random(2);
  std::vector<GeneratedCone> cones = finite_cones();
  GeneratedCone disc;
  disc.kind = Kind::Disc;
  disc.radius = 0.7;
  cones.push_back(disc);
  for (const GeneratedCone& cone : cones) {
    int smooth = 0;
    for (int n = 0; n < 50; ++n) {
      const Vector3d z = random_point(random);
      const double step = 1e-6;
      Matrix3d forward, backward;
      for (int k = 0; k < 3; ++k) {
        const Vector3d dz = step * Vector3d::Unit(k);
        forward.col(k) = (cone.project(z + dz).r - cone.project(z).r) / step;
        backward.col(k) = (cone.project(z).r - cone.project(z - dz).r) / step;
      }
      if ((forward - backward).norm() > 1e-4) continue;  // at a crease there is none
      ++smooth;
      CHECK((cone.project(z).J - 0.5 * (forward + backward)).norm() < 1e-4);
    }
    CHECK(smooth > 40);
  }
}

TEST_CASE("The steepest generator is the one that gains most") {
  std::mt19937_64 random(3);
  for (const GeneratedCone& cone : finite_cones()) {
    if (cone.is_apex()) continue;
    for (int n = 0; n < 200; ++n) {
      const Vector3d g = random_point(random);
      const double gain = cone.generator(cone.steepest(g)).dot(g);
      for (int k = 0; k < num_generators(cone); ++k) {
        CHECK(cone.generator(k).dot(g) <= gain + 1e-12 * g.norm());
      }
    }
  }
}

TEST_CASE("A polygon within a disc has a corner where it was turned to, and none outside") {
  GeneratedCone disc;
  disc.kind = Kind::Disc;
  disc.radius = 0.4;
  const Vector3d rim(0.4 * std::cos(1.0), 0.4 * std::sin(1.0), 1.0);
  const GeneratedCone inside = polygon_within(disc, 8, rim);
  CHECK((inside.generator(0) - rim.normalized()).norm() < 1e-15);
  for (int k = 0; k <= 8; ++k) {
    const Vector3d corner = inside.generator(k);
    CHECK((disc.project(corner).r - corner).norm() < 1e-15);
  }
}

}  // namespace
}  // namespace amontons
