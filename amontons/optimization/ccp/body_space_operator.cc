#include "amontons/optimization/ccp/body_space_operator.h"

#include <algorithm>
#include <array>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr Index kMaxDenseDofs = 48;  // eight free bodies: above, the pattern saves work

// Free bodies are the common case: their products are unrolled.
using FreePart = Eigen::Matrix<double, 3, 6>;
using FreeVector = Eigen::Matrix<double, 6, 1>;

/// Returns true for the D of a contact that sticks or opens: diagonal and not negative.
bool is_nonnegative_diagonal(const Matrix3d& D) {
  return D(0, 1) == 0.0 && D(0, 2) == 0.0 && D(1, 0) == 0.0 && D(1, 2) == 0.0 && D(2, 0) == 0.0 &&
         D(2, 1) == 0.0 && D(0, 0) >= 0.0 && D(1, 1) >= 0.0 && D(2, 2) >= 0.0;
}

}  // namespace

void BodySpaceOperator::reset(std::span<const int> body_sizes) {
  body_sizes_.assign(body_sizes.begin(), body_sizes.end());
  // Bodies lie one after the other in the vector of velocities.
  body_offsets_.clear();
  num_dofs_ = 0;
  for (const int size : body_sizes) {
    body_offsets_.push_back(num_dofs_);
    num_dofs_ += size;
  }
  starts_.assign(1, 0);
  parts_.clear();
  values_.clear();
}

void BodySpaceOperator::add_block() { starts_.push_back(parts_.size()); }

double* BodySpaceOperator::add_part(int body) {
  const std::size_t k = static_cast<std::size_t>(body), data = values_.size();
  parts_.push_back({body, body_sizes_[k], body_offsets_[k], data});
  starts_.back() = parts_.size();
  values_.resize(data + 3 * static_cast<std::size_t>(body_sizes_[k]));
  return values_.data() + data;
}

void BodySpaceOperator::find_columns(Part& part) {
  part.first_column = static_cast<int>(columns_.size());
  const Map<const Eigen::Matrix3Xd> G = values(part);
  for (int k = 0; k < part.size; ++k) {
    if (!G.col(k).isZero(0.0)) columns_.push_back(k);
  }
  part.num_columns = static_cast<int>(columns_.size()) - part.first_column;
}

/// Computes u += G_ia v_a of one body.
void BodySpaceOperator::add_response(const Part& part, const double* v, Vector3d& u) const {
  const double* G = values_.data() + part.data;
  if (part.size == 6) {
    u.noalias() += Map<const FreePart>(G).lazyProduct(Map<const FreeVector>(v));
    return;
  }
  for (const int k : columns(part)) u += Map<const Vector3d>(G + 3 * k) * v[k];
}

/// Computes v_a += G_ia' r of one body.
void BodySpaceOperator::add_transposed(const Part& part, const Vector3d& r, double* v) const {
  const double* G = values_.data() + part.data;
  if (part.size == 6) {
    Map<FreeVector>(v).noalias() += Map<const FreePart>(G).transpose().lazyProduct(r);
    return;
  }
  for (const int k : columns(part)) v[k] += Map<const Vector3d>(G + 3 * k).dot(r);
}

void BodySpaceOperator::finish() {
  columns_.clear();
  for (Part& part : parts_) {
    if (part.size != 6) find_columns(part);
  }
  // W_ii = sum_a G_ia G_ia', the sum over the bodies of the block.
  diagonals_.assign(starts_.size() - 1, Matrix3d::Zero());
  for (std::size_t i = 0; i < diagonals_.size(); ++i) {
    for (const Part& part : parts(i)) {
      if (part.size == 6) {
        const Map<const FreePart> G(values_.data() + part.data);
        diagonals_[i].noalias() += G.lazyProduct(G.transpose());
      } else {
        diagonals_[i].noalias() += values(part).lazyProduct(values(part).transpose());
      }
    }
  }
  // Blocks with one row only are added to the kernel as a rank-one update.
  lines_.resize(diagonals_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i] = find_line(i);
  has_pattern_ = false;
  sweep_velocity_.setZero(num_dofs_);
  velocity_.setZero(num_dofs_);
}

void BodySpaceOperator::scale_block(int i, double factor) {
  for (const Part& part : parts(static_cast<std::size_t>(i))) {
    Map<Eigen::Matrix3Xd>(values_.data() + part.data, 3, part.size) *= factor;
  }
  diagonals_[static_cast<std::size_t>(i)] *= factor * factor;
}

void BodySpaceOperator::transpose_times(const Eigen::VectorXd& r, Eigen::VectorXd& v) const {
  // v = sum_i G_i' r_i; contacts without a reaction cost nothing.
  v.setZero(num_dofs_);
  for (std::size_t i = 0; i < diagonals_.size(); ++i) {
    const Vector3d r_i = r.segment<3>(3 * static_cast<Index>(i));
    if (r_i.isZero(0.0)) continue;
    for (const Part& part : parts(i)) {
      add_transposed(part, r_i, v.data() + part.offset);
    }
  }
}

void BodySpaceOperator::times(const Eigen::VectorXd& v, Eigen::VectorXd& u) const {
  u.resize(3 * static_cast<Index>(diagonals_.size()));
  for (std::size_t i = 0; i < diagonals_.size(); ++i) {
    Vector3d u_i = Vector3d::Zero();
    for (const Part& part : parts(i)) {
      add_response(part, v.data() + part.offset, u_i);
    }
    u.segment<3>(3 * static_cast<Index>(i)) = u_i;
  }
}

void BodySpaceOperator::apply(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  // W r = G (G' r).
  transpose_times(r, velocity_);
  times(velocity_, u);
}

void BodySpaceOperator::begin_sweep(const Eigen::VectorXd& r) {
  // Sweeps keep the velocity G' r in step with the reaction: each contact then touches few bodies.
  transpose_times(r, sweep_velocity_);
}

Vector3d BodySpaceOperator::response(int i) const {
  Vector3d u = Vector3d::Zero();
  for (const Part& part : parts(static_cast<std::size_t>(i))) {
    add_response(part, sweep_velocity_.data() + part.offset, u);
  }
  return u;
}

void BodySpaceOperator::add(int i, const Vector3d& dr) {
  for (const Part& part : parts(static_cast<std::size_t>(i))) {
    add_transposed(part, dr, sweep_velocity_.data() + part.offset);
  }
}

/// Computes target += G_ia' D G_ib for two bodies of a block, at least one of them a tree.
void BodySpaceOperator::add_tree_product(const Part& row, const Part& column, const Matrix3d& D,
                                         KernelBlock target) const {
  constexpr std::array<int, 6> kAll = {0, 1, 2, 3, 4, 5};
  const auto columns_of = [&](const Part& part) {
    return part.size == 6 ? std::span<const int>(kAll) : columns(part);
  };
  for (const int c : columns_of(column)) {
    const Vector3d product = D * values(column).col(c);
    for (const int r : columns_of(row)) target(r, c) += values(row).col(r).dot(product);
  }
}

/// Computes kernel += G_i' D G_i.
/// @param target  returns the block of two bodies, row and column; without data where it is not
/// kept.
template <typename Target>
void BodySpaceOperator::add_to_kernel(std::size_t i, const Target& target) const {
  for (const Part& column : parts(i)) {
    FreePart product;
    if (column.size == 6) product = D_[i].lazyProduct(Map<const FreePart>(values(column).data()));
    for (const Part& row : parts(i)) {
      KernelBlock block = target(row, column);
      if (block.data() == nullptr) continue;
      // Products of free bodies have fixed sizes.
      if (row.size == 6 && column.size == 6) {
        block.topLeftCorner<6, 6>().noalias() +=
            Map<const FreePart>(values(row).data()).transpose().lazyProduct(product);
      } else {
        add_tree_product(row, column, D_[i], block);
      }
    }
  }
}

bool BodySpaceOperator::factor(std::span<const Matrix3d> D, bool symmetric) {
  D_.assign(D.begin(), D.end());
  if (num_dofs_ <= kMaxDenseDofs) return factor_dense();
  // Where all contacts stick or open, D and with it I + G' D G are symmetric for any law.
  return factor_sparse(symmetric || std::all_of(D.begin(), D.end(), is_nonnegative_diagonal));
}

/// Returns the only row of a block that is not zero, or -1. A joint's row in the form of a contact
/// has one such row.
int BodySpaceOperator::find_line(std::size_t block) const {
  int line = -1;
  for (int row = 0; row < 3; ++row) {
    if (diagonals_[block](row, row) == 0.0) continue;
    if (line >= 0) return -1;
    line = row;
  }
  return line;
}

/// Computes matrix += d g g', g the line of the block, over the entries of g that are not zero.
void BodySpaceOperator::add_line_to_dense(std::size_t block, Map<Eigen::MatrixXd>& matrix) const {
  const int line = lines_[block];
  const double d = D_[block](line, line);
  for (const Part& column : parts(block)) {
    const double* g = values_.data() + column.data + line;
    for (int c = 0; c < column.size; ++c) {
      const double scaled = d * g[3 * c];
      if (scaled == 0.0) continue;
      for (const Part& row : parts(block)) {
        const double* own = values_.data() + row.data + line;
        double* target = &matrix(row.offset, column.offset + c);
        for (int r = 0; r < row.size; ++r) target[r] += own[3 * r] * scaled;
      }
    }
  }
}

/// Factors I + G' D G as one dense matrix.
bool BodySpaceOperator::factor_dense() {
  Map<Eigen::MatrixXd> matrix = dense_kernel_.reset(num_dofs_);
  matrix.diagonal().setOnes();
  for (std::size_t i = 0; i < diagonals_.size(); ++i) {
    if (D_[i].isZero(0.0)) continue;
    if (lines_[i] >= 0) {
      add_line_to_dense(i, matrix);
      continue;
    }
    add_to_kernel(i, [&](const Part& row, const Part& column) {
      return KernelBlock(&matrix(row.offset, column.offset), row.size, column.size,
                         Eigen::OuterStride<>(num_dofs_));
    });
  }
  return dense_kernel_.factor();
}

Eigen::Index BodySpaceOperator::kernel_size(std::span<const int> blocks) const {
  touched_.assign(body_sizes_.size(), 0);
  Eigen::Index dofs = 0;
  for (const int i : blocks) {
    for (const Part& part : parts(static_cast<std::size_t>(i))) {
      char& is_touched = touched_[static_cast<std::size_t>(part.body)];
      if (is_touched == 0) dofs += part.size;
      is_touched = 1;
    }
  }
  return dofs;
}

void BodySpaceOperator::find_body_pairs(std::vector<std::pair<int, int>>& pairs) const {
  pairs.clear();
  for (std::size_t i = 0; i < diagonals_.size(); ++i) {
    for (const Part& a : parts(i)) {
      for (const Part& b : parts(i)) {
        if (a.body < b.body) pairs.emplace_back(a.body, b.body);
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

/// Factors I + G' D G by blocks of bodies.
bool BodySpaceOperator::factor_sparse(bool symmetric) {
  // Sweeps never need the pattern.
  if (!has_pattern_) find_body_pairs(pairs_);
  has_pattern_ = true;
  sparse_kernel_.set_pattern(body_sizes_, pairs_);
  sparse_kernel_.clear();
  // The kernel starts as the identity of all bodies.
  for (int body = 0; body < static_cast<int>(body_sizes_.size()); ++body) {
    sparse_kernel_.block(body, body).setIdentity();
  }
  for (std::size_t i = 0; i < diagonals_.size(); ++i) {
    if (D_[i].isZero(0.0)) continue;
    add_to_kernel(i, [&](const Part& row, const Part& column) {
      // A symmetric kernel stores one triangle.
      const bool is_kept = !symmetric || sparse_kernel_.is_stored(row.body, column.body);
      return KernelBlock(is_kept ? sparse_kernel_.block(row.body, column.body).data() : nullptr,
                         row.size, column.size, Eigen::OuterStride<>(row.size));
    });
  }
  return sparse_kernel_.factor(symmetric);
}

int BodySpaceOperator::determinant_sign() const {
  // det(I + G' D G) = det(I + D G G').
  return num_dofs_ <= kMaxDenseDofs ? dense_kernel_.determinant_sign()
                                    : sparse_kernel_.determinant_sign();
}

void BodySpaceOperator::solve(const Eigen::VectorXd& c, Eigen::VectorXd& dr, Eigen::VectorXd& du) {
  // dr = -c - D du with du = G w; G' gives  (I + G' D G) w = -G' c, w = G' dr.
  transpose_times(c, velocity_);
  velocity_ = -velocity_;
  if (num_dofs_ <= kMaxDenseDofs) {
    dense_kernel_.solve(velocity_);
  } else {
    sparse_kernel_.solve(velocity_);
  }
  // Back to contacts: du = G w, dr = -c - D du.
  times(velocity_, du);
  dr.resize(c.size());
  for (std::size_t i = 0; i < D_.size(); ++i) {
    const Index k = 3 * static_cast<Index>(i);
    dr.segment<3>(k) = -c.segment<3>(k) - D_[i] * du.segment<3>(k);
  }
}

void BodySpaceOperator::restrict_to(std::span<const int> blocks,
                                    std::unique_ptr<DelassusOperator>& part) const {
  // The memory of an earlier call is used if it is of the same kind.
  if (dynamic_cast<BodySpaceOperator*>(part.get()) == nullptr) {
    part = std::make_unique<BodySpaceOperator>();
  }
  auto& own = static_cast<BodySpaceOperator&>(*part);
  // All bodies stay, so that their numbers agree; those without a block cost a diagonal entry.
  own.reset(body_sizes_);
  for (const int i : blocks) {
    own.add_block();
    for (const Part& place : parts(static_cast<std::size_t>(i))) {
      std::copy_n(values_.data() + place.data, 3 * place.size, own.add_part(place.body));
    }
  }
  own.finish();
}

}  // namespace amontons
