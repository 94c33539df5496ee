#include "amontons/contact/figure.h"

#include <cmath>

namespace amontons {

void Figure::raise(double residual, double scale, int index) {
  double ratio = residual == 0.0 ? 0.0 : residual / scale;
  if (!std::isfinite(ratio)) ratio = std::numeric_limits<double>::infinity();
  if (ratio <= value) return;
  value = ratio;
  where = ratio == 0.0 ? -1 : index;
}

void Figure::widen(const Figure& other) {
  if (std::isnan(value) || other.value > value) *this = other;
}

}  // namespace amontons
