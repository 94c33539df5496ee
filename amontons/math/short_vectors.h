#pragma once

#include <Eigen/Core>

// Operations on vectors of some tens of entries. General loops over unknown lengths and alignments
// spend as long on preparation as on work, so these take four entries at a time, unaligned.

namespace amontons {

/// Returns x'y of n entries.
inline double short_dot(const double* x, const double* y, Eigen::Index n) {
  using Four = Eigen::Map<const Eigen::Vector4d>;
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  Eigen::Index i = 0;
  for (; i + 4 <= n; i += 4) sum += Four(x + i).cwiseProduct(Four(y + i));
  double rest = 0.0;
  for (; i < n; ++i) rest += x[i] * y[i];
  return sum.sum() + rest;
}

/// Computes y += factor x, n entries.
inline void add_scaled(double factor, const double* x, double* y, Eigen::Index n) {
  Eigen::Index i = 0;
  for (; i + 4 <= n; i += 4) {
    Eigen::Map<Eigen::Vector4d>(y + i) += factor * Eigen::Map<const Eigen::Vector4d>(x + i);
  }
  for (; i < n; ++i) y[i] += factor * x[i];
}

}  // namespace amontons
