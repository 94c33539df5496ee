#pragma once

#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <cstddef>
#include <cstring>

namespace amontons {

/// Returns true if two arrays of n numbers agree bit by bit: results computed from them then agree,
/// too. A NaN equals itself; 0 differs from -0.
inline bool same_bits(const double* x, const double* y, Eigen::Index n) {
  // An empty vector has no address.
  return n == 0 || std::memcmp(x, y, static_cast<std::size_t>(n) * sizeof(double)) == 0;
}
inline bool same_bits(double x, double y) { return same_bits(&x, &y, 1); }
inline bool same_bits(const Eigen::Vector3d& x, const Eigen::Vector3d& y) {
  return same_bits(x.data(), y.data(), 3);
}
inline bool same_bits(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  return x.size() == y.size() && same_bits(x.data(), y.data(), x.size());
}
inline bool same_bits(const Pose& X, const Pose& Y) {
  return same_bits(X.rotation.data(), Y.rotation.data(), 9) &&
         same_bits(X.translation, Y.translation);
}

}  // namespace amontons
