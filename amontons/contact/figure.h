#pragma once

#include <limits>

namespace amontons {

/// A judged quantity and where it is worst.
struct Figure {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN until measured
  int where = -1;  ///< index of the contact, joint row or articulation; -1: none

  /// Raises the value to residual / scale if that is more (0 / 0 counts as 0, and what is not
  /// finite as infinity). A figure never raised before takes any value.
  void raise(double residual, double scale, int index);

  /// Takes the other figure if it is worse, or if this one was not measured.
  void widen(const Figure& other);
};

}  // namespace amontons
