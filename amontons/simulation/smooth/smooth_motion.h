#pragma once

#include "amontons/dynamics/forward_dynamics.h"
#include "amontons/math/solve_status.h"
#include "amontons/simulation/forces/explicit_servos.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/smooth/motion_step.h"
#include "amontons/simulation/smooth/tree_motion.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Integrates the motion of one smooth tree without contacts, by RK4 or adaptive Dormand-Prince.
/// Gravity, inertia, springs, dampers, servos, efforts and wrenches act at each instant.
///
/// A step of length h is divided into parts. A method that adapts chooses them by its error, RK4 so
/// that it is stable (longest_stable_step()), and shorter ones where two steps of half the length
/// differ from one (MotionStep::is_small()). Parts also end at instants of tables, and where a
/// servo reaches or leaves its effort limit (explicit_servos.h). In no part does anything turn
/// farther than half a radian. A step of its own reaches any instant within a part from the
/// part's start, so that it is as accurate as the end. The integrator's steps are counted, those
/// that are tried again included, and a motion that needs more than it may take has no solution.
/// A body that falls freely and whose inertia is the same about every axis moves by a formula.
class SmoothMotion final : public TreeMotion {
 public:
  /// @param tolerance  error bound of each part (MotionStep).
  SmoothMotion(const System& system, int articulation, Integrator integrator, double tolerance);

  /// Integrates over [time, time + h] from q, v of the whole system.
  /// @param max_steps  largest number of steps of the integrator, > 0.
  /// @returns Converged. Else there is no motion: IterationLimit where the steps do not suffice,
  /// Stalled where forces change too fast, NumericalFailure where a velocity is not finite.
  SolveStatus start(const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                    int max_steps);
  /// Returns the number of steps that the integrator has taken for the last motion.
  int num_steps() const { return num_steps_; }

  void state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                Eigen::Ref<Eigen::VectorXd> v) override;
  int effort() const override { return falls_freely_ ? 0 : 8 * tree_->num_links(); }
  std::optional<Eigen::Vector3d> free_fall() const override;
  const std::vector<double>& breaks() const override { return breaks_; }

  /// Returns the impulse of servos over the whole step [nv].
  const Eigen::VectorXd& servo_impulse() const { return servo_impulse_; }
  /// Returns when a joint first comes to a limit from within [s after the start], or 0 where one is
  /// beyond its limit from the start; infinity if all stay within their limits.
  double time_of_limit();

 private:
  void set_base(const Eigen::Ref<const Eigen::VectorXd>& q,
                const Eigen::Ref<const Eigen::VectorXd>& v);
  void take_step(double elapsed, double h);  // step from the base
  SolveStatus follow_part(double h, int max_steps, double& part);
  void estimate_error(double elapsed, double h);  // of that step, by RK4
  SolveStatus accurate_step(double elapsed, double h, int max_steps, double& part);
  double longest_part(double begin, double h);
  PhaseError servo_departure(double elapsed);
  void read_end(Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v) const;
  void compute_rate(double time, const Eigen::VectorXd& y, Eigen::VectorXd& rate);
  /// Returns compute_rate() as MotionStep calls it.
  auto rate() {
    return [this](double time, const Eigen::VectorXd& y, Eigen::VectorXd& result) {
      compute_rate(time, y, result);
    };
  }
  double parts_by_turn(double h) const;
  double instant_beyond_limits(std::size_t part) const;
  /// Writes the state that a free fall reaches [s].
  void fall(double elapsed, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v) const;

  const System* system_;
  int articulation_;
  const Articulation* tree_;
  MotionStep step_;
  bool has_gains_;
  bool may_fall_freely_;       // unless commands act
  bool falls_freely_ = false;  // in the last motion
  double time_ = 0.0, next_table_ = 0.0;
  int num_steps_ = 0;
  bool is_divided_ = false;  // RK4 takes shorter parts than the motion allows
  std::vector<double> breaks_;
  std::vector<Eigen::VectorXd> q_, v_;  // at the breaks
  std::vector<ServoPart> parts_;        // servo phases of the parts that begin there
  ServoPart part_;                      // the current part
  Eigen::VectorXd q_base_;
  Eigen::VectorXd servo_impulse_, servo_forces_;
  Eigen::VectorXd q_stage_, forces_, acceleration_;
  ArticulationKinematics kinematics_;
  DynamicsWorkspace work_;
};

}  // namespace amontons
