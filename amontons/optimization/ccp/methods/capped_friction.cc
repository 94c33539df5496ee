#include "amontons/optimization/ccp/methods/capped_friction.h"

#include "amontons/optimization/ccp/cone_projection.h"
#include "amontons/optimization/socp/conic_qp.h"

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
constexpr int kMaxHalvings = 12;  // halvings of a step
constexpr int kMaxIdleSteps = 2;  // steps that gain nothing, once within the tolerance
constexpr int kMaxLeaps = 4;      // whole steps that may be taken without descent
constexpr int kMemory = 5;        // residuals: a step must fall below the worst of them

Index num_contacts(const CappedFrictionProblem& problem) { return problem.c.size(); }
const Cone& cone(const CappedFrictionProblem& problem, Index i) {
  return problem.cones[static_cast<std::size_t>(i)];
}
bool is_closed(const CappedFrictionProblem& problem, Index i) {
  return problem.closed[static_cast<std::size_t>(i)] != 0;
}

/// Returns true if a contact may have a normal part.
bool may_press(const CappedFrictionProblem& problem, Index i) {
  return problem.cap > 0.0 || problem.weights(i) == 0.0;
}

/// Holds the three natural maps and their arguments.
struct NaturalMaps {
  VectorXd gamma, slack;   // [3 n], [n]
  double cap_slack = 0.0;  // cap - a'r_n
  VectorXd F;              // [3 n + n + 1]

  NaturalMaps(const CappedFrictionProblem& problem, const CappedFrictionPoint& point) {
    const Index n = num_contacts(problem);
    VectorXd driver = point.r;
    slack = problem.c;
    gamma = problem.W * point.r;
    cap_slack = problem.cap;
    // gamma = W (r - lambda n) + q + price a n, slack = (W r)_n + c, cap_slack = cap - a'r_n.
    for (Index i = 0; i < n; ++i) {
      slack(i) += gamma(3 * i + 2);
      cap_slack -= problem.weights(i) * point.r(3 * i + 2);
      driver(3 * i + 2) -= point.multipliers(i);
    }
    gamma = problem.W * driver + problem.q;
    F.resize(4 * n + 1);
    // F: r - P_K(r - gamma), min(lambda, slack), min(price, cap_slack).
    for (Index i = 0; i < n; ++i) {
      gamma(3 * i + 2) += point.price * problem.weights(i);
      const Vector3d r = point.r.segment<3>(3 * i);
      F.segment<3>(3 * i) =
          is_closed(problem, i)
              ? r
              : Vector3d(r - project(cone(problem, i), r - gamma.segment<3>(3 * i)));
      F(3 * n + i) = std::min(point.multipliers(i), slack(i));
    }
    F(4 * n) = std::min(point.price, cap_slack);
  }

  /// Returns the largest entry of F.
  double residual() const {
    const double largest = F.lpNorm<Eigen::Infinity>();
    return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
  }
};

/// States the problem as a conic program in the variables that are free.
class AsConicProgram {
 public:
  explicit AsConicProgram(const CappedFrictionProblem& problem) : problem_(problem) {
    for (Index i = 0; i < num_contacts(problem); ++i) {
      if (is_closed(problem, i)) continue;
      if (has_disc(i)) variables_.insert(variables_.end(), {3 * i, 3 * i + 1});
      if (may_press(problem, i)) variables_.push_back(3 * i + 2);
    }
  }

  bool empty() const { return variables_.empty(); }

  /// Returns the program: min 1/2 x'H x + g'x over F x + f in halflines and cones.
  ConicQuadraticProgram program() const {
    // A disc whose tip is at zero contains r_n >= 0; other contacts need that bound.
    const Index n = num_contacts(problem_);
    std::vector<Index> halflines, cones;
    for (Index i = 0; i < n; ++i) {
      if (is_closed(problem_, i)) continue;
      const bool apex_is_bound = has_disc(i) && !(cone(problem_, i).friction_offset > 0.0);
      if (may_press(problem_, i) && !apex_is_bound) halflines.push_back(i);
      if (has_disc(i)) cones.push_back(i);
    }
    const Index bounds = static_cast<Index>(halflines.size());
    const Index rows = n + 1 + bounds + 3 * static_cast<Index>(cones.size());
    // F and f for all variables; the columns of the free ones are selected at the end.
    MatrixXd F = MatrixXd::Zero(rows, 3 * n);
    VectorXd f = VectorXd::Zero(rows);
    // Rows: nonpenetration, then the cap, scaled to one, then r_n >= 0, then the cones.
    for (Index i = 0; i < n; ++i) F.row(i) = problem_.W.row(3 * i + 2);
    f.head(n) = problem_.c;
    for (Index i = 0; i < n; ++i) F(n, 3 * i + 2) = -cap_scale() * problem_.weights(i);
    f(n) = problem_.cap > 0.0 ? cap_scale() * problem_.cap : 1.0;
    for (Index k = 0; k < bounds; ++k) {
      F(n + 1 + k, 3 * halflines[static_cast<std::size_t>(k)] + 2) = 1.0;
    }
    // Steep cones are scaled, so that rows stay near 1.
    for (std::size_t k = 0; k < cones.size(); ++k) {
      const Index row = n + 1 + bounds + 3 * static_cast<Index>(k), i = cones[k];
      const double scale = 1.0 / std::max(1.0, cone(problem_, i).mu);
      F(row, 3 * i + 2) = scale * cone(problem_, i).mu;
      f(row) = scale * cone(problem_, i).friction_offset;
      F(row + 1, 3 * i) = F(row + 2, 3 * i + 1) = scale;
    }
    return {problem_.W(variables_, variables_), problem_.q(variables_), F(Eigen::all, variables_),
            f, n + 1 + bounds};
  }

  /// Translates a solution: reactions, multipliers of nonpenetration, price of the cap.
  CappedFrictionPoint point(const ConicQpSolution& solution) const {
    const Index n = num_contacts(problem_);
    CappedFrictionPoint point{VectorXd::Zero(3 * n), solution.z.head(n), 0.0, 0.0};
    point.r(variables_) = solution.x;
    if (problem_.cap > 0.0) point.price = cap_scale() * solution.z(n);
    return point;
  }

 private:
  /// Returns true if a contact can carry friction.
  bool has_disc(Index i) const {
    const Cone& own = cone(problem_, i);
    return own.friction_offset > 0.0 || (own.mu > 0.0 && may_press(problem_, i));
  }
  /// Returns the scale of the cap's row.
  double cap_scale() const { return 1.0 / std::max(1.0, problem_.cap); }

  const CappedFrictionProblem& problem_;
  std::vector<Index> variables_;
};

/// Raises the price, where the cap is zero, until no normal part is worth its cost.
void price_out(const CappedFrictionProblem& problem, CappedFrictionPoint& point) {
  if (problem.cap > 0.0) return;
  const NaturalMaps maps(problem, point);
  // Each contact's r - gamma must project on r_n = 0: the largest price decides.
  double raise = 0.0;
  for (Index i = 0; i < num_contacts(problem); ++i) {
    if (is_closed(problem, i) || may_press(problem, i)) continue;
    const Cone& own = cone(problem, i);
    const Vector3d gamma = maps.gamma.segment<3>(3 * i);
    const double reach = (point.r.segment<2>(3 * i) - gamma.head<2>()).norm() - own.friction_offset;
    raise = std::max(raise, (own.mu * std::max(reach, 0.0) - gamma.z()) / problem.weights(i));
  }
  point.price += raise;
}

/// Runs semismooth Newton on the natural maps.
class Newton {
 public:
  Newton(const CappedFrictionProblem& problem, const CappedFrictionSettings& settings)
      : problem_(problem), settings_(settings), n_(num_contacts(problem)) {}

  /// Iterates with shifts down to `least_shift`. @returns the number of steps.
  int run(double least_shift, CappedFrictionPoint& best) {
    CappedFrictionPoint present = best;
    std::vector<double> history = {NaturalMaps(problem_, present).F.norm()};
    double shift = 1e3 * least_shift;
    int steps = 0, idle = 0, leaps = kMaxLeaps;
    while (steps < settings_.max_newton_steps && best.residual > settings_.target_residual) {
      // Within the tolerance, a few steps without a gain mean rounding.
      if (idle > kMaxIdleSteps && best.residual <= settings_.tolerance) break;
      ++steps;
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
  /// Returns Newton's direction with a shift.
  VectorXd direction(const CappedFrictionPoint& point, const NaturalMaps& maps,
                     double shift) const {
    const Index size = 4 * n_ + 1;
    // T is the monotone system's matrix in (r, lambda, price): rows of gamma, slack, cap_slack.
    MatrixXd T = MatrixXd::Zero(size, size);
    T.topLeftCorner(3 * n_, 3 * n_) = problem_.W;
    for (Index i = 0; i < n_; ++i) {
      T.col(3 * n_ + i).head(3 * n_) = -problem_.W.col(3 * i + 2);
      T.row(3 * n_ + i).head(3 * n_) = problem_.W.row(3 * i + 2);
      T(3 * i + 2, 4 * n_) = problem_.weights(i);
      T(4 * n_, 3 * i + 2) = -problem_.weights(i);
    }
    T.diagonal().array() += shift;
    // Chain rule: F = x - P(x - T x) has the Jacobian I - J (I - T), row by row.
    MatrixXd K(size, size);
    for (Index i = 0; i < n_; ++i) {
      const Vector3d z = point.r.segment<3>(3 * i) - maps.gamma.segment<3>(3 * i);
      Matrix3d J = Matrix3d::Zero();
      if (!is_closed(problem_, i)) {
        J = cone_projection(cone(problem_, i), ConeLaw::Associated, z).J;
      }
      K.middleRows<3>(3 * i) = J * T.middleRows<3>(3 * i);
      K.block<3, 3>(3 * i, 3 * i) += Matrix3d::Identity() - J;
      set_row(3 * n_ + i, point.multipliers(i) > maps.slack(i), T, K);
    }
    set_row(4 * n_, point.price > maps.cap_slack, T, K);
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
    point.r += length * d.head(3 * n_);
    point.multipliers += length * d.segment(3 * n_, n_);
    point.price += length * d(4 * n_);
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
  const Index n_;
};

/// Returns the point of a contact's cone nearest to r, without a normal part where the cap leaves
/// none.
Vector3d nearest(const CappedFrictionProblem& problem, Index i, const Vector3d& r) {
  const Cone& own = cone(problem, i);
  if (may_press(problem, i)) return project(own, r);
  return project({ConeKind::Friction, 0.0, own.friction_offset}, Vector3d(r.x(), r.y(), 0.0));
}

/// Projects the point: reactions inside their cones, multipliers nonnegative. Contacts that open
/// carry exactly nothing.
void project_point(const CappedFrictionProblem& problem, CappedFrictionPoint& point) {
  const NaturalMaps maps(problem, point);
  for (Index i = 0; i < num_contacts(problem); ++i) {
    const Vector3d r = point.r.segment<3>(3 * i), gamma = maps.gamma.segment<3>(3 * i);
    const bool opens =
        is_closed(problem, i) || project(cone(problem, i), Vector3d(r - gamma)).isZero(0.0);
    point.r.segment<3>(3 * i) = opens ? Vector3d::Zero() : nearest(problem, i, r);
  }
  point.multipliers = point.multipliers.cwiseMax(0.0);
  point.price = std::max(point.price, 0.0);
}

}  // namespace

double measure_residual(const CappedFrictionProblem& problem, CappedFrictionPoint& point) {
  return point.residual = NaturalMaps(problem, point).residual();
}

CappedFrictionResult solve_capped_friction(const CappedFrictionProblem& problem,
                                           const CappedFrictionSettings& settings,
                                           CappedFrictionPoint& point) {
  // Units in which the largest of |q| and |c| is 1, so that tolerances are relative.
  const double size =
      std::max({problem.q.lpNorm<Eigen::Infinity>(), problem.c.lpNorm<Eigen::Infinity>(),
                std::numeric_limits<double>::min()});
  CappedFrictionProblem unit = problem;
  unit.q /= size;
  unit.c /= size;
  unit.cap /= size;
  for (Cone& own : unit.cones) own.friction_offset /= size;

  // The interior point method finds the active set up to some seven digits.
  CappedFrictionResult result;
  CappedFrictionPoint best{VectorXd::Zero(problem.q.size()), VectorXd::Zero(problem.c.size()), 0.0,
                           0.0};
  const AsConicProgram conic(unit);
  if (!conic.empty()) {
    const ConicQpSolution inner =
        solve_conic_qp(conic.program(), {1e-11, settings.max_interior_steps});
    result.interior_steps = inner.iterations;
    if (inner.x.size() > 0) best = conic.point(inner);
  }
  // With a cap of zero, its price is not part of the program and is found separately.
  price_out(unit, best);
  measure_residual(unit, best);
  // Newton adds the digits, with more robust shifts where the fastest ones fail.
  for (const double least_shift : kMinShifts) {
    result.newton_steps += Newton(unit, settings).run(least_shift, best);
    if (best.residual <= settings.tolerance) break;
  }
  // The result lies exactly in its cones, and is scaled back.
  project_point(unit, best);
  measure_residual(unit, best);
  result.status =
      best.residual <= settings.tolerance ? SolveStatus::Converged : SolveStatus::Stalled;
  point = {size * best.r, size * best.multipliers, size * best.price, size * best.residual};
  return result;
}

}  // namespace amontons
