#pragma once

#include <Eigen/Core>

#include <cstddef>

namespace amontons {

/// Computes y += A x, written out: the innermost step of products with blocks of W, which must not
/// be a call.
/// @param x, y  three entries each, apart from each other.
inline void add_product(const Eigen::Matrix3d& A, const double* x, double* y) {
  const double* a = A.data();
  for (int i = 0; i < 3; ++i) y[i] += a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
}

/// Computes C += A B.
/// @param C  three columns of three entries, `stride` from one to the next, apart from A and B.
inline void add_product(const Eigen::Matrix3d& A, const Eigen::Matrix3d& B, double* C,
                        std::ptrdiff_t stride) {
  for (int j = 0; j < 3; ++j) add_product(A, B.data() + 3 * j, C + j * stride);
}

}  // namespace amontons
