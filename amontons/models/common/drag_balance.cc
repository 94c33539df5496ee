#include "amontons/models/common/drag_balance.h"

#include "amontons/math/effort.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Newton steps at most, halvings of one at most, and the overlap or change of shares that ends
// them [-].
constexpr int kMaxSteps = 10, kMaxHalvings = 5;
constexpr double kLastOverlap = 1e-14, kLastStep = 1e-12;
// Contacts for which all choices of bounds are tried at most.
constexpr Index kMaxEnumerated = 5;
// Difference for the derivatives, and the share of the largest pivot that counts as zero [-].
constexpr double kDifference = 1e-5, kSmallPivot = 1e-7;

/// Holds the shares of some contacts and their overlaps.
class Balance {
 public:
  Balance(std::vector<Index>& lifted, VectorXd& shares, const OverlapsOfShares& overlaps_of)
      : lifted_(lifted), shares_(shares), overlaps_of_(overlaps_of) {}

  bool run() {
    if (!evaluate(shares_, overlaps_)) return false;
    for (int step = 0; step < kMaxSteps && has_effort(); ++step) {
      if (lifted_.empty() || overlaps_.lpNorm<Eigen::Infinity>() <= kLastOverlap) return true;
      if (!find_derivatives()) return false;
      const VectorXd change = newton_step();
      double moved = 0.0;
      if (!take(change, moved)) return false;
      const bool left = drop_those_at_bounds();
      if (!left && moved <= kLastStep) return true;
      if (left && !evaluate(shares_, overlaps_)) return false;
    }
    return false;
  }

 private:
  /// Writes the overlaps of the lifted contacts; returns false without a solution.
  bool evaluate(const VectorXd& shares, VectorXd& overlaps) const {
    const std::optional<VectorXd> all = overlaps_of_(shares, lifted_);
    if (!all) return false;
    overlaps = (*all)(lifted_);
    return true;
  }

  /// Finds the derivatives of the overlaps by differences that point into the box.
  bool find_derivatives() {
    const Index n = static_cast<Index>(lifted_.size());
    derivatives_.resize(n, n);
    VectorXd other;
    for (Index k = 0; k < n; ++k) {
      const Index i = lifted_[static_cast<std::size_t>(k)];
      VectorXd shares = shares_;
      const double difference = shares(i) < 0.5 ? kDifference : -kDifference;
      shares(i) += difference;
      if (!evaluate(shares, other)) return false;
      derivatives_.col(k) = (other - overlaps_) / difference;
    }
    return true;
  }

  /// Returns the shortest step with which the linear overlaps meet the bounds: every contact
  /// touches, or overlaps with all of its drag, or opens without it. Where there is none, or the
  /// contacts are many, contacts that the Newton step takes to a bound stay there.
  VectorXd newton_step() const {
    const Index n = overlaps_.size();
    int num_choices = n <= kMaxEnumerated ? 1 : 0;
    for (Index k = 0; k < n && num_choices > 0; ++k) num_choices *= 3;
    VectorXd best, change;
    for (int choice = 0; choice < num_choices; ++choice) {
      if (!meets_bounds(choice, change)) continue;
      if (best.size() == 0 || change.norm() < best.norm()) best = change;
    }
    return best.size() > 0 ? best : bounded_step();
  }

  /// Writes the step whose contacts have share 0, share 1 or touch, as the digits of `choice` to
  /// the base 3 say; returns true if it meets the bounds.
  bool meets_bounds(int choice, VectorXd& change) const {
    const Index n = overlaps_.size();
    std::vector<Index> free;
    change.setZero(n);
    for (Index k = 0, rest = choice; k < n; ++k, rest /= 3) {
      if (rest % 3 == 2) {
        free.push_back(k);
      } else {
        change(k) = static_cast<double>(rest % 3) - share(k);
      }
    }
    touch(free, change);
    const VectorXd overlaps = overlaps_ + derivatives_ * change;
    for (Index k = 0, rest = choice; k < n; ++k, rest /= 3) {
      const double after = share(k) + change(k);
      if (rest % 3 == 2 ? !(after >= 0.0 && after <= 1.0)
                        : !(rest % 3 == 1 ? overlaps(k) >= 0.0 : overlaps(k) <= 0.0)) {
        return false;
      }
    }
    return true;
  }

  /// Returns the Newton step; contacts that it takes to a bound stay there, and the step of the
  /// others is found again.
  VectorXd bounded_step() const {
    VectorXd change = VectorXd::Zero(overlaps_.size());
    std::vector<Index> free(lifted_.size());
    std::iota(free.begin(), free.end(), Index{0});
    while (!free.empty()) {
      touch(free, change);
      std::vector<Index> inside;
      for (const Index k : free) {
        const double bounded = std::clamp(change(k), -share(k), 1.0 - share(k));
        if (bounded == change(k)) inside.push_back(k);
        change(k) = bounded;
      }
      if (inside.size() == free.size()) break;
      free = std::move(inside);
    }
    return change;
  }

  /// Changes some components of a step so that the linear overlaps of these contacts vanish.
  void touch(const std::vector<Index>& free, VectorXd& change) const {
    if (free.empty()) return;
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
    factor.setThreshold(kSmallPivot);
    factor.compute(derivatives_(free, free));
    const VectorXd rest = overlaps_ + derivatives_ * change;
    change(free) -= factor.solve(VectorXd(rest(free)));
  }

  double share(Index k) const { return shares_(lifted_[static_cast<std::size_t>(k)]); }

  /// Returns the norm of shares - Proj(shares + overlaps), which vanishes where all touch or lie at
  /// the right bound.
  double distance(const VectorXd& shares, const VectorXd& overlaps) const {
    double sum = 0.0;
    for (Index k = 0; k < overlaps.size(); ++k) {
      const double own = shares(lifted_[static_cast<std::size_t>(k)]);
      const double gap = own - std::clamp(own + overlaps(k), 0.0, 1.0);
      sum += gap * gap;
    }
    return std::sqrt(sum);
  }

  /// Takes a step within the box, or a part of it after which the overlaps are smaller.
  bool take(const VectorXd& change, double& moved) {
    VectorXd overlaps;
    for (int halving = 0; halving <= kMaxHalvings; ++halving) {
      VectorXd shares = shares_;
      moved = 0.0;
      for (Index k = 0; k < change.size(); ++k) {
        double& own = shares(lifted_[static_cast<std::size_t>(k)]);
        const double before = own;
        own = std::clamp(own + std::ldexp(change(k), -halving), 0.0, 1.0);
        moved = std::max(moved, std::abs(own - before));
      }
      if (!evaluate(shares, overlaps)) return false;
      const bool is_last = moved <= kLastStep || halving == kMaxHalvings;
      if (!is_last && !(distance(shares, overlaps) < distance(shares_, overlaps_))) continue;
      shares_ = shares;
      overlaps_ = overlaps;
      return true;
    }
    return false;
  }

  /// Removes contacts that a bound keeps from touching; returns true if there are any.
  bool drop_those_at_bounds() {
    std::vector<Index> kept;
    for (std::size_t k = 0; k < lifted_.size(); ++k) {
      const double own = shares_(lifted_[k]), overlap = overlaps_(static_cast<Index>(k));
      const bool leaves = (own == 1.0 && overlap > 0.0) || (own == 0.0 && overlap < 0.0);
      if (!leaves) kept.push_back(lifted_[k]);
    }
    const bool left = kept.size() < lifted_.size();
    lifted_ = std::move(kept);
    return left;
  }

  std::vector<Index>& lifted_;
  VectorXd& shares_;
  const OverlapsOfShares& overlaps_of_;
  VectorXd overlaps_;     // of the lifted contacts
  MatrixXd derivatives_;  // of the overlaps by their shares
};

}  // namespace

bool balance_drag(std::vector<Index>& lifted, VectorXd& shares,
                  const OverlapsOfShares& overlaps_of) {
  return Balance(lifted, shares, overlaps_of).run();
}

}  // namespace amontons
