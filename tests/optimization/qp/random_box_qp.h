#pragma once

#include "amontons/optimization/qp/box_qp.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace amontons::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Eigen::MatrixXd random_normal(std::mt19937_64& random, Eigen::Index rows,
                                     Eigen::Index cols) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); });
}

struct RandomBoxQpOptions {
  Eigen::Index max_size = 40;
  double log10_spread =
      0.0;  ///< spread of the units of x: the diagonal of H spreads by twice as much
  bool is_nonnegative = false;  ///< all bounds [0, infinity) instead of every kind
};

struct SolvableBoxQp {
  BoxQuadraticProgram problem;
  Eigen::VectorXd minimizer;  ///< one of the minimizers, as constructed
};

/// Makes a problem around a minimizer and its multipliers, a fifth of them both zero (degenerate).
/// H = B B' has any rank, and bounds are of every kind.
inline SolvableBoxQp random_solvable_box_qp(std::mt19937_64& random,
                                            const RandomBoxQpOptions& options) {
  const auto integer = [&](Eigen::Index low, Eigen::Index high) {
    return std::uniform_int_distribution<Eigen::Index>(low, high)(random);
  };
  std::uniform_real_distribution<double> amount(0.1, 2.0);
  std::uniform_real_distribution<double> exponent(-0.5, 0.5);
  const Eigen::Index n = integer(1, options.max_size);
  const Eigen::MatrixXd B = random_normal(random, n, integer(1, n));
  Eigen::MatrixXd H = B * B.transpose() / static_cast<double>(B.cols());
  Eigen::VectorXd x(n), multiplier = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd lower(n), upper(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index kind = options.is_nonnegative ? 1 : integer(0, 4);
    const double base = options.is_nonnegative ? 0.0 : amount(random) - 1.0;
    lower(i) = kind == 0 || kind == 2 ? -kInfinity : base;
    upper(i) = kind <= 1 ? kInfinity : base + (kind == 4 && i % 3 == 0 ? 0.0 : amount(random));
    x(i) = kind == 0 || kind == 2 ? base : base + 0.3 * std::min(1.0, upper(i) - base);
    const Eigen::Index where = integer(0, 4);
    if (where <= 2 && std::isfinite(lower(i))) x(i) = lower(i);
    if (where > 2 && std::isfinite(upper(i)) && where == 4) x(i) = upper(i);
    if (x(i) == lower(i) && where <= 1) multiplier(i) = amount(random);
    if (x(i) == upper(i) && where == 4) multiplier(i) = -amount(random);
  }
  Eigen::VectorXd g = multiplier - H * x;
  const Eigen::VectorXd units = Eigen::VectorXd::NullaryExpr(
      n, [&] { return std::pow(10.0, options.log10_spread * exponent(random)); });
  H = (units.asDiagonal() * H * units.asDiagonal()).eval();
  H = (0.5 * (H + H.transpose())).eval();
  return {{H, units.cwiseProduct(g), lower.cwiseQuotient(units), upper.cwiseQuotient(units)},
          x.cwiseQuotient(units)};
}

inline double energy(const BoxQuadraticProgram& problem, const Eigen::VectorXd& x) {
  return 0.5 * x.dot(problem.H * x) + problem.g.dot(x);
}

inline bool is_in_box(const BoxQuadraticProgram& problem, const Eigen::VectorXd& x) {
  return (x.array() >= problem.lower.array()).all() && (x.array() <= problem.upper.array()).all();
}

}  // namespace amontons::test
