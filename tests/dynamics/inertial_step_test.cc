#include "amontons/dynamics/inertial_step.h"

#include "amontons/dynamics/forward_dynamics.h"
#include "amontons/math/rotation.h"
#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace amontons::test {
namespace {

struct Motion {
  Eigen::VectorXd q, v;
};

/// Takes a step without forces; returns its status.
SolveStatus step(const Articulation& tree, Motion& motion, double h, InertialWorkspace& work) {
  ArticulationKinematics at;
  tree.compute_kinematics(motion.q, motion.v, at);
  Eigen::VectorXd v_end(tree.num_velocities());
  const SolveStatus status =
      inertial_step(tree, at, motion.q, motion.v, tree.mass_matrix(at), h, work, v_end);
  motion.q = tree.integrate(motion.q, v_end, h);
  motion.v = v_end;
  return status;
}

double energy_of(const Articulation& tree, const Motion& motion) {
  ArticulationKinematics at;
  tree.compute_motion(motion.q, motion.v, at);
  return tree.kinetic_energy(at);
}

/// Returns the linear momentum in W.
Eigen::Vector3d momentum_of(const Articulation& tree, const Motion& motion) {
  ArticulationKinematics at;
  tree.compute_motion(motion.q, motion.v, at);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int i = 0; i < tree.num_links(); ++i) {
    const SpatialInertia& body = tree.links()[static_cast<std::size_t>(i)].inertia;
    const auto k = static_cast<std::size_t>(i);
    const Eigen::Vector3d c = at.X_WB[k].rotation * body.center_of_mass;
    const Eigen::Vector3d w = at.V_WB[k].head<3>();
    sum += body.mass * (at.V_WB[k].tail<3>() + w.cross(c));
  }
  return sum;
}

Link make_link(int parent, JointType type, const Eigen::Vector3d& axis, const Eigen::Vector3d& at,
               double mass, const Eigen::Vector3d& moments) {
  Link link;
  link.name = "link";
  link.parent = parent;
  link.joint = type;
  link.axis = axis.normalized();
  link.X_PF.translation = at;
  link.inertia = {mass, Eigen::Vector3d::Zero(), moments.asDiagonal()};
  return link;
}

/// Makes a free body of rotational symmetry about z that carries a wheel about z. All lengths are
/// in units of `size`.
Articulation gyrostat(double size) {
  const double unit = size * size;
  return Articulation({make_link(-1, JointType::Free, Eigen::Vector3d::UnitZ(),
                                 Eigen::Vector3d::Zero(), 3.0, unit * Eigen::Vector3d(2, 2, 1)),
                       make_link(0, JointType::Continuous, Eigen::Vector3d::UnitZ(),
                                 Eigen::Vector3d(0.0, 0.0, 0.7 * size), 1.0,
                                 unit * Eigen::Vector3d(0.2, 0.2, 0.35))});
}

}  // namespace

TEST_CASE("A wheel of any speed neither damps nor drives the wobble of the body that carries it") {
  const double size = GENERATE(0.05, 4.0);
  const double spin = GENERATE(100.0, 1000.0, 1e4, 1e6);
  const double h = GENERATE(1e-3, 2e-3);
  const Articulation tree = gyrostat(size);
  Motion motion{tree.neutral_position(), Eigen::VectorXd::Zero(7)};
  motion.q.head<4>() = wxyz_from_quaternion(quaternion_from_vector({0.4, -1.0, 0.3}));
  ArticulationKinematics at;
  tree.compute_motion(motion.q, motion.v, at);
  motion.v.head<3>() = at.X_WB[0].rotation * Eigen::Vector3d(0.3, -0.4, 0.1);
  motion.v.segment<3>(3) = Eigen::Vector3d(3.0, 1.0, -2.0);
  motion.v[6] = spin;
  const double energy = energy_of(tree, motion);
  InertialWorkspace work;
  double worst_wobble = 0.0, worst_energy = 0.0;
  const int num_steps = is_long_run() ? 10000 : 1000;
  for (int i = 0; i < num_steps; ++i) {
    REQUIRE(step(tree, motion, h, work) == SolveStatus::Converged);
    tree.compute_motion(motion.q, motion.v, at);
    const Eigen::Vector3d w = at.X_WB[0].rotation.transpose() * at.V_WB[0].head<3>();
    worst_wobble = std::max(worst_wobble, std::abs(w.head<2>().norm() - 0.5));
    worst_energy = std::max(worst_energy, std::abs(energy_of(tree, motion) / energy - 1.0));
  }
  CAPTURE(size, spin, h);
  // Both bodies are symmetric about the wheel's axis: the wobble's size is constant. Rounding acts
  // relative to the spin, and 1e-13 of it is the equation's tolerance.
  CHECK(worst_wobble < num_steps * 1e-15 * (1.0 + spin));
  CHECK(worst_energy < 1e-11);
}

TEST_CASE("The wobble of a gyrostat turns at 2/h atan(h r/2), r its exact rate") {
  const double spin = 800.0, h = 2e-3;
  const Articulation tree = gyrostat(1.0);
  Motion motion{tree.neutral_position(), Eigen::VectorXd::Zero(7)};
  motion.v[0] = 0.01;
  motion.v[6] = spin;
  // Euler's equations: A w1' = -(C w3 + c (w3 + spin)) w2 + A w2 w3, with w3 = 0 here. A is the
  // transverse inertia of both bodies about their common center.
  const double transverse = 2.2 + 3.0 * 1.0 / 4.0 * 0.49, rate = 0.35 * spin / transverse;
  InertialWorkspace work;
  step(tree, motion, h, work);
  const double angle = std::atan2(motion.v[1], motion.v[0]);
  CHECK(std::abs(std::abs(angle) - 2.0 * std::atan(0.5 * h * rate)) < 1e-6);
}

TEST_CASE("Random trees without forces keep their energy, and the momentum of a free root") {
  Engine engine(23);
  for (int i = 0; i < num_cases(2000); ++i) {
    const int num_links = 2 + static_cast<int>(uniform(engine, 0.0, 6.0));
    std::vector<Link> links = random_links(engine, num_links);
    const Articulation tree(links);
    Motion motion{tree.neutral_position(), random_vector(engine, tree.num_velocities())};
    motion.q = tree.integrate(motion.q, random_vector(engine, tree.num_velocities()), 1.0);
    // Up to radians per step.
    motion.v *= std::pow(10.0, uniform(engine, -2.0, 1.5));
    const double h = std::pow(10.0, uniform(engine, -3.0, -1.0));
    const double energy = energy_of(tree, motion);
    const Eigen::Vector3d momentum = momentum_of(tree, motion);
    InertialWorkspace work;
    double highest = 0.0, lowest = 1e300;
    for (int k = 0; k < 20; ++k) {
      step(tree, motion, h, work);
      highest = std::max(highest, energy_of(tree, motion));
      lowest = std::min(lowest, energy_of(tree, motion));
    }
    CAPTURE(i, num_links, h, highest / energy, lowest / energy);
    CHECK(highest <= energy * (1.0 + 1e-9));
    CHECK(lowest >= energy * (1.0 - 1e-9));
    if (links[0].joint == JointType::Free) {
      CHECK((momentum_of(tree, motion) - momentum).norm() <= 1e-10 * (1.0 + momentum.norm()));
    }
  }
}

TEST_CASE("Motions without forces converge to those of forward dynamics, of first order") {
  Engine engine(7);
  const Articulation tree(random_links(engine, 5));
  const Motion start{tree.neutral_position(), 2.0 * random_vector(engine, tree.num_velocities())};
  // Velocities after a step, less those of the differential equation, of order h^2.
  const auto error = [&](double h) -> double {
    Motion motion = start;
    InertialWorkspace work;
    step(tree, motion, h, work);
    ArticulationKinematics at;
    tree.compute_kinematics(start.q, start.v, at);
    DynamicsWorkspace dynamics;
    Eigen::VectorXd acceleration(tree.num_velocities());
    forward_dynamics(tree, at, start.v, Eigen::VectorXd::Zero(tree.num_velocities()),
                     Eigen::Vector3d::Zero(), dynamics, acceleration);
    return (motion.v - start.v - h * acceleration).norm();
  };
  CHECK(std::log2(error(1e-3) / error(5e-4)) == Approx(2.0).margin(0.1));
}

TEST_CASE("A rope of 300 links has its inertial forces to the rounding of its mass matrix") {
  // Its condition number is above 1e10, so that rounding is far above that of a short tree.
  std::vector<Link> links;
  for (int i = 0; i < 300; ++i) {
    const Eigen::Vector3d from_parent(i == 0 ? 0.0 : 0.02, 0.0, 0.0);
    links.push_back(make_link(i - 1, JointType::Continuous, Eigen::Vector3d::UnitY(), from_parent,
                              0.01, Eigen::Vector3d::Constant(1e-6)));
    links.back().inertia.center_of_mass.x() = 0.01;
  }
  const Articulation rope(std::move(links));
  Motion motion{Eigen::VectorXd::Zero(rope.num_velocities()),
                Eigen::VectorXd::Zero(rope.num_velocities())};
  for (Eigen::Index i = 0; i < rope.num_velocities(); ++i) {
    motion.q[i] = 0.02 * std::cos(0.05 * static_cast<double>(i));
    motion.v[i] = 3.0 * std::exp(-0.3 * static_cast<double>(i));
  }
  const double energy = energy_of(rope, motion);
  InertialWorkspace work;
  for (int k = 0; k < 3; ++k) CHECK(step(rope, motion, 1e-3, work) == SolveStatus::Converged);
  CHECK(energy_of(rope, motion) == Approx(energy).epsilon(1e-9));
}

TEST_CASE("A tree at rest, a single coordinate and an impact have no inertial impulse") {
  Engine engine(3);
  const Articulation tree(random_links(engine, 4));
  InertialWorkspace work;
  Motion rest{tree.neutral_position(), Eigen::VectorXd::Zero(tree.num_velocities())};
  CHECK(step(tree, rest, 0.1, work) == SolveStatus::Converged);
  CHECK(rest.v.isZero(0.0));
  Motion struck{tree.neutral_position(), random_vector(engine, tree.num_velocities())};
  const Eigen::VectorXd v = struck.v;
  step(tree, struck, 0.0, work);
  CHECK(struck.v == v);
}

TEST_CASE(
    "A needle that turns by many radians in a step keeps its energy and its angular momentum") {
  const Eigen::Vector3d moments(1.7e-9, 3.3e-5, 3.4e-5);
  const Articulation needle({make_link(-1, JointType::Free, Eigen::Vector3d::UnitZ(),
                                       Eigen::Vector3d::Zero(), 0.01, moments)});
  const double h = 2e-3;
  for (const double spin : {1e3, 3e4, 2e5}) {
    Motion motion{needle.neutral_position(), Eigen::VectorXd::Zero(6)};
    motion.v.head<3>() = Eigen::Vector3d(spin, 40.0, -25.0);
    const double energy = energy_of(needle, motion);
    const double momentum = moments.cwiseProduct(motion.v.head<3>()).norm();
    InertialWorkspace work;
    for (int k = 0; k < 50; ++k) {
      CAPTURE(spin, k);
      REQUIRE(step(needle, motion, h, work) == SolveStatus::Converged);
      CHECK(energy_of(needle, motion) == Approx(energy).epsilon(1e-9));
    }
    ArticulationKinematics at;
    needle.compute_motion(motion.q, motion.v, at);
    const Eigen::Vector3d turning = at.X_WB[0].rotation.transpose() * at.V_WB[0].head<3>();
    CHECK(moments.cwiseProduct(turning).norm() == Approx(momentum).epsilon(0.05));
  }
}

}  // namespace amontons::test
