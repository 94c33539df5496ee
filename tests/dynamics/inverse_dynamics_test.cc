#include "amontons/dynamics/articulation.h"
#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

const Eigen::Vector3d kGravity(0.3, -0.7, -9.81);

// Returns dM/dq_k for trees whose v is the derivative of q, by central differences of fourth order.
Eigen::MatrixXd mass_matrix_slope(const Articulation& tree, const Eigen::VectorXd& q, int k) {
  const double step = 1e-3;
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(tree.num_velocities());
  const auto mass_at = [&](double offset) -> Eigen::MatrixXd {
    return tree.mass_matrix(
        kinematics_at(tree, q + offset * Eigen::VectorXd::Unit(q.size(), k), rest));
  };
  return (8.0 * (mass_at(step) - mass_at(-step)) - (mass_at(2 * step) - mass_at(-2 * step))) /
         (12.0 * step);
}

// Returns the momentum of every link (angular about the world origin, linear) after a time t along
// q (+) t v with the velocity v + t acceleration. Newton's and Euler's laws differentiate it.
Eigen::MatrixXd momenta(const Articulation& tree, const Eigen::VectorXd& q,
                        const Eigen::VectorXd& v, const Eigen::VectorXd& acceleration, double t) {
  // Half of the acceleration acts on the displacement, up to O(t^3).
  const ArticulationKinematics kinematics =
      kinematics_at(tree, tree.integrate(q, v + 0.5 * t * acceleration, t), v + t * acceleration);
  Eigen::MatrixXd result(6, tree.num_links());
  for (int l = 0; l < tree.num_links(); ++l) {
    const std::size_t i = static_cast<std::size_t>(l);
    const SpatialInertia& body = tree.links()[i].inertia;
    const Eigen::Matrix3d& R = kinematics.X_WB[i].rotation;
    const Eigen::Vector3d w = kinematics.V_WB[i].head<3>();
    const Eigen::Vector3d p_com = kinematics.X_WB[i] * body.center_of_mass;
    const Eigen::Vector3d v_com =
        kinematics.V_WB[i].tail<3>() + w.cross(Eigen::Vector3d(R * body.center_of_mass));
    result.col(l) << R * body.inertia * R.transpose() * w + p_com.cross(body.mass * v_com),
        body.mass * v_com;
  }
  return result;
}

}  // namespace

TEST_CASE("Bias forces of scalar joints are the Christoffel symbols of the mass matrix") {
  Engine engine(31);
  for (int trial = 0; trial < num_cases(2000); ++trial) {
    const Articulation tree =
        random_tree(engine, 5, {JointType::Planar, JointType::Revolute, JointType::Prismatic});
    const Eigen::VectorXd q = random_position(engine, tree);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    // (C v)_i = sum_jk (dM_ij/dq_k - 1/2 dM_jk/dq_i) v_j v_k
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(tree.num_velocities());
    for (int k = 0; k < tree.num_velocities(); ++k) {
      const Eigen::MatrixXd slope = mass_matrix_slope(tree, q, k);
      expected += slope * v * v[k];
      expected[k] -= 0.5 * v.dot(slope * v);
    }
    const Eigen::VectorXd bias = tree.bias_forces(kinematics_at(tree, q, v), v);
    CAPTURE(trial, bias.norm());
    // step^4 / 30 times a fifth derivative, and rounding of M over the step.
    CHECK((bias - expected).norm() <= 1e-9 * (1.0 + expected.norm()));
  }
}

TEST_CASE("Joint forces of any motion are the links' rates of momentum seen by the joints") {
  Engine engine(32);
  for (int trial = 0; trial < num_cases(5000); ++trial) {
    const Articulation tree = random_tree(engine, 6);
    const Eigen::VectorXd q = random_position(engine, tree);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const Eigen::VectorXd acceleration = random_vector(engine, tree.num_velocities());
    const ArticulationKinematics kinematics = kinematics_at(tree, q, v);
    const double step = 1e-4;
    const Eigen::MatrixXd rates =
        (momenta(tree, q, v, acceleration, step) - momenta(tree, q, v, acceleration, -step)) /
        (2.0 * step);
    // Virtual power: each link's rate of momentum, about the world origin, on its own Jacobian.
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(tree.num_velocities());
    for (int l = 0; l < tree.num_links(); ++l) {
      expected +=
          tree.frame_jacobian(kinematics, l, Eigen::Vector3d::Zero()).transpose() * rates.col(l);
    }
    const Eigen::VectorXd tau =
        tree.inverse_dynamics(kinematics, v, acceleration, Eigen::Vector3d::Zero());
    CAPTURE(trial, tau.norm());
    // Truncation: step^2 / 6 = 2e-9 times a third derivative of momentum.
    CHECK((tau - expected).norm() <= 1e-6 * (1.0 + expected.norm()));
  }
}

TEST_CASE("Inverse dynamics is M vdot + bias - gravity") {
  Engine engine(33);
  for (int trial = 0; trial < num_cases(10000); ++trial) {
    const Articulation tree = random_tree(engine, 1 + trial % 8);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const Eigen::VectorXd acceleration = random_vector(engine, tree.num_velocities());
    const ArticulationKinematics kinematics = kinematics_at(tree, random_position(engine, tree), v);
    const Eigen::VectorXd expected = tree.mass_matrix(kinematics) * acceleration +
                                     tree.bias_forces(kinematics, v) -
                                     tree.gravity_forces(kinematics, kGravity);
    const Eigen::VectorXd tau = tree.inverse_dynamics(kinematics, v, acceleration, kGravity);
    CAPTURE(trial);
    CHECK((tau - expected).norm() <= 1e-12 * (1.0 + expected.norm()));
  }
}

TEST_CASE("Gravity forces are the slope of the potential energy along each joint") {
  Engine engine(34);
  for (int trial = 0; trial < num_cases(2000); ++trial) {
    const Articulation tree = random_tree(engine, 6);
    const Eigen::VectorXd q = random_position(engine, tree);
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(tree.num_velocities());
    const Eigen::VectorXd forces = tree.gravity_forces(kinematics_at(tree, q, rest), kGravity);
    const double step = 1e-4;
    for (int k = 0; k < tree.num_velocities(); ++k) {
      const Eigen::VectorXd rate = Eigen::VectorXd::Unit(tree.num_velocities(), k);
      const auto energy_at = [&](double offset) {
        return tree.potential_energy(kinematics_at(tree, tree.integrate(q, rate, offset), rest),
                                     kGravity);
      };
      // Truncation step^2/6 times a third derivative of up to 100 J; rounding 1e-14 * 100 J / step.
      CHECK(forces[k] == Approx(-(energy_at(step) - energy_at(-step)) / (2.0 * step)).margin(1e-6));
    }
  }
}

TEST_CASE("Kinetic energy grows by the power of the joint forces") {
  Engine engine(35);
  for (int trial = 0; trial < num_cases(5000); ++trial) {
    const Articulation tree = random_tree(engine, 6);
    const Eigen::VectorXd q = random_position(engine, tree);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const Eigen::VectorXd acceleration = random_vector(engine, tree.num_velocities());
    const auto energy_at = [&](double t) {
      return tree.kinetic_energy(kinematics_at(
          tree, tree.integrate(q, v + 0.5 * t * acceleration, t), v + t * acceleration));
    };
    const double step = 1e-3;
    const double rate = (8.0 * (energy_at(step) - energy_at(-step)) -
                         (energy_at(2.0 * step) - energy_at(-2.0 * step))) /
                        (12.0 * step);
    const Eigen::VectorXd tau =
        tree.inverse_dynamics(kinematics_at(tree, q, v), v, acceleration, Eigen::Vector3d::Zero());
    CAPTURE(trial, rate);
    // Truncation step^4/30 times a fifth derivative of up to 1e5 J/s^5; rounding 1e-14 J / step.
    CHECK(v.dot(tau) == Approx(rate).margin(1e-8));
  }
}

TEST_CASE("A free body turned about an origin off its center needs the centripetal force there") {
  Link link;
  link.inertia = {2.0, {0.5, 0.0, 0.0}, Eigen::Vector3d(0.1, 0.2, 0.3).asDiagonal()};
  const Articulation body({link});
  Vector6d v;
  v << 0.0, 0.0, 3.0, 0.0, 0.0, 0.0;
  const Eigen::VectorXd bias = body.bias_forces(kinematics_at(body, body.neutral_position(), v), v);
  Vector6d expected;
  expected << 0.0, 0.0, 0.0, -2.0 * 0.5 * 9.0, 0.0, 0.0;  // m r w^2, towards the origin
  CHECK((bias - expected).norm() <= 1e-14);
}

}  // namespace amontons::test
