#include "amontons/contact/operators/contact_space.h"

#include "amontons/math/stop.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using test::SceneBuilder;

Eigen::MatrixXd random_spd(Index n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd root(n, n);
  for (double& entry : root.reshaped()) entry = normal(random);
  return root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
}

/// Replaces the free bodies by dense articulations whose sizes the Jacobian's blocks must fit.
ContactProblem dense_trees(std::mt19937_64& random, int num_contacts, int num_loops) {
  std::normal_distribution<double> normal;
  ContactProblem problem;
  problem.step = 1e-2;
  const std::vector<Index> sizes = {3, 7, 12, 1};
  std::vector<Index> offsets;
  for (const Index size : sizes) {
    offsets.push_back(problem.mass_matrix.size());
    problem.mass_matrix.add_block(random_spd(size, random));
  }
  const Index nv = problem.mass_matrix.size();
  const auto random_vector = [&](Index n) {
    Eigen::VectorXd v(n);
    for (double& entry : v) entry = normal(random);
    return v;
  };
  const auto random_rows = [&](BlockSparseMatrix& jacobian, Index rows) {
    jacobian.add_block_row(rows);
    // Loops act on the larger trees, where all their rows can hold at once.
    const std::size_t a = rows == 3 ? random() % sizes.size() : 1 + random() % 2;
    const std::size_t b = rows == 3 ? random() % sizes.size() : 1 + random() % 2;
    for (const std::size_t block : {a, b}) {
      jacobian.add_block(offsets[block],
                         random_vector(rows * sizes[block]).reshaped(rows, sizes[block]));
    }
  };
  problem.velocity = random_vector(nv);
  problem.free_velocity = random_vector(nv);
  problem.contact_jacobian = BlockSparseMatrix(nv);
  for (int i = 0; i < num_contacts; ++i) {
    random_rows(problem.contact_jacobian, 3);
    problem.contacts.emplace_back();
  }
  problem.contact_bias = random_vector(problem.contact_jacobian.rows());
  problem.joint_jacobian = BlockSparseMatrix(nv);
  for (int i = 0; i < num_loops; ++i) random_rows(problem.joint_jacobian, 2);
  problem.joint_error = 1e-3 * random_vector(problem.joint_jacobian.rows());
  problem.joint_bias = random_vector(problem.joint_jacobian.rows());
  return problem;
}

/// Computes C and b by dense algebra, with the pseudo-inverse of J M^-1 J' where rows of J may
/// depend.
struct DenseContactSpace {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
};

DenseContactSpace by_dense_algebra(const ContactProblem& problem) {
  const Eigen::MatrixXd W = problem.mass_matrix.to_dense().inverse();
  const Eigen::MatrixXd G = problem.contact_jacobian.to_dense();
  const Eigen::MatrixXd J = problem.joint_jacobian.to_dense();
  Eigen::MatrixXd C = W;
  Eigen::VectorXd v = problem.free_velocity;
  if (J.rows() > 0) {
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> K(J * W * J.transpose());
    C -= W * J.transpose() * K.solve(J * W);
    v += W * J.transpose() * K.solve(problem.joint_target() - J * v);
  }
  return {G * C * G.transpose(), G * v + problem.contact_bias};
}

std::vector<int> all_contacts(const ContactProblem& problem) {
  std::vector<int> contacts(problem.num_contacts());
  std::iota(contacts.begin(), contacts.end(), 0);
  return contacts;
}

/// Returns velocities of the contacts under test impulses, without knowledge of the dynamics.
Eigen::MatrixXd delassus_by_test_impulses(const ContactProblem& problem) {
  const ContactSpace space(problem);
  const auto response = [&](const Eigen::VectorXd& impulses) -> Eigen::VectorXd {
    Eigen::VectorXd velocity, joint_impulses;
    space.apply(impulses, velocity, joint_impulses);
    return problem.contact_velocities(velocity);
  };
  return contact_space_from_test_impulses(problem.contact_jacobian.rows(), response).A;
}

void check_contact_space(const ContactProblem& problem, double tolerance) {
  validate(problem);
  const ContactSpace space(problem);
  const DenseContactSpace dense = by_dense_algebra(problem);
  const double scale = dense.A.cwiseAbs().maxCoeff();
  const Eigen::MatrixXd A = space.delassus(all_contacts(problem));
  CHECK((A - dense.A).cwiseAbs().maxCoeff() < tolerance * scale);
  CHECK((A - A.transpose()).cwiseAbs().maxCoeff() == 0.0);
  CHECK((delassus_by_test_impulses(problem) - dense.A).cwiseAbs().maxCoeff() < tolerance * scale);
  CHECK((space.free_contact_velocity() - dense.b).cwiseAbs().maxCoeff() <
        tolerance * (1.0 + dense.b.cwiseAbs().maxCoeff()));
}

TEST_CASE("A stop ends the build of the contact space, with joints and without") {
  for (const int num_loops : {0, 3}) {
    CAPTURE(num_loops);
    std::mt19937_64 random(8);
    const ContactProblem problem = dense_trees(random, 20, num_loops);
    const std::atomic<bool> stop = true;
    const StopScope scope(&stop);
    CHECK_THROWS_AS(ContactSpace(problem).delassus(all_contacts(problem)), Stopped);
  }
}

TEST_CASE("Test impulses, block products and G C G' give one matrix: free bodies [C04]") {
  std::mt19937_64 random(3);
  for (int n = 0; n < test::num_cases(2000); ++n) {
    check_contact_space(test::random_problem(random, 1 + n % 12, 10.0), 1e-12);
  }
}

TEST_CASE("Test impulses, block products and G C G' give one matrix: trees and loops [C04]") {
  std::mt19937_64 random(4);
  const int num_loops = GENERATE(0, 1, 3);
  for (int n = 0; n < test::num_cases(1000); ++n) {
    check_contact_space(dense_trees(random, 1 + n % 8, num_loops), 1e-10);
  }
}

TEST_CASE("Maximal coordinates: a chain of bodies on ball joints answers as one [C04]") {
  SceneBuilder scene(1e-2);
  std::vector<int> links;
  for (int i = 0; i < 4; ++i) {
    links.push_back(scene.add_box(1.0, {0.1, 0.1, 0.4}, {0.0, 0.0, -0.2 - 0.4 * i}));
    scene.add_ball_joint(i == 0 ? test::kWorld : links[static_cast<std::size_t>(i) - 1],
                         links.back(), {0.0, 0.0, -0.4 * i}, {1e-4, -2e-4, 1e-4});
  }
  scene.add_contact(test::kWorld, links[3], {0.05, 0.0, -1.6}, {-1.0, 0.0, 0.0}, 0.0, 0.5);
  scene.add_contact(test::kWorld, links[1], {-0.05, 0.0, -0.6}, {1.0, 0.0, 0.0}, 0.0, 0.5);
  check_contact_space(scene.build(), 1e-12);

  SECTION("also where a joint is listed twice: dependent rows carry nothing and change nothing") {
    scene.add_ball_joint(links[0], links[1], {0.0, 0.0, -0.4}, {1e-4, -2e-4, 1e-4});
    const ContactProblem twice = scene.build();
    check_contact_space(twice, 1e-12);
    Eigen::VectorXd velocity, joint_impulses;
    ContactSpace(twice).apply(Eigen::VectorXd::Constant(6, 0.1), velocity, joint_impulses);
    const Eigen::VectorXd error = twice.joint_jacobian * velocity - twice.joint_target();
    CHECK(error.cwiseAbs().maxCoeff() < 1e-13);
    int silent = 0;
    for (const double impulse : joint_impulses) silent += impulse == 0.0 ? 1 : 0;
    CHECK(silent == 3);
  }
}

TEST_CASE(
    "A joint between two of many bodies answers at their contacts alone as it does in whole") {
  SceneBuilder scene(1e-2);
  std::vector<int> boxes;
  for (int i = 0; i < 6; ++i) {
    boxes.push_back(scene.add_box(1.0 + i, {0.2, 0.3, 0.1}, {0.2 * i, 0.0, 0.0}));
    scene.add_contact(test::kWorld, boxes.back(), {0.2 * i, 0.1, -0.05}, {0.0, 0.0, 1.0}, 0.0, 0.5);
    if (i == 0) continue;
    scene.add_contact(boxes[static_cast<std::size_t>(i) - 1], boxes.back(),
                      {0.2 * i - 0.1, 0.0, 0.02}, {1.0, 0.0, 0.0}, 0.0, 0.5);
  }
  const ContactProblem loose = scene.build();
  scene.add_ball_joint(boxes[2], boxes[3], {0.5, 0.1, 0.0}, {1e-4, 0.0, 0.0});
  const ContactProblem tied = scene.build();
  check_contact_space(tied, 1e-12);
  // Contacts of the other bodies have the response that they have without the joint.
  const Eigen::MatrixXd with = ContactSpace(tied).delassus(all_contacts(tied));
  const Eigen::MatrixXd without = ContactSpace(loose).delassus(all_contacts(loose));
  int same = 0;
  for (Index c = 0; c < with.rows() / 3; ++c) {
    const double change = (with - without).block<3, 3>(3 * c, 3 * c).cwiseAbs().maxCoeff();
    same += change < 1e-14 * without.cwiseAbs().maxCoeff() ? 1 : 0;
  }
  // Of 11 contacts, five are with the two boxes.
  CHECK(same == 6);
}

TEST_CASE("Contacts in any order and number give the corresponding rows of one matrix") {
  std::mt19937_64 random(5);
  const ContactProblem problem = dense_trees(random, 9, 1);
  const ContactSpace space(problem);
  const Eigen::MatrixXd whole = space.delassus(all_contacts(problem));
  const std::vector<int> chosen = {7, 2, 4};
  const Eigen::MatrixXd part = space.delassus(chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      const Eigen::Matrix3d expected = whole.block<3, 3>(3 * chosen[i], 3 * chosen[j]);
      const Eigen::Matrix3d found =
          part.block<3, 3>(3 * static_cast<Index>(i), 3 * static_cast<Index>(j));
      CHECK((expected - found).cwiseAbs().maxCoeff() < 1e-12 * whole.cwiseAbs().maxCoeff());
    }
  }
}

TEST_CASE(
    "Velocity and joint impulses that belong to contact impulses obey the equation of motion") {
  std::mt19937_64 random(6);
  for (int n = 0; n < test::num_cases(1000); ++n) {
    const ContactProblem problem = dense_trees(random, 5, 2);
    const Eigen::VectorXd p = Eigen::VectorXd::Random(problem.contact_jacobian.rows());
    Eigen::VectorXd velocity, joint_impulses;
    ContactSpace(problem).apply(p, velocity, joint_impulses);
    const Eigen::VectorXd momentum = problem.mass_matrix * (velocity - problem.free_velocity) -
                                     problem.contact_jacobian.transpose_times(p) -
                                     problem.joint_jacobian.transpose_times(joint_impulses);
    CHECK(momentum.cwiseAbs().maxCoeff() < 1e-9 * (1.0 + joint_impulses.cwiseAbs().maxCoeff()));
    const Eigen::VectorXd rate = problem.joint_jacobian * velocity - problem.joint_target();
    CHECK(rate.cwiseAbs().maxCoeff() < 1e-10 * (1.0 + velocity.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("A coordinate on which one row of J alone acts moves by the impulse of that row") {
  // Dampers of any size as rows of J, each with a coordinate of inertia 1/R [1/(kg m^2)]: R f is
  // right to rounding of itself, however small it is beside the other velocities.
  std::mt19937_64 random(907);
  std::normal_distribution<double> normal;
  for (int k = 0; k < test::num_cases(2000); ++k) {
    // Three loops at most on the tree of seven coordinates, where six rows can hold at once.
    ContactProblem problem = dense_trees(random, 3, 3);
    const Index nv = problem.mass_matrix.size();
    const BlockSparseMatrix J = problem.joint_jacobian, J_C = problem.contact_jacobian;
    problem.joint_jacobian.reset(nv + 2);
    problem.contact_jacobian.reset(nv + 2);
    problem.bounded_jacobian.reset(nv + 2);
    for (const auto& [from, to] :
         {std::pair{&J, &problem.joint_jacobian}, std::pair{&J_C, &problem.contact_jacobian}}) {
      for (std::size_t r = 0; r < from->num_block_rows(); ++r) {
        to->add_block_row(from->num_rows(r));
        for (const BlockSparseMatrix::Block& block : from->block_row(r)) {
          to->block_at(block.col, block.num_cols) = from->values(block);
        }
      }
    }
    const Index nj = problem.joint_jacobian.rows();
    std::vector<double> compliances;
    for (const Index column : {Index(0), Index(3)}) {
      compliances.push_back(std::pow(10.0, 4.0 * normal(random)));
      problem.mass_matrix.add_block(Eigen::MatrixXd::Constant(1, 1, 1.0 / compliances.back()));
      problem.joint_jacobian.add_block_row(1);
      problem.joint_jacobian.block_at(column, 1)(0, 0) = 1.0;
      problem.joint_jacobian.block_at(nv + static_cast<Index>(compliances.size()) - 1, 1)(0, 0) =
          1.0;
    }
    for (Eigen::VectorXd* values : {&problem.velocity, &problem.free_velocity}) {
      values->conservativeResize(nv + 2);
      values->tail<2>().setZero();
    }
    for (Eigen::VectorXd* values : {&problem.joint_error, &problem.joint_bias}) {
      values->conservativeResize(nj + 2);
      values->tail<2>().setZero();
    }
    Eigen::VectorXd velocity, joint_impulses;
    ContactSpace(problem).apply(Eigen::VectorXd::Zero(problem.contact_jacobian.rows()), velocity,
                                joint_impulses);
    for (Index i = 0; i < 2; ++i) {
      const double expected = compliances[static_cast<std::size_t>(i)] * joint_impulses(nj + i);
      CHECK(std::abs(velocity(nv + i) - expected) <= 1e-15 * std::abs(expected));
    }
    const Eigen::VectorXd rate = problem.joint_jacobian * velocity - problem.joint_target();
    CHECK(rate.cwiseAbs().maxCoeff() < 1e-9 * (1.0 + velocity.cwiseAbs().maxCoeff()));
  }
}

}  // namespace
}  // namespace amontons
