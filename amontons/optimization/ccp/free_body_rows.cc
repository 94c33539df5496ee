#include "amontons/optimization/ccp/free_body_rows.h"

#include "amontons/optimization/ccp/body_space_operator.h"

#include <algorithm>

namespace amontons {

bool FreeBodyRows::copy(const BodySpaceOperator& W) {
  diagonals_ = W.num_blocks() > 0 ? &W.diagonal(0) : nullptr;
  velocity_.setZero(W.kernel_size());
  rows_.resize(static_cast<std::size_t>(W.num_blocks()));
  for (int i = 0; i < W.num_blocks(); ++i) {
    const auto parts = W.parts(static_cast<std::size_t>(i));
    const bool is_free =
        !parts.empty() && parts.size() <= 2 && parts.front().size == 6 && parts.back().size == 6;
    if (!is_free) {
      rows_.clear();
      return false;
    }
    Row& row = rows_[static_cast<std::size_t>(i)];
    row.first = parts.front().offset;
    std::copy_n(W.values(parts.front()).data(), 18, row.of_first.begin());
    row.second = parts.size() == 2 ? parts.back().offset : -1;
    if (parts.size() == 2) std::copy_n(W.values(parts.back()).data(), 18, row.of_second.begin());
  }
  return true;
}

void FreeBodyRows::begin_sweep(const Eigen::VectorXd& r) {
  velocity_.setZero();
  move_sweep(r);
}

void FreeBodyRows::move_sweep(const Eigen::VectorXd& dr) {
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    const Eigen::Vector3d own = dr.segment<3>(3 * i);
    if (!own.isZero(0.0)) add(i, own);
  }
}

}  // namespace amontons
