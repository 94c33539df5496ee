#include "amontons/optimization/lcp/lemke_tableau.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace amontons::internal {
namespace {

// Values and ratios that differ by less [-] count as equal; a multiple of rounding after n pivots.
template <class Scalar>
constexpr Scalar kTie = std::max(Scalar(1e-14),
                                 Scalar(1e4) * std::numeric_limits<Scalar>::epsilon());

/// Spreads consecutive integers over all bits (splitmix64).
std::uint64_t scatter(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

}  // namespace

template <class Scalar>
LemkeTableau<Scalar>::LemkeTableau(const Eigen::MatrixXd& M, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& covering)
    : n_(q.size()), M_(M), q_(q), covering_(covering), table_(n_, n_ + 2) {
  const std::size_t n = static_cast<std::size_t>(n_);
  basic_.resize(n);
  nonbasic_.resize(n + 1);
  place_.resize(2 * n + 1);
  candidates_.reserve(n);
  ratios_.reserve(n);
  support_.reserve(n + 2);
  // The first basis is all w, the nonbasic variables are all z and z0.
  for (std::size_t i = 0; i < n; ++i) {
    const Index row = static_cast<Index>(i);
    basic_[i] = row;
    nonbasic_[i] = n_ + row;
    place_[i] = row;
    place_[n + i] = -1 - row;
    fingerprint_ ^= scatter(i);
  }
  nonbasic_[n] = z0();
  place_[2 * n] = -1 - n_;
  // x_B + T x_N = q_bar with x_B = w: T = [-M, -d], q_bar = q.
  table_.leftCols(n_) = -M_.cast<Scalar>();
  table_.col(n_) = -covering_.cast<Scalar>();
  table_.col(n_ + 1) = q_.cast<Scalar>();
}

template <class Scalar>
Eigen::Index LemkeTableau<Scalar>::first_row() const {
  Index best = 0;
  for (Index i = 1; i < n_; ++i) {
    if (q_(i) / covering_(i) <= q_(best) / covering_(best)) best = i;
  }
  return best;
}

template <class Scalar>
Scalar LemkeTableau<Scalar>::largest_in_column(Index column) const {
  return std::max(Scalar(1), table_.col(column).cwiseAbs().maxCoeff());
}

template <class Scalar>
Scalar LemkeTableau<Scalar>::inverse_basis_entry(Index row, Index variable) const {
  const Index place = place_of(variable);
  if (place >= 0) return place == row ? Scalar(1) : Scalar(0);
  return table_(row, -1 - place);
}

/// Drops the candidates whose ratio exceeds the least one by more than `tolerance`.
template <class Scalar>
void LemkeTableau<Scalar>::keep_ties(const std::vector<Scalar>& ratios, Scalar tolerance) {
  const Scalar least = *std::min_element(ratios.begin(), ratios.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (ratios[i] - least <= tolerance) candidates_[kept++] = candidates_[i];
  }
  candidates_.resize(kept);
}

/// Compares the candidates lexicographically: by the columns of B^-1, divided by the pivots.
template <class Scalar>
void LemkeTableau<Scalar>::break_ties(Index column) {
  for (Index j = 0; j < n_ && candidates_.size() > 1; ++j) {
    ratios_.clear();
    Scalar size = 0;
    for (const Index row : candidates_) {
      const Scalar ratio = inverse_basis_entry(row, j) / table_(row, column);
      ratios_.push_back(ratio);
      size = std::max(size, std::abs(ratio));
    }
    keep_ties(ratios_, kTie<Scalar> * size);
  }
}

template <class Scalar>
std::optional<Eigen::Index> LemkeTableau<Scalar>::blocking_row(Index entering,
                                                               Scalar pivot_tolerance) {
  const Index column = column_of(entering);
  const Scalar largest = largest_in_column(column);
  candidates_.clear();
  ratios_.clear();
  // Minimum ratio test; basic values below zero by rounding count as zero.
  for (Index i = 0; i < n_; ++i) {
    if (table_(i, column) > pivot_tolerance * largest) {
      candidates_.push_back(i);
      ratios_.push_back(std::max(right_side(i), Scalar(0)) / table_(i, column));
    }
  }
  if (candidates_.empty()) return std::nullopt;
  // A step longer than the least ratio by this much violates no row by more than a tie.
  keep_ties(ratios_, kTie<Scalar> * largest_value() / largest);
  // z0 leaves whenever it can: that ends the path.
  const Index z0_row = place_of(z0());
  if (std::find(candidates_.begin(), candidates_.end(), z0_row) != candidates_.end()) return z0_row;
  break_ties(column);
  return *std::max_element(candidates_.begin(), candidates_.end(),
                           [&](Index a, Index b) { return table_(a, column) < table_(b, column); });
}

template <class Scalar>
Scalar LemkeTableau<Scalar>::relative_pivot(Index row, Index entering) const {
  const Index column = column_of(entering);
  return std::abs(table_(row, column)) / largest_in_column(column);
}

/// Computes row -= factor source, on the support of the source alone if that is sparse.
template <class Scalar>
void LemkeTableau<Scalar>::eliminate_row(Index row, Index source, Index column) {
  const Scalar factor = table_(row, column);
  if (factor == Scalar(0)) return;
  table_(row, column) = 0;
  Scalar* const target = table_.row(row).data();
  const Scalar* const values = table_.row(source).data();
  const Index width = n_ + 2;
  if (4 * static_cast<Index>(support_.size()) < width) {
    for (const Index j : support_) target[j] -= factor * values[j];
  } else {
    Eigen::Map<Vector>(target, width) -= factor * Eigen::Map<const Vector>(values, width);
  }
}

/// Swaps basis and nonbasic entry in all lists, and in the fingerprint.
template <class Scalar>
void LemkeTableau<Scalar>::exchange(Index row, Index column) {
  Index& leaving = basic_[static_cast<std::size_t>(row)];
  Index& entering = nonbasic_[static_cast<std::size_t>(column)];
  fingerprint_ ^= scatter(static_cast<std::uint64_t>(leaving));
  fingerprint_ ^= scatter(static_cast<std::uint64_t>(entering));
  std::swap(leaving, entering);
  place_[static_cast<std::size_t>(basic_variable(row))] = row;
  place_[static_cast<std::size_t>(nonbasic_[static_cast<std::size_t>(column)])] = -1 - column;
}

template <class Scalar>
void LemkeTableau<Scalar>::pivot(Index row, Index entering) {
  const Index column = column_of(entering);
  // The pivot row is divided; the column of the variable that leaves takes the place of the
  // other's.
  const Scalar inverse = Scalar(1) / table_(row, column);
  table_.row(row) *= inverse;
  table_(row, column) = inverse;
  // Rows are updated on the nonzero entries of the pivot row alone.
  support_.clear();
  for (Index j = 0; j < n_ + 2; ++j) {
    if (table_(row, j) != Scalar(0)) support_.push_back(j);
  }
  for (Index i = 0; i < n_; ++i) {
    if (i != row) eliminate_row(i, row, column);
  }
  exchange(row, column);
  ++pivots_since_rebuild_;
}

template <class Scalar>
Scalar LemkeTableau<Scalar>::equation_error(const Vector& values, bool with_right_side) const {
  // w - M z - d z0 (- q) relative to the largest value.
  Vector error = values.head(n_) - covering_.cast<Scalar>() * values(z0());
  if (with_right_side) error -= q_.cast<Scalar>();
  for (Index j = 0; j < n_; ++j) {
    const Scalar z = values(n_ + j);
    if (z != Scalar(0)) error -= M_.col(j).cast<Scalar>() * z;
  }
  return error.cwiseAbs().maxCoeff() / std::max(Scalar(1), values.cwiseAbs().maxCoeff());
}

template <class Scalar>
Scalar LemkeTableau<Scalar>::measure_drift(Index entering) const {
  // The point satisfies the equations with q; the direction of `entering` without it.
  Vector values = Vector::Zero(2 * n_ + 1);
  Vector growth = Vector::Zero(2 * n_ + 1);
  growth(entering) = 1;
  for (Index i = 0; i < n_; ++i) {
    values(basic_variable(i)) = right_side(i);
    growth(basic_variable(i)) = -table_(i, column_of(entering));
  }
  return std::max(equation_error(values, true), equation_error(growth, false));
}

template <class Scalar>
bool LemkeTableau<Scalar>::rebuild() {
  // Equations whose w is nonbasic determine the basic z and z0 (x); the others give the basic w.
  std::vector<Index> tight, loose, x_rows, w_rows;
  for (Index i = 0; i < n_; ++i) {
    (place_of(i) < 0 ? tight : loose).push_back(i);
    if (basic_variable(i) >= n_) x_rows.push_back(i);
  }
  for (const Index i : loose) w_rows.push_back(place_of(i));
  const Index num_x = static_cast<Index>(x_rows.size());

  // The columns of the nonbasic variables in w - M z - d z0 = q: I, -M or -d, then q.
  RowMajorMatrix nonbasic_columns = RowMajorMatrix::Zero(n_, n_ + 2);
  for (Index j = 0; j <= n_; ++j) {
    const Index variable = nonbasic_[static_cast<std::size_t>(j)];
    if (variable < n_) {
      nonbasic_columns(variable, j) = 1;
    } else if (variable == z0()) {
      nonbasic_columns.col(j) = -covering_.cast<Scalar>();
    } else {
      nonbasic_columns.col(j) = -M_.col(variable - n_).cast<Scalar>();
    }
  }
  nonbasic_columns.col(n_ + 1) = q_.cast<Scalar>();

  // The columns of the basic z and z0.
  RowMajorMatrix x_columns(n_, num_x);
  for (Index j = 0; j < num_x; ++j) {
    const Index variable = basic_variable(x_rows[static_cast<std::size_t>(j)]);
    const Eigen::VectorXd& source_d = covering_;
    x_columns.col(j) = variable == z0() ? Vector(-source_d.cast<Scalar>())
                                        : Vector(-M_.col(variable - n_).cast<Scalar>());
  }

  // x = X_tight^-1 N_tight by LU, unless its pivots are rounding.
  const RowMajorMatrix nonbasic_tight = nonbasic_columns(tight, Eigen::all);
  RowMajorMatrix x_part(num_x, n_ + 2);
  if (num_x > 0) {
    const Eigen::PartialPivLU<RowMajorMatrix> lu(RowMajorMatrix(x_columns(tight, Eigen::all)));
    const Vector pivots = lu.matrixLU().diagonal().cwiseAbs();
    if (!(pivots.minCoeff() >
          Scalar(16) * std::numeric_limits<Scalar>::epsilon() * pivots.maxCoeff())) {
      return false;
    }
    x_part = lu.solve(nonbasic_tight);
  }
  // The basic w follow by substitution: w = N_loose - X_loose x.
  const RowMajorMatrix x_loose = x_columns(loose, Eigen::all);
  RowMajorMatrix w_part = nonbasic_columns(loose, Eigen::all);
  w_part.noalias() -= x_loose * x_part;
  table_(x_rows, Eigen::all) = x_part;
  table_(w_rows, Eigen::all) = w_part;
  pivots_since_rebuild_ = 0;
  return true;
}

template <class Scalar>
Scalar LemkeTableau<Scalar>::largest_value() const {
  return std::max(Scalar(1), table_.col(n_ + 1).cwiseAbs().maxCoeff());
}

template <class Scalar>
Scalar LemkeTableau<Scalar>::infeasibility() const {
  return std::max(Scalar(0), -table_.col(n_ + 1).minCoeff()) / largest_value();
}

template <class Scalar>
Eigen::VectorXd LemkeTableau<Scalar>::point() const {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n_);
  for (Index i = 0; i < n_; ++i) {
    const Index variable = basic_variable(i);
    if (variable >= n_ && variable != z0()) {
      z(variable - n_) = std::max(0.0, static_cast<double>(right_side(i)));
    }
  }
  return z;
}

template <class Scalar>
Eigen::VectorXd LemkeTableau<Scalar>::direction(Index entering) const {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n_);
  if (entering >= n_ && entering != z0()) z(entering - n_) = 1.0;
  for (Index i = 0; i < n_; ++i) {
    const Index variable = basic_variable(i);
    if (variable >= n_ && variable != z0()) {
      z(variable - n_) = std::max(0.0, -static_cast<double>(table_(i, column_of(entering))));
    }
  }
  return z;
}

template <class Scalar>
std::vector<char> LemkeTableau<Scalar>::z_is_basic() const {
  std::vector<char> basic(static_cast<std::size_t>(n_), 0);
  for (Index i = 0; i < n_; ++i) basic[static_cast<std::size_t>(i)] = place_of(n_ + i) >= 0;
  return basic;
}

template class LemkeTableau<double>;
template class LemkeTableau<long double>;

}  // namespace amontons::internal
