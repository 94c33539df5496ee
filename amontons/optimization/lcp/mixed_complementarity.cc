#include "amontons/optimization/lcp/mixed_complementarity.h"

#include <Eigen/LU>

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

// Smallest pivot of the free block, relative to the largest, at equilibrated rows [-].
constexpr double kSingular = 1e-12;

/// Holds the indices of free and of other variables.
struct Parts {
  std::vector<Index> free, others;
};

Parts parts_of(const MixedComplementarityProblem& problem) {
  Parts parts;
  for (std::size_t i = 0; i < problem.is_free.size(); ++i) {
    (problem.is_free[i] != 0 ? parts.free : parts.others).push_back(static_cast<Index>(i));
  }
  return parts;
}

void require_sizes(const MixedComplementarityProblem& problem) {
  validate(LinearComplementarityProblem{problem.M, problem.q});
  if (problem.is_free.size() == static_cast<std::size_t>(problem.q.size())) return;
  throw std::invalid_argument("mixed complementarity: free has size " +
                              std::to_string(problem.is_free.size()) + ", expected " +
                              std::to_string(problem.q.size()));
}

/// Returns M_ff^-1 of right sides [f x k], by LU with complete pivoting of the equilibrated block.
/// @throws std::invalid_argument if it is singular.
MatrixXd solve_free(const MixedComplementarityProblem& problem, const Parts& parts,
                    const MatrixXd& right) {
  if (parts.free.empty()) return right;
  const MatrixXd block = problem.M(parts.free, parts.free);
  const VectorXd D = compute_equilibration(block);
  const Eigen::FullPivLU<MatrixXd> factor(D.asDiagonal() * block * D.asDiagonal());
  const VectorXd pivots = factor.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff())) {
    throw std::invalid_argument(
        "mixed complementarity: the block of M on the free variables is singular; leave out "
        "equations that depend on others");
  }
  return D.asDiagonal() * factor.solve(D.asDiagonal() * right);
}

}  // namespace

void validate(const MixedComplementarityProblem& problem) {
  require_sizes(problem);
  const Parts parts = parts_of(problem);
  solve_free(problem, parts, MatrixXd::Zero(static_cast<Index>(parts.free.size()), 1));
}

LinearComplementarityProblem eliminate_free(const MixedComplementarityProblem& problem) {
  require_sizes(problem);
  const Parts parts = parts_of(problem);
  const auto k = static_cast<Index>(parts.others.size());
  MatrixXd right(static_cast<Index>(parts.free.size()), k + 1);
  right.leftCols(k) = problem.M(parts.free, parts.others);
  right.col(k) = problem.q(parts.free);
  const MatrixXd solved = solve_free(problem, parts, right);
  const MatrixXd coupling = problem.M(parts.others, parts.free);
  return {problem.M(parts.others, parts.others) - coupling * solved.leftCols(k),
          problem.q(parts.others) - coupling * solved.col(k)};
}

VectorXd with_free_variables(const MixedComplementarityProblem& problem,
                             const Eigen::Ref<const VectorXd>& z_c) {
  require_sizes(problem);
  const Parts parts = parts_of(problem);
  if (z_c.size() != static_cast<Index>(parts.others.size())) {
    throw std::invalid_argument("mixed complementarity: z has size " + std::to_string(z_c.size()) +
                                ", expected " + std::to_string(parts.others.size()));
  }
  VectorXd z(problem.q.size());
  const auto write = [&z](const std::vector<Index>& places, const VectorXd& values) {
    for (std::size_t k = 0; k < places.size(); ++k) z(places[k]) = values(static_cast<Index>(k));
  };
  write(parts.others, z_c);
  const VectorXd right = problem.M(parts.free, parts.others) * z_c + problem.q(parts.free);
  write(parts.free, -solve_free(problem, parts, right).col(0));
  return z;
}

double measure_residual(const MixedComplementarityProblem& problem,
                        const Eigen::Ref<const VectorXd>& z) {
  validate(problem);
  if (z.size() != problem.q.size()) {
    throw std::invalid_argument("mixed complementarity: z has size " + std::to_string(z.size()) +
                                ", expected " + std::to_string(problem.q.size()));
  }
  if (z.size() == 0) return 0.0;
  if (!z.allFinite()) return std::numeric_limits<double>::infinity();
  const VectorXd D = compute_equilibration(problem.M);
  const VectorXd w = D.cwiseProduct(problem.M * z + problem.q);
  const double scale = D.cwiseProduct(problem.q).lpNorm<Eigen::Infinity>();
  double worst = 0.0;
  for (Index i = 0; i < z.size(); ++i) {
    const bool is_free = problem.is_free[static_cast<std::size_t>(i)] != 0;
    worst = std::max(worst, std::abs(is_free ? w(i) : std::min(z(i) / D(i), w(i))));
  }
  return scale > 0.0 ? worst / scale : worst;
}

}  // namespace amontons
