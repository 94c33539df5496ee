#include "amontons/optimization/ccp/capped/body_friction_interior.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/socp/second_order_cone.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kToBoundary = 0.99;  // share of the way to the boundary [-]
constexpr double kEnough = 1e-11;     // residual [-] from which Newton's method continues
constexpr double kShortest = 0.1;     // steps [-] below gain nothing near the solution
constexpr double kNear = 1e-7, kNearResidual = 1e-3;  // gap and residual [-] near the solution
constexpr double kNoStep = 1e-8;                      // steps [-] below gain nothing anywhere
constexpr double kGain = 0.9;     // a residual below this share of the best is progress
constexpr int kMaxIdleSteps = 6;  // steps without progress
// The first point: shares of the given normal reactions and of their mean; complementarity, in
// units of the mean; least slack; and the mean where none is given [-].
constexpr double kStartShare = 0.7, kStartOfMean = 0.25, kStartGap = 1.0, kStartSlack = 0.1,
                 kStartOfNone = 1.0;

/// Names what a contact's reaction is free to do.
enum class Freedom : char {
  None,        // nothing
  Halfline,    // x_n >= 0
  Cone,        // |x_t| <= mu x_n
  OffsetCone,  // |x_t| <= mu x_n + offset, x_n >= 0
  Disc         // |x_t| <= offset, x_n = 0
};

/// Holds one contact's reaction in its cones, sigma = F x + f in the second-order cone with
/// multiplier z, and x_n >= 0 with multiplier nu, and their linearized complementarity.
class ContactCones {
 public:
  ContactCones(const CappedContacts& contacts, Index i) : cone_(contacts.cone(i)) {
    const bool presses = contacts.may_press(i), has_disc = contacts.has_disc(i);
    if (contacts.is_closed(i) || !(presses || has_disc)) {
      freedom_ = Freedom::None;
    } else if (!has_disc) {
      freedom_ = Freedom::Halfline;
    } else if (!presses) {
      freedom_ = Freedom::Disc;
    } else {
      freedom_ = cone_.friction_offset > 0.0 ? Freedom::OffsetCone : Freedom::Cone;
    }
    scale_ = 1.0 / std::max(1.0, cone_.mu);
  }

  bool has_cone() const { return freedom_ >= Freedom::Cone; }
  bool has_halfline() const {
    return freedom_ == Freedom::Halfline || freedom_ == Freedom::OffsetCone;
  }
  bool presses() const { return freedom_ != Freedom::None && freedom_ != Freedom::Disc; }
  int degree() const { return int{has_cone()} + int{has_halfline()}; }

  /// Starts at a reaction inside the cones, with multipliers of equal complementarity.
  void start(const Vector3d& x, double gap) {
    x_n_ = x.z();
    if (has_cone()) {
      sigma_ = image(x);
      sigma_(0) += scale_ * cone_.friction_offset;
      z_ = Vector3d(gap / sigma_(0), 0.0, 0.0);
    }
    if (has_halfline()) nu_ = gap / x_n_;
  }

  double gap() const {
    return (has_cone() ? sigma_.dot(z_) : 0.0) + (has_halfline() ? x_n_ * nu_ : 0.0);
  }
  double gap_after(double step) const {
    return (has_cone() ? (sigma_ + step * dsigma_).dot(z_ + step * dz_) : 0.0) +
           (has_halfline() ? (x_n_ + step * dx_n_) * (nu_ + step * dnu_) : 0.0);
  }

  /// Returns F'z + nu n, which gamma must be.
  Vector3d pull() const {
    Vector3d result = has_cone() ? pull_back(z_) : Vector3d(Vector3d::Zero());
    if (has_halfline()) result.z() += nu_;
    return result;
  }

  /// Linearizes: returns D of dx = -D dgamma + ...
  Matrix3d linearize() {
    Matrix3d D = Matrix3d::Zero();
    if (freedom_ == Freedom::Halfline) D(2, 2) = x_n_ / nu_;
    if (!has_cone()) return D;
    scaling_ = nesterov_todd(sigma_, z_);
    const Matrix3d squared = scaling_.W * scaling_.W / (scale_ * scale_);
    const double mu = cone_.mu;
    if (freedom_ == Freedom::Disc || !(mu > 0.0)) {
      // sigma_0 is constant: the Schur complement of W^-2.
      D.topLeftCorner<2, 2>() = squared.bottomRightCorner<2, 2>() - squared.block<2, 1>(1, 0) *
                                                                        squared.block<1, 2>(0, 1) /
                                                                        squared(0, 0);
      if (freedom_ == Freedom::OffsetCone) D(2, 2) = x_n_ / nu_;
    } else {
      D.topLeftCorner<2, 2>() = squared.bottomRightCorner<2, 2>();
      D.block<2, 1>(0, 2) = squared.block<2, 1>(1, 0) / mu;
      D.block<1, 2>(2, 0) = squared.block<1, 2>(0, 1) / mu;
      D(2, 2) = squared(0, 0) / (mu * mu);
      if (freedom_ == Freedom::OffsetCone) {
        // The halfline adds nu / x_n to the inverse's normal entry.
        const double slope = nu_ / x_n_;
        const Vector3d column = D.col(2);
        D -= column * column.transpose() * (slope / (1.0 + slope * D(2, 2)));
      }
    }
    return 0.5 * (D + D.transpose());
  }

  /// Sets the targets of complementarity to `target`, with the second-order terms of the last
  /// direction if `corrected`; returns what they ask of gamma.
  Vector3d aim(double target, bool corrected) {
    Vector3d wanted = Vector3d::Zero();
    if (has_cone()) {
      Vector3d cone_target = -jordan_product(scaling_.lambda, scaling_.lambda);
      cone_target(0) += target;
      if (corrected) cone_target -= jordan_product(scaling_.inverse * dsigma_, scaling_.W * dz_);
      aimed_z_ = scaling_.inverse * jordan_quotient(cone_target, scaling_.lambda);
      wanted += pull_back(aimed_z_);
    }
    if (has_halfline()) {
      aimed_nu_ = (target - x_n_ * nu_ - (corrected ? dx_n_ * dnu_ : 0.0)) / x_n_;
      wanted.z() += aimed_nu_;
    }
    return wanted;
  }

  /// Completes the direction of a change of x.
  void follow(const Vector3d& dx) {
    dx_n_ = dx.z();
    if (has_cone()) {
      dsigma_ = image(dx);
      dz_ = aimed_z_ - scaling_.inverse * (scaling_.inverse * dsigma_);
    }
    if (has_halfline()) dnu_ = aimed_nu_ - nu_ / x_n_ * dx_n_;
  }

  double longest_step() const {
    double step = 1e30;
    if (has_cone()) {
      step = std::min(step_to_boundary(sigma_, dsigma_), step_to_boundary(z_, dz_));
    }
    if (has_halfline()) {
      if (dx_n_ < 0.0) step = std::min(step, -x_n_ / dx_n_);
      if (dnu_ < 0.0) step = std::min(step, -nu_ / dnu_);
    }
    return step;
  }

  void move(double step) {
    x_n_ += step * dx_n_;
    if (has_cone()) {
      sigma_ += step * dsigma_;
      z_ += step * dz_;
    }
    if (has_halfline()) nu_ += step * dnu_;
  }

 private:
  /// Returns F x.
  Vector3d image(const Vector3d& x) const {
    return scale_ * Vector3d(freedom_ == Freedom::Disc ? 0.0 : cone_.mu * x.z(), x.x(), x.y());
  }
  /// Returns F'z.
  Vector3d pull_back(const Vector3d& z) const {
    return scale_ * Vector3d(z(1), z(2), freedom_ == Freedom::Disc ? 0.0 : cone_.mu * z(0));
  }

  Cone cone_;
  Freedom freedom_ = Freedom::None;
  double scale_ = 1.0;  // steep cones are scaled, so that rows stay near 1
  double x_n_ = 0.0, nu_ = 0.0, dx_n_ = 0.0, dnu_ = 0.0, aimed_nu_ = 0.0;
  Vector3d sigma_ = Vector3d::Zero(), z_ = Vector3d::Zero(), dsigma_ = Vector3d::Zero(),
           dz_ = Vector3d::Zero(), aimed_z_ = Vector3d::Zero();
  NesterovToddScaling scaling_;
};

/// Holds a slack and its multiplier, whose product shall vanish.
struct Pair {
  double slack = 1.0, multiplier = 1.0, dslack = 0.0, dmultiplier = 0.0;

  /// Returns -dmultiplier / dslack where both keep their product, softened by the compliance.
  double soft_slope(double compliance) const {
    return multiplier / (slack + compliance * multiplier);
  }
  /// Returns by how much the compliance shortens a change of the multiplier [-].
  double softening(double compliance) const { return slack / (slack + compliance * multiplier); }
  double gap_after(double step) const {
    return (slack + step * dslack) * (multiplier + step * dmultiplier);
  }
  /// Returns what the target asks of the multiplier.
  double aim(double target, bool corrected) const {
    return (target - slack * multiplier - (corrected ? dslack * dmultiplier : 0.0)) / slack;
  }
  double longest_step() const {
    double step = 1e30;
    if (dslack < 0.0) step = std::min(step, -slack / dslack);
    if (dmultiplier < 0.0) step = std::min(step, -multiplier / dmultiplier);
    return step;
  }
  void move(double step) {
    slack += step * dslack;
    multiplier += step * dmultiplier;
  }
};

/// Runs the interior point method.
class InteriorPoint {
 public:
  InteriorPoint(const BodyFrictionProblem& problem, double compliance, BodyFrictionKernel& kernel)
      : problem_(problem), compliance_(compliance), kernel_(kernel), n_(problem.num_contacts()) {
    start();
  }

  int run(int max_steps, CappedFrictionPoint& best) {
    int steps = 0, idle = 0;
    measure(best);  // the first point counts also where no step may be taken
    while (steps < max_steps && has_effort()) {
      const double before = best.residual;
      measure(best);
      if (best.residual <= kEnough) break;
      idle = best.residual < kGain * before ? 0 : idle + 1;
      if (idle > kMaxIdleSteps) break;
      ++steps;
      count_factorization();
      if (!step()) break;
    }
    return steps;
  }

 private:
  /// Starts inside all cones, at equal complementarity, near the given normal reactions.
  void start() {
    double pressed = 0.0, mean = 0.0;
    for (Index i = 0; i < n_; ++i) {
      cones_.emplace_back(problem_, i);
      if (!cones_.back().presses()) continue;
      pressed += problem_.weights(i);
      mean += problem_.weights(i) * problem_.normals(i);
    }
    has_cap_ = pressed > 0.0 && problem_.cap > 0.0;
    mean = has_cap_ ? mean / pressed : kStartOfNone;
    // A part of the cap stays free, and every contact gets a part of the mean.
    x_.setZero(3 * n_);
    for (Index i = 0; i < n_; ++i) {
      if (!cones_[static_cast<std::size_t>(i)].presses()) continue;
      x_(3 * i + 2) = kStartShare * problem_.normals(i) + kStartOfMean * mean;
    }
    point_.x = x_;
    point_.multipliers = VectorXd::Zero(n_);
    maps_.evaluate(problem_, point_);
    const double gap = kStartGap * mean;
    for (Index i = 0; i < n_; ++i) {
      cones_[static_cast<std::size_t>(i)].start(x_.segment<3>(3 * i), gap);
      const double slack = std::max(maps_.slack(i), kStartSlack);
      lambda_.push_back({slack, gap / slack, 0.0, 0.0});
    }
    if (has_cap_) price_ = {maps_.cap_slack, gap / maps_.cap_slack, 0.0, 0.0};
    update();
  }

  /// Computes the velocities of the present point, and what they miss.
  void update() {
    point_.x = x_;
    point_.multipliers.resize(n_);
    for (Index i = 0; i < n_; ++i) {
      point_.multipliers(i) = lambda_[static_cast<std::size_t>(i)].multiplier;
    }
    point_.price = has_cap_ ? price_.multiplier : 0.0;
    maps_.evaluate(problem_, point_);
  }

  /// Keeps the present point, projected on its cones, if it is the best.
  void measure(CappedFrictionPoint& best) {
    point_.residual = maps_.largest();
    if (point_.residual < best.residual) best = point_;
  }

  double gap_after(double step) const {
    double sum = has_cap_ ? price_.gap_after(step) : 0.0;
    int count = has_cap_ ? 1 : 0;
    for (Index i = 0; i < n_; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      sum += cones_[k].gap_after(step) + lambda_[k].gap_after(step);
      count += cones_[k].degree() + 1;
    }
    return sum / count;
  }

  /// Takes a predictor-corrector step; returns false where none is possible.
  bool step() {
    D_.resize(static_cast<std::size_t>(n_));
    VectorXd slopes(n_);
    for (Index i = 0; i < n_; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const Matrix3d D = cones_[k].linearize();
      D_[k] = D * (Matrix3d::Identity() + compliance_ * D).inverse();
      D_[k] = (0.5 * (D_[k] + D_[k].transpose())).eval();
      if (!D_[k].allFinite()) return false;
      slopes(i) = lambda_[k].soft_slope(compliance_);
    }
    if (!kernel_.factor(D_, slopes, has_cap_ ? price_.soft_slope(compliance_) : 0.0)) return false;
    const double gap = gap_after(0.0);
    if (!solve(0.0, false)) return false;
    // Centering sigma = (gap of the affine step / gap)^3.
    const double reach = std::min(1.0, kToBoundary * longest_step());
    const double share = std::clamp(gap_after(reach) / gap, 0.0, 1.0);
    const double centering =
        std::max(share * share * share, (1.0 - reach) * (1.0 - reach) * (1.0 - reach));
    if (!solve(centering * gap, true)) return false;
    const double length = std::min(1.0, kToBoundary * longest_step());
    const bool near = gap < kNear && point_.residual < kNearResidual;
    if (!(length > (near ? kShortest : kNoStep))) return false;
    x_ += length * direction_.x;
    for (ContactCones& own : cones_) own.move(length);
    for (Pair& own : lambda_) own.move(length);
    if (has_cap_) price_.move(length);
    update();
    return x_.allFinite();
  }

  /// Finds the direction to complementarity `target`.
  bool solve(double target, bool corrected) {
    constants_.reactions.resize(3 * n_);
    constants_.multipliers.resize(n_);
    missed_.resize(n_);
    for (Index i = 0; i < n_; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      ContactCones& own = cones_[k];
      const Vector3d missed = maps_.gamma.segment<3>(3 * i) - own.pull();
      constants_.reactions.segment<3>(3 * i) = D_[k] * (missed - own.aim(target, corrected));
      missed_(i) = maps_.slack(i) - lambda_[k].slack;
      constants_.multipliers(i) =
          lambda_[k].soft_slope(compliance_) * missed_(i) -
          lambda_[k].softening(compliance_) * lambda_[k].aim(target, corrected);
    }
    const double missed_cap = maps_.cap_slack - price_.slack;
    constants_.price = has_cap_ ? price_.softening(compliance_) * price_.aim(target, corrected) -
                                      price_.soft_slope(compliance_) * missed_cap
                                : 0.0;
    kernel_.solve(constants_, direction_);
    for (Index i = 0; i < n_; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      cones_[k].follow(direction_.x.segment<3>(3 * i));
      lambda_[k].dmultiplier = direction_.multipliers(i);
      lambda_[k].dslack =
          direction_.slack(i) + missed_(i) + compliance_ * direction_.multipliers(i);
    }
    if (has_cap_) {
      price_.dmultiplier = direction_.price;
      price_.dslack = missed_cap + compliance_ * direction_.price;
      for (Index i = 0; i < n_; ++i) price_.dslack -= problem_.weights(i) * direction_.x(3 * i + 2);
    }
    return direction_.x.allFinite() && direction_.multipliers.allFinite() &&
           std::isfinite(direction_.price);
  }

  double longest_step() const {
    double step = has_cap_ ? price_.longest_step() : 1e30;
    for (const ContactCones& own : cones_) step = std::min(step, own.longest_step());
    for (const Pair& own : lambda_) step = std::min(step, own.longest_step());
    return step;
  }

  const BodyFrictionProblem& problem_;
  const double compliance_;
  BodyFrictionKernel& kernel_;
  const Index n_;
  bool has_cap_ = false;
  VectorXd x_;                       // [3 n], inside its cones
  std::vector<ContactCones> cones_;  // [n]
  std::vector<Pair> lambda_;         // [n] normal conditions
  Pair price_;
  CappedFrictionPoint point_;
  BodyFrictionMaps maps_;
  std::vector<Matrix3d> D_;
  BodyFrictionKernel::Constants constants_;
  BodyFrictionKernel::Direction direction_;
  VectorXd missed_;  // slack of the point less its variable
};

}  // namespace

int solve_interior(const BodyFrictionProblem& problem, int max_steps, double compliance,
                   BodyFrictionKernel& kernel, CappedFrictionPoint& best) {
  best.residual = std::numeric_limits<double>::infinity();
  return InteriorPoint(problem, compliance, kernel).run(max_steps, best);
}

}  // namespace amontons
