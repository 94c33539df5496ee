#include "amontons/geometry/signed_distance.h"

#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

bool is_polyhedral(Kind kind) {
  return kind == Kind::Box || kind == Kind::SmallHull || kind == Kind::LargeHull;
}

/// Checks properties of every result. The witness points realize the distance along the normal, and
/// the support planes normal to it are exactly so far apart: the distance is no overestimate.
void check_consistency(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                       const SignedDistance& found, double rounding) {
  CHECK(std::abs(found.normal_W.norm() - 1.0) <= 1e-14);
  CHECK((found.p_B_W - found.p_A_W - found.distance * found.normal_W).norm() <= rounding);
  CHECK(std::abs(plane_gap(A, X_WA, B, X_WB, found.normal_W) - found.distance) <= rounding);
  // On the support planes and in the shapes: no direction separates a point from its shape.
  const double height_A = found.normal_W.dot(support_point(A, X_WA, found.normal_W));
  CHECK(std::abs(found.normal_W.dot(found.p_A_W) - height_A) <= rounding);
}

/// Returns how far a point is outside a shape, at least: over many directions.
double excess(const Shape& shape, const Pose& X_WG, const Vector3d& point, Dice& dice) {
  double worst = -1.0;
  for (int k = 0; k < 50; ++k) {
    const Vector3d n = dice.direction();
    worst = std::max(worst, n.dot(point - support_point(shape, X_WG, n)));
  }
  return worst;
}

}  // namespace

// Two bodies whose support points lie opposite each other along n are exactly `gap` apart: the
// planes separate them, the points are that near. Works for any n, vertices included.
TEST_CASE("Separated shapes are as far apart as their support planes", "[signed_distance]") {
  Dice dice(11);
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      for (int k = 0; k < num_cases(10000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose({0.3, -0.2, 0.1});
        const Vector3d n = dice.direction();
        const double gap = dice.decade(-6.0, -1.0);
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), n, gap);
        const SignedDistance found = signed_distance(A, X_WA, B, X_WB);
        CAPTURE(shape_type_name(A), shape_type_name(B), k, gap);
        CHECK(std::abs(found.distance - gap) <= 1e-14);
        // Between sharp features the normal is the direction of a vector of length gap that carries
        // a rounding error of some 1e-15.
        CHECK((found.normal_W - n).norm() <= 1e-13 + 3e-15 / gap);
        check_consistency(A, X_WA, B, X_WB, found, 1e-14);
        CHECK(excess(A, X_WA, found.p_A_W, dice) <= 1e-9);
        CHECK(excess(B, X_WB, found.p_B_W, dice) <= 1e-9);
      }
    }
  }
}

// When at least one shape is smooth along n, shallow penetration is parted soonest near n: the
// depth is at most that of the construction, and no better direction is found by search.
TEST_CASE("Penetrating shapes are parted by the least translation", "[signed_distance]") {
  Dice dice(12);
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      if (is_polyhedral(kind_A) && is_polyhedral(kind_B)) continue;
      for (int k = 0; k < num_cases(10000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose({0.3, -0.2, 0.1});
        const Vector3d n = dice.direction();
        const double depth = dice.decade(-6.0, -2.0);
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), n, -depth);
        const SignedDistance found = signed_distance(A, X_WA, B, X_WB);
        CAPTURE(shape_type_name(A), shape_type_name(B), k, depth);
        CHECK(found.distance >= -depth - 1e-14);
        CHECK(found.distance < 0.0);
        check_consistency(A, X_WA, B, X_WB, found, 1e-14);
        CHECK(excess(A, X_WA, found.p_A_W, dice) <= 1e-9);
        CHECK(excess(B, X_WB, found.p_B_W, dice) <= 1e-9);
      }
    }
  }
}

TEST_CASE("No direction parts deeply overlapping shapes with less translation than the distance",
          "[signed_distance]") {
  Dice dice(13);
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      for (int k = 0; k < num_cases(500); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose(Vector3d::Zero());
        const Pose X_WB = dice.pose(dice.uniform(0.0, 0.5) * dice.direction());
        const SignedDistance found = signed_distance(A, X_WA, B, X_WB);
        CAPTURE(shape_type_name(A), shape_type_name(B), k);
        check_consistency(A, X_WA, B, X_WB, found, 1e-13);
        double best = -1e9;
        for (int sample = 0; sample < 2000; ++sample) {
          best = std::max(best, plane_gap(A, X_WA, B, X_WB, dice.direction()));
        }
        CHECK(found.distance >= best - 1e-13);
      }
    }
  }
}

TEST_CASE("Exchanging the shapes exchanges the witness points and turns the normal",
          "[signed_distance]") {
  Dice dice(14);
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      for (int k = 0; k < num_cases(2000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose({1.0, 2.0, 3.0});
        const double gap = (k % 2 == 0 ? 1.0 : -0.1) * dice.decade(-3.0, -1.0);
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), dice.direction(), gap);
        const SignedDistance one = signed_distance(A, X_WA, B, X_WB);
        const SignedDistance two = signed_distance(B, X_WB, A, X_WA);
        CAPTURE(shape_type_name(A), shape_type_name(B), k, gap);
        CHECK(std::abs(one.distance - two.distance) <= 1e-14);
        CHECK((one.normal_W + two.normal_W).norm() <= 1e-11);
        CHECK((one.p_A_W - two.p_B_W).norm() <= 1e-8);
      }
    }
  }
}

TEST_CASE("Moving both shapes together moves normal and witness points with them",
          "[signed_distance]") {
  Dice dice(15);
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      for (int k = 0; k < num_cases(2000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose(Vector3d::Zero());
        const double gap = (k % 2 == 0 ? 1.0 : -0.1) * dice.decade(-3.0, -1.0);
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), dice.direction(), gap);
        const Pose X_MW = dice.pose({5.0, -3.0, 2.0});
        const SignedDistance here = signed_distance(A, X_WA, B, X_WB);
        const SignedDistance there = signed_distance(A, X_MW * X_WA, B, X_MW * X_WB);
        CAPTURE(shape_type_name(A), shape_type_name(B), k, gap);
        CHECK(std::abs(here.distance - there.distance) <= 1e-13);
        CHECK((X_MW.rotation * here.normal_W - there.normal_W).norm() <= 1e-10);
        CHECK((X_MW * here.p_A_W - there.p_A_W).norm() <= 1e-8);
      }
    }
  }
}

// The distance is smooth but for jumps J of its curvature where features change. Central
// differences g(e) lose e^2 / (radius of curvature) and eps / e; with a jump at s < e beside the
// point they also lose |J| (e - s)^2 / (4 e). The double step sees the same jump: g(2 e) differs
// from g(e) by |J| (2 e^2 - s^2) / (8 e), at least half of that loss.
TEST_CASE("The normal is the gradient of the distance with B's motion", "[signed_distance]") {
  Dice dice(16);
  const double step = 1e-5;
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      for (int k = 0; k < num_cases(1000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose(Vector3d::Zero());
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), dice.direction(), 0.3);
        const SignedDistance found = signed_distance(A, X_WA, B, X_WB);
        const auto gradient = [&](double e) {
          Vector3d result;
          for (int axis = 0; axis < 3; ++axis) {
            Pose ahead = X_WB;
            Pose behind = X_WB;
            ahead.translation[axis] += e;
            behind.translation[axis] -= e;
            result[axis] = (signed_distance(A, X_WA, B, ahead).distance -
                            signed_distance(A, X_WA, B, behind).distance) /
                           (2.0 * e);
          }
          return result;
        };
        const Vector3d once = gradient(step);
        CAPTURE(shape_type_name(A), shape_type_name(B), k);
        const double lost_to_jumps = 2.0 * (gradient(2.0 * step) - once).norm();
        CHECK((once - found.normal_W).norm() <= 2e-9 + lost_to_jumps);
      }
    }
  }
}

TEST_CASE("A half-space is as far from a shape as its lowest point", "[signed_distance]") {
  Dice dice(17);
  for (const Kind kind : kKinds) {
    for (int k = 0; k < num_cases(10000); ++k) {
      const Shape shape = random_shape(kind, dice, 1.0);
      const HalfSpace ground{dice.direction(), dice.uniform(-1.0, 1.0)};
      const Pose X_WG = dice.pose(dice.direction());
      const Pose X_WS = dice.pose(dice.uniform(0.0, 3.0) * dice.direction());
      const Vector3d n = X_WG.rotation * ground.normal;
      const double expected =
          n.dot(support_point(shape, X_WS, -n)) - (ground.offset + n.dot(X_WG.translation));
      const SignedDistance found = signed_distance(ground, X_WG, shape, X_WS);
      CHECK(std::abs(found.distance - expected) <= 1e-14);
      CHECK((found.normal_W - n).norm() <= 1e-15);
      const SignedDistance other = signed_distance(shape, X_WS, ground, X_WG);
      CHECK(other.distance == found.distance);
      CHECK(other.normal_W == -found.normal_W);
      CHECK(other.p_A_W == found.p_B_W);
    }
  }
}

TEST_CASE("A polyhedron with the corners of a box is that box", "[signed_distance]") {
  Dice dice(18);
  for (const Kind kind : kKinds) {
    for (int k = 0; k < num_cases(5000); ++k) {
      const Vector3d size(dice.uniform(0.2, 1.0), dice.uniform(0.2, 1.0), dice.uniform(0.2, 1.0));
      const Shape hull = box_hull(size);
      const Shape other = random_shape(kind, dice, 0.7);
      const Pose X_WA = dice.pose(Vector3d::Zero());
      const Pose X_WB = dice.pose(dice.uniform(0.3, 1.5) * dice.direction());
      const SignedDistance box = signed_distance(Box{size}, X_WA, other, X_WB);
      const SignedDistance same = signed_distance(hull, X_WA, other, X_WB);
      CAPTURE(shape_type_name(other), k, box.distance);
      CHECK(std::abs(box.distance - same.distance) <= 1e-13);
    }
  }
}

TEST_CASE("Coincident centers give a finite answer for every pair", "[signed_distance]") {
  Dice dice(19);
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      const Shape A = random_shape(kind_A, dice, 1.0);
      const Shape B = random_shape(kind_B, dice, 1.0);
      const SignedDistance found = signed_distance(A, at(1, 1, 1), B, at(1, 1, 1));
      CAPTURE(shape_type_name(A), shape_type_name(B));
      check_consistency(A, at(1, 1, 1), B, at(1, 1, 1), found, 1e-13);
      CHECK(found.distance < 0.0);
    }
  }
}

// Experiment: a disk of radius 3 over a plate of thickness 1. The distance |y| - R - H/2 has a kink
// at y = 0 only, where either gradient may be returned.
TEST_CASE("A disk over a plate is at |y| - R - H/2", "[signed_distance]") {
  const double R = 3.0;
  const double H = 1.0;
  const Box plate{{40.0, 40.0, H}};
  const Sphere disk{R};
  for (int k = -1000; k <= 1000; ++k) {
    const double y = 0.01 * k;
    const SignedDistance found = signed_distance(plate, Pose{}, disk, at(0.3, -0.2, y));
    CHECK(std::abs(found.distance - (std::abs(y) - R - 0.5 * H)) <= 1e-12);
    const double slope = k == 0 ? found.normal_W.z() : (y > 0.0 ? 1.0 : -1.0);
    CHECK((found.normal_W - Vector3d(0.0, 0.0, slope)).norm() <= 1e-12);
    CHECK(std::abs(std::abs(slope) - 1.0) <= 1e-12);
  }
  // Beyond the end of the plate its edge is nearest.
  const SignedDistance corner = signed_distance(plate, Pose{}, disk, at(23.0, 0.0, 4.5));
  CHECK(std::abs(corner.distance - (5.0 - R)) <= 1e-12);
  CHECK((corner.normal_W - Vector3d(0.6, 0.0, 0.8)).norm() <= 1e-12);
}

TEST_CASE("Two unbounded shapes have no distance", "[signed_distance]") {
  CHECK_THROWS_AS(signed_distance(HalfSpace{}, Pose{}, HalfSpace{}, Pose{}), std::invalid_argument);
}

TEST_CASE("A shape fits in its bounding ball and no smaller one", "[signed_distance]") {
  Dice dice(20);
  for (const Kind kind : kKinds) {
    const Shape shape = random_shape(kind, dice, 1.0);
    double farthest = 0.0;
    for (int k = 0; k < 20000; ++k) {
      farthest = std::max(farthest, support_point(shape, Pose{}, dice.direction()).norm());
    }
    CAPTURE(shape_type_name(shape));
    CHECK(farthest <= bounding_radius(shape) * (1.0 + 1e-15));
    CHECK(farthest >= bounding_radius(shape) * 0.999);
  }
  CHECK(std::isinf(bounding_radius(HalfSpace{})));
}

TEST_CASE("A distance that is enough is a gap of support planes; up to it distances are exact",
          "[signed_distance]") {
  Dice dice(29);
  int shortened = 0;
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      for (int k = 0; k < num_cases(400); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose({0.3, -0.2, 0.1});
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), dice.direction(),
                                 dice.decade(-6.0, 1.0));
        const double enough = dice.decade(-6.0, 1.0);
        CAPTURE(shape_type_name(A), shape_type_name(B), k, enough);
        const SignedDistance exact = signed_distance(A, X_WA, B, X_WB);
        const SignedDistance found = signed_distance(A, X_WA, B, X_WB, enough);
        if (exact.distance <= enough) {
          CHECK(found.distance == exact.distance);
          CHECK(found.normal_W == exact.normal_W);
          continue;
        }
        shortened += found.distance < exact.distance;
        CHECK(found.distance > enough);
        CHECK(found.distance <= exact.distance + 1e-13);
        CHECK(std::abs(found.normal_W.norm() - 1.0) <= 1e-14);
        CHECK(std::abs(plane_gap(A, X_WA, B, X_WB, found.normal_W) - found.distance) <= 1e-13);
      }
    }
  }
  CHECK(shortened > 0);
}
