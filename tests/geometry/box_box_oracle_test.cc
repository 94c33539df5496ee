// An independent distance of two boxes. Where they overlap it is the largest gap over all fifteen
// axes, where they are apart the least distance over all pairs of features.
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

struct OracleBox {
  std::array<Vector3d, 8> corners;
  Vector3d center, half;
  Eigen::Matrix3d axes;

  OracleBox(const Box& box, const Pose& X) : center(X.translation), half(0.5 * box.size) {
    axes = X.rotation;
    for (std::size_t k = 0; k < 8; ++k) {
      corners[k] = X * Vector3d((k & 1) ? half.x() : -half.x(), (k & 2) ? half.y() : -half.y(),
                                (k & 4) ? half.z() : -half.z());
    }
  }
  double distance_to(const Vector3d& point) const {
    const Vector3d x = axes.transpose() * (point - center);
    return (x.cwiseAbs() - half).cwiseMax(0.0).norm();
  }
};

double gap_along(const OracleBox& A, const OracleBox& B, const Vector3d& n) {
  double highest = -std::numeric_limits<double>::infinity();
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vector3d& a : A.corners) highest = std::max(highest, n.dot(a - A.center));
  for (const Vector3d& b : B.corners) lowest = std::min(lowest, n.dot(b - A.center));
  return lowest - highest;
}

double largest_gap(const OracleBox& A, const OracleBox& B) {
  double best = -std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vector3d& axis) {
    const double length = axis.norm();
    if (length < 1e-10) return;
    best = std::max({best, gap_along(A, B, axis / length), gap_along(A, B, -axis / length)});
  };
  for (int i = 0; i < 3; ++i) {
    offer(A.axes.col(i));
    offer(B.axes.col(i));
    for (int j = 0; j < 3; ++j) offer(A.axes.col(i).cross(B.axes.col(j)));
  }
  return best;
}

double segment_distance(const Vector3d& p, const Vector3d& u, const Vector3d& q,
                        const Vector3d& v) {
  // Interior crossing only: ends are covered by the corner-to-box distances.
  const Vector3d n = u.cross(v);
  const double sine_squared = n.squaredNorm();
  if (sine_squared < 1e-20 * u.squaredNorm() * v.squaredNorm()) {
    return std::numeric_limits<double>::infinity();
  }
  const double s = (q - p).cross(v).dot(n) / sine_squared;
  const double t = (q - p).cross(u).dot(n) / sine_squared;
  if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0) return std::numeric_limits<double>::infinity();
  return (p + s * u - q - t * v).norm();
}

double feature_distance(const OracleBox& A, const OracleBox& B) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vector3d& b : B.corners) least = std::min(least, A.distance_to(b));
  for (const Vector3d& a : A.corners) least = std::min(least, B.distance_to(a));
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t bit = 1; bit < 8; bit *= 2) {
      if (i & bit) continue;
      const Vector3d u = A.corners[i | bit] - A.corners[i];
      for (std::size_t j = 0; j < 8; ++j) {
        for (std::size_t other = 1; other < 8; other *= 2) {
          if (j & other) continue;
          least = std::min(least, segment_distance(A.corners[i], u, B.corners[j],
                                                   B.corners[j | other] - B.corners[j]));
        }
      }
    }
  }
  return least;
}

double oracle(const Box& A, const Pose& X_WA, const Box& B, const Pose& X_WB) {
  const OracleBox a(A, X_WA);
  const OracleBox b(B, X_WB);
  const double gap = largest_gap(a, b);
  return gap <= 0.0 ? gap : std::max(gap, feature_distance(a, b));
}

Box random_box(Dice& dice, double length) {
  return Box{{length * dice.uniform(0.3, 1.5), length * dice.uniform(0.3, 1.5),
              length * dice.uniform(0.3, 1.5)}};
}

}  // namespace

TEST_CASE("The distance of two boxes in any poses is that of their nearest features", "[box_box]") {
  Dice dice(31);
  double worst = 0.0;
  int wrong_signs = 0;
  for (int k = 0; k < num_cases(1000000); ++k) {
    const Box A = random_box(dice, 1.0);
    const Box B = random_box(dice, 1.0);
    const Pose X_WA = dice.pose(Vector3d::Zero());
    const Pose X_WB = dice.pose(dice.uniform(0.2, 2.0) * dice.direction());
    const double expected = oracle(A, X_WA, B, X_WB);
    const double found = signed_distance(A, X_WA, B, X_WB).distance;
    worst = std::max(worst, std::abs(found - expected));
    if (std::abs(expected) > 1e-13 && (found > 0.0) != (expected > 0.0)) ++wrong_signs;
  }
  CHECK(worst <= 1e-13);
  CHECK(wrong_signs == 0);
}

// Face on face, yawed or aligned, possibly tilted by less than the gap: the usual cases of a
// simulation.
TEST_CASE("Stacked boxes are apart or inside by exactly their gap", "[box_box]") {
  Dice dice(32);
  double worst = 0.0;
  int wrong_signs = 0;
  for (int k = 0; k < num_cases(1000000); ++k) {
    const Box A = random_box(dice, 1.0);
    const Box B = random_box(dice, 1.0);
    const Pose X_WA = dice.pose({0.5, 0.25, -0.125});
    const double gap = (k % 2 == 0 ? 1.0 : -1.0) * dice.decade(-12.0, -3.0);
    Pose X_AB =
        at(dice.uniform(-0.2, 0.2), dice.uniform(-0.2, 0.2), 0.5 * (A.size.z() + B.size.z()) + gap);
    if (k % 3 > 0) X_AB = turned(X_AB, dice.uniform(-3.0, 3.0), Vector3d::UnitZ());
    if (k % 3 > 1) X_AB = turned(X_AB, dice.decade(-15.0, -3.0), dice.direction());
    const Pose X_WB = X_WA * X_AB;
    const double expected = oracle(A, X_WA, B, X_WB);
    const double found = signed_distance(A, X_WA, B, X_WB).distance;
    worst = std::max(worst, std::abs(found - expected));
    if (std::abs(expected) > 1e-15 && (found > 0.0) != (expected > 0.0)) ++wrong_signs;
  }
  CHECK(worst <= 1e-13);
  CHECK(wrong_signs == 0);
}
