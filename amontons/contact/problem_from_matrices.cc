#include "amontons/contact/problem_from_matrices.h"

#include "amontons/contact/problem_magnitudes.h"
#include "amontons/math/block_diagonal_factor.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using SparseMatrix = Eigen::SparseMatrix<double>;
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

[[noreturn]] void fail(const std::string& message) {
  throw std::invalid_argument("contact problem: " + message);
}

/// Returns a vector of a size, zeros where none is given.
VectorXd sized(const VectorXd& given, Index size, const char* name) {
  if (given.size() == 0) return VectorXd::Zero(size);
  if (given.size() != size) {
    fail(std::string(name) + " has " + std::to_string(given.size()) + " entries, " +
         std::to_string(size) + " are needed");
  }
  return given;
}

/// Adds `num_rows` rows of a matrix as one block row, a block for each block of M that they touch.
void add_block_row(const RowMatrix& matrix, Index first, Index num_rows,
                   const std::vector<Index>& starts, BlockSparseMatrix& result) {
  std::map<Index, Eigen::MatrixXd> blocks;  // by first column
  for (Index r = 0; r < num_rows; ++r) {
    for (RowMatrix::InnerIterator entry(matrix, first + r); entry; ++entry) {
      const auto after = std::upper_bound(starts.begin(), starts.end(), entry.col());
      const Index column = *std::prev(after);
      const auto [own, is_new] = blocks.try_emplace(column);
      if (is_new) own->second.setZero(num_rows, *after - column);
      own->second(r, entry.col() - column) = entry.value();
    }
  }
  result.add_block_row(num_rows);
  for (const auto& [column, block] : blocks) result.add_block(column, block);
}

/// Throws unless M is square and symmetric to rounding.
void check_mass_matrix(const SparseMatrix& M) {
  if (M.rows() == 0 || M.rows() != M.cols()) fail("M must be square, and not empty");
  const SparseMatrix difference = SparseMatrix(M.transpose()) - M;
  double largest = 0.0, asymmetry = 0.0;
  for (Index k = 0; k < M.nonZeros(); ++k) largest = std::max(largest, std::abs(M.valuePtr()[k]));
  for (Index k = 0; k < difference.nonZeros(); ++k) {
    asymmetry = std::max(asymmetry, std::abs(difference.valuePtr()[k]));
  }
  if (!(asymmetry <= 1e-9 * largest)) fail("M is not symmetric");
}

/// Throws unless a matrix that is symmetric and finite is positive definite: then it has a factor.
void check_definite(const BlockDiagonalMatrix& M) {
  try {
    BlockDiagonalFactor factor(M);
  } catch (const std::domain_error& error) {
    fail(std::string("M: ") + error.what());
  }
}

}  // namespace

std::vector<Index> block_starts(const SparseMatrix& M) {
  // A block ends at the furthest row that any of its columns reaches.
  std::vector<Index> starts;
  Index end = 0;
  for (Index j = 0; j < M.cols(); ++j) {
    if (j >= end) starts.push_back(j);
    end = std::max(end, j + 1);
    for (SparseMatrix::InnerIterator entry(M, j); entry; ++entry) {
      end = std::max(end, static_cast<Index>(entry.row()) + 1);
    }
  }
  starts.push_back(M.cols());
  return starts;
}

ContactProblem problem_from_matrices(const ProblemMatrices& given) {
  SparseMatrix M = given.M;
  M.makeCompressed();
  check_mass_matrix(M);
  const Index nv = M.rows(), nc = given.J.rows() / 3;
  if (given.J.rows() % 3 != 0 || given.J.cols() != nv) {
    fail("J must have the rows (t1, t2, n) of each contact, and " + std::to_string(nv) +
         " columns");
  }
  if (given.G.rows() > 0 && given.G.cols() != nv) {
    fail("the joint Jacobian must have " + std::to_string(nv) + " columns");
  }
  if (given.friction.size() != nc) fail("friction must have " + std::to_string(nc) + " entries");
  ContactProblem problem;
  problem.step = given.step;
  problem.velocity = given.velocity.size() == 0 ? given.free_velocity : given.velocity;
  problem.free_velocity = given.free_velocity;

  // Blocks of M, then the rows of contacts and joints along them.
  const std::vector<Index> starts = block_starts(M);
  for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
    const Index first = starts[b], size = starts[b + 1] - first;
    const Eigen::MatrixXd block(M.block(first, first, size, size));
    problem.mass_matrix.add_block(0.5 * block + 0.5 * block.transpose());
  }
  const RowMatrix J(given.J), G(given.G);
  problem.contact_jacobian.reset(nv);
  for (Index i = 0; i < nc; ++i) {
    add_block_row(J, 3 * i, 3, starts, problem.contact_jacobian);
    // Rows without entries are those of a body that cannot move: its contact is judged all the
    // same.
    const auto row = static_cast<std::size_t>(i);
    if (problem.contact_jacobian.block_row(row).empty()) {
      problem.contact_jacobian.add_block(0, Eigen::MatrixXd::Zero(3, starts[1]));
    }
  }
  problem.joint_jacobian.reset(nv);
  for (Index j = 0; j < G.rows(); ++j) add_block_row(G, j, 1, starts, problem.joint_jacobian);
  problem.bounded_jacobian.reset(nv);

  // Contacts are numbered by their place.
  const VectorXd gap = sized(given.gap, nc, "gap");
  const VectorXd restitution = sized(given.restitution, nc, "restitution");
  for (Index i = 0; i < nc; ++i) {
    Contact contact;
    contact.key = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(nc), 0};
    contact.gap = gap[i];
    contact.friction = given.friction[i];
    contact.restitution = restitution[i];
    problem.contacts.push_back(contact);
  }
  problem.contact_bias = sized(given.bias, 3 * nc, "bias");
  problem.joint_error = VectorXd::Zero(G.rows());
  problem.joint_bias = -sized(given.target, G.rows(), "the target of joints");
  validate(problem);
  require_magnitudes(problem);
  check_definite(problem.mass_matrix);
  return problem;
}

}  // namespace amontons
