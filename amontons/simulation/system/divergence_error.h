#pragma once

#include <stdexcept>

namespace amontons {

/// The motion has left all bounds: a velocity is not finite or beyond 1e12. The state before the
/// step is unharmed, and so is everything recorded.
class DivergenceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace amontons
