#include "amontons/optimization/ccp/methods/primal_dual_point.h"

#include "amontons/optimization/ccp/methods/cone_interior_point.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Compliance [-] added to W, whose blocks are about one. It bounds D, which grows without limit
/// where contacts stick, so that the kernel I + G'D G keeps some digits of I. It changes velocities
/// by this share of the reactions. Few contacts need none, and their reactions may be large.
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
  base_.resize(static_cast<std::size_t>(n));
  softened_.resize(static_cast<std::size_t>(n));
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
  // The compliance acts on r: u = (W + compliance) r + q.
  u_ += compliance_ * r_ + problem_.q / scale_;
}

double PrimalDualPoint::slip(const Vector3d& u) const {
  return std::sqrt(u.head<2>().squaredNorm() + smoothing_ * smoothing_);
}

Vector2d PrimalDualPoint::shift_gradient(int i) const {
  if (!is_shifted(i)) return Vector2d::Zero();
  const Vector3d u = velocity(i);
  return cone(i).mu * u.head<2>() / slip(u);
}

Vector3d PrimalDualPoint::dual_residual(int i) const {
  Vector3d result = velocity(i);
  if (!has_complementarity(i)) return result;
  // y = u + mu g n must hold on shifted cones, y = u on others; a halfline has its normal row only.
  if (is_shifted(i)) result.z() += cone(i).mu * slip(result);
  result -= y_.segment<3>(3 * i);
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

/// Computes D_i = base_i B of the linearized complementarity.
void PrimalDualPoint::linearize(int i) {
  const std::size_t k = static_cast<std::size_t>(i);
  Matrix3d& base = base_[k];
  base.setZero();
  // Without targets: equalities u = -softness dr, halflines dr_n = -(r_n / y_n) dy_n, cones
  // dx = -W^2 dz.
  if (!has_complementarity(i)) {
    base.diagonal().setConstant(1.0 / kEqualitySoftness);
  } else if (is_halfline(i)) {
    base(2, 2) = r_(3 * i + 2) / y_(3 * i + 2);
  } else {
    const double mu = cone(i).mu;
    scalings_[k] =
        nesterov_todd(to_primal(r_.segment<3>(3 * i), mu), to_dual(y_.segment<3>(3 * i), mu));
    const Matrix3d squared = scalings_[k].W * scalings_[k].W;
    // Back to the order (t1, t2, n) and the units of r and y.
    base.topLeftCorner<2, 2>() = squared.bottomRightCorner<2, 2>();
    base.block<2, 1>(0, 2) = squared.block<2, 1>(1, 0) / mu;
    base.block<1, 2>(2, 0) = squared.block<1, 2>(0, 1) / mu;
    base(2, 2) = squared(0, 0) / (mu * mu);
  }
  // The shift couples r to u_t through y_n: B = I + mu n grad g'.
  work_.D[k] = base;
  if (is_shifted(i)) work_.D[k].leftCols<2>() += base.col(2) * shift_gradient(i).transpose();
  // dr = -c - D (W + compliance) dr, solved for what W adds.
  softened_[k] = (Matrix3d::Identity() + compliance_ * work_.D[k]).inverse();
  work_.D[k] = softened_[k] * work_.D[k];
  if (!is_shifted(i)) work_.D[k] = 0.5 * (work_.D[k] + work_.D[k].transpose()).eval();
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
  // Each contact's constant part: c = softened (base residual - T^-1 W (lambda \ target)).
  for (int i = 0; i < size(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const Vector3d wanted = target.segment<3>(3 * i);
    Vector3d along = Vector3d::Zero();
    if (is_halfline(i)) {
      along.z() = wanted(0) / y_(3 * i + 2);
    } else if (is_round(i)) {
      const NesterovToddScaling& scaling = scalings_[k];
      along = from_primal(scaling.W * jordan_quotient(wanted, scaling.lambda), cone(i).mu);
    }
    work_.c.segment<3>(3 * i) = softened_[k] * (base_[k] * residual.segment<3>(3 * i) - along);
  }
  // The kernel gives dr and du = W dr; the compliance adds its own part.
  problem_.W->solve(work_.c, direction.r, work_.du);
  work_.du += compliance_ * direction.r;
  direction.y.setZero(3 * size());
  // dy = B du + residual.
  for (int i = 0; i < size(); ++i) {
    if (!has_complementarity(i)) continue;
    const Vector3d du = work_.du.segment<3>(3 * i);
    Vector3d dy = du + residual.segment<3>(3 * i);
    dy.z() += shift_gradient(i).dot(du.head<2>());
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
