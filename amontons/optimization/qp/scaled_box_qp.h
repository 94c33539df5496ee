#pragma once

#include "amontons/optimization/qp/box_qp.h"

#include <Eigen/Core>

#include <functional>
#include <optional>

namespace amontons::internal {

/// Holds a box QP in the units of its residual: x = size D z, H' = D H D, g' = D g / size. The
/// diagonal of H' is near 1 and the scale of measure_residual() is at most 1. It refers to the
/// problem it was built from. All factors are powers of two, so the scaled data are exact.
struct ScaledBoxQp {
  std::function<Eigen::VectorXd(const Eigen::VectorXd&)> multiply;  ///< z -> H' z
  Eigen::VectorXd D, g, lower, upper;                               ///< [n]
  double size = 1.0;   ///< unit of x and g, a power of two
  double scale = 1.0;  ///< scale of measure_residual(), divided by size: in (1/2, 1]

  Eigen::VectorXd clamp(const Eigen::VectorXd& z) const {
    return z.cwiseMax(lower).cwiseMin(upper);
  }
  Eigen::VectorXd to_original(const Eigen::VectorXd& z) const { return size * D.cwiseProduct(z); }
  Eigen::VectorXd to_scaled(const Eigen::VectorXd& x) const { return x.cwiseQuotient(D) / size; }

  /// Returns measure_residual() of the point z with gradient w = H' z + g'.
  double residual(const Eigen::VectorXd& z, const Eigen::VectorXd& w) const;

  /// Returns d with zeros where moving along it would finally leave the box.
  Eigen::VectorXd clip_to_recession(const Eigen::VectorXd& d) const;

  /// Returns true if the direction d passes proves_unboundedness().
  /// @param rounding  [n], size of the terms that add up to each (H' d)_i, for sum |d| = 1
  bool is_ray(const Eigen::VectorXd& d, const Eigen::VectorXd& rounding) const;
};

/// Returns true if `residual` of the point z is no more than the rounding of H' z + g': 4 epsilon
/// times the largest sum of its terms. No method can improve it then.
/// @param H  [n x n], H'
bool is_rounding(const ScaledBoxQp& qp, const Eigen::MatrixXd& H, const Eigen::VectorXd& z,
                 double residual);

/// Returns D of measure_residual().
Eigen::VectorXd compute_box_scales(const Eigen::VectorXd& diagonal);

/// Scales a problem, which must be valid and outlive the result.
ScaledBoxQp scale_problem(const MatrixFreeBoxQp& problem);

/// Wraps H as products. The problem must outlive the result.
MatrixFreeBoxQp as_matrix_free(const BoxQuadraticProgram& problem);

/// Returns the start, clamped and scaled, or the point of the box nearest to zero.
/// @throws std::invalid_argument if its size is not n or an entry is not finite.
Eigen::VectorXd scale_start(const ScaledBoxQp& qp, const std::optional<Eigen::VectorXd>& start);

}  // namespace amontons::internal
