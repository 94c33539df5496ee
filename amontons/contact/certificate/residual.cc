#include "amontons/contact/certificate/residual.h"

#include <cmath>

namespace amontons {

void Residual::merge_worst(const Residual& other) {
  if (std::isnan(value) || other.value > value) *this = other;
}

}  // namespace amontons
