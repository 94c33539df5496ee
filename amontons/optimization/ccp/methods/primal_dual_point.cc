#include "amontons/optimization/ccp/methods/primal_dual_point.h"

#include "amontons/optimization/ccp/methods/cone_interior_point.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Compliance [-] c of the reactions, whose W has blocks of about one: y is u, shifted, and c T'T
/// r, T r the point of the second-order cone. It bounds D, which grows without limit where contacts
/// stick, so that the kernel I + G'D G keeps some digits of I. It changes velocities by this share
/// of the reactions. Few contacts need none, and their reactions may be large.
constexpr double kCompliance = 3e-12;
/// Contacts up to which the kernel keeps its digits without a compliance.
constexpr int kMaxRigidContacts = 50;

}  // namespace

PrimalDualPoint::PrimalDualPoint(const ConeProblem& problem, ConeWorkspace& work)
    : problem_(problem),
      work_(work),
      compliance_(problem.num_blocks() > kMaxRigidContacts ? kCompliance : 0.0) {
  const int n = size();
  // The unit of the point: the largest |q_i|.
  scale_ = 0.0;
  for (int i = 0; i < n; ++i) scale_ = std::max(scale_, problem_.q.segment<3>(3 * i).norm());
  if (!(scale_ > 0.0)) scale_ = 1.0;
  r_.setZero(3 * n);
  y_.setZero(3 * n);
  // The first point is the center: r o y = e, on the axes of both cones.
  for (int i = 0; i < n; ++i) {
    if (!has_complementarity(i)) continue;
    const double mu = is_round(i) ? cone(i).mu : 1.0;
    r_(3 * i + 2) = 1.0 / mu;
    y_(3 * i + 2) = mu;
  }
  update_velocity();
  scalings_.resize(static_cast<std::size_t>(n));
  axes_.resize(static_cast<std::size_t>(n));
}

void PrimalDualPoint::move_towards(const ConeIterate& guess, double share) {
  for (int i = 0; i < size(); ++i) {
    // K* of a cone of slope mu is a cone of slope 1/mu.
    if (!is_round(i)) continue;
    Cone dual = cone(i);
    dual.mu = 1.0 / dual.mu;
    const Vector3d u = guess.u.segment<3>(3 * i) / scale_;
    Vector3d lifted = u;
    // y of the guess: its velocity with the De Saxce shift, projected on the dual cone.
    if (is_shifted(i)) lifted.z() += cone(i).mu * u.head<2>().norm();
    auto r = r_.segment<3>(3 * i), y = y_.segment<3>(3 * i);
    r += share * (project(cone(i), guess.r.segment<3>(3 * i) / scale_) - r);
    y += share * (project(dual, lifted) - y);
  }
  update_velocity();
}

void PrimalDualPoint::update_velocity() {
  problem_.W->apply(r_, u_);
  u_ += problem_.q / scale_;
}

double PrimalDualPoint::slip(const Vector3d& u) const {
  return std::sqrt(u.head<2>().squaredNorm() + smoothing_ * smoothing_);
}

Vector2d PrimalDualPoint::shift_gradient(int i) const {
  if (!is_shifted(i)) return Vector2d::Zero();
  const Vector3d u = velocity(i);
  return cone(i).mu * u.head<2>() / slip(u);
}

Vector3d PrimalDualPoint::compliant_part(int i, const Vector3d& r) const {
  const double mu = is_round(i) ? cone(i).mu : 1.0;
  return compliance_ * Vector3d(r.x(), r.y(), mu * mu * r.z());
}

Vector3d PrimalDualPoint::dual_residual(int i) const {
  Vector3d result = velocity(i);
  const Vector3d compliant = compliant_part(i, r_.segment<3>(3 * i));
  if (!has_complementarity(i)) return result + compliant;
  // y = u + mu g n must hold on shifted cones, y = u on others; a halfline has its normal row only.
  if (is_shifted(i)) result.z() += cone(i).mu * slip(result);
  result += compliant - y_.segment<3>(3 * i);
  if (is_halfline(i)) result.head<2>().setZero();
  return result;
}

double PrimalDualPoint::largest_residual() const {
  double largest = 0.0;
  for (int i = 0; i < size(); ++i) largest = std::max(largest, dual_residual(i).norm());
  return largest;
}

double PrimalDualPoint::mean_gap() const {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < size(); ++i) {
    if (!has_complementarity(i)) continue;
    // A halfline has r_n y_n, a cone the whole product.
    sum += is_halfline(i) ? r_(3 * i + 2) * y_(3 * i + 2)
                          : r_.segment<3>(3 * i).dot(y_.segment<3>(3 * i));
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

double PrimalDualPoint::mean_gap(const Direction& along, double step) const {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < size(); ++i) {
    if (!has_complementarity(i)) continue;
    sum += (r_.segment<3>(3 * i) + step * along.r.segment<3>(3 * i))
               .dot(y_.segment<3>(3 * i) + step * along.y.segment<3>(3 * i));
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

/// Computes D_i = S_i B of the linearized complementarity, where S_i is the answer dr = -S dy.
void PrimalDualPoint::linearize(int i) {
  const std::size_t k = static_cast<std::size_t>(i);
  if (is_round(i)) {
    const double mu = cone(i).mu;
    scalings_[k] =
        nesterov_todd(to_primal(r_.segment<3>(3 * i), mu), to_dual(y_.segment<3>(3 * i), mu));
    axes_[k] = axes_of(scalings_[k]);
  }
  Matrix3d& D = work_.D[k];
  for (int column = 0; column < 3; ++column) D.col(column) = answer(i, Vector3d::Unit(column));
  D = 0.5 * (D + D.transpose()).eval();
  // The shift couples r to u_t through y_n: B = I + mu n grad g'.
  if (is_shifted(i)) D.leftCols<2>() += D.col(2).eval() * shift_gradient(i).transpose();
}

/// Returns S x, S = (W^-2 + c)^-1 in the variable of the cone.
Vector3d PrimalDualPoint::answer(int i, const Vector3d& x) const {
  if (!has_complementarity(i)) return x / (kEqualitySoftness + compliance_);
  if (is_halfline(i)) {
    const Eigen::Index k = 3 * i + 2;
    return {0.0, 0.0, x.z() * r_(k) / (y_(k) + compliance_ * r_(k))};
  }
  const ScalingAxes& axes = axes_[static_cast<std::size_t>(i)];
  const double mu = cone(i).mu;
  const Eigen::Array3d squares = axes.values.array().square();
  return from_primal(axes.apply(squares / (1.0 + compliance_ * squares), to_dual(x, mu)), mu);
}

/// Returns the change of r that a target alone asks for, (1 + c W^2)^-1 W (lambda \ target).
Vector3d PrimalDualPoint::aim(int i, const Vector3d& target) const {
  if (is_halfline(i)) {
    const Eigen::Index k = 3 * i + 2;
    return {0.0, 0.0, target(0) / (y_(k) + compliance_ * r_(k))};
  }
  if (!is_round(i)) return Vector3d::Zero();
  const std::size_t k = static_cast<std::size_t>(i);
  const Eigen::Array3d values = axes_[k].values.array();
  return from_primal(axes_[k].apply(values / (1.0 + compliance_ * values.square()),
                                    jordan_quotient(target, scalings_[k].lambda)),
                     cone(i).mu);
}

bool PrimalDualPoint::factor() {
  // Under the associated law all D_i are symmetric, and so is the kernel.
  work_.D.resize(static_cast<std::size_t>(size()));
  for (int i = 0; i < size(); ++i) linearize(i);
  return problem_.W->factor(work_.D, problem_.law == ConeLaw::Associated);
}

void PrimalDualPoint::solve(const Eigen::VectorXd& residual, const Eigen::VectorXd& target,
                            Direction& direction) {
  work_.c.resize(3 * size());
  for (int i = 0; i < size(); ++i) {
    work_.c.segment<3>(3 * i) =
        answer(i, residual.segment<3>(3 * i)) - aim(i, target.segment<3>(3 * i));
  }
  // The kernel gives dr and du = W dr; the factors of S keep more digits of dr than D does.
  problem_.W->solve(work_.c, direction.r, work_.du);
  direction.y.setZero(3 * size());
  for (int i = 0; i < size(); ++i) {
    // dr = -c - S B du,  dy = B du + residual + c T'T dr.
    Vector3d lifted = work_.du.segment<3>(3 * i);
    lifted.z() += shift_gradient(i).dot(lifted.head<2>());
    const Vector3d dr = -work_.c.segment<3>(3 * i) - answer(i, lifted);
    direction.r.segment<3>(3 * i) = dr;
    if (!has_complementarity(i)) continue;
    Vector3d dy = lifted + residual.segment<3>(3 * i) + compliant_part(i, dr);
    if (is_halfline(i)) dy.head<2>().setZero();
    direction.y.segment<3>(3 * i) = dy;
  }
}

Vector3d PrimalDualPoint::complementarity(int i) const {
  if (is_halfline(i)) return {r_(3 * i + 2) * y_(3 * i + 2), 0.0, 0.0};
  if (!is_round(i)) return Vector3d::Zero();
  const Vector3d& lambda = scalings_[static_cast<std::size_t>(i)].lambda;
  return jordan_product(lambda, lambda);
}

Vector3d PrimalDualPoint::second_order(const Direction& direction, int i) const {
  // Halflines have one product; equalities none.
  const Vector3d dr = direction.r.segment<3>(3 * i), dy = direction.y.segment<3>(3 * i);
  if (is_halfline(i)) return {dr.z() * dy.z(), 0.0, 0.0};
  if (!is_round(i)) return Vector3d::Zero();
  const NesterovToddScaling& scaling = scalings_[static_cast<std::size_t>(i)];
  const double mu = cone(i).mu;
  return jordan_product(scaling.inverse * to_primal(dr, mu), scaling.W * to_dual(dy, mu));
}

double PrimalDualPoint::longest_step(const Direction& direction) const {
  double step = 1e30;
  // Each cone bounds the step for r and for y.
  for (int i = 0; i < size(); ++i) {
    const Eigen::Index k = 3 * i + 2;
    if (is_halfline(i)) {
      if (direction.r(k) < 0.0) step = std::min(step, -r_(k) / direction.r(k));
      if (direction.y(k) < 0.0) step = std::min(step, -y_(k) / direction.y(k));
    } else if (is_round(i)) {
      const double mu = cone(i).mu;
      step = std::min(step, step_to_boundary(to_primal(r_.segment<3>(3 * i), mu),
                                             to_primal(direction.r.segment<3>(3 * i), mu)));
      step = std::min(step, step_to_boundary(to_dual(y_.segment<3>(3 * i), mu),
                                             to_dual(direction.y.segment<3>(3 * i), mu)));
    }
  }
  return step;
}

void PrimalDualPoint::move(const Direction& direction, double step) {
  r_ += step * direction.r;
  y_ += step * direction.y;
  update_velocity();
}

void PrimalDualPoint::to_iterate(ConeIterate& iterate) const {
  // Rounding may leave points outside by a little: the iterate is projected.
  iterate.r = scale_ * r_;
  project_on_cones(problem_, iterate.r);
  evaluate(problem_, iterate);
}

}  // namespace amontons
