#include "amontons/dynamics/gyroscopic.h"

#include "amontons/math/rotation.h"
#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

namespace amontons::test {
namespace {

const Eigen::Vector3d kPrincipal(1.0, 2.0, 2.7);  // a solid body: 1 + 2 > 2.7

struct Top {
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d w = Eigen::Vector3d::Zero();

  Eigen::Matrix3d inertia() const {
    const Eigen::Matrix3d R = orientation.toRotationMatrix();
    return R * kPrincipal.asDiagonal() * R.transpose();
  }
  double energy() const { return 0.5 * w.dot(inertia() * w); }
};

Top tumbling_top() {
  // Nearly about the middle axis: the motion turns over again and again.
  return {quaternion_from_vector({0.3, -0.2, 0.5}), {0.2, 3.0, 0.1}};
}

Top step(const Top& top, double h) {
  const Eigen::Matrix3d I = top.inertia();
  const Eigen::Vector3d w = implicit_gyroscopic_velocity(I, I * top.w, top.w, h);
  return {integrate_rotation(top.orientation, w, h), w};
}

// Integrates Euler's equations by the classical Runge-Kutta method on (quaternion, w).
Top reference_motion(Top top, double duration, int num_steps) {
  using State = Eigen::Matrix<double, 7, 1>;
  const auto rate = [](const State& x) {
    const Top at{quaternion_from_wxyz(x.head<4>()).normalized(), x.tail<3>()};
    const Eigen::Matrix3d I = at.inertia();
    const Eigen::Quaterniond w_quaternion(0.0, at.w.x(), at.w.y(), at.w.z());
    State result;
    result << 0.5 * wxyz_from_quaternion(w_quaternion * quaternion_from_wxyz(x.head<4>())),
        I.partialPivLu().solve(-at.w.cross(I * at.w));
    return result;
  };
  const double h = duration / num_steps;
  State x;
  x << wxyz_from_quaternion(top.orientation), top.w;
  for (int i = 0; i < num_steps; ++i) {
    const State k1 = rate(x);
    const State k2 = rate(x + 0.5 * h * k1);
    const State k3 = rate(x + 0.5 * h * k2);
    const State k4 = rate(x + h * k3);
    x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return {quaternion_from_wxyz(x.head<4>()).normalized(), x.tail<3>()};
}

double distance(const Top& a, const Top& b) {
  return vector_from_quaternion(a.orientation * b.orientation.conjugate()).norm() +
         (a.w - b.w).norm();
}

Eigen::Matrix3d random_rotational_inertia(Engine& engine, double largest_ratio) {
  Eigen::Vector3d moments;
  for (double& moment : moments) moment = std::exp(uniform(engine, 0.0, std::log(largest_ratio)));
  const Eigen::Matrix3d R = rotation_from_vector(3.0 * random_vector3(engine));
  const Eigen::Vector3d principal = Eigen::Vector3d::Constant(moments.sum()) - moments;
  return R * principal.asDiagonal() * R.transpose();
}

}  // namespace

TEST_CASE("A torque-free asymmetric top keeps its momentum in the world and never gains energy") {
  const double h = GENERATE(1e-3, 1e-2, 0.1);
  Top top = tumbling_top();
  const Eigen::Vector3d momentum = top.inertia() * top.w;
  double energy = top.energy();
  const double initial_energy = energy;
  double worst_momentum = 0.0;
  for (int i = 0; i < 10000; ++i) {
    top = step(top, h);
    worst_momentum =
        std::max(worst_momentum, (top.inertia() * top.w - momentum).norm() / momentum.norm());
    REQUIRE(top.energy() <= energy + 1e-14 * initial_energy);
    energy = top.energy();
  }
  CAPTURE(h, energy / initial_energy, worst_momentum);
  CHECK(worst_momentum <= 1e-10);
  // The least energy at this momentum belongs to rotation about the axis of the largest moment.
  CHECK(energy >= 0.5 * momentum.squaredNorm() / kPrincipal.maxCoeff() * (1.0 - 1e-10));
}

TEST_CASE("A needle that turns about its own axis turns on") {
  // Its momentum is the difference of products that are 20,000 times larger.
  const Eigen::Vector3d moments(3.3e-5, 3.3e-5, 1.7e-9);
  const Eigen::Matrix3d R = rotation_from_vector({0.7, -1.1, 0.4});
  const Eigen::Matrix3d inertia = R * moments.asDiagonal() * R.transpose();
  for (const double spin : {0.1, 5.0, 300.0}) {
    const Eigen::Vector3d w = spin * R.col(2);
    const GyroscopicStep found = implicit_gyroscopic_step(inertia, inertia * w, w, 2e-3);
    CAPTURE(spin);
    CHECK(found.status == SolveStatus::Converged);
    CHECK((found.velocity - w).norm() <= 1e-9 * spin);
  }
}

TEST_CASE("The implicit gyroscopic step converges to Euler's equations with first order") {
  const double duration = 1.0;
  const Top exact = reference_motion(tumbling_top(), duration, 4000);
  double previous = 0.0;
  for (const int num_steps : {200, 400, 800}) {
    Top top = tumbling_top();
    for (int i = 0; i < num_steps; ++i) top = step(top, duration / num_steps);
    const double error = distance(top, exact);
    CAPTURE(num_steps, error);
    CHECK(error < 0.1);
    if (previous > 0.0) CHECK(std::log2(previous / error) >= 0.9);
    previous = error;
  }
}

TEST_CASE("Up to half a turn per step the gyroscopic equation is solved for bodies of any shape") {
  Engine engine(51);
  for (int trial = 0; trial < num_cases(50000); ++trial) {
    const Eigen::Matrix3d I = random_rotational_inertia(engine, 1000.0);
    const Eigen::Vector3d w = random_unit(engine);
    const double h = uniform(engine, 0.0, 3.14);  // |w| = 1
    const Eigen::Vector3d L = I * w;
    const GyroscopicStep result = implicit_gyroscopic_step(I, L, w, h);
    const Eigen::Vector3d& w_next = result.velocity;
    CAPTURE(trial, h);
    CHECK(result.status == SolveStatus::Converged);
    CHECK((rotation_from_vector(h * w_next) * (I * w_next) - L).norm() <= 2e-13 * L.norm());
    const double gained = 0.5 * (w_next.dot(I * w_next) - w.dot(I * w));
    const double predicted = -0.5 * (w_next - w).dot(I * (w_next - w));
    CHECK(gained == Approx(predicted).margin(1e-12 * w_next.dot(I * w_next) + 1e-12 * w.dot(L)));
  }
}

TEST_CASE("Beyond half a turn per step an unsolved equation is reported and keeps the energy") {
  Engine engine(52);
  int num_unsolved = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Eigen::Matrix3d I = random_rotational_inertia(engine, 1000.0);
    const Eigen::Vector3d w = random_unit(engine);
    const Eigen::Vector3d L = I * w;
    const GyroscopicStep result = implicit_gyroscopic_step(I, L, w, 10.0);
    if (result.status == SolveStatus::Converged) {
      const Eigen::Vector3d turned = rotation_from_vector(-10.0 * result.velocity) * L;
      CHECK((I * result.velocity - turned).norm() <= 1e-13 * L.norm());
      continue;
    }
    ++num_unsolved;
    CHECK(result.status == SolveStatus::Safe);
    CHECK((result.velocity - w).norm() <= 1e-12);
  }
  CHECK(num_unsolved > 0);
}

TEST_CASE("Rotation about a principal axis, a sphere's rotation and rest are not changed") {
  const Eigen::Matrix3d I = kPrincipal.asDiagonal();
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d w = 4.0 * Eigen::Vector3d::Unit(axis);
    CHECK((implicit_gyroscopic_velocity(I, I * w, w, 0.1) - w).norm() <= 1e-14);
    // A guess at rest must not matter to a rotation that stays inside half a turn.
    CHECK((implicit_gyroscopic_velocity(I, I * w, Eigen::Vector3d::Zero(), 0.01) - w).norm() <=
          1e-13);
  }
  const Eigen::Matrix3d sphere = 0.4 * Eigen::Matrix3d::Identity();
  const Eigen::Vector3d w(1.0, -2.0, 3.0);
  CHECK((implicit_gyroscopic_velocity(sphere, sphere * w, w, 0.2) - w).norm() <= 1e-14);
  CHECK(implicit_gyroscopic_velocity(I, Eigen::Vector3d::Zero(), w, 0.1).norm() <= 1e-15);
}

TEST_CASE("A gyroscopic step from values that are not finite says that it failed") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Eigen::Matrix3d I = kPrincipal.asDiagonal();
  const GyroscopicStep result =
      implicit_gyroscopic_step(I, Eigen::Vector3d(nan, 0.0, 0.0), Eigen::Vector3d::Zero(), 0.1);
  CHECK(result.status == SolveStatus::NumericalFailure);
}

}  // namespace amontons::test
