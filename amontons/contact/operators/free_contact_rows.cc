#include "amontons/contact/operators/free_contact_rows.h"

#include "amontons/contact/islands/joined_blocks.h"
#include "amontons/math/stop.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;

// Share of a contact's row that joints leave free, up to which it is rounding [-].
constexpr double kFixedRowShare = 1e-10;

/// Lists the blocks of M that rows of J tie together.
class TiedBlocks {
 public:
  TiedBlocks(const BlockSparseMatrix& joint_jacobian, const std::vector<int>& block_of,
             std::size_t num_blocks)
      : is_jointed_(num_blocks, 0), tied_(num_blocks) {
    DisjointSets sets(num_blocks);
    join_blocks_of_rows(joint_jacobian, block_of, sets);
    for (std::size_t r = 0; r < joint_jacobian.num_block_rows(); ++r) {
      for (const BlockSparseMatrix::Block& block : joint_jacobian.block_row(r)) {
        is_jointed_[static_cast<std::size_t>(block_of[static_cast<std::size_t>(block.col)])] = 1;
      }
    }
    roots_.resize(num_blocks);
    for (std::size_t b = 0; b < num_blocks; ++b) {
      roots_[b] = static_cast<std::size_t>(sets.root(static_cast<int>(b)));
      tied_[roots_[b]].push_back(b);
    }
  }

  /// Returns true if a row of J acts on a block.
  bool is_jointed(std::size_t block) const { return is_jointed_[block] != 0; }
  /// Returns the blocks that are tied to one, itself included, ascending.
  const std::vector<std::size_t>& tied_to(std::size_t block) const { return tied_[roots_[block]]; }

 private:
  std::vector<char> is_jointed_;
  std::vector<std::size_t> roots_;
  std::vector<std::vector<std::size_t>> tied_;  // of each root
};

}  // namespace

FreeContactRows::FreeContactRows(const BlockSparseMatrix& contact_rows,
                                 const BlockSparseMatrix& joint_jacobian,
                                 const BlockDiagonalMatrix& mass_matrix,
                                 const IndependentJointRows& joints) {
  const std::vector<int> block_of = block_of_column(mass_matrix);
  const TiedBlocks blocks(joint_jacobian, block_of, mass_matrix.num_blocks());
  rows_.reset(contact_rows.cols());
  is_fixed_.reserve(static_cast<std::size_t>(contact_rows.rows()));
  Eigen::MatrixX3d own = Eigen::MatrixX3d::Zero(contact_rows.cols(), 3);  // one contact's P
  std::vector<std::size_t> touched;
  for (std::size_t contact = 0; contact < contact_rows.num_block_rows(); ++contact) {
    check_stop();
    // The blocks that the contact touches, and those that joints tie to them.
    touched.clear();
    bool is_jointed = false;
    for (const BlockSparseMatrix::Block& block : contact_rows.block_row(contact)) {
      own.middleRows(block.col, block.num_cols) = contact_rows.values(block).transpose();
      const auto b = static_cast<std::size_t>(block_of[static_cast<std::size_t>(block.col)]);
      const std::vector<std::size_t>& tied = blocks.tied_to(b);
      touched.insert(touched.end(), tied.begin(), tied.end());
      is_jointed = is_jointed || blocks.is_jointed(b);
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    // Each row without its part along the joints. What they leave by rounding alone cannot move: it
    // becomes exactly zero.
    for (Index k = 0; k < 3; ++k) {
      if (is_jointed) {
        const double length = own.col(k).norm();
        joints.factor.project_out(own.col(k));
        if (own.col(k).norm() <= kFixedRowShare * length) own.col(k).setZero();
      }
      is_fixed_.push_back(own.col(k).isZero(0.0));
    }
    rows_.add_block_row(3);
    for (const std::size_t b : touched) {
      const BlockDiagonalMatrix::Block place = mass_matrix.block(b);
      auto values = own.middleRows(place.offset, place.matrix.rows());
      rows_.add_block(place.offset, values.transpose());
      values.setZero();
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
