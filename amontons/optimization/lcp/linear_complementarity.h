#pragma once

#include <Eigen/Core>

namespace amontons {

/// States the linear complementarity problem LCP(q, M) [Cottle, Pang, Stone 1992, sec. 1.1]: find z
/// with
///
///   w = M z + q,   0 <= z  perp  w >= 0.
struct LinearComplementarityProblem {
  Eigen::MatrixXd M;  ///< [n x n], any square matrix; need not be symmetric
  Eigen::VectorXd q;  ///< [n]
};

/// Checks a problem.
/// @throws std::invalid_argument if M is not square, q has another size, or a value is not finite.
void validate(const LinearComplementarityProblem& problem);

/// Computes positive scales D [n], powers of two, that balance M while keeping complementarity:
///
///   z = D z',  w' = D w,  M' = D M D,  q' = D q.
///
/// Depends on M alone. Rows with M_ii > 0 get D_i ~ 1 / sqrt(M_ii), so that M'_ii is in [1/2, 2];
/// rows with a zero diagonal get their largest entry in row and column near 1. Then symmetric Ruiz
/// sweeps [Ruiz 2001] run until max_j(|M'_ij|, |M'_ji|) lies in [1/4, 4] for every i (20 at most);
/// a positive semidefinite M, and a friction LCP built on one, need none. Where row and column
/// vanish D_i = 1. Powers of two make the scaled data exact.
Eigen::VectorXd compute_equilibration(const Eigen::MatrixXd& M);

/// Measures the distance of z from a solution [-], zero for an exact solution:
///
///   max_i |min(z'_i, w'_i)| / max_i |q'_i|,   z' = z / D,  w' = D (M z + q),  q' = D q
///
/// with D = compute_equilibration(M). If q = 0 the divisor is 1. It uses the original data and z
/// alone, whatever method found z. At z = 0 it is at most 1. A z that is not finite gives infinity.
/// @throws std::invalid_argument as validate(), or if z has another size.
double measure_residual(const LinearComplementarityProblem& problem,
                        const Eigen::Ref<const Eigen::VectorXd>& z);

/// Returns true if y proves that no z >= 0 has M z + q >= 0 (Farkas):  y >= 0,  M'y <= 0,  q'y < 0.
///
/// With y' = y / D normalized to sum 1, and e = max_i (D M'y)_i enlarged by its rounding error, any
/// feasible z would have sum(z') >= -q'y / e. The proof is accepted if that exceeds 1e10 max|q'|:
/// rounding alone would give such a z a residual of 1e-6. So q'y must be below about -1e-5 max|q'|,
/// unless M'y is well below zero: slighter contradictions are not proved here.
/// @param y  [n]; negative entries down to -1e-12 sum|y'| count as zero, others refute the proof.
/// @throws std::invalid_argument as validate(), or if y has another size.
bool proves_infeasibility(const LinearComplementarityProblem& problem,
                          const Eigen::Ref<const Eigen::VectorXd>& y);

}  // namespace amontons
