#include "amontons/optimization/ccp/capped/contact_cones.h"

#include <algorithm>
#include <cmath>

namespace amontons {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

ContactCones::ContactCones(const CappedContacts& contacts, Eigen::Index i)
    : cone_(contacts.cone(i)) {
  const bool presses = contacts.may_press(i), has_disc = contacts.has_disc(i);
  if (contacts.is_closed(i) || !(presses || has_disc)) {
    freedom_ = Freedom::None;
  } else if (!has_disc) {
    freedom_ = Freedom::Halfline;
  } else if (!presses) {
    freedom_ = Freedom::Disc;
  } else {
    freedom_ = cone_.friction_offset > 0.0 ? Freedom::OffsetCone : Freedom::Cone;
  }
  scale_ = 1.0 / std::max(1.0, cone_.mu);
}

void ContactCones::start(const Vector3d& x, double gap) {
  x_n_ = x.z();
  if (has_cone()) {
    sigma_ = image(x);
    sigma_(0) += scale_ * cone_.friction_offset;
    z_ = Vector3d(gap / sigma_(0), 0.0, 0.0);
  }
  if (has_halfline()) nu_ = gap / x_n_;
}

double ContactCones::gap_after(double step) const {
  return (has_cone() ? (sigma_ + step * dsigma_).dot(z_ + step * dz_) : 0.0) +
         (has_halfline() ? (x_n_ + step * dx_n_) * (nu_ + step * dnu_) : 0.0);
}

Vector3d ContactCones::pull() const {
  Vector3d result = has_cone() ? pull_back(z_) : Vector3d(Vector3d::Zero());
  if (has_halfline()) result.z() += nu_;
  return result;
}

SymmetricBlock ContactCones::linearize(double compliance) {
  compliance_ = compliance;
  if (freedom_ == Freedom::None) return {};
  if (freedom_ == Freedom::Halfline) {
    return {Matrix3d::Identity(), {0.0, 0.0, x_n_ / (nu_ + compliance * x_n_)}};
  }
  scaling_ = nesterov_todd(sigma_, z_);
  if (freedom_ == Freedom::Cone && is_square()) return of_cone();
  const Matrix3d D = of_offset_cone();
  const Matrix3d soft = D * (Matrix3d::Identity() + compliance * D).inverse();
  return SymmetricBlock::of(0.5 * (soft + soft.transpose()));
}

/// Returns F^-1 (W^-2 + c)^-1 F^-T, by the eigenvalues of W.
SymmetricBlock ContactCones::of_cone() const {
  const ScalingAxes of_W = axes_of(scaling_);
  SymmetricBlock result;
  for (int k = 0; k < 3; ++k) {
    const double squared = of_W.values(k) * of_W.values(k);
    result.values(k) = squared / (1.0 + compliance_ * squared);
    result.axes.col(k) = from_primal(of_W.vectors.col(k), cone_.mu) / scale_;
  }
  return result;
}

/// Returns D of a disc, of a contact without friction but an offset, and of a cone with an offset.
Matrix3d ContactCones::of_offset_cone() const {
  Matrix3d D = Matrix3d::Zero();
  const Matrix3d squared = scaling_.W * scaling_.W / (scale_ * scale_);
  const double mu = cone_.mu;
  if (!is_square()) {
    // sigma_0 is constant: the Schur complement of W^-2.
    D.topLeftCorner<2, 2>() = squared.bottomRightCorner<2, 2>() -
                              squared.block<2, 1>(1, 0) * squared.block<1, 2>(0, 1) / squared(0, 0);
    if (freedom_ == Freedom::OffsetCone) D(2, 2) = x_n_ / nu_;
    return D;
  }
  D.topLeftCorner<2, 2>() = squared.bottomRightCorner<2, 2>();
  D.block<2, 1>(0, 2) = squared.block<2, 1>(1, 0) / mu;
  D.block<1, 2>(2, 0) = squared.block<1, 2>(0, 1) / mu;
  D(2, 2) = squared(0, 0) / (mu * mu);
  // The halfline adds nu / x_n to the inverse's normal entry.
  const double slope = nu_ / x_n_;
  const Vector3d column = D.col(2);
  D -= column * column.transpose() * (slope / (1.0 + slope * D(2, 2)));
  return D;
}

Vector3d ContactCones::aim(double target, bool corrected) {
  Vector3d wanted = Vector3d::Zero();
  if (has_cone()) {
    Vector3d cone_target = -jordan_product(scaling_.lambda, scaling_.lambda);
    cone_target(0) += target;
    if (corrected) cone_target -= jordan_product(scaling_.inverse * dsigma_, scaling_.W * dz_);
    aimed_z_ = scaling_.inverse * jordan_quotient(cone_target, scaling_.lambda);
    wanted += pull_back(aimed_z_);
  }
  if (has_halfline()) {
    aimed_nu_ = (target - x_n_ * nu_ - (corrected ? dx_n_ * dnu_ : 0.0)) / x_n_;
    wanted.z() += aimed_nu_;
  }
  return wanted;
}

void ContactCones::follow(const Vector3d& dx, const Vector3d& dpull) {
  dx_n_ = dx.z();
  if (has_cone()) dsigma_ = image(dx);
  // What the compliance adds to the pull.
  const bool in_cone = freedom_ == Freedom::Cone && is_square();
  const Vector3d softened = dpull + compliance_ * (in_cone ? pull_back(dsigma_) : dx);
  if (has_halfline()) dnu_ = has_cone() ? aimed_nu_ - nu_ / x_n_ * dx_n_ : softened.z();
  if (!has_cone()) return;
  dz_ = aimed_z_ - scaling_.inverse * (scaling_.inverse * dsigma_);
  dz_.tail<2>() = softened.head<2>() / scale_;
  if (is_square()) {
    dz_(0) = (softened.z() - (has_halfline() ? dnu_ : 0.0)) / (scale_ * cone_.mu);
  }
}

double ContactCones::longest_step() const {
  double step = 1e30;
  if (has_cone()) {
    step = std::min(step_to_boundary(sigma_, dsigma_), step_to_boundary(z_, dz_));
  }
  if (has_halfline()) {
    if (dx_n_ < 0.0) step = std::min(step, -x_n_ / dx_n_);
    if (dnu_ < 0.0) step = std::min(step, -nu_ / dnu_);
  }
  return step;
}

void ContactCones::move(double step) {
  x_n_ += step * dx_n_;
  if (has_cone()) {
    sigma_ += step * dsigma_;
    z_ += step * dz_;
  }
  if (has_halfline()) nu_ += step * dnu_;
}

/// Returns F x.
Vector3d ContactCones::image(const Vector3d& x) const {
  return scale_ * Vector3d(freedom_ == Freedom::Disc ? 0.0 : cone_.mu * x.z(), x.x(), x.y());
}

/// Returns F'z.
Vector3d ContactCones::pull_back(const Vector3d& z) const {
  return scale_ * Vector3d(z(1), z(2), freedom_ == Freedom::Disc ? 0.0 : cone_.mu * z(0));
}

}  // namespace amontons
