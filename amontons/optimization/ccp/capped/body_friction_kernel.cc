#include "amontons/optimization/ccp/capped/body_friction_kernel.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kRefinements = 1;            // of each solution
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
void add_contacts(const BodySpaceOperator& rows, std::span<const SymmetricBlock> D,
                  const VectorXd& slopes, const Place& place) {
  Eigen::Matrix3Xd product;
  for (std::size_t i = 0; i < D.size(); ++i) {
    const double slope = slopes(static_cast<Index>(i));
    if (slope == 0.0 && D[i].is_zero()) continue;
    const Matrix3d own = D[i].matrix();
    for (const BodySpaceOperator::Part& column : rows.parts(i)) {
      const auto values = rows.values(column);
      product.resize(3, column.size);
      for (int c = 0; c < column.size; ++c) {
        product.col(c).noalias() = own.lazyProduct(values.col(c));
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

bool BodyFrictionKernel::factor(std::span<const SymmetricBlock> D, const VectorXd& slopes,
                                double price_slope) {
  D_ = D;
  slopes_ = slopes;
  price_slope_ = price_slope;
  if (!(num_velocities_ <= kMaxDenseVelocities ? factor_dense() : factor_sparse())) return false;
  if (price_slope_ == 0.0) return true;
  // The response to dp = 1: k = D a n.
  scratch_.resize(3 * num_contacts());
  for (Index i = 0; i < num_contacts(); ++i) {
    scratch_.segment<3>(3 * i) =
        D_[static_cast<std::size_t>(i)] * Vector3d(0.0, 0.0, -(*weights_)(i));
  }
  rows_->transpose_times(scratch_, of_price_.dw);
  of_price_.dv.setZero(num_velocities_);
  solve_without_price(of_price_);
  pressed_by_price_ = pressed(of_price_.dw, 1.0);
  return of_price_.dv.allFinite() && of_price_.dw.allFinite();
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

/// Solves -Q dv + dw = f, dv + H dw = g; f and g come in dv and dw.
void BodyFrictionKernel::solve_without_price(Fields& fields) {
  if (num_velocities_ <= kMaxDenseVelocities) {
    // (H + Q^-1) dw = g + Q^-1 f,  dv = Q^-1 (dw - f).
    const VectorXd f = fields.dv;
    fields.dw += Q_.solve(f);
    sum_.solveInPlace(fields.dw);
    fields.dv = Q_.solve(fields.dw - f);
    return;
  }
  both_.resize(2 * num_velocities_);
  for (std::size_t body = 0; body < sizes_.size(); ++body) {
    const Index first = offsets_[body], size = sizes_[body];
    both_.segment(2 * first, size) = fields.dv.segment(first, size);
    both_.segment(2 * first + size, size) = fields.dw.segment(first, size);
  }
  sparse_.solve(both_);
  for (std::size_t body = 0; body < sizes_.size(); ++body) {
    const Index first = offsets_[body], size = sizes_[body];
    fields.dv.segment(first, size) = both_.segment(2 * first, size);
    fields.dw.segment(first, size) = both_.segment(2 * first + size, size);
  }
}

/// Solves the fields and dp = price + pi a'dx_n, where dx changes with the fields alone.
void BodyFrictionKernel::solve_fields(Fields& fields) {
  solve_without_price(fields);
  if (price_slope_ == 0.0) return;
  fields.price = (fields.price + price_slope_ * pressed(fields.dw, 0.0)) /
                 (1.0 - price_slope_ * pressed_by_price_);
  fields.dv += fields.price * of_price_.dv;
  fields.dw += fields.price * of_price_.dw;
}

/// Returns a'dx_n of dx = -D (G dw + a n price).
double BodyFrictionKernel::pressed(const VectorXd& dw, double price) {
  rows_->times(dw, scratch_);
  double sum = 0.0;
  for (Index i = 0; i < num_contacts(); ++i) {
    const double weight = (*weights_)(i);
    Vector3d dgamma = scratch_.segment<3>(3 * i);
    dgamma.z() += weight * price;
    sum -= weight * (D_[static_cast<std::size_t>(i)] * dgamma).z();
  }
  return sum;
}

/// Computes the direction at the contacts.
void BodyFrictionKernel::write_contacts(const Constants& constants, const Fields& fields,
                                        Direction& direction) {
  direction.x.resize(3 * num_contacts());
  direction.multipliers.resize(num_contacts());
  direction.slack.resize(num_contacts());
  direction.price = fields.price;
  rows_->times(fields.dw, direction.gamma);
  rows_->times(fields.dv, scratch_);
  for (Index i = 0; i < num_contacts(); ++i) {
    direction.gamma(3 * i + 2) += fields.price * (*weights_)(i);
    direction.x.segment<3>(3 * i) =
        -constants.reactions.segment<3>(3 * i) -
        D_[static_cast<std::size_t>(i)] * Vector3d(direction.gamma.segment<3>(3 * i));
    direction.slack(i) = scratch_(3 * i + 2);
    direction.multipliers(i) = -constants.multipliers(i) - slopes_(i) * direction.slack(i);
  }
}

/// Finds what the fields miss: dv - G_n' dlambda - dw, G' dx - dv, and g + pi a'dx_n - dp.
void BodyFrictionKernel::find_missed(const Constants& constants, const Fields& fields,
                                     const Direction& direction) {
  scratch_.setZero(3 * num_contacts());
  double own = 0.0;
  for (Index i = 0; i < num_contacts(); ++i) {
    scratch_(3 * i + 2) = direction.multipliers(i);
    own += (*weights_)(i)*direction.x(3 * i + 2);
  }
  rows_->transpose_times(scratch_, missed_.dv);
  missed_.dv = fields.dv - missed_.dv - fields.dw;
  rows_->transpose_times(direction.x, missed_.dw);
  missed_.dw -= fields.dv;
  missed_.price = constants.price + price_slope_ * own - fields.price;
}

void BodyFrictionKernel::solve(const Constants& constants, int refinements, Direction& direction) {
  // From zero fields, what they miss is the right-hand side. A price without a slope is given.
  fields_.dv.setZero(num_velocities_);
  fields_.dw.setZero(num_velocities_);
  fields_.price = price_slope_ == 0.0 ? constants.price : 0.0;
  write_contacts(constants, fields_, direction);
  for (int round = 0; round <= refinements; ++round) {
    find_missed(constants, fields_, direction);
    solve_fields(missed_);
    fields_.dv += missed_.dv;
    fields_.dw += missed_.dw;
    if (price_slope_ != 0.0) fields_.price += missed_.price;
    write_contacts(constants, fields_, direction);
  }
}

}  // namespace amontons
