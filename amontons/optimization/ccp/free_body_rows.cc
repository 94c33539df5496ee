#include "amontons/optimization/ccp/free_body_rows.h"

#include "amontons/optimization/ccp/body_space_operator.h"

namespace amontons {
namespace {

/// Returns true for a body of six degrees of freedom whose velocity can be read in pairs.
bool is_pairwise(const BodySpaceOperator::Part& part) {
  return part.size == 6 && part.offset % 2 == 0;
}

}  // namespace

bool FreeBodyRows::copy(const BodySpaceOperator& W) {
  diagonals_ = W.num_blocks() > 0 ? &W.diagonal(0) : nullptr;
  velocity_.setZero(W.kernel_size());
  rows_.resize(static_cast<std::size_t>(W.num_blocks()));
  for (int i = 0; i < W.num_blocks(); ++i) {
    const auto parts = W.parts(static_cast<std::size_t>(i));
    const bool is_free = !parts.empty() && parts.size() <= 2 && is_pairwise(parts.front()) &&
                         is_pairwise(parts.back());
    if (!is_free) {
      rows_.clear();
      return false;
    }
    Row& row = rows_[static_cast<std::size_t>(i)];
    row.first = parts.front().offset;
    row.of_first = W.values(parts.front());
    row.second = parts.size() == 2 ? parts.back().offset : -1;
    if (parts.size() == 2) row.of_second = W.values(parts.back());
  }
  return true;
}

void FreeBodyRows::begin_sweep(const Eigen::VectorXd& r) {
  velocity_.setZero();
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    const Eigen::Vector3d own = r.segment<3>(3 * i);
    if (!own.isZero(0.0)) add(i, own);
  }
}

}  // namespace amontons
