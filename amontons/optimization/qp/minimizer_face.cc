#include "amontons/optimization/qp/minimizer_face.h"

#include "amontons/math/independent_rows.h"
#include "amontons/optimization/lp/linear_program.h"
#include "amontons/optimization/qp/scaled_box_qp.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Minimizes c'y over the face by the simplex method.
LinearProgramSolution minimize_on(const MinimizerFace& face, const VectorXd& c,
                                  const FaceSettings& settings) {
  return solve_linear_program({c(face.free), face.A, face.b}, {.max_pivots = settings.max_pivots});
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
  validate(settings);
  const BoxQuadraticProgram box = as_box_qp(problem);
  LeastSumSolution solution;
  solution.residual = measure_residual(box, minimizer);
  solution.y = minimizer.cwiseMax(0.0);
  solution.sum = solution.y.sum();
  solution.status = SolveStatus::Stalled;
  // The solution is only meaningful from a minimizer.
  if (!(solution.residual <= settings.tolerance)) return solution;
  const MinimizerFace face = compute_minimizer_face(problem, minimizer, settings);
  const VectorXd ones = VectorXd::Ones(minimizer.size());
  // 1 in the range of A' makes the sum constant over the face.
  solution.status = SolveStatus::Converged;
  solution.is_sum_unique = is_constant_on(face, ones);
  if (!solution.is_sum_unique) {
    // Else minimize it over the face, and accept the vertex by its residual in the QP.
    const LinearProgramSolution program = minimize_on(face, ones, settings);
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
  solution.sum = solution.y.sum();
  solution.residual = measure_residual(box, solution.y);
  return solution;
}

}  // namespace amontons
