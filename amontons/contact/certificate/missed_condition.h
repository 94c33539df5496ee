#pragma once

#include "amontons/contact/certificate/certificate.h"

#include <string>

namespace amontons {

/// Error of a row of J, relative to its lever, and overlap, relative to the smaller body, up to
/// which a step may widen them [-].
inline constexpr double kGrowthTolerance = 0.1;

/// Names a condition that a certificate misses.
struct MissedCondition {
  std::string text;  ///< with its figure, as in "contact law missed by 1.2e-07"
  int contact = -1;  ///< where a contact law or an overlap is at fault: its index in the problem
};

/// Returns the first condition that a certificate misses, in the order: rounding, joints' rows,
/// contact laws, contacts out of sight, positions, energy and the equation of motion.
/// @param within  as in Certificate::set_holds().
MissedCondition missed_condition(const Certificate& certificate, double tolerance,
                                 double within = 0.0);

/// Formats a number with two digits, "1.2e-07".
std::string scientific(double value);

}  // namespace amontons
