#include "amontons/contact/operators/leaf_joints.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <Eigen/QR>
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kCols = 6;  // velocities of a body

/// Holds joints between bodies; body -1 is the world.
struct Linkage {
  int num_bodies;
  std::vector<std::pair<int, int>> joints;
};

/// Returns random rows of J, five for each joint.
BlockSparseMatrix random_rows(const Linkage& linkage, std::mt19937_64& random) {
  BlockSparseMatrix jacobian(kCols * linkage.num_bodies);
  for (const auto& [parent, child] : linkage.joints) {
    jacobian.add_block_row(5);
    for (const int body : {parent, child}) {
      if (body >= 0) jacobian.add_block(kCols * body, test::random_matrix(random, 5, kCols));
    }
  }
  return jacobian;
}

MatrixXd unit_rows(const BlockSparseMatrix& jacobian) {
  return jacobian.to_dense().rowwise().normalized().transpose();
}

std::vector<Index> independent_rows(const BlockSparseMatrix& jacobian) {
  BlockDiagonalMatrix mass;
  for (Index body = 0; body < jacobian.cols() / kCols; ++body) {
    mass.add_block(MatrixXd::Identity(kCols, kCols));
  }
  return independent_joint_rows(jacobian, Eigen::VectorXd::Zero(jacobian.rows()),
                                BlockDiagonalFactor(mass))
      .indices;
}

Index rank(const MatrixXd& matrix) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(matrix);
  qr.setThreshold(1e-9);
  return qr.rank();
}

TEST_CASE("All joints of a tree are leaves, in an order from its ends inwards") {
  std::mt19937_64 random(3);
  for (const bool is_grounded : {true, false}) {
    Linkage tree{12, {}};
    for (int body = is_grounded ? 0 : 1; body < tree.num_bodies; ++body) {
      const int parent = body == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(body));
      tree.joints.emplace_back(parent, body);
    }
    const BlockSparseMatrix jacobian = random_rows(tree, random);
    const std::vector<std::size_t> leaves = leaf_joints(jacobian, unit_rows(jacobian));
    REQUIRE(leaves.size() == tree.joints.size());
    CHECK(static_cast<Index>(independent_rows(jacobian).size()) == jacobian.rows());
    // At its turn, one of a joint's bodies has no other joint that is left.
    std::vector<char> is_left(tree.joints.size(), 1);
    for (const std::size_t joint : leaves) {
      is_left[joint] = 0;
      const auto is_free = [&](int body) {
        for (std::size_t j = 0; j < tree.joints.size(); ++j) {
          const auto& [a, b] = tree.joints[j];
          if (is_left[j] && (a == body || b == body)) return false;
        }
        return body >= 0;
      };
      CHECK((is_free(tree.joints[joint].first) || is_free(tree.joints[joint].second)));
    }
  }
}

TEST_CASE("The joints of a loop are no leaves, those that hang on it are") {
  std::mt19937_64 random(4);
  // The loop 0-1-2, and 3 and 4 one after the other on 2.
  const Linkage linkage{5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}}};
  const BlockSparseMatrix jacobian = random_rows(linkage, random);
  CHECK(leaf_joints(jacobian, unit_rows(jacobian)) == std::vector<std::size_t>{4, 3});
}

TEST_CASE("A joint whose rows do not move its end independently is no leaf") {
  std::mt19937_64 random(5);
  BlockSparseMatrix jacobian(kCols);
  MatrixXd rows = test::random_matrix(random, 3, kCols);
  rows.row(2) = rows.row(0) + 1e-3 * rows.row(1);
  jacobian.add_block_row(3);
  jacobian.add_block(0, rows);
  CHECK(leaf_joints(jacobian, unit_rows(jacobian)).empty());
  CHECK(independent_rows(jacobian).size() == 2);
}

TEST_CASE("Rows of random linkages with loops and repeated joints are chosen up to their rank") {
  std::mt19937_64 random(6);
  for (int i = 0; i < test::num_cases(300); ++i) {
    Linkage linkage{2 + static_cast<int>(random() % 7), {}};
    const int num_joints = 1 + static_cast<int>(random() % 9);
    for (int k = 0; k < num_joints; ++k) {
      const auto body = [&] {
        return static_cast<int>(random() % static_cast<unsigned>(linkage.num_bodies + 1)) - 1;
      };
      const int a = body(), b = body();
      if (a != b) linkage.joints.emplace_back(a, b);
    }
    if (linkage.joints.empty()) continue;
    BlockSparseMatrix jacobian = random_rows(linkage, random);
    // A joint twice has its rows twice.
    if (random() % 2 == 0) {
      const BlockSparseMatrix once = jacobian;
      jacobian.append_block_row(once, random() % once.num_block_rows());
    }
    CAPTURE(i);
    const std::vector<Index> rows = independent_rows(jacobian);
    const MatrixXd J = jacobian.to_dense();
    CHECK(static_cast<Index>(rows.size()) == rank(J));
    CHECK(rank(J(rows, Eigen::all)) == static_cast<Index>(rows.size()));
  }
}

}  // namespace
}  // namespace amontons
