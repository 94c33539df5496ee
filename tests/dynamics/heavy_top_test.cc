#include "tests/dynamics/forward_dynamics.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

constexpr double kG = 9.81;
constexpr double kMass = 0.5;           // [kg]
constexpr double kArm = 0.1;            // pivot to center [m]
constexpr double kAxial = 1e-3;         // moment about the symmetry axis [kg m^2]
constexpr double kTransverse = 1.2e-3;  // about the center of mass [kg m^2]
constexpr double kTilt = 0.6;           // [rad]

Articulation heavy_top() {
  Link link;
  link.joint = JointType::Spherical;
  link.inertia = {kMass, Eigen::Vector3d(0.0, 0.0, kArm),
                  Eigen::Vector3d(kTransverse, kTransverse, kAxial).asDiagonal()};
  return Articulation({link});
}

// Returns the error of the precession angle and of the tilt after `duration` [s], with the bias
// stepped explicitly.
Eigen::Vector2d precession_error(double rate, double spin, double duration, int num_steps) {
  const Articulation tree = heavy_top();
  const Eigen::Vector3d axis(std::sin(kTilt), 0.0, std::cos(kTilt));
  Eigen::VectorXd q =
      wxyz_from_quaternion(quaternion_from_vector({0.0, kTilt, 0.0}));  // z leans towards x
  Eigen::VectorXd v = rate * Eigen::Vector3d::UnitZ() + spin * axis;
  const double h = duration / num_steps;
  for (int i = 0; i < num_steps; ++i) {
    v += h * free_acceleration(tree, q, v, {0.0, 0.0, -kG});
    q = tree.integrate(q, v, h);
  }
  const Eigen::Vector3d reached =
      quaternion_from_wxyz(q.head<4>()).toRotationMatrix() * Eigen::Vector3d::UnitZ();
  const double precession = std::atan2(reached.y(), reached.x());
  return {precession - rate * duration, std::acos(reached.z()) - kTilt};
}

}  // namespace

// Steady precession at rate W and tilt T with spin s about the symmetry axis [Goldstein 2002,
// sec. 5.7]:   m g l = I3 (s + W cos T) W - I1 W^2 cos T,   I1 about the pivot.
TEST_CASE("A heavy symmetric top precesses steadily at its theoretical rate, to first order") {
  const double rate = 5.0;  // [rad/s]
  const double pivot_moment = kTransverse + kMass * kArm * kArm;
  const double spin =
      (kMass * kG * kArm + pivot_moment * rate * rate * std::cos(kTilt)) / (kAxial * rate) -
      rate * std::cos(kTilt);
  const double duration = 0.5;  // 2.5 rad of precession: within atan2's branch
  double previous = 0.0;
  for (const int num_steps : {5000, 10000, 20000}) {
    const Eigen::Vector2d error = precession_error(rate, spin, duration, num_steps);
    CAPTURE(num_steps, spin, error.transpose());
    CHECK(error.norm() <= 0.05 * rate * duration);
    if (previous > 0.0) CHECK(std::log2(previous / error.norm()) >= 0.9);
    previous = error.norm();
  }
}

}  // namespace amontons::test
