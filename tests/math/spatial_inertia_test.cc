#include "amontons/math/spatial_inertia.h"

#include "amontons/math/rotation.h"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <random>
#include <vector>

using namespace amontons;

namespace {

struct PointMass {
  double mass;
  Eigen::Vector3d position;
};
using PointCloud = std::vector<PointMass>;

Eigen::Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

PointCloud random_cloud(std::mt19937_64& random, int num_points) {
  std::uniform_real_distribution<double> mass(0.1, 2.0);
  PointCloud cloud;
  for (int i = 0; i < num_points; ++i) cloud.push_back({mass(random), random_vector(random)});
  return cloud;
}

// Returns the inertia of point masses, from the definitions.
SpatialInertia inertia_of(const PointCloud& cloud) {
  SpatialInertia result;
  for (const PointMass& p : cloud) {
    result.mass += p.mass;
    result.center_of_mass += p.mass * p.position;
  }
  result.center_of_mass /= result.mass;
  for (const PointMass& p : cloud) {
    const Eigen::Matrix3d c = skew(p.position - result.center_of_mass);
    result.inertia += p.mass * c * c.transpose();
  }
  return result;
}

void check_equal(const SpatialInertia& a, const SpatialInertia& b) {
  const double rounding = 1e-13;
  CHECK(a.mass == Approx(b.mass).epsilon(rounding));
  CHECK((a.center_of_mass - b.center_of_mass).norm() <= rounding * (1.0 + b.center_of_mass.norm()));
  CHECK((a.inertia - b.inertia).norm() <= rounding * b.inertia.norm());
}

}  // namespace

TEST_CASE("Kinetic energy by the spatial matrix equals the sum over point masses") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    const PointCloud cloud = random_cloud(random, 6);
    const Eigen::Vector3d w = random_vector(random), v = random_vector(random);
    double energy = 0.0;
    for (const PointMass& p : cloud) {
      energy += 0.5 * p.mass * (v + w.cross(p.position)).squaredNorm();
    }
    Vector6d V;
    V << w, v;
    CHECK(0.5 * V.dot(inertia_of(cloud).matrix() * V) == Approx(energy).epsilon(1e-13));
  }
}

TEST_CASE("Momentum by the spatial matrix is angular about the origin first, then linear") {
  std::mt19937_64 random(2);
  const PointCloud cloud = random_cloud(random, 5);
  const Eigen::Vector3d w = random_vector(random), v = random_vector(random);
  Vector6d expected = Vector6d::Zero();
  for (const PointMass& p : cloud) {
    const Eigen::Vector3d momentum = p.mass * (v + w.cross(p.position));
    expected.head<3>() += p.position.cross(momentum);
    expected.tail<3>() += momentum;
  }
  Vector6d V;
  V << w, v;
  CHECK((inertia_of(cloud).matrix() * V - expected).norm() <= 1e-13 * expected.norm());
}

TEST_CASE("The spatial matrix of a body with extent is symmetric positive definite") {
  std::mt19937_64 random(3);
  const Matrix6d M = inertia_of(random_cloud(random, 8)).matrix();
  CHECK((M - M.transpose()).norm() <= 1e-14 * M.norm());
  const Eigen::SelfAdjointEigenSolver<Matrix6d> eigen(M);
  CHECK(eigen.eigenvalues().minCoeff() > 0.0);
}

TEST_CASE("Inertia about the origin is that of the points about the origin") {
  std::mt19937_64 random(4);
  const PointCloud cloud = random_cloud(random, 7);
  Eigen::Matrix3d expected = Eigen::Matrix3d::Zero();
  for (const PointMass& p : cloud) {
    expected += p.mass * skew(p.position) * skew(p.position).transpose();
  }
  CHECK((inertia_of(cloud).inertia_about_origin() - expected).norm() <= 1e-13 * expected.norm());
}

TEST_CASE("A transformed inertia is that of the transformed points") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 50; ++i) {
    const PointCloud cloud = random_cloud(random, 6);
    const Pose X{rotation_from_vector(random_vector(random)), random_vector(random)};
    PointCloud moved = cloud;
    for (PointMass& p : moved) p.position = X * p.position;
    check_equal(transform(X, inertia_of(cloud)), inertia_of(moved));
  }
}

TEST_CASE("Combined inertias are that of all points together") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 50; ++i) {
    const PointCloud a = random_cloud(random, 4), b = random_cloud(random, 5);
    PointCloud both = a;
    both.insert(both.end(), b.begin(), b.end());
    check_equal(combine(inertia_of(a), inertia_of(b)), inertia_of(both));
    check_equal(combine(inertia_of(b), inertia_of(a)), inertia_of(both));
  }
}

TEST_CASE("Combining with nothing changes nothing, and two nothings stay finite") {
  std::mt19937_64 random(7);
  const SpatialInertia body = inertia_of(random_cloud(random, 5));
  check_equal(combine(body, SpatialInertia{}), body);
  check_equal(combine(SpatialInertia{}, body), body);
  const SpatialInertia nothing = combine(SpatialInertia{}, SpatialInertia{});
  CHECK(nothing.mass == 0.0);
  CHECK(nothing.matrix().isZero());
}
