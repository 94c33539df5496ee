#include "amontons/optimization/qp/nonnegative_least_norm.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMaxSteps = 100, kMaxBisections = 200;  // ten steps are usual; doubles end bisection
constexpr double kTargetResidual = 1e-13, kAcceptedResidual = 1e-9;  // |X r - b| / |b|
constexpr double kKink = 1e-12;   // size up to which p is at the kink of max(0, p)
constexpr double kRidge = 1e-14;  // share of the mean diagonal: dependent equations stay solvable

/// Returns the slope of the concave function along d, at y + t d: b'd - max(0, p + t pd)'pd, with
/// p = X'y, pd = X'd.
double slope(const VectorXd& p, const VectorXd& pd, double bd, double t) {
  double sum = bd;
  for (Index i = 0; i < p.size(); ++i) {
    const double value = p(i) + t * pd(i);
    if (value > 0.0) sum -= value * pd(i);
  }
  return sum;
}

/// Returns the t > 0 where the slope, which falls, passes zero.
double search(const VectorXd& p, const VectorXd& pd, double bd) {
  double low = 0.0, high = 1.0;
  int steps = 0;
  // Double the bracket until the slope changes sign.
  while (slope(p, pd, bd, high) > 0.0 && ++steps < kMaxBisections) {
    low = high;
    high *= 2.0;
  }
  // The slope is linear between the points where an entry changes sign: secants end there exactly.
  double at_low = slope(p, pd, bd, low), at_high = slope(p, pd, bd, high);
  while (++steps < kMaxBisections && high - low > 1e-15 * high) {
    const double secant = low + (high - low) * at_low / (at_low - at_high);
    const double middle = steps % 3 == 0 ? 0.5 * (low + high) : secant;
    if (!(middle > low && middle < high)) return secant;
    const double at_middle = slope(p, pd, bd, middle);
    if (at_middle == 0.0) return middle;
    (at_middle > 0.0 ? low : high) = middle;
    (at_middle > 0.0 ? at_low : at_high) = at_middle;
  }
  return high;
}

}  // namespace

NonnegativeLeastNorm solve_nonnegative_nearest(const Eigen::Ref<const MatrixXd>& X,
                                               const Eigen::Ref<const VectorXd>& b,
                                               const Eigen::Ref<const VectorXd>& center) {
  const Index m = X.rows(), n = X.cols();
  // Sizes must fit.
  if (b.size() != m) {
    throw std::invalid_argument("nonnegative least norm: b has " + std::to_string(b.size()) +
                                " entries, X " + std::to_string(m) + " rows");
  }
  if (center.size() != n) {
    throw std::invalid_argument("nonnegative least norm: the center has " +
                                std::to_string(center.size()) + " entries, X " + std::to_string(n) +
                                " columns");
  }
  NonnegativeLeastNorm result;
  result.r = center.cwiseMax(0.0);
  result.y = VectorXd::Zero(m);
  const double size = std::max(b.norm(), result.r.norm());
  result.residual = 0.0;
  result.status = SolveStatus::Converged;
  if (!(size > 0.0) || m == 0) return result;

  VectorXd y = result.y, p = VectorXd::Ones(n);  // the first step uses all columns
  // Beside a center many entries start at their kink, and could grow with any step: they count.
  const double least = center.isZero(0.0) ? 0.0 : -kKink;
  MatrixXd taken(m, n);
  double best = std::numeric_limits<double>::infinity();
  for (result.iterations = 0; result.iterations < kMaxSteps; ++result.iterations) {
    // H = X_A X_A' over the columns A with p > 0: the generalized Hessian.
    MatrixXd H = MatrixXd::Zero(m, m);
    Index count = 0;
    for (Index i = 0; i < n; ++i) {
      if (p(i) > least) taken.col(count++) = X.col(i);
    }
    if (count > 0) H.selfadjointView<Eigen::Lower>().rankUpdate(taken.leftCols(count));
    if (result.iterations == 0) p = center;
    // The gradient is the residual of the equations.
    const VectorXd gradient = b - X * p.cwiseMax(0.0);
    const double residual = gradient.norm() / size;
    const bool gains = residual < 0.5 * best;
    if (residual < best) {
      best = residual;
      result.r = p.cwiseMax(0.0);
      result.y = y;
    }
    // Ends: solved, or within the accepted residual and without a gain.
    if (best <= kTargetResidual || (best <= kAcceptedResidual && !gains)) break;
    // Newton step, and the maximum of the concave function along it.
    H.diagonal().array() += kRidge * std::max(H.trace() / static_cast<double>(m), kRidge);
    const VectorXd step = H.selfadjointView<Eigen::Lower>().ldlt().solve(gradient);
    const VectorXd along = X.transpose() * step;
    const double t = search(p, along, b.dot(step));
    y += t * step;
    p = X.transpose() * y + center;
  }
  result.residual = best;
  result.status = best <= kAcceptedResidual ? SolveStatus::Converged : SolveStatus::Stalled;
  return result;
}

NonnegativeLeastNorm solve_nonnegative_least_norm(const Eigen::Ref<const MatrixXd>& X,
                                                  const Eigen::Ref<const VectorXd>& b) {
  return solve_nonnegative_nearest(X, b, VectorXd::Zero(X.cols()));
}

}  // namespace amontons
