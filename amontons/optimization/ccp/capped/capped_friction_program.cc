#include "amontons/optimization/ccp/capped/capped_friction_program.h"

#include "amontons/optimization/socp/conic_qp.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Tolerance of the interior point method [-]: more digits than it can reach where the multipliers
// grow, so that it ends with the best point.
constexpr double kInteriorTolerance = 1e-11;

// Sine up to which an equation depends on others, and size up to which a condition that the
// equations leave constant is rounding [-].
constexpr double kDependent = 1e-10, kConstant = 1e-9;

/// States the problem as a conic program in the variables that are free.
class AsConicProgram {
 public:
  explicit AsConicProgram(const CappedFrictionProblem& problem)
      : problem_(problem), n_(problem.c.size()), m_(static_cast<Index>(problem.rows.size())) {
    fixed_ = VectorXd::Zero(3 * n_ + m_);
    for (Index i = 0; i < n_; ++i) {
      if (problem_.is_closed(i)) continue;
      if (problem_.has_disc(i)) variables_.insert(variables_.end(), {3 * i, 3 * i + 1});
      if (problem_.may_press(i)) variables_.push_back(3 * i + 2);
    }
    for (Index k = 0; k < m_; ++k) {
      if (row(k).holds) {
        variables_.push_back(3 * n_ + k);
        held_.push_back(3 * n_ + k);
      } else {
        fixed_(3 * n_ + k) = row(k).lower;
      }
    }
    moved_ = problem.W * fixed_;
    eliminate_equations();
    state_conditions();
  }

  bool empty() const { return basis_.cols() == 0; }

  /// Returns the program: min 1/2 y'H y + g'y over F y + f in halflines and cones.
  ConicQuadraticProgram program() const {
    const MatrixXd W = problem_.W(variables_, variables_);
    const VectorXd q = (problem_.q + moved_)(variables_);
    MatrixXd H = basis_.transpose() * W * basis_;
    H = (0.5 * (H + H.transpose())).eval();
    return {H, basis_.transpose() * (q + W * start_), F_(kept_, Eigen::all), f_(kept_),
            num_halflines_};
  }

  /// Translates a solution: reactions and impulses, multipliers, price of the cap. Without one, the
  /// variables are where the equations alone leave them.
  CappedFrictionPoint point(const ConicQpSolution& solution) const {
    CappedFrictionPoint point{fixed_, VectorXd::Zero(n_), VectorXd::Zero(m_), 0.0, 0.0};
    VectorXd v = start_;
    VectorXd z = VectorXd::Zero(f_.size());
    if (solution.x.size() > 0) {
      v += basis_ * solution.x;
      z(kept_) = solution.z;
    }
    point.x(variables_) = v;
    point.multipliers = z.head(n_);
    for (Index k = 0; k < m_; ++k) {
      if (!row(k).holds) point.answers(k) = row(k).sign * z(n_ + k);
    }
    if (problem_.cap > 0.0) point.price = cap_scale() * z(cap_row());
    // The multipliers of the equations leave the least of the gradient.
    if (!held_.empty()) {
      const VectorXd gradient = problem_.W(variables_, variables_) * v +
                                (problem_.q + moved_)(variables_)-all_rows_.transpose() * z;
      const VectorXd phi = transposed_equations_.solve(gradient);
      for (std::size_t k = 0; k < held_.size(); ++k) {
        point.answers(held_[k] - 3 * n_) = phi(static_cast<Index>(k));
      }
    }
    return point;
  }

 private:
  const CappedFrictionRow& row(Index k) const { return problem_.rows[static_cast<std::size_t>(k)]; }
  Index cap_row() const { return n_ + m_; }
  double cap_scale() const { return 1.0 / std::max(1.0, problem_.cap); }

  /// Finds the variables that satisfy the equations w = 0: v = start + basis y.
  void eliminate_equations() {
    const Index size = static_cast<Index>(variables_.size());
    start_ = VectorXd::Zero(size);
    basis_ = MatrixXd::Identity(size, size);
    if (held_.empty()) return;
    // E v = e, E' P = Q R: the columns of Q behind the rank span the null space.
    const MatrixXd transposed = problem_.W(variables_, held_);
    transposed_equations_.setThreshold(kDependent);
    transposed_equations_.compute(transposed);
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> equations;
    equations.setThreshold(kDependent);
    equations.compute(transposed.transpose());
    start_ = equations.solve(-(problem_.q + moved_)(held_));
    const MatrixXd Q = transposed_equations_.householderQ();
    basis_ = Q.rightCols(size - transposed_equations_.rank());
  }

  /// Appends a condition on one entry of x as a halfline: scale x(index) + constant >= 0.
  void add_bound(Index index, double scale, double constant) {
    bounds_.push_back({index, scale, constant});
  }

  /// Forms F v + f in R+^l x Q^k for all conditions, then in y, and keeps those that matter.
  void state_conditions() {
    // A disc whose tip is at zero contains r_n >= 0; other contacts need that bound.
    std::vector<Index> cones;
    for (Index i = 0; i < n_; ++i) {
      if (problem_.is_closed(i)) continue;
      const bool apex_is_bound = problem_.has_disc(i) && !(problem_.cone(i).friction_offset > 0.0);
      if (problem_.may_press(i) && !apex_is_bound) add_bound(3 * i + 2, 1.0, 0.0);
      if (problem_.has_disc(i)) cones.push_back(i);
    }
    for (Index k = 0; k < m_; ++k) {
      if (!row(k).holds) continue;
      if (std::isfinite(row(k).lower)) add_bound(3 * n_ + k, 1.0, -row(k).lower);
      if (std::isfinite(row(k).upper)) add_bound(3 * n_ + k, -1.0, row(k).upper);
    }
    const Index lines = cap_row() + 1 + static_cast<Index>(bounds_.size());
    const Index rows = lines + 3 * static_cast<Index>(cones.size());
    MatrixXd F = MatrixXd::Zero(rows, 3 * n_ + m_);
    f_ = VectorXd::Zero(rows);
    // Nonpenetration, signs of rows, the cap scaled to one, bounds, cones.
    for (Index i = 0; i < n_; ++i) {
      F.row(i) = problem_.W.row(3 * i + 2);
      f_(i) = problem_.c(i);
    }
    for (Index k = 0; k < m_; ++k) {
      if (row(k).holds) continue;
      F.row(n_ + k) = row(k).sign * problem_.W.row(3 * n_ + k);
      f_(n_ + k) = row(k).sign * problem_.q(3 * n_ + k);
    }
    for (Index i = 0; i < n_; ++i) F(cap_row(), 3 * i + 2) = -cap_scale() * problem_.weights(i);
    f_(cap_row()) = problem_.cap > 0.0 ? cap_scale() * problem_.cap : 1.0;
    for (std::size_t b = 0; b < bounds_.size(); ++b) {
      const Index own = cap_row() + 1 + static_cast<Index>(b);
      F(own, bounds_[b].index) = bounds_[b].scale;
      f_(own) = bounds_[b].constant;
    }
    // Steep cones are scaled, so that rows stay near 1.
    for (std::size_t k = 0; k < cones.size(); ++k) {
      const Index own = lines + 3 * static_cast<Index>(k), i = cones[k];
      const double scale = 1.0 / std::max(1.0, problem_.cone(i).mu);
      F(own, 3 * i + 2) = scale * problem_.cone(i).mu;
      f_(own) = scale * problem_.cone(i).friction_offset;
      F(own + 1, 3 * i) = F(own + 2, 3 * i + 1) = scale;
    }
    f_.head(cap_row()) += F.topRows(cap_row()) * fixed_;
    all_rows_ = F(Eigen::all, variables_);
    F_ = all_rows_ * basis_;
    f_ += all_rows_ * start_;
    for (Index line = 0; line < rows; ++line) {
      const bool is_constant = F_.row(line).norm() <= kConstant && f_(line) >= -kConstant;
      if (line < lines && is_constant) continue;
      kept_.push_back(line);
      if (line < lines) ++num_halflines_;
    }
  }

  /// Describes a bound of one entry of x.
  struct Bound {
    Index index;
    double scale, constant;
  };

  const CappedFrictionProblem& problem_;
  const Index n_, m_;
  std::vector<Index> variables_, held_;  // entries of x that are free, and rows that hold
  VectorXd fixed_, moved_;               // x of the others, W times it
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> transposed_equations_;
  VectorXd start_;
  MatrixXd basis_;
  std::vector<Bound> bounds_;
  MatrixXd all_rows_, F_;  // conditions in the variables, and in y
  VectorXd f_;
  std::vector<Index> kept_;  // conditions of the program
  Index num_halflines_ = 0;
};

}  // namespace

int solve_interior(const CappedFrictionProblem& problem, int max_steps,
                   CappedFrictionPoint& point) {
  const AsConicProgram conic(problem);
  ConicQpSolution solution;
  if (!conic.empty()) solution = solve_conic_qp(conic.program(), {kInteriorTolerance, max_steps});
  point = conic.point(solution);
  return solution.iterations;
}

}  // namespace amontons
