#include "amontons/optimization/ccp/contact_space_operator.h"

#include "amontons/math/small_product.h"

#include <algorithm>
#include <iterator>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t kMaxDenseBlocks = 8;  // contacts: above, the pattern saves work

}  // namespace

void ContactSpaceOperator::reset(int num_blocks) {
  const std::size_t n = static_cast<std::size_t>(num_blocks);
  starts_.clear();
  neighbors_.clear();
  pattern_.clear();
  diagonals_.assign(n, Matrix3d::Zero());
  sweep_reaction_.setZero(3 * num_blocks);
}

void ContactSpaceOperator::add_entry(int row, int column, const Matrix3d& value) {
  while (starts_.size() <= static_cast<std::size_t>(row)) starts_.push_back(neighbors_.size());
  neighbors_.push_back({column, value});
}

void ContactSpaceOperator::finish() {
  const std::size_t n = diagonals_.size(), count = neighbors_.size();
  starts_.resize(n + 1, count);
  // Each row is sorted by column, and repeated blocks are summed in place.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto first = neighbors_.begin() + static_cast<std::ptrdiff_t>(starts_[i]);
    const auto last = neighbors_.begin() + static_cast<std::ptrdiff_t>(starts_[i + 1]);
    const auto before = [](const Neighbor& a, const Neighbor& b) { return a.column < b.column; };
    if (!std::is_sorted(first, last, before)) std::stable_sort(first, last, before);
    starts_[i] = kept;
    for (auto neighbor = first; neighbor != last; ++neighbor) {
      if (kept > starts_[i] && neighbors_[kept - 1].column == neighbor->column) {
        neighbors_[kept - 1].value += neighbor->value;
      } else {
        Neighbor& place = neighbors_[kept++];
        if (&place != &*neighbor) place = *neighbor;
      }
    }
    // W_ii is made symmetric: rounding of its sums must not enter the laws.
    for (std::size_t e = starts_[i]; e < kept; ++e) {
      const Matrix3d& own = neighbors_[e].value;
      if (neighbors_[e].column == static_cast<int>(i))
        diagonals_[i] = 0.5 * (own + own.transpose());
    }
  }
  starts_[n] = kept;
  neighbors_.resize(kept);
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

void ContactSpaceOperator::apply(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  u.resize(r.size());
  // u_i = sum_j W_ij r_j over the neighbors of i.
  for (int i = 0; i < num_blocks(); ++i) {
    Vector3d sum = Vector3d::Zero();
    for (const Neighbor& neighbor : row(i)) {
      add_product(neighbor.value, r.data() + 3 * neighbor.column, sum.data());
    }
    u.segment<3>(3 * i) = sum;
  }
}

Vector3d ContactSpaceOperator::response(int i) const {
  // Sweeps change r in place, so that (W r)_i is summed from the present reactions.
  Vector3d sum = Vector3d::Zero();
  for (const Neighbor& neighbor : row(i)) {
    add_product(neighbor.value, sweep_reaction_.data() + 3 * neighbor.column, sum.data());
  }
  return sum;
}

void ContactSpaceOperator::restrict_to(std::span<const int> blocks,
                                       std::unique_ptr<DelassusOperator>& part) const {
  // The memory of an earlier call is used if it is of the same kind.
  if (dynamic_cast<ContactSpaceOperator*>(part.get()) == nullptr) {
    part = std::make_unique<ContactSpaceOperator>();
  }
  auto& own = static_cast<ContactSpaceOperator&>(*part);
  own.reset(static_cast<int>(blocks.size()));
  // Columns and selected blocks both ascend: one pass per row finds those in common.
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    auto place = blocks.begin();
    for (const Neighbor& neighbor : row(blocks[k])) {
      place = std::lower_bound(place, blocks.end(), neighbor.column);
      if (place == blocks.end()) break;
      if (*place != neighbor.column) continue;
      own.add_entry(static_cast<int>(k), static_cast<int>(place - blocks.begin()), neighbor.value);
    }
  }
  own.finish();
}

bool ContactSpaceOperator::factor(std::span<const Matrix3d> D, bool /*symmetric*/) {
  // I + D W has no symmetry to exploit, even where D has.
  D_.assign(D.begin(), D.end());
  // Rows with D_i = 0 are dr_i = -c_i: they need no equation.
  active_.clear();
  for (std::size_t i = 0; i < D_.size(); ++i) {
    if (!D_[i].isZero(0.0)) active_.push_back(static_cast<int>(i));
  }
  dense_ = active_.size() <= kMaxDenseBlocks;
  if (!dense_) keep_pattern();
  // Row scales keep every row of the kernel near one.
  place_.assign(D_.size(), -1);
  row_scales_.resize(active_.size());
  for (std::size_t k = 0; k < active_.size(); ++k) {
    place_[static_cast<std::size_t>(active_[k])] = static_cast<int>(k);
    row_scales_[k] = scale_of_rows(k);
  }
  return dense_ ? factor_dense() : factor_sparse();
}

/// Keeps the last pattern where it is not much larger: a quarter more blocks cost less than a new
/// elimination order.
void ContactSpaceOperator::keep_pattern() {
  joined_.clear();
  std::set_union(active_.begin(), active_.end(), pattern_.begin(), pattern_.end(),
                 std::back_inserter(joined_));
  if (4 * joined_.size() <= 5 * active_.size()) std::swap(active_, joined_);
}

/// Returns 1 / (1 + the largest entry of D_i W_ii), row by row.
Vector3d ContactSpaceOperator::scale_of_rows(std::size_t k) const {
  const std::size_t i = static_cast<std::size_t>(active_[k]);
  const Matrix3d own = D_[i] * diagonals_[i];
  return (own.cwiseAbs().rowwise().maxCoeff().array() + 1.0).inverse();
}

/// Factors S (I + D W) over the active blocks as one dense matrix, S the row scales.
bool ContactSpaceOperator::factor_dense() {
  const Index n = 3 * static_cast<Index>(active_.size());
  double* matrix = dense_factor_.reset(n).data();
  for (std::size_t k = 0; k < active_.size(); ++k) {
    // Row k: S_k (I + D_k W_kj) over the active columns j.
    const Matrix3d own = row_scales_[k].asDiagonal() * D_[static_cast<std::size_t>(active_[k])];
    const Index first = 3 * static_cast<Index>(k);
    for (int c = 0; c < 3; ++c) matrix[(first + c) * (n + 1)] = row_scales_[k][c];
    for (const Neighbor& neighbor : row(active_[k])) {
      const int l = place_[static_cast<std::size_t>(neighbor.column)];
      if (l >= 0) add_product(own, neighbor.value, matrix + 3 * l * n + first, n);
    }
  }
  return dense_factor_.factor();
}

/// Factors S (I + D W) over the active blocks by blocks of contacts.
bool ContactSpaceOperator::factor_sparse() {
  if (active_ != pattern_) set_pattern();
  std::size_t next = 0;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const int i = active_[k];
    const Matrix3d own = row_scales_[k].asDiagonal() * D_[static_cast<std::size_t>(i)];
    // Neighbors outside the active blocks have no place.
    for (const Neighbor& neighbor : row(i)) {
      double* place = places_[next++];
      if (place == nullptr) continue;
      std::fill_n(place, 9, 0.0);
      if (neighbor.column == i) {
        for (int c = 0; c < 3; ++c) place[4 * c] = row_scales_[k][c];
      }
      add_product(own, neighbor.value, place, 3);
    }
  }
  return sparse_factor_.factor(false);
}

/// Lays out the sparse factor for the active blocks.
void ContactSpaceOperator::set_pattern() {
  pattern_ = active_;
  sizes_.assign(active_.size(), 3);
  pairs_.clear();
  // The pattern is symmetric: one pair per block above the diagonal.
  for (std::size_t k = 0; k < active_.size(); ++k) {
    for (const Neighbor& neighbor : row(active_[k])) {
      const int l = place_[static_cast<std::size_t>(neighbor.column)];
      if (l > static_cast<int>(k)) pairs_.emplace_back(static_cast<int>(k), l);
    }
  }
  sparse_factor_.set_pattern(sizes_, pairs_);
  sparse_factor_.clear();
  // Addresses of the blocks, in the order in which factor_sparse() fills them.
  places_.clear();
  for (std::size_t k = 0; k < active_.size(); ++k) {
    for (const Neighbor& neighbor : row(active_[k])) {
      const int l = place_[static_cast<std::size_t>(neighbor.column)];
      places_.push_back(l < 0 ? nullptr : sparse_factor_.block(static_cast<int>(k), l).data());
    }
  }
}

int ContactSpaceOperator::determinant_sign() const {
  // Rows with D_i = 0 are those of I, and the scales of the others are positive.
  return dense_ ? dense_factor_.determinant_sign() : sparse_factor_.determinant_sign();
}

void ContactSpaceOperator::solve(const Eigen::VectorXd& c, Eigen::VectorXd& dr,
                                 Eigen::VectorXd& du) {
  // Blocks with D = 0 are known: dr = -c. The others solve  dr + D W dr = -c.
  // du <- W c of the inactive part, which moves the right-hand side of the active one.
  response_ = c;
  for (const int i : active_) response_.segment<3>(3 * i).setZero();
  if (response_.isZero(0.0)) {
    du.setZero(c.size());
  } else {
    apply(response_, du);
  }
  part_.resize(3 * static_cast<Index>(active_.size()));
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const int i = active_[k];
    const Vector3d rest =
        c.segment<3>(3 * i) - D_[static_cast<std::size_t>(i)] * du.segment<3>(3 * i);
    part_.segment<3>(3 * static_cast<Index>(k)) = -row_scales_[k].cwiseProduct(rest);
  }
  if (dense_) {
    dense_factor_.solve(part_);
  } else {
    sparse_factor_.solve(part_);
  }
  // dr = -c on inactive blocks, the solution on active ones; du = W dr.
  dr = -c;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    dr.segment<3>(3 * active_[k]) = part_.segment<3>(3 * static_cast<Index>(k));
  }
  apply(dr, du);
}

}  // namespace amontons
