#include "amontons/optimization/qp/small_box_qp.h"

#include "amontons/math/effort.h"

#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

constexpr double kDefinite = 1e-10;  // least pivot, share of the diagonal entry it comes from
constexpr int kBlockRounds = 5;      // rounds without fewer violations, before single pivots

}  // namespace

bool SmallBoxQp::solve(const Eigen::MatrixXd& H, const Eigen::VectorXd& g,
                       const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                       Eigen::VectorXd& x) {
  const Index n = g.size();
  factorizations_ = 0;
  // The start decides the first places.
  places_.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    places_[static_cast<std::size_t>(i)] = x(i) <= lower(i)   ? Place::Lower
                                           : x(i) >= upper(i) ? Place::Upper
                                                              : Place::Free;
  }
  Index fewest = n + 1;
  int rounds = kBlockRounds;
  // Each round costs one factorization; single pivots are finite, far below this limit.
  const int most = 20 * static_cast<int>(n) + 20;
  while (factorizations_ < most) {
    if (!solve_free(H, g, lower, upper, x)) return false;
    // A free variable is wrong outside its bounds, a held one with a multiplier that pulls inside.
    Index violations = 0, last = -1;
    for (Index i = 0; i < n; ++i) {
      const Place place = places_[static_cast<std::size_t>(i)];
      const bool wrong = place == Place::Free    ? x(i) < lower(i) || x(i) > upper(i)
                         : place == Place::Lower ? gradient_(i) < 0.0
                                                 : gradient_(i) > 0.0;
      if (!wrong) continue;
      ++violations;
      last = i;
    }
    if (violations == 0) return true;
    // As long as violations fall, all of them are exchanged at once.
    const bool fewer = violations < fewest;
    if (fewer) {
      fewest = violations;
      rounds = kBlockRounds;
    } else {
      --rounds;
    }
    // Else the one of largest index alone, which cannot cycle.
    for (Index i = rounds > 0 ? 0 : last; i <= last; ++i) {
      Place& place = places_[static_cast<std::size_t>(i)];
      if (place == Place::Free) {
        if (x(i) < lower(i)) place = Place::Lower;
        if (x(i) > upper(i)) place = Place::Upper;
      } else if (place == Place::Lower ? gradient_(i) < 0.0 : gradient_(i) > 0.0) {
        place = Place::Free;
      }
    }
  }
  return false;
}

/// Computes x and the gradient H x + g with the variables at their places.
bool SmallBoxQp::solve_free(const Eigen::MatrixXd& H, const Eigen::VectorXd& g,
                            const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                            Eigen::VectorXd& x) {
  const Index n = g.size();
  free_.clear();
  for (Index i = 0; i < n; ++i) {
    const Place place = places_[static_cast<std::size_t>(i)];
    x(i) = place == Place::Lower ? lower(i) : place == Place::Upper ? upper(i) : 0.0;
    if (place == Place::Free) free_.push_back(i);
  }
  if (!factor(H)) return false;
  // Newton's step on the free variables is exact; the second pass removes the rounding of the
  // first.
  for (int pass = 0; pass < 2; ++pass) {
    gradient_.noalias() = H.lazyProduct(x);
    gradient_ += g;
    right_.resize(static_cast<Index>(free_.size()));
    for (std::size_t k = 0; k < free_.size(); ++k) {
      right_(static_cast<Index>(k)) = gradient_(free_[k]);
    }
    solve_factored(right_);
    for (std::size_t k = 0; k < free_.size(); ++k) x(free_[k]) -= right_(static_cast<Index>(k));
  }
  gradient_.noalias() = H.lazyProduct(x);
  gradient_ += g;
  return x.allFinite();
}

/// Factors H on the free variables, H_FF = L L'; false where a pivot is not safely positive.
bool SmallBoxQp::factor(const Eigen::MatrixXd& H) {
  ++factorizations_;
  count_factorization();
  const Index m = static_cast<Index>(free_.size());
  if (L_.rows() < m) L_.resize(m, m);
  for (Index j = 0; j < m; ++j) {
    const double diagonal =
        H(free_[static_cast<std::size_t>(j)], free_[static_cast<std::size_t>(j)]);
    double pivot = diagonal;
    for (Index k = 0; k < j; ++k) pivot -= L_(j, k) * L_(j, k);
    if (!(pivot > kDefinite * diagonal)) return false;
    L_(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < m; ++i) {
      double sum = H(free_[static_cast<std::size_t>(i)], free_[static_cast<std::size_t>(j)]);
      for (Index k = 0; k < j; ++k) sum -= L_(i, k) * L_(j, k);
      L_(i, j) = sum / L_(j, j);
    }
  }
  return true;
}

/// Computes b <- H_FF^-1 b by L and L'.
void SmallBoxQp::solve_factored(Eigen::VectorXd& b) const {
  const Index m = b.size();
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < i; ++k) b(i) -= L_(i, k) * b(k);
    b(i) /= L_(i, i);
  }
  for (Index i = m - 1; i >= 0; --i) {
    for (Index k = i + 1; k < m; ++k) b(i) -= L_(k, i) * b(k);
    b(i) /= L_(i, i);
  }
}

}  // namespace amontons
