#include "amontons/optimization/ccp/capped/body_friction_newton.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/cone_projection.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// First shift, in units of the least, and the largest [-] of W, whose blocks have trace 3.
constexpr double kFirstShift = 10.0, kMaxShift = 1e-1;
constexpr int kMaxLeaps = 4;        // whole steps that may be taken without descent
constexpr int kMaxHalvings = 12;    // halvings of a step
constexpr int kMaxIdleSteps = 2;    // steps that gain nothing, once within the tolerance
constexpr int kMaxStuckSteps = 15;  // the same before
constexpr std::size_t kMemory = 5;  // residuals: a step must fall below the worst of them

// Weights [-] of the distance from the center; Newton's steps for one center; the share of the
// conditions' residual to which they are solved with the distance.
constexpr double kLeastWeight = 1e-9, kFirstWeight = 1e-5, kMaxWeight = 1e-1;
constexpr double kWeightDecay =
    0.3;  // of the least weight, for each center whose problem is solved
constexpr int kStepsPerCenter = 12;
constexpr double kMaxExtension = 1e8;  // way beyond a point, in units of that from its center
constexpr double kInnerShare = 1e-2, kInnerRounding = 1e-15;

/// Holds a point, its conditions, and Newton's direction from it.
class NewtonPoint {
 public:
  NewtonPoint(const BodyFrictionProblem& problem, BodyFrictionKernel& kernel,
              const CappedFrictionPoint& start)
      : problem_(problem), kernel_(kernel), n_(problem.num_contacts()), point_(start) {
    evaluate();
  }

  /// Adds weight times the distance from the present point to the conditions from now on; 0: none.
  void set_center(double weight) {
    weight_ = weight;
    center_ = point_;
    evaluate();
  }

  double norm() const { return maps_.norm(); }
  double largest() const { return maps_.largest(); }
  const CappedFrictionPoint& point() const { return point_; }
  const CappedFrictionPoint& center() const { return center_; }

  /// Finds the direction with a shift: (1 - J + shift J) dx + J dgamma = -F and its like.
  bool find_direction(double shift) {
    D_.resize(static_cast<std::size_t>(n_));
    slopes_.resize(n_);
    constants_.reactions.resize(3 * n_);
    constants_.multipliers.resize(n_);
    for (Index i = 0; i < n_; ++i) {
      linearize_reaction(i, shift);
      const bool active = point_.multipliers(i) > maps_.slack(i);
      slopes_(i) = active ? 1.0 / shift : 0.0;
      constants_.multipliers(i) = active ? maps_.slack(i) / shift : point_.multipliers(i);
    }
    const bool spends = point_.price > maps_.cap_slack;
    constants_.price = spends ? -maps_.cap_slack / shift : -point_.price;
    if (!kernel_.factor(D_, slopes_, spends ? 1.0 / shift : 0.0)) return false;
    kernel_.solve(constants_, 0, direction_);
    return direction_.x.allFinite() && direction_.multipliers.allFinite() &&
           std::isfinite(direction_.price);
  }

  /// Backtracks along the direction to a norm below `bound`; returns false where none is found.
  bool search(double bound) {
    const CappedFrictionPoint start = point_;
    double length = 1.0;
    for (int k = 0; k < kMaxHalvings; ++k, length *= 0.5) {
      move(start, length);
      if (norm() <= (1.0 - 1e-4 * length) * bound) return true;
    }
    move(start, 0.0);
    return false;
  }

  /// Takes the whole step; returns false where it is not finite.
  bool leap() {
    move(CappedFrictionPoint(point_), 1.0);
    return std::isfinite(norm());
  }

  /// Moves on along the way from a center, twice as far each time, while the residual falls.
  /// Multipliers that must become large move by little from center to center, in one direction.
  /// @returns true if it moved.
  bool extend(const CappedFrictionPoint& center) {
    const CappedFrictionPoint start = point_;
    direction_.x = start.x - center.x;
    direction_.multipliers = start.multipliers - center.multipliers;
    direction_.price = start.price - center.price;
    double length = 0.0, least = largest();
    for (double next = 1.0; next < kMaxExtension; next *= 2.0) {
      move(start, next);
      if (!(largest() < least)) break;
      least = largest();
      length = next;
    }
    move(start, length);
    return length > 0.0;
  }

 private:
  void move(const CappedFrictionPoint& start, double length) {
    point_.x = start.x + length * direction_.x;
    point_.multipliers = start.multipliers + length * direction_.multipliers;
    point_.price = start.price + length * direction_.price;
    evaluate();
  }

  void evaluate() {
    if (weight_ > 0.0) {
      maps_.evaluate(problem_, point_, weight_, center_);
    } else {
      maps_.evaluate(problem_, point_);
    }
  }

  /// Linearizes F = x - P_K(x - gamma) of a contact: dx = -A (F + J dgamma), A = (1 - J + shift
  /// J)^-1, D = A J.
  void linearize_reaction(Index i, double shift) {
    const std::size_t k = static_cast<std::size_t>(i);
    const Vector3d F = maps_.reaction.segment<3>(3 * i);
    if (problem_.is_closed(i)) {
      D_[k] = SymmetricBlock();
      constants_.reactions.segment<3>(3 * i) = F;
      return;
    }
    const Vector3d z = point_.x.segment<3>(3 * i) - maps_.gamma.segment<3>(3 * i);
    const Matrix3d J = cone_projection(problem_.cone(i), ConeLaw::Associated, z).J;
    const Matrix3d A = (Matrix3d::Identity() - (1.0 - shift) * J).inverse();
    const Matrix3d D = A * J;
    D_[k] = SymmetricBlock::of(0.5 * (D + D.transpose()));
    constants_.reactions.segment<3>(3 * i) = A * F;
  }

  const BodyFrictionProblem& problem_;
  BodyFrictionKernel& kernel_;
  const Index n_;
  double weight_ = 0.0;
  CappedFrictionPoint point_, center_;
  BodyFrictionMaps maps_;
  std::vector<SymmetricBlock> D_;
  VectorXd slopes_;
  BodyFrictionKernel::Constants constants_;
  BodyFrictionKernel::Direction direction_;
};

/// Makes a point the best one if its residual is smaller; returns its residual.
double keep_best(const CappedFrictionPoint& point, double residual, CappedFrictionPoint& best) {
  if (residual < best.residual) {
    best = point;
    best.residual = residual;
  }
  return residual;
}

}  // namespace

int solve_newton(const BodyFrictionProblem& problem, const BodyFrictionNewtonSettings& settings,
                 BodyFrictionKernel& kernel, CappedFrictionPoint& best) {
  NewtonPoint present(problem, kernel, best);
  best.residual = present.largest();
  std::vector<double> history = {present.norm()};
  double shift = kFirstShift * settings.least_shift;
  int steps = 0, idle = 0, leaps = kMaxLeaps;
  while (steps < settings.max_steps && has_effort() && best.residual > settings.target_residual) {
    // Within the tolerance, a few steps without a gain mean rounding.
    const bool is_within = best.residual <= settings.tolerance;
    if (idle > (is_within ? kMaxIdleSteps : kMaxStuckSteps)) break;
    ++steps;
    count_factorization();
    const double bound = *std::max_element(history.begin(), history.end());
    if (!present.find_direction(shift) || !present.search(bound)) {
      // No descent along the direction: a larger shift makes it shorter and safer.
      if (shift < kMaxShift) {
        shift *= 100.0;
        continue;
      }
      // No descent at the largest shift: one whole step, and the search continues from there.
      shift = settings.least_shift;
      if (--leaps < 0 || !present.find_direction(shift) || !present.leap()) break;
      history.assign(1, present.norm());
      continue;
    }
    // A successful step allows a smaller shift.
    shift = std::max(settings.least_shift, 0.1 * shift);
    history.push_back(present.norm());
    if (history.size() > kMemory) history.erase(history.begin());
    const double before = best.residual;
    keep_best(present.point(), present.largest(), best);
    idle = best.residual < 0.5 * before ? 0 : idle + 1;
  }
  return steps;
}

int solve_proximal(const BodyFrictionProblem& problem, const BodyFrictionNewtonSettings& settings,
                   BodyFrictionKernel& kernel, CappedFrictionPoint& best) {
  NewtonPoint present(problem, kernel, best);
  best.residual = present.largest();
  double residual = best.residual, weight = kFirstWeight, least_weight = kLeastWeight;
  int steps = 0, idle = 0;
  while (steps < settings.max_steps && has_effort() && best.residual > settings.target_residual) {
    // Within the tolerance, a few centers without a gain mean rounding.
    if (idle > kMaxIdleSteps && best.residual <= settings.tolerance) break;
    present.set_center(weight);
    const double wanted = std::max(kInnerShare * residual, kInnerRounding);
    bool solved = false;
    for (int k = 0; k < kStepsPerCenter && steps < settings.max_steps && !solved; ++k) {
      ++steps;
      count_factorization();
      if (!present.find_direction(weight) || !present.search(present.norm())) break;
      solved = present.largest() <= wanted;
    }
    const CappedFrictionPoint center = present.center();
    present.set_center(0.0);
    const bool extended = solved && present.extend(center);
    const double before = best.residual;
    residual = keep_best(present.point(), present.largest(), best);
    idle = best.residual < 0.5 * before ? 0 : idle + 1;
    // A smaller weight is faster as long as Newton's method arrives; where it does not, rounding
    // hides the smaller ones.
    if (!solved) {
      least_weight = std::min(10.0 * weight, kMaxWeight);
      weight = least_weight;
    } else {
      // Nearer to the solution a smaller weight may do.
      least_weight = std::max(kLeastWeight, kWeightDecay * least_weight);
      if (!extended) weight = std::max(0.1 * weight, least_weight);
    }
  }
  return steps;
}

}  // namespace amontons
