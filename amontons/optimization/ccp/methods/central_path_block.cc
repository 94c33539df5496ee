#include "amontons/optimization/ccp/methods/central_path_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Output = Eigen::Ref<Eigen::Vector3d>;

constexpr double kSmoothing = 1e-6;            // eps over tau [-]
constexpr double kSlightFriction = 0.1;        // mu [-] below which rows get a scale of their own
constexpr double kHalf = 0.70710678118654752;  // 1/sqrt(2)

/// Splits an eigenvalue: p(l) and s(l) = p - l. The smaller one comes from their product.
void split(double l, double tau, double& p, double& s) {
  const double root = std::sqrt(l * l + 4.0 * tau * tau);
  if (l >= 0.0) {
    p = 0.5 * (l + root);
    s = tau * tau / p;
  } else {
    s = 0.5 * (root - l);
    p = tau * tau / s;
  }
}

/// Returns dp = ds per d(ln tau) of one eigenvalue.
double growth(double p, double s) { return 2.0 * p * s / (p + s); }

/// Returns the weight of z: one over the squared distance of an eigenvalue from zero, softened by
/// tau.
double weight_of(double eigenvalue, double tau) {
  return 1.0 / (eigenvalue * eigenvalue + 4.0 * tau * tau);
}

/// Returns d > 0 with (R - d) (1 + tau^2 / (d (2 R - d))) = w: the distance from the rim of a disc
/// of radius R of the reaction R - d. The left side falls from infinity to 0 on (0, R].
double distance_to_rim(double R, double w, double tau) {
  constexpr int kMaxIterations = 200;
  double low = 0.0, high = R, d = std::min(0.5 * R, tau * tau / (2.0 * (w + tau)));
  for (int k = 0; k < kMaxIterations; ++k) {
    const double r = R - d, gap = d * (2.0 * R - d), load = tau * tau / gap;
    const double value = r * (1.0 + load) - w;
    (value > 0.0 ? low : high) = d;
    // Newton's step in d, or halving where it leaves the bracket.
    const double slope = -1.0 - load - 2.0 * r * r * load / gap;
    double next = d - value / slope;
    if (!(next > low && next < high)) next = low > 0.0 ? std::sqrt(low * high) : 0.5 * high;
    if (std::abs(next - d) <= 4.0 * std::numeric_limits<double>::epsilon() * d) return next;
    d = next;
  }
  return d;
}

}  // namespace

CentralPathBlock::CentralPathBlock(const Cone& cone, ConeLaw law, double speed) {
  if (cone.kind == ConeKind::Equality) {
    kind_ = Kind::Equality;
  } else if (cone.mu == 0.0) {
    kind_ = cone.friction_offset > 0.0 ? Kind::Disc : Kind::Halfline;
    radius_ = cone.friction_offset / speed;
  } else {
    tangent_ = std::min(1.0, cone.mu / kSlightFriction);
    normal_ = tangent_ / cone.mu;
    is_shifted_ = law == ConeLaw::Coulomb;
  }
}

CentralPathBlock::Values CentralPathBlock::evaluate(const Vector3d& z, double tau, Output r,
                                                    Output u) const {
  Values at;
  switch (kind_) {
    case Kind::Cone:
      return evaluate_cone(z, tau, r, u);
    case Kind::Disc:
      return evaluate_disc(z, tau, r, u);
    case Kind::Halfline:
      // Without friction tangential velocities are free: their variable is u itself.
      split(z.z(), tau, at.p_plus, at.s_plus);
      r << 0.0, 0.0, at.p_plus;
      u << z.head<2>(), at.s_plus;
      return at;
    case Kind::Equality:
      r = z;
      u.setZero();
      break;
  }
  return at;
}

CentralPathBlock::Values CentralPathBlock::evaluate_cone(const Vector3d& z, double tau, Output r,
                                                         Output u) const {
  Values at;
  const double length = z.head<2>().norm();
  if (length > 0.0) at.e = z.head<2>() / length;
  split(z.z() + length, tau, at.p_plus, at.s_plus);
  split(z.z() - length, tau, at.p_minus, at.s_minus);
  // R, the shifted velocity, and U without its shift.
  const double slip = 0.5 * (at.s_plus - at.s_minus), eps = kSmoothing * tau;
  at.shift = is_shifted_ ? std::sqrt(slip * slip + eps * eps) : 0.0;
  r << tangent_ * 0.5 * (at.p_plus - at.p_minus) * at.e, normal_ * 0.5 * (at.p_plus + at.p_minus);
  u << slip / tangent_ * at.e, (0.5 * (at.s_plus + at.s_minus) - at.shift) / normal_;
  return at;
}

CentralPathBlock::Values CentralPathBlock::evaluate_disc(const Vector3d& z, double tau, Output r,
                                                         Output u) const {
  Values at;
  const double length = z.head<2>().norm();
  if (length > 0.0) at.e = z.head<2>() / length;
  const double d = distance_to_rim(radius_, length, tau);
  const double load = tau * tau / (d * (2.0 * radius_ - d));
  at.p_minus = d;
  at.p_plus = length / (1.0 + load);
  at.s_plus = load * at.p_plus;
  r << at.p_plus * at.e, 0.0;
  u << -at.s_plus * at.e, z.z();
  return at;
}

CentralPathBlock::Linearization CentralPathBlock::linearize(const Values& at, const Vector3d& z,
                                                            double tau, double largest_gain) const {
  Linearization result;
  switch (kind_) {
    case Kind::Cone:
      return linearize_cone(at, z, tau, largest_gain);
    case Kind::Disc:
      return linearize_disc(at, z, tau, largest_gain);
    case Kind::Halfline:
      return linearize_halfline(at, z, tau, largest_gain);
    case Kind::Equality:
      result.reaction.setIdentity();
      result.velocity.setZero();
      result.inverse = -largest_gain * Matrix3d::Identity();
      result.D = largest_gain * Matrix3d::Identity();
      result.weight = 1.0 / (z.squaredNorm() + 1.0);
      break;
  }
  return result;
}

CentralPathBlock::Linearization CentralPathBlock::linearize_cone(const Values& at,
                                                                 const Vector3d& z, double tau,
                                                                 double largest_gain) const {
  // Eigenvalues of dR/dz and of -d(shifted velocity)/dz: along (1, e), (1, -e), (0, e_perp).
  const double plus = at.p_plus + at.s_plus, minus = at.p_minus + at.s_minus;
  const Vector3d gains(at.p_plus / plus, at.p_minus / minus,
                       (at.p_plus + at.p_minus) / (plus + minus));
  const Vector3d losses(at.s_plus / plus, at.s_minus / minus,
                        (at.s_plus + at.s_minus) / (plus + minus));
  const Vector3d bounded = losses.cwiseMax(gains / largest_gain);
  // Eigenvectors in the order (t1, t2, n).
  Matrix3d Q;
  Q.col(0) << kHalf * at.e, kHalf;
  Q.col(1) << -kHalf * at.e, kHalf;
  Q.col(2) << -at.e.y(), at.e.x(), 0.0;
  // The shift g adds the row k e' to the normal velocity: S = I + n k e'.
  const double slip = 0.5 * (at.s_plus - at.s_minus);
  const double k = at.shift > 0.0 ? slip / at.shift : 0.0;
  Matrix3d S = Matrix3d::Identity(), unshift = Matrix3d::Identity();
  S.block<1, 2>(2, 0) = k * at.e.transpose();
  unshift.block<1, 2>(2, 0) = -k * at.e.transpose();
  // Units: r = c R, u = U / c.
  const Vector3d c(tangent_, tangent_, normal_);
  const Matrix3d solved = S * c.asDiagonal();
  Linearization result;
  result.reaction = c.asDiagonal() * Q * gains.asDiagonal() * Q.transpose();
  result.velocity =
      -(c.cwiseInverse().asDiagonal() * unshift * Q * losses.asDiagonal() * Q.transpose());
  result.inverse = -(Q * bounded.cwiseInverse().asDiagonal() * Q.transpose() * solved);
  result.D =
      c.asDiagonal() * Q * gains.cwiseQuotient(bounded).asDiagonal() * Q.transpose() * solved;
  const double length = z.head<2>().norm();
  const double nearest = std::min(std::abs(z.z() + length), std::abs(z.z() - length));
  result.weight = weight_of(nearest, tau);
  return result;
}

CentralPathBlock::Linearization CentralPathBlock::linearize_halfline(const Values& at,
                                                                     const Vector3d& z, double tau,
                                                                     double largest_gain) const {
  const double root = at.p_plus + at.s_plus, gain = at.p_plus / root, loss = at.s_plus / root;
  const double bounded = std::max(loss, gain / largest_gain);
  Linearization result;
  result.reaction = Vector3d(0.0, 0.0, gain).asDiagonal();
  result.velocity = Vector3d(1.0, 1.0, -loss).asDiagonal();
  result.inverse = Vector3d(1.0, 1.0, -1.0 / bounded).asDiagonal();
  result.D = Vector3d(0.0, 0.0, gain / bounded).asDiagonal();
  result.weight = weight_of(z.z(), tau);
  return result;
}

double CentralPathBlock::disc_stiffness(const Values& at, double tau) const {
  const double gap = at.p_minus * (2.0 * radius_ - at.p_minus);
  return tau * tau / gap * (1.0 + 2.0 * at.p_plus * at.p_plus / gap);
}

CentralPathBlock::Linearization CentralPathBlock::linearize_disc(const Values& at,
                                                                 const Vector3d& z, double tau,
                                                                 double largest_gain) const {
  // Along e: dr = dz/(1 + stiffness); across it r and u turn with z.
  const double stiffness = disc_stiffness(at, tau);
  const double load = tau * tau / (at.p_minus * (2.0 * radius_ - at.p_minus));
  const Vector2d gains(1.0 / (1.0 + stiffness), 1.0 / (1.0 + load));
  const Vector2d losses(stiffness / (1.0 + stiffness), load / (1.0 + load));
  const Vector2d bounded = losses.cwiseMax(gains / largest_gain);
  const Matrix2d along = at.e * at.e.transpose(), across = Matrix2d::Identity() - along;
  const auto matrix = [&](const Vector2d& values) {
    Matrix3d result = Matrix3d::Zero();
    result.topLeftCorner<2, 2>() = values.x() * along + values.y() * across;
    return result;
  };
  Linearization result;
  result.reaction = matrix(gains);
  result.velocity = matrix(-losses);
  result.inverse = matrix(-bounded.cwiseInverse());
  result.D = matrix(gains.cwiseQuotient(bounded));
  // The normal row: u_n = z_n.
  result.velocity(2, 2) = result.inverse(2, 2) = 1.0;
  result.weight = weight_of(z.head<2>().norm() - radius_, tau);
  return result;
}

void CentralPathBlock::along_tau(const Values& at, double tau, Output dr, Output du) const {
  dr.setZero();
  du.setZero();
  if (kind_ == Kind::Cone) {
    const double plus = growth(at.p_plus, at.s_plus), minus = growth(at.p_minus, at.s_minus);
    const double sum = 0.5 * (plus + minus), difference = 0.5 * (plus - minus);
    const double slip = 0.5 * (at.s_plus - at.s_minus), eps = kSmoothing * tau;
    const double shift = at.shift > 0.0 ? (slip * difference + eps * eps) / at.shift : 0.0;
    dr << tangent_ * difference * at.e, normal_ * sum;
    du << difference / tangent_ * at.e, (sum - shift) / normal_;
  } else if (kind_ == Kind::Halfline) {
    dr.z() = du.z() = growth(at.p_plus, at.s_plus);
  } else if (kind_ == Kind::Disc) {
    // z = r - u is fixed: u changes as r does.
    dr.head<2>() = du.head<2>() = -2.0 * at.s_plus / (1.0 + disc_stiffness(at, tau)) * at.e;
  }
}

}  // namespace amontons
