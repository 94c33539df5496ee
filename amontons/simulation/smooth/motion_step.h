#pragma once

#include "amontons/dynamics/coordinate_units.h"
#include "amontons/math/runge_kutta.h"
#include "amontons/simulation/scene/scene.h"

#include <Eigen/Core>

#include <utility>

namespace amontons {

/// Takes a step of an explicit integrator for motions that are smooth in parts, from a base. Its
/// state is y = (displacement from the base, v, impulse of the servos since then) [3 nv].
class MotionStep {
 public:
  /// @param tolerance  Dormand-Prince: bound of a step's error in v and the displacement, in units
  /// of their own (set_units()), as a share of 1 + the largest of v.
  MotionStep(Integrator integrator, double tolerance)
      : integrator_(integrator), tolerance_(tolerance) {}

  /// Gives the units of the coordinates that follow [nv].
  void set_units(CoordinateUnits units) { units_ = std::move(units); }
  const CoordinateUnits& units() const { return units_; }

  /// Returns true if errors determine the length of steps.
  bool adapts() const { return integrator_ == Integrator::DormandPrince; }

  /// Moves the base to velocity v [nv], with zero displacement.
  void set_base(const Eigen::Ref<const Eigen::VectorXd>& v) {
    nv_ = v.size();
    y_.setZero(3 * nv_);
    y_.segment(nv_, nv_) = v;
    error_.setZero(3 * nv_);
  }
  auto base_velocity() const { return y_.segment(nv_, nv_); }

  /// Takes a step of length h from the base, which stays.
  /// @param rate  rate(t, y, y') writes y', which has its size.
  template <typename Rate>
  void take(const Rate& rate, double time, double h) {
    if (adapts()) {
      method_.step_dormand_prince(rate, time, y_, h, y_next_, error_);
    } else {
      method_.step_rk4(rate, time, y_, h, y_next_);
    }
  }

  /// Estimates the error of a step of length h that take() has taken, by two steps of half that
  /// length [Hairer, Norsett, Wanner 1993, section II.4]. The end of the last step stays.
  template <typename Rate>
  void estimate_error(const Rate& rate, double time, double h) {
    if (adapts()) return;  // the pair of orders has estimated it
    method_.step_rk4(rate, time, y_, 0.5 * h, y_middle_);
    method_.step_rk4(rate, time + 0.5 * h, y_middle_, 0.5 * h, error_);
    error_ = (error_ - y_next_) / 15.0;  // the error of order 5 is 1/16 in two halves
  }
  /// Returns the largest estimated error of displacement and velocity.
  double estimated_error() const { return error_.head(2 * nv_).lpNorm<Eigen::Infinity>(); }
  /// Returns the largest of these errors in units, as a share of 1 + the largest velocity.
  double relative_error() const;

  /// RK4: returns true if that error, once estimated, is within its bound, as a share of 1 + the
  /// largest velocity: 1e-6 for a whole part, 1e-8 once one had to be divided.
  bool is_small(bool is_divided) const;
  /// RK4: returns the length after a step of length h whose error is too large [s].
  double divided(double h) const;

  /// Returns the state at the end of the last step, each [nv].
  auto displacement() const { return y_next_.head(nv_); }
  auto velocity() const { return y_next_.segment(nv_, nv_); }
  auto servo_impulse() const { return y_next_.tail(nv_); }

  /// Returns true if that step's error is within the tolerance, if the method adapts.
  bool is_accurate() const { return error() <= 1.0; }

  /// Returns the length for the step after an accurate one, and for the repetition of an inaccurate
  /// one [s].
  double longer(double h) const;
  double shorter(double h) const;

 private:
  double error() const;

  Integrator integrator_;
  double tolerance_;
  RungeKutta method_;
  Eigen::Index nv_ = 0;
  CoordinateUnits units_;
  Eigen::VectorXd y_, y_next_, y_middle_, error_;
};

}  // namespace amontons
