#include "amontons/optimization/lcp/complementary_basis.h"

#include "amontons/math/dense_decompositions.h"

#include <Eigen/LU>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Returns the indices S with basic z.
std::vector<Index> basic_indices(const std::vector<char>& z_is_basic) {
  std::vector<Index> basic;
  for (std::size_t i = 0; i < z_is_basic.size(); ++i) {
    if (z_is_basic[i]) basic.push_back(static_cast<Index>(i));
  }
  return basic;
}

/// Returns true if the pivots of LU spread so far that digits of the solution are lost.
bool is_numerically_singular(const MatrixXd& lu) {
  constexpr double kPivotSpread = 1e-12;  // smallest pivot, share of the largest
  const VectorXd pivots = lu.diagonal().cwiseAbs();
  return !(pivots.minCoeff() > kPivotSpread * pivots.maxCoeff());
}

/// Returns b - A x, accumulated in extended precision so that refinement gains digits.
VectorXd accurate_residual(const MatrixXd& A, const VectorXd& b, const VectorXd& x) {
  VectorXd residual(b.size());
  for (Index i = 0; i < b.size(); ++i) {
    long double sum = b(i);
    for (Index j = 0; j < x.size(); ++j) {
      sum -= static_cast<long double>(A(i, j)) * static_cast<long double>(x(j));
    }
    residual(i) = static_cast<double>(sum);
  }
  return residual;
}

/// Solves A x = b and refines x as long as the residual falls.
template <class Solve>
VectorXd solve_refined(const Solve& solve, const MatrixXd& A, const VectorXd& b) {
  constexpr int kMaxRefinements =
      4;  // limit; the loop ends earlier where the residual does not fall
  VectorXd x = solve(b);
  VectorXd residual = accurate_residual(A, b, x);
  for (int pass = 0; pass < kMaxRefinements && x.allFinite(); ++pass) {
    const VectorXd candidate = x + solve(residual);
    const VectorXd candidate_residual = accurate_residual(A, b, candidate);
    if (!(candidate_residual.cwiseAbs().maxCoeff() < residual.cwiseAbs().maxCoeff())) break;
    x = candidate;
    residual = candidate_residual;
  }
  // Only the rows and columns of S enter: M_SS z_S = -q_S.
  return x;
}

}  // namespace

VectorXd compute_basic_solution(const LinearComplementarityProblem& problem,
                                const std::vector<char>& z_is_basic) {
  const Index n = problem.q.size();
  if (static_cast<Index>(z_is_basic.size()) != n) {
    throw std::invalid_argument("complementary basis: z_is_basic has size " +
                                std::to_string(z_is_basic.size()) + ", expected " +
                                std::to_string(n));
  }
  VectorXd z = VectorXd::Zero(n);
  const std::vector<Index> basic = basic_indices(z_is_basic);
  if (basic.empty()) return z;
  const MatrixXd A = problem.M(basic, basic);
  const VectorXd b = -problem.q(basic);
  const Eigen::PartialPivLU<MatrixXd> lu(A);
  // A singular basis has many solutions; the shortest one depends on no order of rows.
  if (!is_numerically_singular(lu.matrixLU())) {
    z(basic) = solve_refined([&](const VectorXd& r) -> VectorXd { return lu.solve(r); }, A, b);
  } else {
    constexpr double kRankTolerance =
        1e-11;  // pivots below this share of the largest count as zero
    z(basic) = solve_refined(
        [&](const VectorXd& r) { return least_norm_solution(A, r, kRankTolerance); }, A, b);
  }
  return z;
}

}  // namespace amontons
