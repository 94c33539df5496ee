#include "amontons/contact/operators/leaf_joints.h"

#include "amontons/contact/operators/independent_columns.h"

namespace amontons {
namespace {

using Eigen::Index;

constexpr double kLeastSine = 1e-2;  // of each row to those before [-]

/// Finds leaves and takes their joints away, until none is left.
class LeafSearch {
 public:
  LeafSearch(const BlockSparseMatrix& jacobian, const Eigen::Ref<const Eigen::MatrixXd>& unit_rows)
      : jacobian_(jacobian),
        unit_rows_(unit_rows),
        joints_of_(static_cast<std::size_t>(jacobian.cols())),
        is_taken_(jacobian.num_block_rows(), 0) {
    for (std::size_t joint = 0; joint < jacobian.num_block_rows(); ++joint) {
      for (const BlockSparseMatrix::Block& block : jacobian.block_row(joint)) {
        joints_of_[static_cast<std::size_t>(block.col)].push_back(joint);
      }
    }
  }

  std::vector<std::size_t> run() {
    std::vector<std::size_t> bodies;  // by their first columns, to be looked at
    for (std::size_t body = 0; body < joints_of_.size(); ++body) bodies.push_back(body);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      std::vector<std::size_t>& own = joints_of_[bodies[i]];
      std::erase_if(own, [this](std::size_t joint) { return is_taken_[joint] != 0; });
      if (own.size() != 1 || !moves_independently(own[0], static_cast<Index>(bodies[i]))) continue;
      const std::size_t joint = own[0];
      is_taken_[joint] = 1;
      order_.push_back(joint);
      // The bodies at its other end may have become leaves.
      for (const BlockSparseMatrix::Block& block : jacobian_.block_row(joint)) {
        if (static_cast<std::size_t>(block.col) != bodies[i]) {
          bodies.push_back(static_cast<std::size_t>(block.col));
        }
      }
    }
    return order_;
  }

 private:
  bool moves_independently(std::size_t joint, Index body) const {
    const Index num_rows = jacobian_.num_rows(joint);
    for (const BlockSparseMatrix::Block& block : jacobian_.block_row(joint)) {
      if (block.col != body || num_rows == 0 || block.num_cols < num_rows) continue;
      Eigen::MatrixXd columns =
          unit_rows_.block(body, jacobian_.first_row(joint), block.num_cols, num_rows);
      return independent_columns(columns, kLeastSine).size() == static_cast<std::size_t>(num_rows);
    }
    return false;
  }

  const BlockSparseMatrix& jacobian_;
  const Eigen::Ref<const Eigen::MatrixXd>& unit_rows_;
  std::vector<std::vector<std::size_t>> joints_of_;  // joints that hold the body of a first column
  std::vector<char> is_taken_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::vector<std::size_t> leaf_joints(const BlockSparseMatrix& jacobian,
                                     const Eigen::Ref<const Eigen::MatrixXd>& unit_rows) {
  return LeafSearch(jacobian, unit_rows).run();
}

}  // namespace amontons
