#include "amontons/contact/operators/problem_scaling.h"

#include "amontons/contact/operators/whitened_jacobian.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/random_matrix.h"

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include <random>

namespace amontons {
namespace {

/// Makes a free body, a chain of three and a branched tree of seven degrees of freedom.
BlockDiagonalMatrix three_articulations(std::mt19937_64& random) {
  BlockDiagonalMatrix result;
  for (const Eigen::Index n : {6, 3}) {
    const Eigen::MatrixXd L = test::random_matrix(random, n, n);
    result.add_block(L * L.transpose() + Eigen::MatrixXd::Identity(n, n));
  }
  const std::vector<int> parents = {-1, 0, 1, 1, 3, 0, 5};
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(7, 7);
  const Eigen::MatrixXd values = test::random_matrix(random, 7, 7);
  for (int i = 0; i < 7; ++i) {
    for (int j = i; j >= 0; j = parents[static_cast<std::size_t>(j)]) L(i, j) = values(i, j);
    L(i, i) += 3.0;
  }
  result.add_block(L.transpose() * L, parents);
  return result;
}

}  // namespace

TEST_CASE("A whitened Jacobian turns the response to impulses into a Gram matrix") {
  std::mt19937_64 random(1);
  const BlockDiagonalMatrix M = three_articulations(random);
  BlockSparseMatrix J(16);
  const auto add = [&](Eigen::Index col, Eigen::Index rows, Eigen::Index cols) {
    J.add_block(col, test::random_matrix(random, rows, cols));
  };
  J.add_block_row(3);
  add(9, 3, 7);
  add(0, 3, 6);
  J.add_block_row(3);  // touches nothing
  J.add_block_row(3);
  add(6, 3, 3);
  add(0, 3, 6);
  J.add_block_row(5);
  add(14, 5, 2);  // two parts of one tree
  add(10, 5, 1);
  BlockSparseMatrix G;
  whiten_jacobian(J, BlockDiagonalFactor(M), G);
  const Eigen::MatrixXd expected =
      J.to_dense() * M.to_dense().llt().solve(J.to_dense().transpose());
  const Eigen::MatrixXd gram = G.to_dense() * G.to_dense().transpose();
  CHECK((gram - expected).norm() <= 1e-12 * expected.norm());
  CHECK(G.block_row(3).size() == 1);
  CHECK(G.block_row(0)[0].col == 0);
  CHECK(G.block_row(0)[1].col == 9);
}

TEST_CASE("A contact's inverse mass is a third of the trace of its own response") {
  test::SceneBuilder scene(1e-2);
  scene.add_ball(2.0, 0.5, {0.0, 0.0, 0.5}, {1.0, 0.0, -3.0}, {0.0, 0.0, 0.0});
  scene.add_contact(test::kWorld, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_contact(test::kWorld, test::kWorld, {9.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  const ContactProblem problem = scene.build();
  const ProblemScaling scaling(problem);
  const Eigen::MatrixXd J = problem.contact_jacobian.to_dense();
  const Eigen::MatrixXd A = J * problem.mass_matrix.to_dense().llt().solve(J.transpose());
  CHECK(scaling.scales.inverse_mass(0) == Approx(A.topLeftCorner(3, 3).trace() / 3.0));
  CHECK(scaling.scales.inverse_mass(1) == 0.0);
  CHECK(scaling.scales.speed(1) == 0.0);
  CHECK(scaling.scales.speed(0) ==
        Approx((J * problem.free_velocity + problem.contact_bias).head<3>().norm()));
  // A contact without restitution has no rebound to measure.
  CHECK(scaling.rebound.approach(0) == 0.0);
  ContactProblem elastic = problem;
  elastic.contacts[0].restitution = 0.5;
  CHECK(ProblemScaling(elastic).rebound.approach(0) == Approx(3.0));
}

}  // namespace amontons
