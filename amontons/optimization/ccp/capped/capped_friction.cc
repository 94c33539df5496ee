#include "amontons/optimization/ccp/capped/capped_friction.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/capped/capped_friction_program.h"
#include "amontons/optimization/ccp/cone_projection.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kMaxShift = 1e-1;  // [-] of W, whose blocks have trace 3: more would stop progress
// Shifts [-] decrease to these, one run after the other: small ones are fast, large ones robust.
constexpr double kMinShifts[] = {1e-11, 1e-7, 1e-4, 1e-9};
constexpr double kNeedsNone = 1e-7;  // residual of a point that may need no multipliers [-]
constexpr int kMaxHalvings = 12;     // halvings of a step
constexpr int kMaxIdleSteps = 2;     // steps that gain nothing, once within the tolerance
constexpr int kMaxLeaps = 4;         // whole steps that may be taken without descent
constexpr int kMemory = 5;           // residuals: a step must fall below the worst of them

Index num_rows(const CappedFrictionProblem& problem) {
  return static_cast<Index>(problem.rows.size());
}
const CappedFrictionRow& row_of(const CappedFrictionProblem& problem, Index k) {
  return problem.rows[static_cast<std::size_t>(k)];
}

/// Holds the natural maps and their arguments.
struct NaturalMaps {
  VectorXd gamma, slack, w;  // [3 n + m], [n], [m]
  double cap_slack = 0.0;    // cap - a'r_n
  VectorXd F;                // [3 n + m + n + m + 1], in the order of Newton's unknowns

  NaturalMaps(const CappedFrictionProblem& problem, const CappedFrictionPoint& point) {
    const Index n = problem.num_contacts(), m = num_rows(problem), size = 3 * n + m;
    VectorXd driver = point.x;
    gamma = problem.W * point.x;
    slack = problem.c;
    w = gamma.tail(m) + problem.q.tail(m);
    cap_slack = problem.cap;
    // gamma = W (x - lambda n - phi) + q + price a n, slack = (W x)_n + c, cap_slack = cap - a'r_n.
    for (Index i = 0; i < n; ++i) {
      slack(i) += gamma(3 * i + 2);
      cap_slack -= problem.weights(i) * point.x(3 * i + 2);
      driver(3 * i + 2) -= point.multipliers(i);
    }
    driver.tail(m) -= point.answers;
    gamma = problem.W * driver + problem.q;
    F.resize(size + n + m + 1);
    // r - P_K(r - gamma), min(lambda, slack), min(price, cap_slack).
    for (Index i = 0; i < n; ++i) {
      gamma(3 * i + 2) += point.price * problem.weights(i);
      const Vector3d r = point.x.segment<3>(3 * i);
      F.segment<3>(3 * i) =
          problem.is_closed(i)
              ? r
              : Vector3d(r - project(problem.cone(i), r - gamma.segment<3>(3 * i)));
      F(size + i) = std::min(point.multipliers(i), slack(i));
    }
    // Rows: f - Proj(f - gamma), which is the bound where both are equal, and w or its sign.
    for (Index k = 0; k < m; ++k) {
      const CappedFrictionRow& row = row_of(problem, k);
      const double f = point.x(3 * n + k), phi = point.answers(k);
      F(3 * n + k) = f - std::clamp(f - gamma(3 * n + k), row.lower, row.upper);
      F(size + n + k) = row.holds         ? w(k)
                        : row.sign == 0.0 ? phi
                                          : std::min(row.sign * phi, row.sign * w(k));
    }
    F(size + n + m) = std::min(point.price, cap_slack);
  }

  /// Returns the largest entry of F.
  double residual() const {
    const double largest = F.lpNorm<Eigen::Infinity>();
    return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
  }
};

/// Raises the price, where the cap is zero, until no normal part is worth its cost.
void price_out(const CappedFrictionProblem& problem, CappedFrictionPoint& point) {
  if (problem.cap > 0.0) return;
  const NaturalMaps maps(problem, point);
  // Each contact's r - gamma must project on r_n = 0: the largest price decides.
  double raise = 0.0;
  for (Index i = 0; i < problem.num_contacts(); ++i) {
    if (problem.is_closed(i) || problem.may_press(i)) continue;
    const Cone& own = problem.cone(i);
    const Vector3d gamma = maps.gamma.segment<3>(3 * i);
    const double reach = (point.x.segment<2>(3 * i) - gamma.head<2>()).norm() - own.friction_offset;
    raise = std::max(raise, (own.mu * std::max(reach, 0.0) - gamma.z()) / problem.weights(i));
  }
  point.price += raise;
}

/// Runs semismooth Newton on the natural maps, in the unknowns (x, lambda, phi, price).
class Newton {
 public:
  Newton(const CappedFrictionProblem& problem, const CappedFrictionSettings& settings)
      : problem_(problem),
        settings_(settings),
        n_(problem.num_contacts()),
        m_(num_rows(problem)),
        size_(3 * n_ + m_) {}

  /// Iterates with shifts down to `least_shift`. @returns the number of steps.
  int run(double least_shift, CappedFrictionPoint& best) {
    CappedFrictionPoint present = best;
    std::vector<double> history = {NaturalMaps(problem_, present).F.norm()};
    double shift = 1e3 * least_shift;
    int steps = 0, idle = 0, leaps = kMaxLeaps;
    while (steps < settings_.max_newton_steps && has_effort() &&
           best.residual > settings_.target_residual) {
      // Within the tolerance, a few steps without a gain mean rounding.
      if (idle > kMaxIdleSteps && best.residual <= settings_.tolerance) break;
      ++steps;
      count_factorization();
      const NaturalMaps maps(problem_, present);
      const VectorXd d = direction(present, maps, shift);
      const double bound = *std::max_element(history.begin(), history.end());
      // No descent along the direction: a larger shift makes it shorter and safer.
      if (!d.allFinite() || !search(d, bound, present)) {
        if (shift < kMaxShift) {
          shift *= 100.0;
          continue;
        }
        // No descent at the largest shift: one whole step, and the search continues from there.
        if (--leaps < 0) break;
        shift = least_shift;
        move(direction(present, maps, shift), 1.0, present);
        history.assign(1, NaturalMaps(problem_, present).F.norm());
        if (!std::isfinite(history.front())) break;
        continue;
      }
      // A successful step allows a smaller shift.
      shift = std::max(least_shift, 0.1 * shift);
      history.push_back(NaturalMaps(problem_, present).F.norm());
      if (history.size() > kMemory) history.erase(history.begin());
      const double before = best.residual;
      if (measure_residual(problem_, present) < best.residual) best = present;
      idle = best.residual < 0.5 * before ? 0 : idle + 1;
    }
    return steps;
  }

 private:
  /// Returns the matrix of the monotone system, whose rows are gamma, slack, w and cap_slack.
  MatrixXd system(double shift) const {
    const Index size = size_ + n_ + m_ + 1;
    MatrixXd T = MatrixXd::Zero(size, size);
    T.topLeftCorner(size_, size_) = problem_.W;
    for (Index i = 0; i < n_; ++i) {
      T.col(size_ + i).head(size_) = -problem_.W.col(3 * i + 2);
      T.row(size_ + i).head(size_) = problem_.W.row(3 * i + 2);
      T(3 * i + 2, size - 1) = problem_.weights(i);
      T(size - 1, 3 * i + 2) = -problem_.weights(i);
    }
    T.block(0, size_ + n_, size_, m_) = -problem_.W.rightCols(m_);
    T.block(size_ + n_, 0, m_, size_) = problem_.W.bottomRows(m_);
    T.diagonal().array() += shift;
    return T;
  }

  /// Returns Newton's direction with a shift.
  VectorXd direction(const CappedFrictionPoint& point, const NaturalMaps& maps,
                     double shift) const {
    const MatrixXd T = system(shift);
    // Chain rule: F = x - P(x - T x) has the Jacobian I - J (I - T), row by row.
    MatrixXd K = MatrixXd::Zero(T.rows(), T.cols());
    for (Index i = 0; i < n_; ++i) {
      const Vector3d z = point.x.segment<3>(3 * i) - maps.gamma.segment<3>(3 * i);
      Matrix3d J = Matrix3d::Zero();
      if (!problem_.is_closed(i)) {
        J = cone_projection(problem_.cone(i), ConeLaw::Associated, z).J;
      }
      K.middleRows<3>(3 * i) = J * T.middleRows<3>(3 * i);
      K.block<3, 3>(3 * i, 3 * i) += Matrix3d::Identity() - J;
      set_row(size_ + i, point.multipliers(i) > maps.slack(i), T, K);
    }
    for (Index k = 0; k < m_; ++k) {
      const CappedFrictionRow& row = row_of(problem_, k);
      const double f = point.x(3 * n_ + k) - maps.gamma(3 * n_ + k);
      set_row(3 * n_ + k, f > row.lower && f < row.upper, T, K);
      const Index own = size_ + n_ + k;
      set_row(own, row.holds || row.sign * point.answers(k) > row.sign * maps.w(k), T, K);
      if (!row.holds && row.sign < 0.0) K.row(own) = -K.row(own);
    }
    set_row(T.rows() - 1, point.price > maps.cap_slack, T, K);
    return K.partialPivLu().solve(-maps.F);
  }

  /// Sets a complementarity row: the equation itself if active, else the variable at zero.
  static void set_row(Index row, bool active, const MatrixXd& T, MatrixXd& K) {
    if (active) {
      K.row(row) = T.row(row);
    } else {
      K.row(row).setZero();
      K(row, row) = 1.0;
    }
  }

  /// Adds a step to a point.
  void move(const VectorXd& d, double length, CappedFrictionPoint& point) const {
    point.x += length * d.head(size_);
    point.multipliers += length * d.segment(size_, n_);
    point.answers += length * d.segment(size_ + n_, m_);
    point.price += length * d(size_ + n_ + m_);
  }

  /// Backtracks to a residual below `bound`; returns false where none is found.
  bool search(const VectorXd& d, double bound, CappedFrictionPoint& point) const {
    double length = 1.0;
    for (int k = 0; k < kMaxHalvings; ++k, length *= 0.5) {
      CappedFrictionPoint trial = point;
      move(d, length, trial);
      if (NaturalMaps(problem_, trial).F.norm() <= (1.0 - 1e-4 * length) * bound) {
        point = trial;
        return true;
      }
    }
    return false;
  }

  const CappedFrictionProblem& problem_;
  const CappedFrictionSettings& settings_;
  const Index n_, m_, size_;
};

/// Projects the point: reactions inside their cones, impulses inside their bounds, multipliers
/// nonnegative. Contacts that open carry exactly nothing.
void project_point(const CappedFrictionProblem& problem, CappedFrictionPoint& point) {
  const NaturalMaps maps(problem, point);
  const Index n = problem.num_contacts();
  for (Index i = 0; i < n; ++i) {
    const Vector3d r = point.x.segment<3>(3 * i), gamma = maps.gamma.segment<3>(3 * i);
    const bool opens =
        problem.is_closed(i) || project(problem.cone(i), Vector3d(r - gamma)).isZero(0.0);
    point.x.segment<3>(3 * i) = opens ? Vector3d::Zero() : nearest_reaction(problem, i, r);
  }
  for (Index k = 0; k < num_rows(problem); ++k) {
    const CappedFrictionRow& row = row_of(problem, k);
    double& f = point.x(3 * n + k);
    f = std::clamp(f, row.lower, row.upper);
    if (!row.holds) point.answers(k) = row.sign * std::max(0.0, row.sign * point.answers(k));
  }
  point.multipliers = point.multipliers.cwiseMax(0.0);
  point.price = std::max(point.price, 0.0);
}

/// Drops multipliers where the point needs none. An interior point leaves them of any size where
/// conditions repeat each other, and their rounding hides the small speeds of a body at rest.
void drop_multipliers(const CappedFrictionProblem& problem, const CappedFrictionSettings& settings,
                      CappedFrictionPoint& best, CappedFrictionResult& result) {
  CappedFrictionPoint without = best;
  without.multipliers.setZero();
  without.answers.setZero();
  without.price = 0.0;
  if (!(measure_residual(problem, without) <= kNeedsNone)) return;
  result.newton_steps += Newton(problem, settings).run(kMinShifts[0], without);
  if (without.residual <= std::max(settings.tolerance, best.residual)) best = without;
}

/// Returns the problem in units in which the largest of |q| and |c| is `size`.
CappedFrictionProblem in_units(const CappedFrictionProblem& problem, double size) {
  CappedFrictionProblem unit = problem;
  unit.q /= size;
  unit.c /= size;
  unit.cap /= size;
  for (Cone& own : unit.cones) own.friction_offset /= size;
  for (CappedFrictionRow& row : unit.rows) {
    row.lower /= size;
    row.upper /= size;
  }
  return unit;
}

}  // namespace

double measure_residual(const CappedFrictionProblem& problem, CappedFrictionPoint& point) {
  return point.residual = NaturalMaps(problem, point).residual();
}

CappedFrictionResult solve_capped_friction(const CappedFrictionProblem& problem,
                                           const CappedFrictionSettings& settings,
                                           CappedFrictionPoint& point) {
  // Units in which the largest speed is 1, so that tolerances are relative.
  const double size = speed_scale(problem);
  const CappedFrictionProblem unit = in_units(problem, size);

  // The interior point method finds the active set up to some seven digits.
  CappedFrictionResult result;
  CappedFrictionPoint best;
  result.interior_steps = solve_interior(unit, settings.max_interior_steps, best);
  // With a cap of zero, its price is not part of the program and is found separately.
  price_out(unit, best);
  measure_residual(unit, best);
  // Newton adds the digits, with more robust shifts where the fastest ones fail.
  for (const double least_shift : kMinShifts) {
    result.newton_steps += Newton(unit, settings).run(least_shift, best);
    if (best.residual <= settings.tolerance) break;
  }
  drop_multipliers(unit, settings, best, result);
  // The result lies exactly in its cones, and is scaled back.
  project_point(unit, best);
  measure_residual(unit, best);
  result.status =
      best.residual <= settings.tolerance ? SolveStatus::Converged : SolveStatus::Stalled;
  point = {size * best.x, size * best.multipliers, size * best.answers, size * best.price,
           size * best.residual};
  return result;
}

}  // namespace amontons
