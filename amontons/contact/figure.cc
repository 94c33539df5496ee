#include "amontons/contact/figure.h"

#include <cmath>

namespace amontons {

void Figure::widen(const Figure& other) {
  if (std::isnan(value) || other.value > value) *this = other;
}

}  // namespace amontons
