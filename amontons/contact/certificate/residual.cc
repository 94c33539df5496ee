#include "amontons/contact/certificate/residual.h"

#include <cmath>

namespace amontons {

void Residual::merge_worst(const Residual& other) {
  const bool is_worse = std::isnan(value) || other.value > value;
  // Of equal ones the first place counts, so that the order of merging does not.
  const bool is_ahead =
      other.value == value && other.where >= 0 && (where < 0 || other.where < where);
  if (is_worse || is_ahead) *this = other;
}

}  // namespace amontons
