#pragma once

#include "amontons/optimization/qp/nonnegative_quadratic_program.h"
#include "amontons/optimization/qp/scaled_box_qp.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace amontons::test {

/// Solves the scaled problem, where the diagonal of H and |g| are near 1.
class LawsonHanson {
  using Index = Eigen::Index;
  using MatrixXd = Eigen::MatrixXd;
  using VectorXd = Eigen::VectorXd;
  using ScaledBoxQp = internal::ScaledBoxQp;

 public:
  LawsonHanson(const ScaledBoxQp& qp, const MatrixXd& H, int budget)
      : qp_(qp),
        H_(H),
        budget_(budget),
        y_(VectorXd::Zero(qp.g.size())),
        is_rejected_(static_cast<std::size_t>(qp.g.size()), 0) {}

  /// Admits one variable after the other until no gradient entry is negative.
  SolveStatus run(double tolerance) {
    best_ = y_;
    while (true) {
      // Optimality: gradient >= 0 outside the support, 0 on it.
      const VectorXd gradient = H_ * y_ + qp_.g;
      const double residual = qp_.residual(y_, gradient);
      if (residual < best_residual_) {
        best_ = y_;
        best_residual_ = residual;
      }
      // Ends: solved, exact to rounding, or no variable left that would lower f.
      if (best_residual_ <= tolerance) return SolveStatus::Converged;
      if (internal::is_rounding(qp_, H_, y_, residual)) return SolveStatus::Stalled;
      const std::optional<Index> entering = most_negative(gradient);
      if (!entering) return SolveStatus::Stalled;
      if (factorizations_ >= budget_) return SolveStatus::IterationLimit;
      if (!enter(*entering, gradient)) return SolveStatus::NumericalFailure;
      if (ray_) return SolveStatus::Infeasible;
    }
  }

  const VectorXd& best() const { return best_; }
  const std::optional<VectorXd>& ray() const { return ray_; }
  int factorizations() const { return factorizations_; }

 private:
  static constexpr double kNegligible = 1e-12;  // share of a direction's largest entry

  /// Returns the variable with the most negative gradient outside the support.
  std::optional<Index> most_negative(const VectorXd& gradient) const {
    std::optional<Index> best;
    for (Index i = 0; i < gradient.size(); ++i) {
      const bool is_candidate = !is_rejected_[static_cast<std::size_t>(i)] && gradient(i) < 0.0 &&
                                std::find(support_.begin(), support_.end(), i) == support_.end();
      if (is_candidate && (!best || gradient(i) < gradient(*best))) best = i;
    }
    return best;
  }

  /// Factors H on the support.
  bool factor() {
    ++factorizations_;
    factor_.compute(MatrixXd(H_(support_, support_)));
    return factor_.info() == Eigen::Success;
  }

  /// Admits a variable. Returns false if the support is not definite any more.
  bool enter(Index entering, const VectorXd& gradient) {
    constexpr double kDependent = 1e-11;  // squared sine of the angle to the support's columns [-]
    // The direction that keeps the gradient of the support: d_S = -H_SS^-1 H_Si, d_i = 1.
    VectorXd direction = VectorXd::Zero(y_.size());
    direction(entering) = 1.0;
    double curvature = H_(entering, entering);
    if (!support_.empty()) {
      if (!factor()) return false;
      const VectorXd column = H_(support_, entering);
      const VectorXd combination = factor_.solve(column);
      direction(support_) = -combination;
      curvature -= column.dot(combination);
    }
    // Without curvature, d'Hd = 0: f falls linearly until a variable leaves.
    const bool is_dependent = !(curvature > kDependent * std::max(H_(entering, entering), 0.5));
    if (is_dependent && !exchange(entering, direction, gradient)) {
      is_rejected_[static_cast<std::size_t>(entering)] = 1;
      return true;
    }
    if (ray_) return true;
    support_.push_back(entering);
    return descend_on_support(entering);
  }

  /// Follows a direction without curvature until a variable of the support reaches zero and
  /// leaves. Returns false if the slope is only rounding.
  bool exchange(Index entering, const VectorXd& direction, const VectorXd& gradient) {
    constexpr double kSlopeRounding = 1e-13;  // share of the terms of the slope
    const double least = -kNegligible * direction.cwiseAbs().maxCoeff();
    const double noise = kSlopeRounding * (1.0 + y_.lpNorm<1>()) * direction.lpNorm<1>();
    if (!(gradient.dot(direction) < -noise)) return false;
    // Ratio test: the first variable of the support that reaches zero.
    double length = std::numeric_limits<double>::infinity();
    std::size_t leaving = 0;
    for (std::size_t k = 0; k < support_.size(); ++k) {
      const Index i = support_[k];
      if (direction(i) < least && y_(i) < -length * direction(i)) {
        length = -y_(i) / direction(i);
        leaving = k;
      }
    }
    // None reaches zero: the direction is a ray, if it passes the proof.
    if (!std::isfinite(length)) return accept_ray(direction);
    y_ = (y_ + length * direction).cwiseMax(0.0);
    y_(support_[leaving]) = 0.0;
    y_(entering) = length;
    support_.erase(support_.begin() + static_cast<std::ptrdiff_t>(leaving));
    return true;
  }

  /// Accepts a direction as a proof of unboundedness if it passes.
  bool accept_ray(const VectorXd& direction) {
    const VectorXd d = direction.cwiseMax(0.0);  // entries down to -kNegligible are rounding
    if (!qp_.is_ray(d, H_.cwiseAbs() * d / d.sum())) return false;
    ray_ = d;
    return true;
  }

  /// Moves to the minimum on the support; variables that would turn negative leave on the way.
  bool descend_on_support(Index entering) {
    while (!support_.empty()) {
      if (!factor()) return false;
      // The minimum of f on the support, without regard to signs.
      const VectorXd pull = -qp_.g(support_);
      const VectorXd target = factor_.solve(pull);
      // The longest step towards it that keeps all variables nonnegative.
      double length = 1.0;
      for (std::size_t k = 0; k < support_.size(); ++k) {
        const double from = y_(support_[k]), to = target(static_cast<Index>(k));
        if (to <= 0.0) length = std::min(length, from / (from - to));
      }
      // Those that reach zero leave the support.
      std::vector<Index> kept;
      for (std::size_t k = 0; k < support_.size(); ++k) {
        const Index i = support_[k];
        const double to = target(static_cast<Index>(k));
        const bool leaves = to <= 0.0 && y_(i) <= length * (y_(i) - to) * (1.0 + 1e-15);
        y_(i) = leaves ? 0.0 : std::max(0.0, y_(i) + length * (to - y_(i)));
        if (!leaves) kept.push_back(i);
      }
      // The entering variable left again without a step: its gradient was rounding.
      const bool is_done = kept.size() == support_.size();
      const bool is_futile = length == 0.0 && std::find(kept.begin(), kept.end(), entering) ==
                                                  kept.end();  // entered by rounding alone
      support_ = kept;
      if (is_futile) {
        is_rejected_[static_cast<std::size_t>(entering)] = 1;
        return true;
      }
      if (is_done) break;
    }
    // f fell: variables rejected before may help now.
    std::fill(is_rejected_.begin(), is_rejected_.end(), char{0});
    return true;
  }

  const ScaledBoxQp& qp_;
  const MatrixXd& H_;
  int budget_;
  VectorXd y_, best_;
  double best_residual_ = std::numeric_limits<double>::infinity();
  std::vector<Index> support_;
  std::vector<char> is_rejected_;
  Eigen::LLT<MatrixXd> factor_;
  int factorizations_ = 0;
  std::optional<VectorXd> ray_;
};

/// Runs the active set method [Lawson, Hanson 1974, ch. 23, NNLS], written for H and g, from y = 0.
/// The support stays independent. A variable whose column depends on the support (squared sine
/// below 1e-11) enters along the direction without curvature, until another one leaves in exchange.
/// If none does, the direction is a ray; if its slope is rounding, the variable is rejected. Every
/// iterate lowers f, and no support returns: the method is finite. It has at most 20 n + 200
/// factorizations, one per exchange, O(n^3).
/// @returns the status and the residual [-] of solve_box_qp(), to the same tolerance.
inline BoxQpSolution solve_lawson_hanson(const NonnegativeQuadraticProgram& problem) {
  const BoxQuadraticProgram box = as_box_qp(problem);
  validate(box);
  const MatrixFreeBoxQp products = internal::as_matrix_free(box);
  const internal::ScaledBoxQp qp = internal::scale_problem(products);
  // Units in which H has a diagonal near 1 and |g| is at most 1.
  const Eigen::MatrixXd H = qp.D.asDiagonal() * problem.H * qp.D.asDiagonal();
  LawsonHanson method(qp, H, 20 * static_cast<int>(problem.g.size()) + 200);
  BoxQpSolution solution;
  solution.status = method.run(BoxQpSettings{}.tolerance);
  solution.x = qp.to_original(method.best());
  solution.residual = measure_residual(products, solution.x);
  solution.factorizations = method.factorizations();
  if (method.ray()) solution.ray = qp.to_original(*method.ray());
  return solution;
}

}  // namespace amontons::test
