// Extreme sizes and places: thin plates, long rods, tiny and huge bodies, far from the origin.
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

struct Sizes {
  const char* name;
  Vector3d of_A, of_B;
};

const std::array<Sizes, 5> kSizes = {{
    {"plate and cube", {10.0, 10.0, 0.01}, {0.02, 0.02, 0.02}},
    {"two rods", {0.01, 0.01, 2.0}, {0.01, 0.01, 2.0}},
    {"two plates", {2.0, 2.0, 0.002}, {2.0, 2.0, 0.002}},
    {"grains", {0.001, 0.001, 0.001}, {0.001, 0.001, 0.001}},
    {"boulder and pebble", {100.0, 100.0, 100.0}, {0.01, 0.01, 0.01}},
}};

/// Makes a body that fills about the given box.
Shape body(int form, const Vector3d& size) {
  switch (form) {
    case 0:
      return Box{size};
    case 1:
      return box_hull(size);
    case 2:
      return Cylinder{0.5 * size.x(), size.z()};
    case 3:
      return Ellipsoid{0.5 * size};
    default:
      return Capsule{0.5 * size.x(), size.z()};
  }
}

Vector3d direction_on(const Shape& A, const Pose& X_WA, Dice& dice) {
  // Face on face half of the time: the hardest case of plates.
  if (dice.index(2) == 0 || !std::holds_alternative<Box>(A)) return dice.direction();
  return X_WA.rotation.col(dice.index(3));
}

}  // namespace

TEST_CASE("Extreme sizes far from the origin keep the distance to their own rounding",
          "[signed_distance][stress]") {
  Dice dice(41);
  for (const Sizes& sizes : kSizes) {
    for (const double far : {0.0, 1500.0}) {
      for (int form_A = 0; form_A < 5; ++form_A) {
        for (int form_B = 0; form_B < 5; ++form_B) {
          const Shape A = body(form_A, sizes.of_A);
          const Shape B = body(form_B, sizes.of_B);
          const double smaller = std::min(sizes.of_A.maxCoeff(), sizes.of_B.maxCoeff());
          const double larger = std::max(sizes.of_A.maxCoeff(), sizes.of_B.maxCoeff());
          const double rounding = 2e-14 * larger + 1e-15 * far;
          for (int k = 0; k < num_cases(20000); ++k) {
            const Pose X_WA = dice.pose(far * Vector3d(0.8, -0.5, 0.3));
            const Vector3d n = direction_on(A, X_WA, dice);
            const double wanted = smaller * dice.decade(-6.0, -1.0);
            const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), n, wanted);
            const double gap = plane_gap(A, X_WA, B, X_WB, n);
            const SignedDistance found = signed_distance(A, X_WA, B, X_WB);
            CAPTURE(sizes.name, far, shape_type_name(A), shape_type_name(B), k, gap);
            CHECK(std::abs(found.distance - gap) <= rounding);
            CHECK(std::abs(plane_gap(A, X_WA, B, X_WB, found.normal_W) - found.distance) <=
                  rounding);
          }
        }
      }
    }
  }
}

TEST_CASE("Extreme sizes in penetration are parted no worse than by any sampled direction",
          "[signed_distance][stress]") {
  Dice dice(42);
  for (const Sizes& sizes : kSizes) {
    for (int form_A = 0; form_A < 5; ++form_A) {
      for (int form_B = 0; form_B < 5; ++form_B) {
        const Shape A = body(form_A, sizes.of_A);
        const Shape B = body(form_B, sizes.of_B);
        const double smaller = std::min(sizes.of_A.maxCoeff(), sizes.of_B.maxCoeff());
        const double larger = std::max(sizes.of_A.maxCoeff(), sizes.of_B.maxCoeff());
        for (int k = 0; k < num_cases(2000); ++k) {
          const Pose X_WA = dice.pose(Vector3d::Zero());
          const Vector3d n = direction_on(A, X_WA, dice);
          const double depth = smaller * dice.decade(-6.0, -1.0);
          const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), n, -depth);
          const SignedDistance found = signed_distance(A, X_WA, B, X_WB);
          CAPTURE(sizes.name, shape_type_name(A), shape_type_name(B), k, depth);
          double best = -depth;
          for (int axis = 0; axis < 3; ++axis) {
            for (const double sign : {1.0, -1.0}) {
              best = std::max(best, plane_gap(A, X_WA, B, X_WB, sign * X_WA.rotation.col(axis)));
              best = std::max(best, plane_gap(A, X_WA, B, X_WB, sign * X_WB.rotation.col(axis)));
            }
          }
          CHECK(best - found.distance <= 2e-14 * larger);
          CHECK(std::abs(plane_gap(A, X_WA, B, X_WB, found.normal_W) - found.distance) <=
                2e-14 * larger);
        }
      }
    }
  }
}

// The normal leans from an edge's plane by so little that the gaps of edge and corner agree to
// rounding. The corner touches nevertheless. Its normal is the direction of a vector of length gap
// that carries a rounding error of 2e-14 times the larger size.
TEST_CASE("A corner touches along a normal that an edge all but owns",
          "[signed_distance][stress]") {
  Dice dice(43);
  const Vector3d size(10.0, 10.0, 0.01);
  for (const Shape& A : {Shape(Box{size}), box_hull(size)}) {
    for (const Shape& B : {Shape(Cylinder{0.01, 0.02}), Shape(Ellipsoid{{0.01, 0.02, 0.015}})}) {
      for (int k = 0; k < num_cases(40000); ++k) {
        const Pose X_WA = dice.pose(Vector3d::Zero());
        const double lean = dice.decade(-9.0, -2.0);
        const double angle = dice.uniform(0.2, 1.3);
        const Vector3d n =
            X_WA.rotation * Vector3d(lean, std::cos(angle), std::sin(angle)).normalized();
        const double wanted = dice.decade(-8.0, -3.0);
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), n, wanted);
        const double gap = plane_gap(A, X_WA, B, X_WB, n);
        const SignedDistance found = signed_distance(A, X_WA, B, X_WB);
        CAPTURE(shape_type_name(A), shape_type_name(B), k, lean, gap);
        CHECK(std::abs(found.distance - gap) <= 2e-13);
        CHECK((found.normal_W - n).norm() <= 2e-13 / wanted);
      }
    }
  }
}
