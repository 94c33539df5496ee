#include "amontons/optimization/qp/box_qp.h"

#include "amontons/optimization/dense/dense_cholesky.h"
#include "amontons/optimization/qp/scaled_box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Throws where a size is wrong.
void require_size(Index size, Index expected, const char* name) {
  if (size != expected) {
    throw std::invalid_argument(std::string("box QP: ") + name + " has size " +
                                std::to_string(size) + ", expected " + std::to_string(expected));
  }
}

/// Throws where a box is empty or g is not finite.
void require_box(const VectorXd& g, const VectorXd& lower, const VectorXd& upper) {
  require_size(lower.size(), g.size(), "lower");
  require_size(upper.size(), g.size(), "upper");
  if (!g.allFinite()) throw std::invalid_argument("box QP: g is not finite");
  for (Index i = 0; i < g.size(); ++i) {
    const bool is_valid = lower(i) <= upper(i) && lower(i) < HUGE_VAL && upper(i) > -HUGE_VAL;
    if (!is_valid) {
      throw std::invalid_argument("box QP: bounds of variable " + std::to_string(i) + " are [" +
                                  std::to_string(lower(i)) + ", " + std::to_string(upper(i)) +
                                  "], must hold a finite value");
    }
  }
}

/// Throws where a diagonal entry is negative beyond rounding, a share of the largest entry.
void require_diagonal(const VectorXd& diagonal) {
  constexpr double kCurvatureRounding = 1e-12;
  if (!diagonal.allFinite()) throw std::invalid_argument("box QP: diagonal of H is not finite");
  if (diagonal.size() == 0) return;
  Index worst = 0;
  if (diagonal.minCoeff(&worst) < -kCurvatureRounding * diagonal.cwiseAbs().maxCoeff()) {
    throw std::invalid_argument("box QP: H(" + std::to_string(worst) + ", " +
                                std::to_string(worst) + ") = " + std::to_string(diagonal(worst)) +
                                ", must not be negative");
  }
}

/// Throws where H is not symmetric up to rounding, a share of sqrt(|H_ii H_jj|).
void require_symmetric(const MatrixXd& H) {
  constexpr double kSymmetryRounding = 1e-10;
  for (Index j = 0; j < H.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      const double size = std::sqrt(std::abs(H(i, i) * H(j, j)));
      if (std::abs(H(i, j) - H(j, i)) > kSymmetryRounding * size) {
        throw std::invalid_argument("box QP: H is not symmetric at (" + std::to_string(i) + ", " +
                                    std::to_string(j) + ")");
      }
    }
  }
}

/// Returns |H'| |d| / sum |d|: the size of the terms in each entry of H'd.
VectorXd size_of_terms(const MatrixXd& H, const VectorXd& D, const VectorXd& d_scaled) {
  const double sum = d_scaled.cwiseAbs().sum();
  const VectorXd d = D.cwiseProduct(d_scaled.cwiseAbs()) / (sum > 0.0 ? sum : 1.0);
  return D.cwiseProduct(H.cwiseAbs() * d);
}

/// Returns the residual of a valid problem.
double measure(const MatrixFreeBoxQp& problem, const VectorXd& x) {
  require_size(x.size(), problem.g.size(), "x");
  const internal::ScaledBoxQp qp = internal::scale_problem(problem);
  if (!x.allFinite()) return std::numeric_limits<double>::infinity();
  // The gradient is computed from the data as given, and scaled afterwards.
  const VectorXd gradient = problem.multiply(x) + problem.g;
  return qp.residual(qp.to_scaled(x), gradient.cwiseProduct(qp.D) / qp.size);
}

}  // namespace

void validate(const BoxQuadraticProgram& problem) {
  const MatrixXd& H = problem.H;
  require_size(H.rows(), problem.g.size(), "a column of H");
  require_size(H.cols(), problem.g.size(), "a row of H");
  if (!H.allFinite()) throw std::invalid_argument("box QP: H is not finite");
  require_diagonal(H.diagonal());
  require_symmetric(H);
  require_box(problem.g, problem.lower, problem.upper);
}

void validate(const MatrixFreeBoxQp& problem) {
  if (!problem.multiply) throw std::invalid_argument("box QP: multiply is empty");
  require_size(problem.diagonal.size(), problem.g.size(), "diagonal");
  require_diagonal(problem.diagonal);
  require_box(problem.g, problem.lower, problem.upper);
}

void require_convex(const BoxQuadraticProgram& problem) {
  constexpr double kCurvatureRounding = 1e-10;
  validate(problem);
  if (problem.H.size() == 0) return;
  // H with a unit diagonal is semidefinite where a shift by rounding makes it definite. The sums of
  // its eigenvalues and of their squares bound the largest one from below.
  VectorXd D = problem.H.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (double& entry : D) entry = entry > 0.0 ? 1.0 / entry : 1.0;
  MatrixXd scaled = D.asDiagonal() * problem.H * D.asDiagonal();
  const double largest = scaled.squaredNorm() / static_cast<double>(scaled.rows());
  scaled.diagonal().array() += kCurvatureRounding * std::max(1.0, largest);
  if (!DenseCholesky().factor(scaled)) {
    throw std::invalid_argument(
        "box QP: H is not positive semidefinite; only convex programs are solved");
  }
}

void validate(const BoxQpSettings& settings) {
  if (!(settings.tolerance > 0.0)) {
    throw std::invalid_argument("box QP: tolerance must be positive, got " +
                                std::to_string(settings.tolerance));
  }
  const auto require_count = [](Index value, const char* name) {
    if (value < 0) {
      throw std::invalid_argument(std::string("box QP: ") + name + " must not be negative, got " +
                                  std::to_string(value));
    }
  };
  require_count(settings.max_products, "max_products");
  require_count(settings.max_factorizations, "max_factorizations");
  require_count(settings.direct_size, "direct_size");
}

double measure_residual(const BoxQuadraticProgram& problem, const Eigen::Ref<const VectorXd>& x) {
  validate(problem);
  return measure(internal::as_matrix_free(problem), x);
}

double measure_residual(const MatrixFreeBoxQp& problem, const Eigen::Ref<const VectorXd>& x) {
  validate(problem);
  return measure(problem, x);
}

bool proves_unboundedness(const BoxQuadraticProgram& problem, const Eigen::Ref<const VectorXd>& d) {
  validate(problem);
  require_size(d.size(), problem.g.size(), "d");
  // The proof is tested in scaled units, with the rounding of the matrix's own terms.
  const MatrixFreeBoxQp products = internal::as_matrix_free(problem);
  const internal::ScaledBoxQp qp = internal::scale_problem(products);
  const VectorXd d_scaled = qp.to_scaled(d);
  return qp.is_ray(d_scaled, size_of_terms(problem.H, qp.D, d_scaled));
}

bool proves_unboundedness(const MatrixFreeBoxQp& problem, const Eigen::Ref<const VectorXd>& d) {
  validate(problem);
  require_size(d.size(), problem.g.size(), "d");
  const internal::ScaledBoxQp qp = internal::scale_problem(problem);
  // Entries of H' are at most 2, so 2 bounds the terms.
  return qp.is_ray(qp.to_scaled(d), VectorXd::Constant(d.size(), 2.0));
}

namespace {

/// Returns true if nothing can be gained: solved, proved to have no solution, or exact to rounding.
bool is_final(const BoxQuadraticProgram& problem, const BoxQpSolution& solution) {
  if (solution.status == SolveStatus::Converged || solution.status == SolveStatus::Infeasible) {
    return true;
  }
  const MatrixFreeBoxQp products = internal::as_matrix_free(problem);
  const internal::ScaledBoxQp qp = internal::scale_problem(products);
  const MatrixXd H = qp.D.asDiagonal() * problem.H * qp.D.asDiagonal();
  return internal::is_rounding(qp, H, qp.to_scaled(solution.x), solution.residual);
}

/// Combines the counts and the better point of two methods.
void merge(const BoxQpSolution& earlier, BoxQpSolution& later) {
  later.products += earlier.products;
  later.factorizations += earlier.factorizations;
  // A status that decides the problem belongs to the point of its own method.
  const bool is_decided =
      later.status == SolveStatus::Converged || later.status == SolveStatus::Infeasible;
  if (!is_decided && earlier.residual < later.residual) {
    later.x = earlier.x;
    later.residual = earlier.residual;
    later.method = earlier.method;
  }
  if (later.method == BoxQpMethod::None) later.method = earlier.method;
}

}  // namespace

BoxQpSolution solve_box_qp(const BoxQuadraticProgram& problem, const BoxQpSettings& settings,
                           const std::optional<VectorXd>& start) {
  // A residual [-] below which a point helps the other method: one that diverged would mislead it.
  constexpr double kHelpful = 1e-2;
  // Factorizations are fast for few variables, products for many; the other method is the fallback.
  const bool pivot_first = problem.g.size() <= settings.direct_size;
  BoxQpSolution first = pivot_first ? solve_block_pivoting(problem, settings, start)
                                    : solve_gpcg(problem, settings, start);
  if (is_final(problem, first)) return first;
  const std::optional<VectorXd> from = first.residual < kHelpful ? std::optional(first.x) : start;
  BoxQpSolution second = pivot_first ? solve_gpcg(problem, settings, from)
                                     : solve_block_pivoting(problem, settings, from);
  merge(first, second);
  return second;
}

}  // namespace amontons
