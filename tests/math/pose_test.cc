#include "amontons/math/pose.h"

#include "amontons/math/rotation.h"

#include <catch2/catch.hpp>

#include <random>

using namespace amontons;

namespace {

Eigen::Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

Pose random_pose(std::mt19937_64& random) {
  return {rotation_from_vector(random_vector(random)), random_vector(random)};
}

}  // namespace

TEST_CASE("Composed poses carry a point as one after the other") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const Pose X_AB = random_pose(random), X_BC = random_pose(random);
    const Eigen::Vector3d p_C = random_vector(random);
    CHECK(((X_AB * X_BC) * p_C - X_AB * (X_BC * p_C)).norm() <= 1e-14);
  }
}

TEST_CASE("A pose and its inverse cancel on both sides") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const Pose X = random_pose(random);
    for (const Pose& identity : {X * X.inverse(), X.inverse() * X}) {
      CHECK((identity.rotation - Eigen::Matrix3d::Identity()).norm() <= 1e-14);
      CHECK(identity.translation.norm() <= 1e-14);
    }
  }
}

TEST_CASE("A pose keeps distances") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    const Pose X = random_pose(random);
    const Eigen::Vector3d a = random_vector(random), b = random_vector(random);
    CHECK((X * a - X * b).norm() == Approx((a - b).norm()).epsilon(1e-14));
  }
}
