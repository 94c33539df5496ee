#include "amontons/optimization/ccp/methods/central_path_point.h"

#include "amontons/math/elementary.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kSmoothing = 1e-6;       // eps over tau [-]
constexpr double kSlightFriction = 0.1;   // mu [-] below which rows get a scale of their own
constexpr double kCompliancePower = 6.0;  // exponent of tau

/// Returns p(l) and s(l) = p - l of one eigenvalue; the smaller one comes from their product.
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

/// Returns d > 0 with (R - d) (1 + tau^2 / (d (2 R - d))) = w: the distance from the rim of a disc
/// of radius R of the reaction R - d. The left side falls from infinity to 0 on (0, R].
double distance_to_rim(double R, double w, double tau) {
  constexpr int kMaxIterations = 200;
  double low = 0.0, high = R, d = std::min(0.5 * R, tau * tau / (2.0 * (w + tau)));
  for (int k = 0; k < kMaxIterations; ++k) {
    const double r = R - d, gap = d * (2.0 * R - d), load = tau * tau / gap;
    const double value = r * (1.0 + load) - w;
    if (value > 0.0) low = d;
    if (value <= 0.0) high = d;
    // Newton's step in d, or halving where it leaves the bracket.
    const double slope = -1.0 - load - 2.0 * r * r * load / gap;
    double next = d - value / slope;
    if (!(next > low && next < high)) next = low > 0.0 ? std::sqrt(low * high) : 0.5 * (low + high);
    if (std::abs(next - d) <= 4.0 * std::numeric_limits<double>::epsilon() * d) return next;
    d = next;
  }
  return d;
}

}  // namespace

bool CentralPathPoint::supports(const ConeProblem& problem) {
  return std::all_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
    return cone.polygon == nullptr && (cone.mu == 0.0 || cone.friction_offset == 0.0);
  });
}

CentralPathPoint::CentralPathPoint(const ConeProblem& problem, const CentralPathSystem& system,
                                   ConeWorkspace& work)
    : problem_(problem), system_(system), work_(work) {
  const std::size_t n = problem.cones.size();
  // V: the rows of q have the mean square V^2.
  speed_ = problem.q.norm() / std::sqrt(std::max<double>(1.0, static_cast<double>(n)));
  if (!(speed_ > 0.0)) speed_ = 1.0;
  q_ = problem.q / speed_;
  for (const Cone& cone : problem.cones) {
    Kind kind = Kind::Cone;
    if (cone.kind == ConeKind::Equality) {
      kind = Kind::Equality;
    } else if (cone.mu == 0.0) {
      kind = cone.friction_offset > 0.0 ? Kind::Disc : Kind::Halfline;
    }
    kinds_.push_back(kind);
    const double a = kind == Kind::Cone ? std::min(1.0, cone.mu / kSlightFriction) : 1.0;
    normal_scale_.push_back(kind == Kind::Cone ? a / cone.mu : 1.0);
    tangent_scale_.push_back(a);
  }
  present_.z.setZero(problem.q.size());
  evaluate(present_);
  reaction_.resize(n);
  inverse_.resize(n);
  velocity_.resize(n);
  softened_.resize(n);
  disc_slopes_.resize(n);
  weights_.setOnes(problem.q.size());
}

double CentralPathPoint::compliance() const {
  return system_.compliance * elementary::exp(kCompliancePower * present_.log_tau);
}

void CentralPathPoint::evaluate_cone(int i, double tau, State& state) const {
  const std::size_t k = static_cast<std::size_t>(i);
  Block& block = state.blocks[k];
  const Vector3d z = state.z.segment<3>(3 * i);
  const double length = z.head<2>().norm();
  if (length > 0.0) block.e = z.head<2>() / length;
  split(z.z() + length, tau, block.p_plus, block.s_plus);
  split(z.z() - length, tau, block.p_minus, block.s_minus);
  // R, the shifted velocity, and U without its shift.
  const double slip = 0.5 * (block.s_plus - block.s_minus);
  const double eps = kSmoothing * tau;
  block.shift = problem_.law == ConeLaw::Coulomb ? std::sqrt(slip * slip + eps * eps) : 0.0;
  const double normal = normal_scale_[k], tangent = tangent_scale_[k];
  state.r.segment<2>(3 * i) = tangent * 0.5 * (block.p_plus - block.p_minus) * block.e;
  state.r(3 * i + 2) = normal * 0.5 * (block.p_plus + block.p_minus);
  state.u.segment<2>(3 * i) = slip / tangent * block.e;
  state.u(3 * i + 2) = (0.5 * (block.s_plus + block.s_minus) - block.shift) / normal;
}

void CentralPathPoint::evaluate_disc(int i, double tau, State& state) const {
  const std::size_t k = static_cast<std::size_t>(i);
  Block& block = state.blocks[k];
  const Vector2d z = state.z.segment<2>(3 * i);
  const double length = z.norm(), radius = problem_.cones[k].friction_offset / speed_;
  if (length > 0.0) block.e = z / length;
  // Kept in the block: the distance d from the rim, |r_t| and |u_t|.
  const double d = distance_to_rim(radius, length, tau);
  const double load = tau * tau / (d * (2.0 * radius - d));
  block.p_minus = d;
  block.p_plus = length / (1.0 + load);
  block.s_plus = load * block.p_plus;
  state.r.segment<3>(3 * i) << block.p_plus * block.e, 0.0;
  // z = r - u; the normal row is empty: r_n = 0 and u_n whatever it is.
  state.u.segment<3>(3 * i) << -block.s_plus * block.e, state.z(3 * i + 2);
}

void CentralPathPoint::evaluate(State& state) {
  const std::size_t n = problem_.cones.size();
  const double tau = elementary::exp(state.log_tau);
  state.r.resize(state.z.size());
  state.u.resize(state.z.size());
  state.blocks.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const int i = static_cast<int>(k);
    switch (kinds_[k]) {
      case Kind::Cone:
        evaluate_cone(i, tau, state);
        break;
      case Kind::Disc:
        evaluate_disc(i, tau, state);
        break;
      case Kind::Halfline: {
        Block& block = state.blocks[k];
        split(state.z(3 * i + 2), tau, block.p_plus, block.s_plus);
        // Without friction tangential velocities are free: their variable is u itself.
        state.r.segment<3>(3 * i) << 0.0, 0.0, block.p_plus;
        state.u.segment<3>(3 * i) << state.z.segment<2>(3 * i), block.s_plus;
        break;
      }
      case Kind::Equality:
        state.r.segment<3>(3 * i) = state.z.segment<3>(3 * i);
        state.u.segment<3>(3 * i).setZero();
        break;
    }
  }
  // F = u - (W + compliance) r - q.
  problem_.W->apply(state.r, state.F);
  const double softness = system_.compliance * elementary::exp(kCompliancePower * state.log_tau);
  state.F = state.u - state.F - softness * state.r - q_;
  state.residual = state.F.norm() / std::sqrt(std::max<double>(1.0, static_cast<double>(n)));
  if (!std::isfinite(state.residual)) state.residual = std::numeric_limits<double>::infinity();
}

double CentralPathPoint::evaluate_trial(const Eigen::VectorXd& z, double log_tau) {
  trial_.z = z;
  trial_.log_tau = log_tau;
  evaluate(trial_);
  return trial_.residual;
}

void CentralPathPoint::accept_trial() { std::swap(present_, trial_); }

void CentralPathPoint::linearize_cone(int i, double tau) {
  const std::size_t k = static_cast<std::size_t>(i);
  const Block& block = present_.blocks[k];
  // Eigenvalues of dR/dz (gains) and of -d(shifted velocity)/dz: along (1, e), (1, -e), (0,
  // e_perp).
  const double root_plus = block.p_plus + block.s_plus, root_minus = block.p_minus + block.s_minus;
  const Vector3d gains(block.p_plus / root_plus, block.p_minus / root_minus,
                       (block.p_plus + block.p_minus) / (root_plus + root_minus));
  const Vector3d losses(block.s_plus / root_plus, block.s_minus / root_minus,
                        (block.s_plus + block.s_minus) / (root_plus + root_minus));
  // Eigenvectors in the order (t1, t2, n).
  constexpr double kHalf = 0.70710678118654752;
  Matrix3d Q;
  Q.col(0) << kHalf * block.e, kHalf;
  Q.col(1) << -kHalf * block.e, kHalf;
  Q.col(2) << -block.e.y(), block.e.x(), 0.0;
  const Vector3d bounded = losses.cwiseMax(gains / system_.largest_gain);
  // The shift g adds the row k e' to the normal velocity: S = I + n k e'.
  const double slip = 0.5 * (block.s_plus - block.s_minus);
  const double share = block.shift > 0.0 ? slip / block.shift : 0.0;
  Matrix3d S = Matrix3d::Identity(), unshift = Matrix3d::Identity();
  S.block<1, 2>(2, 0) = share * block.e.transpose();
  unshift.block<1, 2>(2, 0) = -share * block.e.transpose();
  const Vector3d c(tangent_scale_[k], tangent_scale_[k], normal_scale_[k]);
  const Matrix3d G = Q * gains.asDiagonal() * Q.transpose();
  reaction_[k] = c.asDiagonal() * G;
  velocity_[k] =
      -(c.cwiseInverse().asDiagonal() * unshift * Q * losses.asDiagonal() * Q.transpose());
  const Matrix3d solved = S * c.asDiagonal();
  inverse_[k] = -(Q * bounded.cwiseInverse().asDiagonal() * Q.transpose() * solved);
  // D = c G Hc^-1 S c from the quotients, which lose no digits.
  work_.D[k] =
      c.asDiagonal() * Q * gains.cwiseQuotient(bounded).asDiagonal() * Q.transpose() * solved;
  // Local metric: the eigenvalue nearer to zero.
  const double sum = present_.z(3 * i + 2), length = present_.z.segment<2>(3 * i).norm();
  const double nearest = std::min(std::abs(sum + length), std::abs(sum - length));
  weights_.segment<3>(3 * i).setConstant(1.0 / (nearest * nearest + 4.0 * tau * tau));
}

void CentralPathPoint::linearize_disc(int i, double tau) {
  const std::size_t k = static_cast<std::size_t>(i);
  const Block& block = present_.blocks[k];
  const double radius = problem_.cones[k].friction_offset / speed_;
  const double d = block.p_minus, r = block.p_plus, gap = d * (2.0 * radius - d);
  // Along e: dr = dz/(1 + kappa), du = -kappa dr; across it r and u turn with z.
  const double load = tau * tau / gap;
  const double kappa = load * (1.0 + 2.0 * r * r / gap);
  const Matrix3d none = Matrix3d::Zero();
  const auto along_and_across = [&](double along, double across) {
    Matrix3d result = none;
    const Eigen::Matrix2d ee = block.e * block.e.transpose();
    result.topLeftCorner<2, 2>() = along * ee + across * (Eigen::Matrix2d::Identity() - ee);
    return result;
  };
  const double gain_along = 1.0 / (1.0 + kappa), gain_across = 1.0 / (1.0 + load);
  const double loss_along = std::max(kappa / (1.0 + kappa), gain_along / system_.largest_gain);
  const double loss_across = std::max(load / (1.0 + load), gain_across / system_.largest_gain);
  reaction_[k] = along_and_across(gain_along, gain_across);
  velocity_[k] = -along_and_across(kappa / (1.0 + kappa), load / (1.0 + load));
  inverse_[k] = -along_and_across(1.0 / loss_along, 1.0 / loss_across);
  work_.D[k] = along_and_across(gain_along / loss_along, gain_across / loss_across);
  // The normal row: u_n = z_n.
  velocity_[k](2, 2) = inverse_[k](2, 2) = 1.0;
  // d/d(ln tau) at fixed z: dr (1 + kappa) = -2 u.
  disc_slopes_[k].x() = -2.0 * block.s_plus / (1.0 + kappa);
  const double nearest = std::abs(present_.z.segment<2>(3 * i).norm() - radius);
  weights_.segment<3>(3 * i).setConstant(1.0 / (nearest * nearest + 4.0 * tau * tau));
}

void CentralPathPoint::linearize(int i, double tau) {
  const std::size_t k = static_cast<std::size_t>(i);
  work_.D[k].setZero();
  switch (kinds_[k]) {
    case Kind::Cone:
      linearize_cone(i, tau);
      break;
    case Kind::Disc:
      linearize_disc(i, tau);
      break;
    case Kind::Halfline: {
      const Block& block = present_.blocks[k];
      const double root = block.p_plus + block.s_plus, gain = block.p_plus / root;
      const double bounded = std::max(block.s_plus / root, gain / system_.largest_gain);
      reaction_[k] = Vector3d(0.0, 0.0, gain).asDiagonal();
      velocity_[k] = Vector3d(1.0, 1.0, -block.s_plus / root).asDiagonal();
      inverse_[k] = Vector3d(1.0, 1.0, -1.0 / bounded).asDiagonal();
      work_.D[k](2, 2) = gain / bounded;
      const double z = present_.z(3 * i + 2);
      weights_.segment<3>(3 * i).setConstant(1.0 / (z * z + 4.0 * tau * tau));
      break;
    }
    case Kind::Equality:
      reaction_[k].setIdentity();
      velocity_[k].setZero();
      inverse_[k] = -system_.largest_gain * Matrix3d::Identity();
      work_.D[k] = system_.largest_gain * Matrix3d::Identity();
      weights_.segment<3>(3 * i).setConstant(1.0 /
                                             (present_.z.segment<3>(3 * i).squaredNorm() + 1.0));
      break;
  }
}

bool CentralPathPoint::factor() {
  const std::size_t n = problem_.cones.size();
  const double tau = elementary::exp(present_.log_tau), softness = compliance();
  work_.D.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    linearize(static_cast<int>(k), tau);
    if (softness == 0.0) continue;
    // dr = -D (b + W dr + softness dr), solved for what W adds.
    softened_[k] = (Matrix3d::Identity() + softness * work_.D[k]).inverse();
    work_.D[k] = softened_[k] * work_.D[k];
  }
  return problem_.W->factor(work_.D, problem_.law == ConeLaw::Associated);
}

/// Computes x = P^-1 b, where P is dF/dz with the bounded du/dz.
void CentralPathPoint::precondition(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  const std::size_t n = problem_.cones.size();
  const double softness = compliance();
  work_.c.resize(b.size());
  for (std::size_t k = 0; k < n; ++k) {
    const Index i = 3 * static_cast<Index>(k);
    work_.c.segment<3>(i).noalias() = work_.D[k] * b.segment<3>(i);
  }
  problem_.W->solve(work_.c, work_.dr, work_.du);
  x.resize(b.size());
  for (std::size_t k = 0; k < n; ++k) {
    const Index i = 3 * static_cast<Index>(k);
    x.segment<3>(i).noalias() = inverse_[k] * (b.segment<3>(i) + work_.du.segment<3>(i) +
                                               softness * work_.dr.segment<3>(i));
  }
}

/// Computes b = dF/dz x.
void CentralPathPoint::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& b) {
  const std::size_t n = problem_.cones.size();
  const double softness = compliance();
  image_.resize(x.size());
  for (std::size_t k = 0; k < n; ++k) {
    const Index i = 3 * static_cast<Index>(k);
    image_.segment<3>(i).noalias() = reaction_[k] * x.segment<3>(i);
  }
  problem_.W->apply(image_, b);
  b = -b - softness * image_;
  for (std::size_t k = 0; k < n; ++k) {
    const Index i = 3 * static_cast<Index>(k);
    b.segment<3>(i).noalias() += velocity_[k] * x.segment<3>(i);
  }
}

/// Solves dF/dz x = b by a few steps of GMRES, preconditioned from the right.
void CentralPathPoint::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  const int steps = system_.refinements;
  const double size = b.norm();
  if (steps == 0 || !(size > 0.0)) return precondition(b, x);
  basis_.resize(static_cast<std::size_t>(steps) + 1);
  directions_.resize(static_cast<std::size_t>(steps));
  basis_[0] = b / size;
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(steps + 1, steps);
  int taken = 0;
  for (; taken < steps; ++taken) {
    const std::size_t j = static_cast<std::size_t>(taken);
    precondition(basis_[j], directions_[j]);
    multiply(directions_[j], basis_[j + 1]);
    // Arnoldi's step: the new vector at right angles to the others.
    for (std::size_t l = 0; l <= j; ++l) {
      H(static_cast<Index>(l), taken) = basis_[l].dot(basis_[j + 1]);
      basis_[j + 1] -= H(static_cast<Index>(l), taken) * basis_[l];
    }
    H(taken + 1, taken) = basis_[j + 1].norm();
    if (!(H(taken + 1, taken) > 1e-14)) {
      ++taken;
      break;
    }
    basis_[j + 1] /= H(taken + 1, taken);
  }
  // The combination of directions with the least residual.
  Eigen::VectorXd target = Eigen::VectorXd::Zero(taken + 1);
  target[0] = size;
  const Eigen::VectorXd y = H.topLeftCorner(taken + 1, taken).householderQr().solve(target);
  x.setZero(b.size());
  for (int j = 0; j < taken; ++j) x += y[j] * directions_[static_cast<std::size_t>(j)];
}

void CentralPathPoint::to_path(Eigen::VectorXd& x) {
  rhs_ = -present_.F;
  solve(rhs_, x);
}

/// Computes dF/d(ln tau) at fixed z.
void CentralPathPoint::slope(Eigen::VectorXd& b) {
  const std::size_t n = problem_.cones.size();
  const double tau = elementary::exp(present_.log_tau), eps = kSmoothing * tau,
               softness = compliance();
  image_.setZero(present_.z.size());
  b.setZero(present_.z.size());
  for (std::size_t k = 0; k < n; ++k) {
    const Index i = 3 * static_cast<Index>(k);
    const Block& block = present_.blocks[k];
    // dp = ds = 2 p s / (p + s) for each eigenvalue.
    const auto growth = [](double p, double s) { return 2.0 * p * s / (p + s); };
    if (kinds_[k] == Kind::Cone) {
      const double plus = growth(block.p_plus, block.s_plus);
      const double minus = growth(block.p_minus, block.s_minus);
      const double sum = 0.5 * (plus + minus), difference = 0.5 * (plus - minus);
      image_.segment<2>(i) = tangent_scale_[k] * difference * block.e;
      image_(i + 2) = normal_scale_[k] * sum;
      const double slip = 0.5 * (block.s_plus - block.s_minus);
      const double shift = block.shift > 0.0 ? (slip * difference + eps * eps) / block.shift : 0.0;
      b.segment<2>(i) = difference / tangent_scale_[k] * block.e;
      b(i + 2) = (sum - shift) / normal_scale_[k];
    } else if (kinds_[k] == Kind::Halfline) {
      image_(i + 2) = b(i + 2) = growth(block.p_plus, block.s_plus);
    } else if (kinds_[k] == Kind::Disc) {
      // z = r - u is fixed: u changes as r does.
      image_.segment<2>(i) = b.segment<2>(i) = disc_slopes_[k].x() * block.e;
    }
  }
  problem_.W->apply(image_, response_);
  b -= response_ + softness * (image_ + kCompliancePower * present_.r);
}

void CentralPathPoint::along_path(Eigen::VectorXd& x) {
  slope(rhs_);
  rhs_ = -rhs_;
  solve(rhs_, x);
}

double CentralPathPoint::inner(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
  const double n = std::max<double>(1.0, static_cast<double>(problem_.cones.size()));
  return a.cwiseProduct(weights_).dot(b) / n;
}

void CentralPathPoint::to_iterate(ConeIterate& iterate) const {
  iterate.r = speed_ * present_.r;
  project_on_cones(problem_, iterate.r);
  amontons::evaluate(problem_, iterate);
}

}  // namespace amontons
