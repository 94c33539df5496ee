#include "amontons/optimization/qp/scaled_box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons::internal {

using Eigen::Index;
using Eigen::VectorXd;

double ScaledBoxQp::residual(const VectorXd& z, const VectorXd& w) const {
  if (z.size() == 0) return 0.0;
  if (!z.allFinite() || !w.allFinite()) return std::numeric_limits<double>::infinity();
  // The natural map of the box: z - P(z - w).
  return (z - clamp(z - w)).cwiseAbs().maxCoeff() / scale;
}

VectorXd ScaledBoxQp::clip_to_recession(const VectorXd& d) const {
  VectorXd clipped = d;
  for (Index i = 0; i < d.size(); ++i) {
    if (std::isfinite(d(i) < 0.0 ? lower(i) : upper(i))) clipped(i) = 0.0;
  }
  return clipped;
}

bool ScaledBoxQp::is_ray(const VectorXd& d, const VectorXd& rounding) const {
  constexpr double kNegligible = 1e-12;  // entries that leave the box, share of sum|d|
  constexpr double kUnreachable = 1e10;  // sum of |z| [scale] that no minimizer can have
  if (d.size() == 0 || !d.allFinite()) return false;
  const double sum = d.cwiseAbs().sum();
  if (!(sum > 0.0)) return false;
  const VectorXd proof = clip_to_recession(d) / sum;
  if ((proof - d / sum).cwiseAbs().maxCoeff() > kNegligible) return false;
  // H d and g'd, each enlarged by its rounding error so that rounding proves nothing.
  const double epsilon = std::numeric_limits<double>::epsilon();
  const double excess = (multiply(proof).cwiseAbs() + epsilon * rounding).maxCoeff();
  const double drive = -g.dot(proof) - epsilon * g.cwiseAbs().dot(proof.cwiseAbs());
  return drive > 0.0 && drive > kUnreachable * excess * scale;
}

bool is_rounding(const ScaledBoxQp& qp, const Eigen::MatrixXd& H, const VectorXd& z,
                 double residual) {
  if (z.size() == 0) return true;
  const VectorXd terms = H.cwiseAbs() * z.cwiseAbs() + qp.g.cwiseAbs();
  const double epsilon = std::numeric_limits<double>::epsilon();
  return residual * qp.scale <= 4.0 * epsilon * terms.maxCoeff();
}

VectorXd compute_box_scales(const VectorXd& diagonal) {
  // Powers of two near 1 / sqrt(H_ii): scaling without rounding errors.
  VectorXd D = VectorXd::Zero(diagonal.size());
  for (Index i = 0; i < D.size(); ++i) {
    if (diagonal(i) > 0.0) D(i) = std::exp2(std::round(-0.5 * std::log2(diagonal(i))));
  }
  const double largest = D.size() > 0 ? D.maxCoeff() : 0.0;
  return (D.array() > 0.0).select(D, largest > 0.0 ? largest : 1.0);
}

ScaledBoxQp scale_problem(const MatrixFreeBoxQp& problem) {
  // D from the diagonal, then the size of the gradient at the point of the box nearest to zero.
  ScaledBoxQp qp;
  qp.D = compute_box_scales(problem.diagonal);
  qp.multiply = [D = qp.D, &multiply = problem.multiply](const VectorXd& z) {
    return VectorXd(D.cwiseProduct(multiply(D.cwiseProduct(z))));
  };
  const VectorXd nearest =
      VectorXd::Zero(problem.g.size()).cwiseMax(problem.lower).cwiseMin(problem.upper);
  double largest = 0.0;
  if (problem.g.size() > 0) largest = problem.g.cwiseProduct(qp.D).cwiseAbs().maxCoeff();
  if (!nearest.isZero(0.0)) {
    const VectorXd pull = problem.multiply(nearest).cwiseProduct(qp.D);
    largest = std::max(largest, pull.cwiseAbs().maxCoeff());
  }
  if (!(largest > 0.0)) largest = 1.0;
  // A power of two, so that g' is exact and at most 1.
  qp.size = std::exp2(std::ceil(std::log2(largest)));
  qp.scale = largest / qp.size;
  qp.g = qp.D.cwiseProduct(problem.g) / qp.size;
  qp.lower = qp.to_scaled(problem.lower);
  qp.upper = qp.to_scaled(problem.upper);
  return qp;
}

MatrixFreeBoxQp as_matrix_free(const BoxQuadraticProgram& problem) {
  MatrixFreeBoxQp products;
  products.multiply = [&H = problem.H](const VectorXd& x) { return VectorXd(H * x); };
  products.diagonal = problem.H.diagonal();
  products.g = problem.g;
  products.lower = problem.lower;
  products.upper = problem.upper;
  return products;
}

VectorXd scale_start(const ScaledBoxQp& qp, const std::optional<VectorXd>& start) {
  if (!start) return qp.clamp(VectorXd::Zero(qp.g.size()));
  if (start->size() != qp.g.size()) {
    throw std::invalid_argument("box QP: start has size " + std::to_string(start->size()) +
                                ", expected " + std::to_string(qp.g.size()));
  }
  if (!start->allFinite()) throw std::invalid_argument("box QP: start is not finite");
  return qp.clamp(qp.to_scaled(*start));
}

}  // namespace amontons::internal
