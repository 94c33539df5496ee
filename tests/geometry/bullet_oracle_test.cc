// Bullet's GJK and EPA in double precision without collision margins are a second opinion. They are
// reliable at unit scale only, and rarely wrong in penetration there: hence a quota.
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <algorithm>
#include <btBulletCollisionCommon.h>
#include <memory>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

btVector3 to_bullet(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

btTransform to_bullet(const Pose& pose) {
  const Eigen::Matrix3d& R = pose.rotation;
  const btMatrix3x3 basis(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1),
                          R(2, 2));
  return btTransform(basis, to_bullet(pose.translation));
}

std::unique_ptr<btConvexShape> to_bullet(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    return std::make_unique<btSphereShape>(sphere->radius);
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    return std::make_unique<btCapsuleShapeZ>(capsule->radius, capsule->length);
  }
  if (const auto* box = std::get_if<Box>(&shape)) {
    auto result = std::make_unique<btBoxShape>(to_bullet(Vector3d(0.5 * box->size)));
    result->setMargin(0.0);
    return result;
  }
  const auto& polyhedron = *std::get<std::shared_ptr<const ConvexPolyhedron>>(shape);
  auto result = std::make_unique<btConvexHullShape>();
  for (const Vector3d& vertex : polyhedron.vertices()) result->addPoint(to_bullet(vertex));
  result->setMargin(0.0);
  return result;
}

double bullet_distance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  const std::unique_ptr<btConvexShape> a = to_bullet(A);
  const std::unique_ptr<btConvexShape> b = to_bullet(B);
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver depth;
  btGjkPairDetector detector(a.get(), b.get(), &simplex, &depth);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = to_bullet(X_WA);
  input.m_transformB = to_bullet(X_WB);
  input.m_maximumDistanceSquared = 1e30;
  btPointCollector found;
  detector.getClosestPoints(input, found, nullptr);
  return found.m_hasResult ? found.m_distance : std::nan("");
}

}  // namespace

TEST_CASE("Distances agree with an independent GJK and EPA", "[bullet]") {
  Dice dice(71);
  const std::array<Kind, 5> kinds = {Kind::Sphere, Kind::Capsule, Kind::Box, Kind::SmallHull,
                                     Kind::LargeHull};
  for (const Kind kind_A : kinds) {
    for (const Kind kind_B : kinds) {
      int apart = 0;
      int agree = 0;
      int inside = 0;
      int agree_inside = 0;
      for (int k = 0; k < num_cases(20000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose(Vector3d::Zero());
        const Pose X_WB = dice.pose(dice.uniform(0.3, 3.0) * dice.direction());
        const double ours = signed_distance(A, X_WA, B, X_WB).distance;
        const double theirs = bullet_distance(A, X_WA, B, X_WB);
        if (ours > 1e-6) {
          ++apart;
          agree += std::abs(ours - theirs) <= 1e-8 ? 1 : 0;
        } else if (ours < -1e-3) {
          ++inside;
          agree_inside += std::abs(ours - theirs) <= 1e-6 ? 1 : 0;
        }
      }
      CAPTURE(static_cast<int>(kind_A), static_cast<int>(kind_B), apart, agree, inside,
              agree_inside);
      CHECK(agree >= 0.999 * apart);
      CHECK(agree_inside >= 0.98 * inside);
    }
  }
}
