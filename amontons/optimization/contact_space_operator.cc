#include "amontons/optimization/contact_space_operator.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t kMostDenseBlocks = 100;  // above, the pattern is worth exploiting

}  // namespace

void ContactSpaceOperator::reset(int num_blocks, std::span<const Entry> entries) {
  const std::size_t n = static_cast<std::size_t>(num_blocks);
  std::vector<const Entry*> sorted;
  for (const Entry& entry : entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) {
    return std::pair(a->row, a->column) < std::pair(b->row, b->column);
  });
  starts_.assign(n + 1, 0);
  neighbors_.clear();
  diagonals_.assign(n, Matrix3d::Zero());
  int last_row = -1;
  for (const Entry* entry : sorted) {
    if (entry->row == last_row && neighbors_.back().column == entry->column) {
      neighbors_.back().value += entry->value;
    } else {
      neighbors_.push_back({entry->column, entry->value});
      last_row = entry->row;
    }
    starts_[static_cast<std::size_t>(entry->row) + 1] = neighbors_.size();
  }
  for (std::size_t i = 0; i < n; ++i) {
    starts_[i + 1] = std::max(starts_[i + 1], starts_[i]);
    for (const Neighbor& neighbor : row(static_cast<int>(i))) {
      if (neighbor.column != static_cast<int>(i)) continue;
      diagonals_[i] = 0.5 * (neighbor.value + neighbor.value.transpose());
    }
  }
  sweep_reaction_.setZero(3 * num_blocks);
}

void ContactSpaceOperator::scale(const Eigen::VectorXd& factors) {
  for (int i = 0; i < num_blocks(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    for (std::size_t e = starts_[k]; e < starts_[k + 1]; ++e) {
      neighbors_[e].value *= factors(i) * factors(neighbors_[e].column);
    }
    diagonals_[k] *= factors(i) * factors(i);
  }
}

std::span<const ContactSpaceOperator::Neighbor> ContactSpaceOperator::row(int i) const {
  const std::size_t k = static_cast<std::size_t>(i);
  return std::span(neighbors_).subspan(starts_[k], starts_[k + 1] - starts_[k]);
}

void ContactSpaceOperator::apply(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  u.resize(r.size());
  for (int i = 0; i < num_blocks(); ++i) {
    Vector3d sum = Vector3d::Zero();
    for (const Neighbor& neighbor : row(i)) {
      sum.noalias() += neighbor.value.lazyProduct(r.segment<3>(3 * neighbor.column));
    }
    u.segment<3>(3 * i) = sum;
  }
}

Vector3d ContactSpaceOperator::response(int i) const {
  Vector3d sum = Vector3d::Zero();
  for (const Neighbor& neighbor : row(i)) {
    sum.noalias() += neighbor.value.lazyProduct(sweep_reaction_.segment<3>(3 * neighbor.column));
  }
  return sum;
}

bool ContactSpaceOperator::factor(std::span<const Matrix3d> D, bool /*symmetric*/) {
  // I + D W has no symmetry to exploit, even where D has.
  D_.assign(D.begin(), D.end());
  active_.clear();
  place_.assign(D_.size(), -1);
  for (std::size_t i = 0; i < D_.size(); ++i) {
    if (D_[i].isZero(0.0)) continue;
    place_[i] = static_cast<int>(active_.size());
    active_.push_back(static_cast<int>(i));
  }
  row_scales_.resize(active_.size());
  for (std::size_t k = 0; k < active_.size(); ++k) row_scales_[k] = scale_of_rows(k);
  dense_ = active_.size() <= kMostDenseBlocks;
  return dense_ ? factor_dense() : factor_sparse();
}

/// 1 / (1 + the largest entry of D_i W_ii), row by row.
Vector3d ContactSpaceOperator::scale_of_rows(std::size_t k) const {
  const std::size_t i = static_cast<std::size_t>(active_[k]);
  const Matrix3d own = D_[i] * diagonals_[i];
  return (own.cwiseAbs().rowwise().maxCoeff().array() + 1.0).inverse();
}

template <typename At>
void ContactSpaceOperator::assemble(const At& block) {
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const int own = static_cast<int>(k);
    const Matrix3d scaled_D =
        row_scales_[k].asDiagonal() * D_[static_cast<std::size_t>(active_[k])];
    block(own, own) = row_scales_[k].asDiagonal();
    for (const Neighbor& neighbor : row(active_[k])) {
      const int l = place_[static_cast<std::size_t>(neighbor.column)];
      if (l >= 0) block(own, l).noalias() += scaled_D.lazyProduct(neighbor.value);
    }
  }
}

bool ContactSpaceOperator::factor_dense() {
  const Index n = 3 * static_cast<Index>(active_.size());
  if (n == 0) return true;
  matrix_.setZero(n, n);
  assemble([&](int k, int l) { return matrix_.block<3, 3>(3 * k, 3 * l); });
  dense_factor_.compute(matrix_);
  const auto pivots = dense_factor_.matrixLU().diagonal();
  return pivots.allFinite() && pivots.cwiseAbs().minCoeff() > 0.0;
}

bool ContactSpaceOperator::factor_sparse() {
  sizes_.assign(active_.size(), 3);
  pairs_.clear();
  for (std::size_t k = 0; k < active_.size(); ++k) {
    for (const Neighbor& neighbor : row(active_[k])) {
      const int l = place_[static_cast<std::size_t>(neighbor.column)];
      if (l > static_cast<int>(k)) pairs_.emplace_back(static_cast<int>(k), l);
    }
  }
  sparse_factor_.set_pattern(sizes_, pairs_);
  sparse_factor_.clear();
  assemble([&](int k, int l) { return sparse_factor_.block(k, l); });
  return sparse_factor_.factor(false);
}

void ContactSpaceOperator::solve(const Eigen::VectorXd& c, Eigen::VectorXd& dr,
                                 Eigen::VectorXd& du) {
  // Blocks with D = 0 are known: dr = -c. The others solve  dr + D W dr = -c.
  response_ = c;
  for (const int i : active_) response_.segment<3>(3 * i).setZero();
  apply(response_, du);
  part_.resize(3 * static_cast<Index>(active_.size()));
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const int i = active_[k];
    const Vector3d rest =
        c.segment<3>(3 * i) - D_[static_cast<std::size_t>(i)] * du.segment<3>(3 * i);
    part_.segment<3>(3 * static_cast<Index>(k)) = -row_scales_[k].cwiseProduct(rest);
  }
  if (dense_ && part_.size() > 0) part_ = dense_factor_.solve(part_);
  if (!dense_) sparse_factor_.solve(part_);
  dr = -c;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    dr.segment<3>(3 * active_[k]) = part_.segment<3>(3 * static_cast<Index>(k));
  }
  apply(dr, du);
}

}  // namespace amontons
