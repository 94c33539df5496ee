#include "amontons/optimization/ccp/capped/body_friction_kernel.h"

#include "amontons/optimization/ccp/capped/contact_products.h"

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr Index kMaxDenseVelocities = 60;  // ten free bodies: above, the pattern saves work

}  // namespace

void BodyFrictionKernel::reset(const BodySpaceOperator& rows, const VectorXd& weights) {
  rows_ = &rows;
  weights_ = &weights;
  sizes_ = rows.body_sizes();
  offsets_ = rows.body_offsets();
  num_velocities_ = rows.kernel_size();
  form_ = num_velocities_ <= kMaxDenseVelocities ? Form::Dense
          : MultiplierForm::saves_work(rows)     ? Form::Multipliers
                                                 : Form::Bodies;
  if (form_ == Form::Dense) return;
  if (form_ == Form::Multipliers) return with_multipliers_.reset(rows);
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
  if (!factor_without_price()) return false;
  if (price_slope_ == 0.0) return true;
  // The response to dp = 1: k = D a n.
  scratch_.resize(3 * num_contacts());
  for (Index i = 0; i < num_contacts(); ++i) {
    scratch_.segment<3>(3 * i) =
        D_[static_cast<std::size_t>(i)] * Vector3d(0.0, 0.0, -(*weights_)(i));
  }
  rows_->transpose_times(scratch_, of_price_.dw);
  of_price_.dv.setZero(num_velocities_);
  of_price_.m.setZero(num_unknown_multipliers());
  solve_without_price(of_price_);
  pressed_by_price_ = pressed(of_price_.dw, 1.0);
  return of_price_.dv.allFinite() && of_price_.dw.allFinite();
}

bool BodyFrictionKernel::factor_without_price() {
  switch (form_) {
    case Form::Dense:
      return factor_dense();
    case Form::Bodies:
      return factor_bodies();
    case Form::Multipliers:
      return with_multipliers_.factor(D_, slopes_);
  }
  return false;
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
bool BodyFrictionKernel::factor_bodies() {
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

/// Solves -Q dv + dw = f, dv + H dw = g; f and g come in dv and dw, and e in m where it is unknown.
void BodyFrictionKernel::solve_without_price(Fields& fields) {
  if (form_ == Form::Multipliers) return with_multipliers_.solve(fields.dv, fields.dw, fields.m);
  if (form_ == Form::Dense) {
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
  fields.m += fields.price * of_price_.m;
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
    const double m = form_ == Form::Multipliers ? fields.m(i) : -slopes_(i) * direction.slack(i);
    direction.multipliers(i) = m - constants.multipliers(i);
  }
}

/// Finds what the fields miss: dv - G_n' dlambda - dw, G' dx - dv, g + pi a'dx_n - dp, and
/// m + Lambda G_n dv where m is unknown.
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
  missed_.m = fields.m;
  if (form_ == Form::Multipliers) missed_.m += slopes_.cwiseProduct(direction.slack);
}

void BodyFrictionKernel::solve(const Constants& constants, int refinements, Direction& direction) {
  // From zero fields, what they miss is the right-hand side. A price without a slope is given.
  fields_.dv.setZero(num_velocities_);
  fields_.dw.setZero(num_velocities_);
  fields_.m.setZero(num_unknown_multipliers());
  fields_.price = price_slope_ == 0.0 ? constants.price : 0.0;
  write_contacts(constants, fields_, direction);
  for (int round = 0; round <= refinements; ++round) {
    find_missed(constants, fields_, direction);
    solve_fields(missed_);
    fields_.dv += missed_.dv;
    fields_.dw += missed_.dw;
    fields_.m += missed_.m;
    if (price_slope_ != 0.0) fields_.price += missed_.price;
    write_contacts(constants, fields_, direction);
  }
}

}  // namespace amontons
