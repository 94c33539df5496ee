#include "amontons/optimization/lp/simplex_tableau.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace amontons::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {
constexpr double kPivot = 1e-9;  // smaller entries do not block; the data are near 1
}

SimplexTableau::SimplexTableau(const MatrixXd& A, const VectorXd& b)
    : A_(A), b_(b), T_(A), values_(b), is_basic_(static_cast<std::size_t>(A.cols()), 0) {
  // The artificial variables are the first basis, with B = I and values b.
  for (Index i = 0; i < A.rows(); ++i) basis_.push_back(A.cols() + i);
}

VectorXd SimplexTableau::basic_costs(const VectorXd& c, double artificial_cost) const {
  VectorXd costs(A_.rows());
  for (Index i = 0; i < costs.size(); ++i) {
    costs(i) = is_artificial(basic_variable(i)) ? artificial_cost : c(basic_variable(i));
  }
  return costs;
}

VectorXd SimplexTableau::reduced_costs(const VectorXd& c, double artificial_cost) const {
  // c - A'B^-T c_B, with exact zeros for basic variables.
  VectorXd reduced = c - T_.transpose() * basic_costs(c, artificial_cost);
  for (const Index variable : basis_) {
    if (!is_artificial(variable)) reduced(variable) = 0.0;
  }
  return reduced;
}

double SimplexTableau::step_length(Index row, Index entering) const {
  return std::max(values_(row), 0.0) / T_(row, entering);
}

std::optional<Index> SimplexTableau::blocking_row(Index entering, bool first_of_ties) const {
  constexpr double kTie = 1e-12;  // values [-] this close count as a tie; the data are near 1
  double shortest = HUGE_VAL;
  // The shortest step over all rows, then the best pivot among those that tie with it.
  for (Index i = 0; i < T_.rows(); ++i) {
    if (T_(i, entering) > kPivot) shortest = std::min(shortest, step_length(i, entering));
  }
  std::optional<Index> best;
  for (Index i = 0; i < T_.rows(); ++i) {
    if (!(T_(i, entering) > kPivot)) continue;
    if (std::max(values_(i), 0.0) > shortest * T_(i, entering) + kTie) continue;
    const bool is_better = !best || (first_of_ties ? basic_variable(i) < basic_variable(*best)
                                                   : T_(i, entering) > T_(*best, entering));
    if (is_better) best = i;
  }
  return best;
}

std::optional<Index> SimplexTableau::replacement_in_row(Index row) const {
  std::optional<Index> best;
  for (Index j = 0; j < T_.cols(); ++j) {
    if (is_basic_[static_cast<std::size_t>(j)] || std::abs(T_(row, j)) <= kPivot) continue;
    if (!best || std::abs(T_(row, j)) > std::abs(T_(row, *best))) best = j;
  }
  return best;
}

void SimplexTableau::pivot(Index row, Index entering) {
  // Row operations: the pivot row is divided, its multiples leave the other rows.
  const double scale = 1.0 / T_(row, entering);
  T_.row(row) *= scale;
  values_(row) *= scale;
  VectorXd column = T_.col(entering);
  column(row) = 0.0;
  const Eigen::RowVectorXd pivot_row = T_.row(row);
  T_.noalias() -= column * pivot_row;
  values_ -= values_(row) * column;
  const Index leaving = basic_variable(row);
  if (!is_artificial(leaving)) is_basic_[static_cast<std::size_t>(leaving)] = 0;
  is_basic_[static_cast<std::size_t>(entering)] = 1;
  basis_[static_cast<std::size_t>(row)] = entering;
  ++pivots_since_rebuild_;
}

MatrixXd SimplexTableau::basis_matrix() const {
  MatrixXd B = MatrixXd::Zero(A_.rows(), A_.rows());
  for (Index i = 0; i < A_.rows(); ++i) {
    const Index variable = basic_variable(i);
    if (is_artificial(variable)) {
      B(variable - A_.cols(), i) = 1.0;
    } else {
      B.col(i) = A_.col(variable);
    }
  }
  return B;
}

bool SimplexTableau::rebuild() {
  constexpr double kSingular = 1e-13;  // smallest pivot of the basis, share of the largest
  pivots_since_rebuild_ = 0;
  if (A_.rows() == 0) return true;
  // T = B^-1 A and values = B^-1 b, refined once.
  const Eigen::PartialPivLU<MatrixXd> lu(basis_matrix());
  const VectorXd pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff())) return false;
  T_ = lu.solve(A_);
  values_ = lu.solve(b_);
  const VectorXd correction = lu.solve(b_ - basis_matrix() * values_);
  values_ += correction;
  return T_.allFinite() && values_.allFinite();
}

double SimplexTableau::infeasibility() const {
  return values_.size() > 0 ? std::max(0.0, -values_.minCoeff()) : 0.0;
}

double SimplexTableau::sum_of_artificials() const {
  double sum = 0.0;
  for (Index i = 0; i < values_.size(); ++i) {
    if (is_artificial(basic_variable(i))) sum += std::abs(values_(i));
  }
  return sum;
}

VectorXd SimplexTableau::point() const {
  VectorXd y = VectorXd::Zero(A_.cols());
  for (Index i = 0; i < values_.size(); ++i) {
    if (!is_artificial(basic_variable(i))) y(basic_variable(i)) = values_(i);
  }
  return y;
}

VectorXd SimplexTableau::multipliers(const VectorXd& c, double artificial_cost) const {
  // B'p = c_B from the data, not from the tableau, so that rounding errors do not collect.
  if (A_.rows() == 0) return VectorXd(0);
  return basis_matrix().transpose().partialPivLu().solve(basic_costs(c, artificial_cost));
}

VectorXd SimplexTableau::direction(Index entering) const {
  // Along the edge the basic values change by -T(:, entering).
  VectorXd d = VectorXd::Zero(A_.cols());
  d(entering) = 1.0;
  for (Index i = 0; i < values_.size(); ++i) {
    if (!is_artificial(basic_variable(i))) d(basic_variable(i)) = -T_(i, entering);
  }
  return d;
}

}  // namespace amontons::internal
