#pragma once

#include <cmath>
#include <limits>

namespace amontons {

/// Holds a certified quantity and where it is worst.
struct Residual {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN until measured
  int where = -1;  ///< index of the contact, joint row or articulation; -1: none

  /// Raises the value to residual / scale if that is more. 0 / 0 counts as 0, and a ratio that is
  /// not finite counts as infinity. A residual that was never raised takes any value.
  void update(double residual, double scale, int index) {
    double ratio = residual == 0.0 ? 0.0 : residual / scale;
    if (!std::isfinite(ratio)) ratio = std::numeric_limits<double>::infinity();
    if (ratio <= value) return;
    value = ratio;
    where = ratio == 0.0 ? -1 : index;
  }

  /// Takes the other residual if it is worse or equal and ahead, or if this was not measured.
  void merge_worst(const Residual& other);
};

}  // namespace amontons
