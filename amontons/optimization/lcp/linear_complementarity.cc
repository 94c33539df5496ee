#include "amontons/optimization/lcp/linear_complementarity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Rounds to a power of two, which scales without rounding errors.
double nearest_power_of_two(double value) { return std::exp2(std::round(std::log2(value))); }

/// Returns r_i = max_j max(|M'_ij|, |M'_ji|).
VectorXd largest_entries(const MatrixXd& M, const VectorXd& D) {
  const Index n = M.rows();
  VectorXd largest = VectorXd::Zero(n);
  for (Index j = 0; j < n; ++j) {
    double column_max = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double entry = std::abs(M(i, j)) * D(i) * D(j);
      column_max = std::max(column_max, entry);
      largest(i) = std::max(largest(i), entry);
    }
    largest(j) = std::max(largest(j), column_max);
  }
  return largest;
}

/// Throws where a size is wrong.
void require_size(const VectorXd& q, Index size, const char* name) {
  if (size != q.size()) {
    throw std::invalid_argument(std::string("linear complementarity: ") + name + " has size " +
                                std::to_string(size) + ", expected " + std::to_string(q.size()));
  }
}

}  // namespace

void validate(const LinearComplementarityProblem& problem) {
  const MatrixXd& M = problem.M;
  if (M.rows() != M.cols() || M.rows() != problem.q.size()) {
    throw std::invalid_argument("linear complementarity: M is " + std::to_string(M.rows()) + " x " +
                                std::to_string(M.cols()) + " and q has size " +
                                std::to_string(problem.q.size()));
  }
  if (!M.allFinite()) throw std::invalid_argument("linear complementarity: M is not finite");
  if (!problem.q.allFinite()) {
    throw std::invalid_argument("linear complementarity: q is not finite");
  }
}

VectorXd compute_equilibration(const MatrixXd& M) {
  constexpr int kMaxSweeps = 20;  // Ruiz's sweeps converge fast; friction problems need none
  const Index n = M.rows();
  VectorXd D = VectorXd::Zero(n);
  // Positive diagonal entries become 1 up to a factor of two.
  for (Index i = 0; i < n; ++i) {
    if (M(i, i) > 0.0) D(i) = nearest_power_of_two(1.0 / std::sqrt(M(i, i)));
  }
  // Rows without a positive diagonal are measured against the rows that have one.
  const VectorXd from_diagonal = D;
  for (Index i = 0; i < n; ++i) {
    if (from_diagonal(i) > 0.0) continue;
    const double coupling =
        std::max(M.row(i).transpose().cwiseAbs().cwiseProduct(from_diagonal).maxCoeff(),
                 M.col(i).cwiseAbs().cwiseProduct(from_diagonal).maxCoeff());
    D(i) = coupling > 0.0 ? nearest_power_of_two(1.0 / coupling) : 1.0;
  }
  // Ruiz's sweeps: each row and column is divided by the root of its largest entry.
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const VectorXd largest = largest_entries(M, D);
    bool balanced = true;
    for (Index i = 0; i < n; ++i) {
      if (largest(i) == 0.0 || (largest(i) >= 0.25 && largest(i) <= 4.0)) continue;
      balanced = false;
      D(i) *= nearest_power_of_two(1.0 / std::sqrt(largest(i)));
    }
    if (balanced) break;
  }
  return D;
}

double measure_residual(const LinearComplementarityProblem& problem,
                        const Eigen::Ref<const VectorXd>& z) {
  validate(problem);
  require_size(problem.q, z.size(), "z");
  if (z.size() == 0) return 0.0;
  if (!z.allFinite()) return std::numeric_limits<double>::infinity();
  // The natural map min(z', w') in equilibrated units, relative to q'.
  const VectorXd D = compute_equilibration(problem.M);
  const VectorXd w = problem.M * z + problem.q;
  const double natural_map = (z.cwiseQuotient(D)).cwiseMin(w.cwiseProduct(D)).cwiseAbs().maxCoeff();
  const double scale = problem.q.cwiseProduct(D).cwiseAbs().maxCoeff();
  return natural_map / (scale > 0.0 ? scale : 1.0);
}

bool proves_infeasibility(const LinearComplementarityProblem& problem,
                          const Eigen::Ref<const VectorXd>& y) {
  constexpr double kNegligible = 1e-12;  // negative entries of y, share of sum|y'|
  constexpr double kUnreachable = 1e10;  // sum of z' [max|q'|] that no solution can have
  validate(problem);
  require_size(problem.q, y.size(), "y");
  if (y.size() == 0 || !y.allFinite()) return false;
  const VectorXd D = compute_equilibration(problem.M);
  // Normalized to sum(y') = 1, negative entries dropped.
  const VectorXd y_scaled = y.cwiseQuotient(D);
  const double sum = y_scaled.cwiseAbs().sum();
  if (!(sum > 0.0) || y_scaled.minCoeff() < -kNegligible * sum) return false;
  const VectorXd proof = y_scaled.cwiseMax(0.0).cwiseProduct(D) / sum;
  // M'y and q'y, each enlarged by its rounding error so that rounding proves nothing.
  const VectorXd columns = (problem.M.transpose() * proof).cwiseProduct(D);
  const VectorXd sizes = (problem.M.cwiseAbs().transpose() * proof).cwiseProduct(D);
  const double epsilon = std::numeric_limits<double>::epsilon();
  const double excess = std::max(0.0, (columns + epsilon * sizes).maxCoeff());
  const double scale = problem.q.cwiseProduct(D).cwiseAbs().maxCoeff();
  const double drive = -problem.q.dot(proof) - epsilon * problem.q.cwiseAbs().dot(proof);
  return drive > 0.0 && drive > kUnreachable * excess * scale;
}

}  // namespace amontons
