#pragma once

#include "amontons/math/row_factor.h"
#include "amontons/math/sparse_rows.h"

#include <Eigen/Core>

namespace amontons {

/// States a linear complementarity problem of contact type by a factor of its matrix: find z with
///
///   w = G a + s,   a = a_0 + C G'z,   0 <= z  perp  w >= 0,      C = I - Q Q'
///
/// that is LCP(G C G', G a_0 + s). In contact a is the velocity in the norm of M, G = N L^-1 with
/// M = L'L, and Q an orthonormal basis of the rows that are held (joints, sticking contacts).
struct FactoredLcp {
  SparseRows rows;                  ///< G [n x m]
  const RowFactor* held = nullptr;  ///< Q; null: nothing is held
  Eigen::VectorXd start;            ///< a_0 [m]
  Eigen::VectorXd offset;           ///< s [n]
  /// [n] distance that w_i may stay below zero, besides rounding, in the units of w; >= 0.
  Eigen::VectorXd allowance;

  /// Returns w_i at a [m].
  double w(Eigen::Index i, const Eigen::VectorXd& a) const { return rows.dot(i, a) + offset(i); }
};

}  // namespace amontons
