#include "amontons/contact/operators/free_contact_rows.h"

#include "amontons/math/disjoint_sets.h"
#include "amontons/math/stop.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;

// Share of a contact's row that joints leave free, up to which it is rounding [-].
constexpr double kFixedRowShare = 1e-10;

/// Lists the blocks of M that each block is tied to by rows of J, itself included.
class TiedBlocks {
 public:
  TiedBlocks(const BlockSparseMatrix& joint_jacobian, const BlockDiagonalFactor& mass_factor)
      : sets_(mass_factor.num_blocks()),
        is_jointed_(mass_factor.num_blocks(), 0),
        members_(mass_factor.num_blocks()) {
    for (std::size_t r = 0; r < joint_jacobian.num_block_rows(); ++r) {
      const auto blocks = joint_jacobian.block_row(r);
      for (const BlockSparseMatrix::Block& block : blocks) {
        const std::size_t b = mass_factor.block_of_row(block.col);
        is_jointed_[b] = 1;
        sets_.join(static_cast<int>(b),
                   static_cast<int>(mass_factor.block_of_row(blocks.front().col)));
      }
    }
    for (std::size_t b = 0; b < members_.size(); ++b) members_[root(b)].push_back(b);
  }

  bool is_jointed(std::size_t block) const { return is_jointed_[block] != 0; }
  std::size_t root(std::size_t block) {
    return static_cast<std::size_t>(sets_.root(static_cast<int>(block)));
  }
  const std::vector<std::size_t>& of(std::size_t block) { return members_[root(block)]; }

 private:
  DisjointSets sets_;
  std::vector<char> is_jointed_;
  std::vector<std::vector<std::size_t>> members_;  // of each root, ascending
};

}  // namespace

FreeContactRows::FreeContactRows(const BlockSparseMatrix& contact_rows,
                                 const BlockSparseMatrix& joint_jacobian,
                                 const BlockDiagonalFactor& mass_factor,
                                 const IndependentJointRows& joints) {
  TiedBlocks tied(joint_jacobian, mass_factor);
  rows_.reset(contact_rows.cols());
  is_fixed_.assign(static_cast<std::size_t>(contact_rows.rows()), 0);
  Eigen::Matrix3Xd dense = Eigen::Matrix3Xd::Zero(3, contact_rows.cols());
  Eigen::VectorXd row(contact_rows.cols());
  std::vector<std::size_t> touched;
  for (std::size_t contact = 0; contact < contact_rows.num_block_rows(); ++contact) {
    check_stop();
    const auto blocks = contact_rows.block_row(contact);
    const Index first = rows_.add_block_row(3);
    // The blocks that the rows keep, and those that the joints bring in.
    touched.clear();
    bool is_jointed = false;
    for (const BlockSparseMatrix::Block& block : blocks) {
      dense.middleCols(block.col, block.num_cols) = contact_rows.values(block);
      const std::size_t b = mass_factor.block_of_row(block.col);
      touched.insert(touched.end(), tied.of(b).begin(), tied.of(b).end());
      is_jointed = is_jointed || tied.is_jointed(b);
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    // Row by row without its part along the joints.
    for (Index k = 0; k < 3 && is_jointed; ++k) {
      row = dense.row(k).transpose();
      const double length = row.norm();
      joints.factor.project_out(row);
      if (row.norm() <= kFixedRowShare * length) row.setZero();
      dense.row(k) = row.transpose();
    }
    for (Index k = 0; k < 3; ++k) {
      is_fixed_[static_cast<std::size_t>(first + k)] = dense.row(k).isZero(0.0);
    }
    for (const std::size_t b : touched) {
      const BlockDiagonalMatrix::Block place = mass_factor.block(b);
      auto own = dense.middleCols(place.offset, place.matrix.rows());
      rows_.add_block(place.offset, own);
      own.setZero();
    }
  }
}

Eigen::MatrixXd FreeContactRows::columns(std::span<const int> contacts) const {
  Eigen::MatrixXd result =
      Eigen::MatrixXd::Zero(rows_.cols(), 3 * static_cast<Index>(contacts.size()));
  Index col = 0;
  for (const int contact : contacts) {
    for (const BlockSparseMatrix::Block& block :
         rows_.block_row(static_cast<std::size_t>(contact))) {
      result.block(block.col, col, block.num_cols, 3) = rows_.values(block).transpose();
    }
    col += 3;
  }
  return result;
}

}  // namespace amontons
