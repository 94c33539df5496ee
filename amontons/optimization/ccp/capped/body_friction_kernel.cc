#include "amontons/optimization/ccp/capped/body_friction_kernel.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kMaxDenseVelocities = 60;  // ten free bodies: above, the pattern saves work

/// Computes H += G_row' P and Q += slope n_row' n_column, P = D G_column, for two parts of a
/// contact. H and Q point to the entries of their block, `stride` apart from column to column.
struct PairOfParts {
  const double *row, *product, *column;
  int rows, columns;
  double slope;

  template <int Size>
  void add_fixed(double* H, double* Q, Index stride) const {
    using Block = Map<Eigen::Matrix<double, Size, Size>, 0, Eigen::OuterStride<>>;
    using Part = Map<const Eigen::Matrix<double, 3, Size>>;
    Block(H, Eigen::OuterStride<>(stride)).noalias() +=
        Part(row).transpose().lazyProduct(Part(product));
    if (slope == 0.0) return;
    const Eigen::Matrix<double, 1, Size> scaled = slope * Part(column).row(2);
    Block(Q, Eigen::OuterStride<>(stride)).noalias() +=
        Part(row).row(2).transpose().lazyProduct(scaled);
  }

  void add(double* H, double* Q, Index stride) const {
    // Products of free bodies are unrolled.
    if (rows == 6 && columns == 6) return add_fixed<6>(H, Q, stride);
    for (int c = 0; c < columns; ++c) {
      const double normal = slope * column[3 * c + 2];
      for (int r = 0; r < rows; ++r) {
        const double* own = row + 3 * r;
        const double* of_column = product + 3 * c;
        H[c * stride + r] += own[0] * of_column[0] + own[1] * of_column[1] + own[2] * of_column[2];
        Q[c * stride + r] += own[2] * normal;
      }
    }
  }
};

/// Adds all contacts to H and Q: calls place(row part, column part), which returns the first
/// entries of their block in H and Q, or nothing.
template <typename Place>
void add_contacts(const BodySpaceOperator& rows, std::span<const Matrix3d> D,
                  const VectorXd& slopes, const Place& place) {
  Eigen::Matrix3Xd product;
  for (std::size_t i = 0; i < D.size(); ++i) {
    const double slope = slopes(static_cast<Index>(i));
    if (slope == 0.0 && D[i].isZero(0.0)) continue;
    for (const BodySpaceOperator::Part& column : rows.parts(i)) {
      const auto values = rows.values(column);
      product.resize(3, column.size);
      for (int c = 0; c < column.size; ++c) {
        product.col(c).noalias() = D[i].lazyProduct(values.col(c));
      }
      for (const BodySpaceOperator::Part& row : rows.parts(i)) {
        const auto [H, Q, stride] = place(row, column);
        if (H == nullptr) continue;
        PairOfParts{
            rows.values(row).data(), product.data(), values.data(), row.size, column.size, slope}
            .add(H, Q, stride);
      }
    }
  }
}

/// Points to the first entries of a pair's block in H and Q.
struct Places {
  double *H = nullptr, *Q = nullptr;
  Index stride = 0;
};

}  // namespace

void BodyFrictionKernel::reset(const BodySpaceOperator& rows, const VectorXd& weights) {
  rows_ = &rows;
  weights_ = &weights;
  sizes_ = rows.body_sizes();
  offsets_ = rows.body_offsets();
  num_velocities_ = rows.kernel_size();
  if (num_velocities_ <= kMaxDenseVelocities) return;
  // A body's dv and dw are one node; bodies that share a contact are neighbors.
  node_sizes_.clear();
  for (const int size : sizes_) node_sizes_.push_back(2 * size);
  rows.find_body_pairs(pairs_);
  sparse_.set_pattern(node_sizes_, pairs_);
}

bool BodyFrictionKernel::factor(std::span<const Matrix3d> D, const VectorXd& slopes,
                                double price_slope) {
  D_ = D;
  slopes_ = slopes;
  price_slope_ = price_slope;
  if (!(num_velocities_ <= kMaxDenseVelocities ? factor_dense() : factor_sparse())) return false;
  if (price_slope_ == 0.0) return true;
  // The response to dp = 1: k = D a n.
  VectorXd k = VectorXd::Zero(3 * num_contacts());
  for (Index i = 0; i < num_contacts(); ++i) {
    k.segment<3>(3 * i) = (*weights_)(i)*D_[static_cast<std::size_t>(i)].col(2);
  }
  respond(k, VectorXd::Zero(num_contacts()), unit_price_);
  for (Index i = 0; i < num_contacts(); ++i) unit_price_.gamma(3 * i + 2) += (*weights_)(i);
  return unit_price_.x.allFinite();
}

/// Factors Q and H + Q^-1.
bool BodyFrictionKernel::factor_dense() {
  Q_matrix_.setIdentity(num_velocities_, num_velocities_);
  H_.setZero(num_velocities_, num_velocities_);
  add_contacts(*rows_, D_, slopes_, [&](const auto& row, const auto& column) {
    return Places{&H_(row.offset, column.offset), &Q_matrix_(row.offset, column.offset),
                  num_velocities_};
  });
  Q_.compute(Q_matrix_);
  if (Q_.info() != Eigen::Success) return false;
  // H + Q^-1.
  Q_matrix_.setIdentity();
  Q_.solveInPlace(Q_matrix_);
  H_ += Q_matrix_;
  sum_.compute(H_);
  return sum_.info() == Eigen::Success;
}

/// Factors [-Q 1; 1 H], body by body.
bool BodyFrictionKernel::factor_sparse() {
  sparse_.clear();
  for (int body = 0; body < static_cast<int>(sizes_.size()); ++body) {
    const Index size = sizes_[static_cast<std::size_t>(body)];
    Map<MatrixXd> own = sparse_.block(body, body);
    own.topLeftCorner(size, size) = -MatrixXd::Identity(size, size);
    own.bottomLeftCorner(size, size).setIdentity();
  }
  add_contacts(*rows_, D_, -slopes_, [&](const auto& row, const auto& column) {
    // The other triangle is not read.
    if (!sparse_.is_stored(row.body, column.body)) return Places{};
    Map<MatrixXd> own = sparse_.block(row.body, column.body);
    return Places{&own(row.size, column.size), own.data(), own.rows()};
  });
  return sparse_.factor_quasidefinite();
}

/// Computes dv and dw of k and e, without a price.
void BodyFrictionKernel::solve_fields(const VectorXd& k, const VectorXd& e) {
  // dv_ = G_n' e, dw_ = -G' k.
  only_normals_.setZero(3 * num_contacts());
  for (Index i = 0; i < num_contacts(); ++i) only_normals_(3 * i + 2) = e(i);
  rows_->transpose_times(only_normals_, dv_);
  rows_->transpose_times(k, dw_);
  dw_ = -dw_;
  if (num_velocities_ <= kMaxDenseVelocities) {
    // (H + Q^-1) dw = -G' k + Q^-1 G_n' e,  dv = Q^-1 (dw - G_n' e).
    const VectorXd normals = dv_;
    dw_ += Q_.solve(normals);
    sum_.solveInPlace(dw_);
    dv_ = Q_.solve(dw_ - normals);
    return;
  }
  both_.resize(2 * num_velocities_);
  for (std::size_t body = 0; body < sizes_.size(); ++body) {
    both_.segment(2 * offsets_[body], sizes_[body]) = dv_.segment(offsets_[body], sizes_[body]);
    both_.segment(2 * offsets_[body] + sizes_[body], sizes_[body]) =
        dw_.segment(offsets_[body], sizes_[body]);
  }
  sparse_.solve(both_);
  for (std::size_t body = 0; body < sizes_.size(); ++body) {
    dv_.segment(offsets_[body], sizes_[body]) = both_.segment(2 * offsets_[body], sizes_[body]);
    dw_.segment(offsets_[body], sizes_[body]) =
        both_.segment(2 * offsets_[body] + sizes_[body], sizes_[body]);
  }
}

/// Computes the direction of k and e without a price, back at the contacts.
void BodyFrictionKernel::respond(const VectorXd& k, const VectorXd& e, Direction& direction) {
  solve_fields(k, e);
  rows_->times(dw_, direction.gamma);
  VectorXd u;
  rows_->times(dv_, u);
  direction.x.resize(3 * num_contacts());
  direction.multipliers.resize(num_contacts());
  direction.slack.resize(num_contacts());
  for (Index i = 0; i < num_contacts(); ++i) {
    direction.x.segment<3>(3 * i) =
        -k.segment<3>(3 * i) - D_[static_cast<std::size_t>(i)] * direction.gamma.segment<3>(3 * i);
    direction.slack(i) = u(3 * i + 2);
    direction.multipliers(i) = -e(i) - slopes_(i) * direction.slack(i);
  }
  direction.price = 0.0;
}

void BodyFrictionKernel::solve(const Constants& constants, Direction& direction) {
  double price = constants.price;
  if (price_slope_ == 0.0 && price != 0.0) {
    // A price that changes by g alone acts through k = D a n.
    Eigen::VectorXd k = constants.reactions;
    for (Index i = 0; i < num_contacts(); ++i) {
      k.segment<3>(3 * i) += price * (*weights_)(i)*D_[static_cast<std::size_t>(i)].col(2);
    }
    respond(k, constants.multipliers, direction);
    for (Index i = 0; i < num_contacts(); ++i) {
      direction.gamma(3 * i + 2) += price * (*weights_)(i);
    }
    direction.price = price;
    return;
  }
  respond(constants.reactions, constants.multipliers, direction);
  if (price_slope_ == 0.0) return;
  // dp = g + pi a'dx_n, with the response to dp = 1.
  double own = 0.0, per_price = 0.0;
  for (Index i = 0; i < num_contacts(); ++i) {
    own += (*weights_)(i)*direction.x(3 * i + 2);
    per_price += (*weights_)(i)*unit_price_.x(3 * i + 2);
  }
  price = (price + price_slope_ * own) / (1.0 - price_slope_ * per_price);
  direction.x += price * unit_price_.x;
  direction.multipliers += price * unit_price_.multipliers;
  direction.gamma += price * unit_price_.gamma;
  direction.slack += price * unit_price_.slack;
  direction.price = price;
}

}  // namespace amontons
