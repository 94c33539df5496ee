#include "amontons/dynamics/forward_dynamics.h"

#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

// The linker puts these functions before those that take memory (tests/CMakeLists.txt): operator
// new, and malloc and realloc, which Eigen calls itself.
namespace {

std::atomic<long> g_allocations{0};

}  // namespace

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __real__Znwm(std::size_t size);
void* __real__Znam(std::size_t size);

void* __wrap_malloc(std::size_t size) {
  ++g_allocations;
  return __real_malloc(size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  ++g_allocations;
  return __real_realloc(memory, size);
}
void* __wrap__Znwm(std::size_t size) {
  ++g_allocations;
  return __real__Znwm(size);
}
void* __wrap__Znam(std::size_t size) {
  ++g_allocations;
  return __real__Znam(size);
}
}

namespace amontons::test {
namespace {

/// Computes everything that a step asks of a tree, into memory that exists already.
struct Loop {
  explicit Loop(const Articulation& own)
      : tree(own),
        M(own.num_velocities(), own.num_velocities()),
        J(6, own.num_velocities()),
        forces(own.num_velocities()),
        acceleration(own.num_velocities()) {}

  void run(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    const Eigen::Vector3d gravity(0.0, 0.0, -9.81);
    tree.compute_kinematics(q, v, kinematics);
    tree.mass_matrix(kinematics, M);
    tree.bias_forces(kinematics, v, gravity, work.newton, forces);
    tree.inverse_dynamics(kinematics, v, forces, gravity, work.newton, acceleration);
    tree.gravity_forces(kinematics, gravity, forces);
    forward_dynamics(tree, kinematics, v, forces, gravity, work, acceleration);
    const int last = tree.num_links() - 1;
    tree.frame_jacobian(kinematics, last, Eigen::Vector3d::Ones(), J);
    speed = tree.frame_velocity(kinematics, last, Eigen::Vector3d::Ones(), v).norm() +
            tree.kinetic_energy(kinematics);
  }

  const Articulation& tree;
  ArticulationKinematics kinematics;
  DynamicsWorkspace work;
  Eigen::MatrixXd M, J;
  Eigen::VectorXd forces, acceleration;
  double speed = 0.0;
};

}  // namespace

TEST_CASE("The counter of allocations counts those of new and of Eigen") {
  // The size is unknown to the compiler, which would otherwise remove the allocation.
  volatile int size = 100;
  const long start = g_allocations;
  const Eigen::VectorXd of_eigen = Eigen::VectorXd::Ones(size);
  const long after_eigen = g_allocations;
  const std::vector<double> of_new(static_cast<std::size_t>(size), of_eigen.sum());
  const long after_new = g_allocations;
  CHECK(after_eigen > start);
  CHECK(after_new > after_eigen);
  CHECK(of_new.front() == 100.0);
}

TEST_CASE("Dynamics of a tree allocate nothing once their memory is there") {
  Engine engine(41);
  for (int trial = 0; trial < num_cases(200); ++trial) {
    const Articulation tree = random_tree(engine, 1 + trial % 12);
    Loop loop(tree);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const Eigen::VectorXd q = random_position(engine, tree), q2 = random_position(engine, tree);
    loop.run(q, v);
    const long before = g_allocations;
    loop.run(q2, v);
    const long after = g_allocations;
    CAPTURE(trial);
    REQUIRE(after == before);
    REQUIRE(loop.speed > 0.0);
  }
}

TEST_CASE("Forward dynamics are those that inverse dynamics take back") {
  Engine engine(42);
  const Eigen::Vector3d gravity(0.3, -0.2, -9.81);
  DynamicsWorkspace work;  // shared by all trees
  for (int trial = 0; trial < num_cases(2000); ++trial) {
    const Articulation tree = random_tree(engine, 1 + trial % 9);
    const Eigen::VectorXd v = random_vector(engine, tree.num_velocities());
    const Eigen::VectorXd forces = random_vector(engine, tree.num_velocities());
    const ArticulationKinematics kinematics = kinematics_at(tree, random_position(engine, tree), v);
    Eigen::VectorXd acceleration(tree.num_velocities());
    forward_dynamics(tree, kinematics, v, forces, gravity, work, acceleration);
    const Eigen::VectorXd again = tree.inverse_dynamics(kinematics, v, acceleration, gravity);
    CAPTURE(trial);
    CHECK((again - forces).norm() <= 1e-10 * (1.0 + acceleration.norm()));
    const Eigen::MatrixXd M = tree.mass_matrix(kinematics);
    const Eigen::VectorXd expected = M.llt().solve(
        forces + tree.gravity_forces(kinematics, gravity) - tree.bias_forces(kinematics, v));
    CHECK((acceleration - expected).norm() <= 1e-9 * (1.0 + expected.norm()));
  }
}

TEST_CASE("A tree without inertia has no forward dynamics") {
  Engine engine(43);
  Link link = random_link(engine, -1, JointType::Revolute);
  link.inertia = SpatialInertia{};
  const Articulation tree({link});
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  const ArticulationKinematics kinematics = kinematics_at(tree, zero, zero);
  DynamicsWorkspace work;
  Eigen::VectorXd acceleration(1);
  CHECK_THROWS_AS(
      forward_dynamics(tree, kinematics, zero, zero, Eigen::Vector3d::Zero(), work, acceleration),
      std::domain_error);
}

}  // namespace amontons::test
