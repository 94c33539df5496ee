#include "amontons/math/rotation.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace amontons;

namespace {

constexpr double kPi = 3.14159265358979323846;
// A few products of numbers of size one.
constexpr double kRotationRounding = 1e-15 * 8;

Eigen::Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

// Sums the exponential series of a skew matrix until its terms vanish.
Eigen::Matrix3d exponential_series(const Eigen::Matrix3d& A) {
  Eigen::Matrix3d sum = Eigen::Matrix3d::Identity(), term = sum;
  for (int n = 1; n < 60; ++n) {
    term = (term * A / n).eval();
    sum += term;
  }
  return sum;
}

double distance_from_rotation(const Eigen::Matrix3d& R) {
  return (R.transpose() * R - Eigen::Matrix3d::Identity()).norm() + std::abs(R.determinant() - 1.0);
}

}  // namespace

TEST_CASE("The skew matrix of a vector takes its cross product") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector3d a = random_vector(random), b = random_vector(random);
    CHECK((skew(a) * b - a.cross(b)).norm() <= kRotationRounding * a.norm() * b.norm());
    CHECK(skew(a) == -skew(a).transpose());
  }
}

TEST_CASE("A rotation vector gives the exponential of its skew matrix at every angle") {
  std::mt19937_64 random(2);
  const double angle = GENERATE(0.0, 1e-300, 1e-12, 1e-8, 0.99e-4, 1.01e-4, 1e-2, 1.0, 3.0, kPi);
  CAPTURE(angle);
  for (int i = 0; i < 20; ++i) {
    const Eigen::Vector3d w = angle * random_vector(random).normalized();
    const Eigen::Matrix3d R = rotation_from_vector(w);
    CHECK(distance_from_rotation(R) <= kRotationRounding);
    // The series cancels: its largest term is about e^angle.
    CHECK((R - exponential_series(skew(w))).norm() <= kRotationRounding * std::exp(angle));
    // To first order in the angle, with relative accuracy: nothing is lost at small angles.
    const Eigen::Vector3d twice_axis_sine(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
    if (angle < 1e-5) CHECK((0.5 * twice_axis_sine - w).norm() <= 1e-10 * angle);
  }
}

TEST_CASE("A quaternion from a rotation vector has unit length and the same matrix") {
  std::mt19937_64 random(3);
  for (double angle : {0.0, 1e-9, 0.9e-4, 1.1e-4, 0.1, 2.0, 6.0, 50.0}) {
    const Eigen::Vector3d w = angle * random_vector(random).normalized();
    const Eigen::Quaterniond q = quaternion_from_vector(w);
    CAPTURE(angle);
    CHECK(std::abs(q.norm() - 1.0) <= kRotationRounding);
    CHECK((q.toRotationMatrix() - rotation_from_vector(w)).norm() <= kRotationRounding);
  }
}

TEST_CASE("The logarithm of a quaternion returns the rotation vector that made it") {
  std::mt19937_64 random(4);
  const double angle = GENERATE(0.0, 1e-200, 1e-12, 1e-8, 1e-6, 0.9e-4, 1.1e-4, 1.0, 3.0, 3.14159);
  CAPTURE(angle);
  for (int i = 0; i < 20; ++i) {
    const Eigen::Vector3d w = angle * random_vector(random).normalized();
    const Eigen::Quaterniond q = quaternion_from_vector(w);
    CHECK((vector_from_quaternion(q) - w).norm() <= kRotationRounding * angle);
    // q and -q turn alike.
    const Eigen::Quaterniond opposite(-q.w(), -q.x(), -q.y(), -q.z());
    CHECK((vector_from_quaternion(opposite) - w).norm() <= kRotationRounding * angle);
  }
}

TEST_CASE("The logarithm is the shortest rotation: at most half a turn") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d w = 5.0 * random_vector(random);
    const Eigen::Vector3d shortest = vector_from_quaternion(quaternion_from_vector(w));
    CHECK(shortest.norm() <= kPi * (1.0 + kRotationRounding));
    CHECK((rotation_from_vector(shortest) - rotation_from_vector(w)).norm() <=
          kRotationRounding * (1.0 + w.norm()));
  }
}

TEST_CASE("Roll, pitch and yaw turn about the fixed axes x, y, z in this order") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector3d rpy = random_vector(random);
    const Eigen::Matrix3d expected = rotation_from_vector({0.0, 0.0, rpy.z()}) *
                                     rotation_from_vector({0.0, rpy.y(), 0.0}) *
                                     rotation_from_vector({rpy.x(), 0.0, 0.0});
    CHECK((rotation_from_rpy(rpy.x(), rpy.y(), rpy.z()) - expected).norm() <= kRotationRounding);
  }
  // A quarter turn of roll takes y to z; then one of yaw takes x to y.
  const Eigen::Matrix3d R = rotation_from_rpy(0.5 * kPi, 0.0, 0.5 * kPi);
  CHECK((R * Eigen::Vector3d::UnitY() - Eigen::Vector3d::UnitZ()).norm() <= kRotationRounding);
  CHECK((R * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm() <= kRotationRounding);
}

TEST_CASE("Integrating a constant angular velocity in many steps equals one long step") {
  std::mt19937_64 random(7);
  const int num_steps = 1000;
  const Eigen::Vector3d w = 2.0 * random_vector(random);
  const Eigen::Quaterniond start = Eigen::Quaterniond(1.0, 2.0, -3.0, 0.5).normalized();
  Eigen::Quaterniond q = start;
  for (int i = 0; i < num_steps; ++i) q = integrate_rotation(q, w, 1.0 / num_steps);
  const Eigen::Matrix3d expected = rotation_from_vector(w) * start.toRotationMatrix();
  CHECK((q.toRotationMatrix() - expected).norm() <= kRotationRounding * num_steps);
  CHECK(std::abs(q.norm() - 1.0) <= kRotationRounding);
}

TEST_CASE("The angular velocity of an integrated orientation is that of the world frame") {
  std::mt19937_64 random(8);
  const double h = 1e-6;
  for (int i = 0; i < 20; ++i) {
    const Eigen::Vector3d w = random_vector(random);
    const Eigen::Quaterniond q = quaternion_from_vector(random_vector(random));
    const Eigen::Matrix3d after = integrate_rotation(q, w, h).toRotationMatrix();
    const Eigen::Matrix3d before = integrate_rotation(q, w, -h).toRotationMatrix();
    // Central difference: error h^2 |w|^3 / 6 plus rounding / h.
    const Eigen::Matrix3d rate = (after - before) / (2.0 * h);
    CHECK((rate - skew(w) * q.toRotationMatrix()).norm() <= 1e-8);
  }
}

TEST_CASE("Four numbers of a quaternion are read and written in the order w, x, y, z") {
  const Eigen::Vector4d wxyz(0.1, 0.2, 0.3, 0.4);
  const Eigen::Quaterniond q = quaternion_from_wxyz(wxyz);
  CHECK(q.w() == 0.1);
  CHECK(q.x() == 0.2);
  CHECK(q.y() == 0.3);
  CHECK(q.z() == 0.4);
  CHECK(wxyz_from_quaternion(q) == wxyz);
}

TEST_CASE("A contact frame is right-handed, orthonormal, and ends with the normal") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 1000; ++i) {
    const Eigen::Vector3d normal = random_vector(random).normalized();
    const Eigen::Matrix3d frame = contact_frame(normal);
    CHECK(distance_from_rotation(frame) <= 4.0 * kRotationRounding);
    CHECK(frame.col(2) == normal);
    // t1 is the projection of the world x axis, or of y where the normal is near x.
    const bool is_near_x = std::abs(normal.x()) > std::cos(25.0 * kPi / 180.0);
    const Eigen::Vector3d axis = is_near_x ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
    const Eigen::Vector3d projected = axis - normal.dot(axis) * normal;
    CHECK((frame.col(0) - projected.normalized()).norm() <= 4.0 * kRotationRounding);
  }
}

TEST_CASE("The contact frame of a level floor is the world frame") {
  CHECK(contact_frame(Eigen::Vector3d::UnitZ()) == Eigen::Matrix3d::Identity());
}

TEST_CASE("The contact frame changes its reference at 25 degrees from the x axis") {
  const auto normal_at = [](double angle_deg) {
    const double angle = angle_deg * kPi / 180.0;
    return Eigen::Vector3d(std::cos(angle), 0.0, std::sin(angle));
  };
  for (double sign : {1.0, -1.0}) {
    CHECK(contact_frame(sign * normal_at(24.9)).col(0).isApprox(Eigen::Vector3d::UnitY(), 1e-14));
    CHECK(std::abs(contact_frame(sign * normal_at(25.1)).col(0).y()) <= 1e-14);
  }
}
