#pragma once

#include <stdexcept>

namespace amontons {

/// Reports that the motion has left all bounds: a velocity is not finite or beyond 1e12 [m/s or
/// rad/s]. The state at the start of the step and all records stay valid.
class DivergenceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace amontons
