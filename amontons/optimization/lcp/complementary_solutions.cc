#include "amontons/optimization/lcp/complementary_solutions.h"

#include <Eigen/LU>

#include <algorithm>
#include <stdexcept>

namespace amontons {

std::vector<Eigen::VectorXd> complementary_solutions(const Eigen::MatrixXd& M,
                                                     const Eigen::VectorXd& q, double tolerance,
                                                     std::size_t most) {
  constexpr Eigen::Index kLargest = 12;  // unknowns: 4096 bases
  const Eigen::Index n = q.size();
  if (M.rows() != n || M.cols() != n) {
    throw std::invalid_argument("complementary solutions: sizes disagree");
  }
  if (n > kLargest) {
    throw std::invalid_argument("complementary solutions: more than 12 unknowns");
  }
  if (n == 0) return {q};
  std::vector<Eigen::VectorXd> solutions;
  const double size = q.lpNorm<Eigen::Infinity>();
  // The bits of `basis` name the unknowns that are solved for; the others are zero.
  for (unsigned basis = 0; basis < (1U << n) && solutions.size() < most; ++basis) {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < n; ++i) {
      if ((basis >> i) & 1U) free.push_back(i);
    }
    // M_FF z_F = -q_F; a singular block has no isolated solution and is left out.
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    if (!free.empty()) {
      const Eigen::FullPivLU<Eigen::MatrixXd> factor(M(free, free));
      if (!factor.isInvertible()) continue;
      z(free) = factor.solve(-q(free));
    }
    // Signs decide, up to rounding: z >= 0 and w = M z + q >= 0.
    const Eigen::VectorXd w = M * z + q;
    const double scale = std::max(size, (M.cwiseAbs() * z.cwiseAbs()).maxCoeff());
    const double z_scale = z.lpNorm<Eigen::Infinity>();
    // Degenerate solutions belong to several bases and are listed once.
    if (z.minCoeff() < -tolerance * z_scale || w.minCoeff() < -tolerance * scale) continue;
    const bool is_known =
        std::any_of(solutions.begin(), solutions.end(), [&](const Eigen::VectorXd& known) {
          return (known - z).lpNorm<Eigen::Infinity>() <=
                 tolerance * std::max(z_scale, known.lpNorm<Eigen::Infinity>());
        });
    if (!is_known) solutions.push_back(z);
  }
  return solutions;
}

}  // namespace amontons
