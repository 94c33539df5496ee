#pragma once

#include <Eigen/Core>

#include <functional>
#include <optional>
#include <vector>

namespace amontons {

/// Returns how far some contacts would overlap without normal impulses, -(u_n + s)/V, for given
/// shares of their drag; negative where a contact opens. None: there is no solution.
/// @param shares  of all contacts [nc].
/// @param lifted  contacts that take no normal impulses; the values of others are not read.
using OverlapsOfShares = std::function<std::optional<Eigen::VectorXd>(
    const Eigen::VectorXd& shares, const std::vector<Eigen::Index>& lifted)>;

/// Finds shares of the drag with which contacts just touch without normal impulses: in [0, 1], and
/// u_n + s = 0. This condition has no kink where the load of the contact begins, as the law of
/// loads has (drag_share_search.h). So Newton's method applies, with differences for derivatives.
///
/// A contact that overlaps with all of its drag leaves the list with share 1, one that opens
/// without it with share 0.
/// @param lifted  contacts that touch; then those that have not left.
/// @param shares  where to start [nc], in any monotone measure; then the shares.
/// @returns true if the last step is rounding.
bool balance_drag(std::vector<Eigen::Index>& lifted, Eigen::VectorXd& shares,
                  const OverlapsOfShares& overlaps_of);

}  // namespace amontons
