#pragma once

#include "amontons/models/common/drag_balance.h"

#include <Eigen/Core>

#include <functional>
#include <optional>

namespace amontons {

/// Returns the loads z [nc] that a solution with given shares theta [nc] has
/// (ContactDrag::loads): z > 0 under a load, z < 0 open, 0 where either share is right. None: there
/// is no solution of the law with these shares.
/// @param accurate  true: z is compared with other values of z, and must have all its digits.
using LoadsOfShares =
    std::function<std::optional<Eigen::VectorXd>(const Eigen::VectorXd& shares, bool accurate)>;

/// Finds the shares theta of viscous friction that agree with the loads which they produce:
///
///   0 <= theta <= 1,     z_i(theta) > 0 only where theta_i = 1,     z_i < 0 only where theta_i = 0
///
/// This is a box-constrained complementarity problem between theta and the continuous function -z.
/// Where one solution belongs to each theta it has a solution (docs/theory/no-slip.md).
///
/// First theta is a list of zeros and ones: contacts under load join, then open ones are dropped.
/// Where one joins again after it was dropped, no list may be right. The Illinois method then finds
/// one common share of all undecided contacts. Where several need different shares, Newton's method
/// finds those with which they just touch (drag_balance.h). Else Merrill's method finds them
/// [Todd 1976, ch. VII].
/// @param shares        where to start [nc]; then the shares of the last call.
/// @param drag_numbers  h mu_v w of each contact [nc] [-]; where it is 0 the share stays 0.
/// @param overlaps_of   overlaps of lifted contacts at shares theta; without it Newton's method is
///                      not tried.
/// @returns true if the shares agree with the loads of the last call of `loads_of`; false where it
///          had no solution, or where the budget is spent.
bool find_drag_shares(Eigen::VectorXd& shares, const Eigen::VectorXd& drag_numbers,
                      const LoadsOfShares& loads_of, const OverlapsOfShares& overlaps_of = {});

}  // namespace amontons
