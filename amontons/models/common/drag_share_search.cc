#include "amontons/models/common/drag_share_search.h"

#include "amontons/math/effort.h"
#include "amontons/models/common/simplex_walk.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Solves beyond those of the lists.
constexpr int kMaxSolves = 600;
// Solves for contacts that just touch.
constexpr int kMaxBalanceSolves = 300;
// Cuts of a bracket.
constexpr int kMaxCuts = 80;
// Slope of z over a bracket, as a multiple of that between its first ends: beyond it no share in
// the bracket is right [-].
constexpr double kMostSlope = 100.0;
// First edge of the simplices, the factor by which it shrinks, and the smallest one [-].
constexpr double kFirstEdge = 0.35, kShrink = 1.0 / 16.0, kSmallestEdge = 1e-13;
// Times that contacts join those that just touch.
constexpr int kMaxRounds = 5;
// Sets of undecided contacts that are tried.
constexpr int kMaxSets = 8;

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

/// Runs one search in the shares sigma of the speed that the drag takes, theta (1 + b) / (1 +
/// b theta) for the drag number b = h mu_v w: a contact alone keeps 1/(1 + b theta) of its speed,
/// so that strong drag changes much where theta is small. z is nearly linear in sigma.
class ShareSearch {
 public:
  ShareSearch(VectorXd& shares, const VectorXd& numbers, const LoadsOfShares& loads_of,
              const OverlapsOfShares& overlaps_of)
      : shares_(shares), numbers_(numbers), loads_of_(loads_of), overlaps_of_(overlaps_of) {}

  bool run() {
    // Where a law has several solutions, another list may lead to one that does not jump.
    const VectorXd first = shares_;
    const VectorXd none = VectorXd::Zero(first.size());
    return find_from(first) || find_from(none) ||
           find_from((numbers_.array() > 0.0).select(VectorXd::Ones(first.size()), none));
  }

 private:
  /// Returns theta of shares sigma.
  VectorXd of_drag(const VectorXd& shares) const {
    return shares.array() / (1.0 + numbers_.array() * (1.0 - shares.array()));
  }

  /// Solves with some shares; returns false without a solution, or without budget.
  bool solve(const VectorXd& shares, bool accurate) {
    if (accurate && ++solves_ > kMaxSolves) return false;
    std::optional<VectorXd> loads = loads_of_(of_drag(shares), accurate);
    if (!loads) return false;
    shares_ = shares;
    loads_ = std::move(*loads);
    return true;
  }

  /// Searches from some shares, zeros and ones.
  bool find_from(const VectorXd& list) {
    shares_ = list;
    before_drop_.resize(0);
    if (!find_list()) return false;
    // Those that the last drop opened mostly press together again: nothing else needs to change.
    const VectorXd last = shares_;
    if (!is_consistent() && before_drop_.size() > 0) {
      if (!solve(before_drop_, true)) return false;
      if (settle(false)) return true;
      if (!solve(last, true)) return false;
    }
    return settle(true);
  }

  /// Finds the shares of the contacts whose share is wrong.
  /// @param apart  may find shares that differ, else only common ones.
  bool settle(bool apart) {
    // Contacts whose share is wrong become undecided; others join where these change their loads.
    std::vector<Index> undecided;
    for (int set = 0; set < kMaxSets; ++set) {
      if (is_consistent()) return true;
      for (Index i = 0; i < shares_.size(); ++i) {
        const bool known = std::find(undecided.begin(), undecided.end(), i) != undecided.end();
        if (!known && residual(i) != 0.0) undecided.push_back(i);
      }
      std::sort(undecided.begin(), undecided.end());
      // One common share mostly suffices: contacts of one edge lift and press together.
      if (bisect(undecided)) continue;
      if (apart && overlaps_of_ && balance(undecided)) continue;
      if (!apart || undecided.size() == 1 || !follow_simplices(undecided)) return false;
    }
    return is_consistent();
  }

  bool has_drag(Index i) const { return numbers_(i) > 0.0; }

  /// Returns the natural map sigma_i - Proj(sigma_i + z_i), zero where the share is right.
  double residual(Index i) const {
    return has_drag(i) ? shares_(i) - std::clamp(shares_(i) + loads_(i), 0.0, 1.0) : 0.0;
  }
  bool is_consistent() const {
    for (Index i = 0; i < shares_.size(); ++i) {
      if (residual(i) != 0.0) return false;
    }
    return true;
  }
  bool are_right(const std::vector<Index>& contacts) const {
    return std::all_of(contacts.begin(), contacts.end(),
                       [&](Index i) { return residual(i) == 0.0; });
  }

  /// Changes the list until it agrees with its loads, or a contact joins for the second time.
  /// @returns false without a solution.
  bool find_list() {
    const Index n = shares_.size();
    std::vector<char> dropped(place(n), 0);
    // A contact joins, is dropped, and then ends the search.
    // Bound: 2 nc + 1 solves, and the effort; the first one is made in any case.
    while (true) {
      if (!solve(shares_, false)) return false;
      VectorXd next = shares_;
      bool joins = false;
      for (Index i = 0; i < n; ++i) {
        if (!has_drag(i) || shares_(i) != 0.0 || !(loads_(i) > 0.0)) continue;
        if (dropped[place(i)]) return true;
        next(i) = 1.0;
        joins = true;
      }
      bool drops = false;
      for (Index i = 0; i < n && !joins; ++i) {
        if (!has_drag(i) || shares_(i) == 0.0 || !(loads_(i) < 0.0)) continue;
        next(i) = 0.0;
        dropped[place(i)] = 1;
        drops = true;
      }
      if (!joins && !drops) return true;
      if (drops) before_drop_ = shares_;
      if (!has_effort()) return false;
      shares_ = next;
    }
  }

  /// Returns the largest |z| of some contacts.
  double worst_of(const std::vector<Index>& contacts) const {
    return loads_(contacts).lpNorm<Eigen::Infinity>();
  }

  /// Solves with one share at some contacts, and writes the sum of their loads.
  bool sum_at(const std::vector<Index>& contacts, double share, double& sum) {
    VectorXd shares = shares_;
    for (const Index i : contacts) shares(i) = share;
    if (!solve(shares, true)) return false;
    sum = 0.0;
    for (const Index i : contacts) sum += loads_(i);
    return true;
  }

  /// Finds the common share of some contacts at which the sum of their loads vanishes, by the
  /// Illinois method [Dowell, Jarratt 1971].
  /// @returns true if that share is right for each of them.
  bool bisect(const std::vector<Index>& contacts) {
    double low = 0.0, high = 1.0, z_low = 0.0, z_high = 0.0, z = 0.0;
    if (!sum_at(contacts, low, z_low)) return false;
    if (are_right(contacts)) return true;
    double worst_of_ends = worst_of(contacts);
    if (!sum_at(contacts, high, z_high)) return false;
    if (are_right(contacts)) return true;
    worst_of_ends = std::max(worst_of_ends, worst_of(contacts));
    if (!(z_low > 0.0) || !(z_high < 0.0)) return false;
    int kept = 0;  // the end that the last cut kept
    for (int cut = 0; cut < kMaxCuts; ++cut) {
      double share = (low * z_high - high * z_low) / (z_high - z_low);
      // Rounding may leave nothing between both ends.
      if (!(share > low) || !(share < high)) share = 0.5 * (low + high);
      if (!(share > low) || !(share < high)) break;
      if (!sum_at(contacts, share, z)) return false;
      if (z == 0.0 || are_right(contacts)) break;
      if (worst_of(contacts) > kMostSlope * worst_of_ends * (high - low)) break;
      // An end that is kept twice counts half, or a kink of z would hold it for ever.
      if (z > 0.0) {
        low = share;
        z_low = z;
        if (kept == 1) z_high *= 0.5;
        kept = 1;
      } else {
        high = share;
        z_high = z;
        if (kept == -1) z_low *= 0.5;
        kept = -1;
      }
    }
    return are_right(contacts);
  }

  /// Finds shares with which some contacts just touch, from their shares, from all of their drag,
  /// and from half of it.
  /// @returns true if the shares of all of them are right.
  bool balance(const std::vector<Index>& contacts) {
    const VectorXd start = shares_;
    for (const double share : {-1.0, 1.0, 0.5}) {
      VectorXd shares = start;
      for (const Index i : contacts) {
        if (share >= 0.0) shares(i) = share;
      }
      if (balance_from(shares, contacts)) return true;
    }
    return false;
  }

  /// Finds such shares from the given ones. Contacts that the last shares make wrong must touch,
  /// too.
  bool balance_from(VectorXd shares, const std::vector<Index>& contacts) {
    const OverlapsOfShares overlaps_of =
        [this](const VectorXd& of, const std::vector<Index>& list) -> std::optional<VectorXd> {
      if (++balance_solves_ > kMaxBalanceSolves) return std::nullopt;
      return overlaps_of_(of_drag(of), list);
    };
    std::vector<Index> lifted = contacts;
    for (int round = 0; round < kMaxRounds; ++round) {
      if (!balance_drag(lifted, shares, overlaps_of) || !solve(shares, true)) return false;
      bool joins = false;
      for (Index i = 0; i < shares.size(); ++i) {
        if (residual(i) == 0.0) continue;
        // What just touches and is wrong has other loads with the same shares.
        if (std::find(lifted.begin(), lifted.end(), i) != lifted.end()) return false;
        lifted.push_back(i);
        joins = true;
      }
      if (!joins) return true;
      std::sort(lifted.begin(), lifted.end());
    }
    return false;
  }

  /// Finds the shares of several contacts as a fixed point of the continuous map sigma ->
  /// Proj(sigma + z) of the box into itself, by Merrill's method [Todd 1976, ch. VII]: a path of
  /// simplices leads from the zero of x - center to one of the map's linear interpolation. Smaller
  /// simplices around that point follow.
  bool follow_simplices(const std::vector<Index>& undecided) {
    VectorXd center = VectorXd::Constant(static_cast<Index>(undecided.size()), 0.5);
    for (double edge = kFirstEdge; edge > kSmallestEdge; edge *= kShrink) {
      if (!follow_level(undecided, edge, center)) return false;
      VectorXd label;
      if (!map_at(undecided, center, label)) return false;
      // The map says which shares are 0 or 1; rounding may have left them inside.
      VectorXd mapped = center - label;
      for (Index k = 0; k < center.size(); ++k) {
        if (mapped(k) > 0.0 && mapped(k) < 1.0) mapped(k) = center(k);
      }
      if (mapped != center && !map_at(undecided, mapped, label)) return false;
      if (are_right(undecided)) return true;
    }
    return false;
  }

  /// Solves with the shares of some contacts at x, within the box, and writes x - Proj(sigma + z).
  bool map_at(const std::vector<Index>& undecided, const VectorXd& x, VectorXd& label) {
    VectorXd shares = shares_;
    for (Index k = 0; k < x.size(); ++k) {
      shares(undecided[place(k)]) = std::clamp(x(k), 0.0, 1.0);
    }
    if (!solve(shares, true)) return false;
    label.resize(x.size());
    for (Index k = 0; k < x.size(); ++k) {
      const Index i = undecided[place(k)];
      label(k) = x(k) - std::clamp(shares_(i) + loads_(i), 0.0, 1.0);
    }
    return true;
  }

  /// Follows the path of simplices of one size; `center` then is the zero of the interpolation, or
  /// a vertex whose shares are right.
  bool follow_level(const std::vector<Index>& undecided, double edge, VectorXd& center) {
    const Index n = center.size();
    SimplexWalk walk(center, edge);
    // Column k of `labels` is (1, label) of vertex k; weights >= 0 of all vertices but one solve
    // sum weight label = 0, sum weight = 1.
    MatrixXd labels(n + 1, n + 2);
    VectorXd weights = VectorXd::Constant(n + 2, 1.0 / (static_cast<double>(n) + 1.0));
    const VectorXd start = center;
    for (Index k = 0; k <= n; ++k) labels.col(k) << 1.0, walk.point(place(k)) - start;
    Index entering = n + 1;
    weights(entering) = 0.0;
    VectorXd label;
    // A walk of n + 1 vertices passes through finitely many simplices.
    while (has_effort()) {
      count_pivot();
      // Only level 1 needs the map. A walk has no way out but through level 1.
      const int level = walk.level(place(entering));
      if (level < 0 || level > 1) break;
      const VectorXd x = walk.point(place(entering));
      if (level == 0) {
        label = x - start;
      } else if (!map_at(undecided, x, label)) {
        return false;
      } else if (are_right(undecided)) {
        center = x.cwiseMax(0.0).cwiseMin(1.0);
        return true;
      }
      labels.col(entering) << 1.0, label;
      const Index leaving = exchange(labels, entering, weights);
      if (leaving < 0) return false;
      // Places follow the walk's own: the first vertex becomes the last, or the last the first.
      const Index next = static_cast<Index>(walk.cross_facet_of(place(leaving)));
      move_column(labels, weights, leaving, next);
      entering = next;
    }
    // All vertices but the one outside lie in level 1.
    VectorXd zero = VectorXd::Zero(n);
    for (Index k = 0; k <= n + 1; ++k) {
      if (k == entering) continue;
      if (walk.level(place(k)) != 1) return false;
      zero += weights(k) * walk.point(place(k));
    }
    center = zero;
    return true;
  }

  /// Gives weight to the entering vertex until that of another one falls to zero.
  /// @returns the vertex that leaves, or -1 if none does.
  static Index exchange(const MatrixXd& labels, Index entering, VectorXd& weights) {
    const Index n = labels.rows() - 1;
    MatrixXd basis(n + 1, n + 1);
    std::vector<Index> of_basis;
    for (Index k = 0; k <= n + 1; ++k) {
      if (k == entering) continue;
      basis.col(static_cast<Index>(of_basis.size())) = labels.col(k);
      of_basis.push_back(k);
    }
    const VectorXd change = basis.partialPivLu().solve(labels.col(entering));
    Index leaving = -1;
    double least = 0.0;
    for (Index j = 0; j <= n; ++j) {
      if (!(change(j) > 0.0)) continue;
      const double ratio = weights(of_basis[place(j)]) / change(j);
      if (leaving >= 0 && ratio >= least) continue;
      least = ratio;
      leaving = of_basis[place(j)];
    }
    if (leaving < 0) return leaving;
    for (Index j = 0; j <= n; ++j) weights(of_basis[place(j)]) -= least * change(j);
    weights(entering) = least;
    weights(leaving) = 0.0;
    return leaving;
  }

  /// Moves a column and its weight to another place; those between close up.
  static void move_column(MatrixXd& labels, VectorXd& weights, Index from, Index to) {
    const int step = from < to ? 1 : -1;
    for (Index k = from; k != to; k += step) {
      labels.col(k).swap(labels.col(k + step));
      std::swap(weights(k), weights(k + step));
    }
  }

  VectorXd& shares_;         // sigma
  const VectorXd& numbers_;  // h mu_v w, 0 without drag
  const LoadsOfShares& loads_of_;
  const OverlapsOfShares& overlaps_of_;
  VectorXd loads_;        // z of the last solve
  VectorXd before_drop_;  // list before the last drop, empty without one
  int solves_ = 0, balance_solves_ = 0;
};

}  // namespace

bool find_drag_shares(VectorXd& shares, const VectorXd& drag_numbers, const LoadsOfShares& loads_of,
                      const OverlapsOfShares& overlaps_of) {
  const auto b = drag_numbers.array();
  shares = (shares.array() * (1.0 + b) / (1.0 + b * shares.array())).eval();
  const bool agrees = ShareSearch(shares, drag_numbers, loads_of, overlaps_of).run();
  shares = (shares.array() / (1.0 + b * (1.0 - shares.array()))).eval();
  return agrees;
}

}  // namespace amontons
