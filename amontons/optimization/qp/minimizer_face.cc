#include "amontons/optimization/qp/minimizer_face.h"

#include "amontons/math/independent_rows.h"
#include "amontons/optimization/lp/linear_program.h"
#include "amontons/optimization/qp/scaled_box_qp.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Minimizes c'y over the part of the face with y <= upper, by the simplex method. Each bound is a
/// row y_i + t_i = upper_i with a slack variable t_i.
LinearProgramSolution minimize_on(const MinimizerFace& face, const VectorXd& c,
                                  const VectorXd& upper, const FaceSettings& settings) {
  std::vector<Index> bounded;
  for (Index k = 0; k < static_cast<Index>(face.free.size()); ++k) {
    if (std::isfinite(upper(face.free[static_cast<std::size_t>(k)]))) bounded.push_back(k);
  }
  const Index n = face.A.cols(), rank = face.A.rows(), m = static_cast<Index>(bounded.size());
  LinearProgram program{VectorXd::Zero(n + m), MatrixXd::Zero(rank + m, n + m),
                        VectorXd::Zero(rank + m)};
  program.c.head(n) = c(face.free);
  program.A.topLeftCorner(rank, n) = face.A;
  program.b.head(rank) = face.b;
  for (Index k = 0; k < m; ++k) {
    const Index own = bounded[static_cast<std::size_t>(k)];
    program.A(rank + k, own) = program.A(rank + k, n + k) = 1.0;
    program.b(rank + k) = upper(face.free[static_cast<std::size_t>(own)]);
  }
  LinearProgramSolution solution =
      solve_linear_program(program, {.max_pivots = settings.max_pivots});
  solution.y.conservativeResize(n);
  return solution;
}

}  // namespace

void validate(const FaceSettings& settings) {
  if (!(settings.tolerance > 0.0)) {
    throw std::invalid_argument("minimizer face: tolerance must be positive, got " +
                                std::to_string(settings.tolerance));
  }
  if (settings.max_pivots < 0) {
    throw std::invalid_argument("minimizer face: max_pivots must not be negative, got " +
                                std::to_string(settings.max_pivots));
  }
}

MinimizerFace compute_minimizer_face(const NonnegativeQuadraticProgram& problem,
                                     const VectorXd& minimizer, const FaceSettings& settings) {
  constexpr double kTermRounding = 1e-13;  // share of the terms of a sum below which it is zero
  validate(settings);
  const BoxQuadraticProgram box = as_box_qp(problem);
  // The face is only defined by a minimizer.
  const double residual = measure_residual(box, minimizer);
  if (!(residual <= settings.tolerance)) {
    throw std::invalid_argument("minimizer face: the residual of the minimizer is " +
                                std::to_string(residual / settings.tolerance) +
                                " times the tolerance");
  }
  // Multipliers H y + g in the units of the residual: those within the tolerance are zero.
  const MatrixFreeBoxQp products = internal::as_matrix_free(box);
  const internal::ScaledBoxQp qp = internal::scale_problem(products);
  const VectorXd multipliers =
      (problem.H * minimizer + problem.g).cwiseProduct(qp.D) / (qp.size * qp.scale);
  MinimizerFace face;
  for (Index i = 0; i < multipliers.size(); ++i) {
    if (multipliers(i) <= settings.tolerance) face.free.push_back(i);
  }
  // H y = H y* on the free variables has many dependent rows; the independent ones suffice.
  const MatrixXd block = problem.H(face.free, face.free);
  const IndependentRows rows = independent_rows(block);
  face.independent = rows.indices;
  const MatrixXd chosen = block(rows.indices, Eigen::all);
  face.A = rows.factor.triangularView<Eigen::Lower>().solve(chosen);
  const VectorXd known = minimizer(face.free).cwiseMax(0.0);
  face.b = face.A * known;
  // Sums that vanish up to rounding are zero: a right-hand side of rounding could not be met.
  const VectorXd terms = face.A.cwiseAbs() * known;
  face.b = (face.b.cwiseAbs().array() > kTermRounding * terms.array()).select(face.b, 0.0);
  // The same for the entries of A, relative to the length of each column.
  const VectorXd lengths = block.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (Index j = 0; j < lengths.size(); ++j) {
    face.A.col(j) = (face.A.col(j).cwiseAbs().array() > kTermRounding * lengths(j))
                        .select(face.A.col(j), 0.0)
                        .eval();
  }
  return face;
}

bool is_constant_on(const MinimizerFace& face, const VectorXd& c) {
  constexpr double kTermRounding = 1e-9;  // share of the terms up to which a deviation is rounding
  if (!face.free.empty() && c.size() <= face.free.back()) {
    throw std::invalid_argument("minimizer face: c has size " + std::to_string(c.size()));
  }
  // Columns I of A are triangular; they fix the combination of rows that c would be.
  const VectorXd c_free = c(face.free);
  const MatrixXd basis = face.A(Eigen::all, face.independent);
  const VectorXd c_independent = c_free(face.independent);
  const MatrixXd shares = basis.triangularView<Eigen::Upper>().solve(face.A);
  const VectorXd deviation = c_free - shares.transpose() * c_independent;
  const VectorXd terms =
      c_free.cwiseAbs() + shares.cwiseAbs().transpose() * c_independent.cwiseAbs();
  return (deviation.cwiseAbs().array() <= kTermRounding * terms.array()).all();
}

LeastSumSolution least_sum_solution(const NonnegativeQuadraticProgram& problem,
                                    const VectorXd& minimizer, const FaceSettings& settings) {
  return least_sum_solution(
      problem, minimizer, VectorXd::Ones(minimizer.size()),
      VectorXd::Constant(minimizer.size(), std::numeric_limits<double>::infinity()), settings);
}

LeastSumSolution least_sum_solution(const NonnegativeQuadraticProgram& problem,
                                    const VectorXd& minimizer, const VectorXd& weights,
                                    const VectorXd& upper, const FaceSettings& settings) {
  validate(settings);
  const BoxQuadraticProgram box = as_box_qp(problem);
  if (weights.size() != minimizer.size() || upper.size() != minimizer.size()) {
    throw std::invalid_argument("minimizer face: weights or bounds have another size");
  }
  LeastSumSolution solution;
  solution.residual = measure_residual(box, minimizer);
  solution.y = minimizer.cwiseMax(0.0);
  solution.sum = weights.dot(solution.y);
  solution.status = SolveStatus::Stalled;
  // The solution is only meaningful from a minimizer.
  if (!(solution.residual <= settings.tolerance)) return solution;
  const MinimizerFace face = compute_minimizer_face(problem, minimizer, settings);
  // Weights in the range of A' make the sum constant over the face.
  solution.status = SolveStatus::Converged;
  solution.is_sum_unique = is_constant_on(face, weights);
  if (!solution.is_sum_unique) {
    // Else minimize it over the face, and accept the vertex by its residual in the QP.
    const LinearProgramSolution program = minimize_on(face, weights, upper, settings);
    solution.pivots = program.pivots;
    solution.status = program.status;
    VectorXd least = VectorXd::Zero(minimizer.size());
    least(face.free) = program.y;
    const bool is_good = program.status == SolveStatus::Converged &&
                         measure_residual(box, least) <= settings.tolerance;
    if (is_good) {
      solution.y = least;
    } else if (program.status == SolveStatus::Converged ||
               program.status == SolveStatus::Infeasible) {
      solution.status = SolveStatus::Stalled;  // the face holds the minimizer: rounding
    }
  }
  solution.sum = weights.dot(solution.y);
  solution.residual = measure_residual(box, solution.y);
  return solution;
}

}  // namespace amontons
