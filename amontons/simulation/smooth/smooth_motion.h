#pragma once

#include "amontons/dynamics/forward_dynamics.h"
#include "amontons/simulation/forces/explicit_servos.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/smooth/motion_step.h"
#include "amontons/simulation/smooth/tree_motion.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// The motion of one smooth tree without contacts, by RK4 or adaptive Dormand-Prince: gravity,
/// inertia, springs, dampers, servos, efforts and wrenches as they are at each instant.
///
/// A step of h is divided: where the method adapts, by its error, else so that it is stable
/// (longest_stable_step()); where tables have an instant; where a servo comes to its effort limit
/// or back (explicit_servos.h); always so that nothing turns farther than half a radian in a part.
/// Any instant in between is reached by a step of its own from the end of the part before it, so
/// that it is as accurate as the end.
class SmoothMotion final : public TreeMotion {
 public:
  /// @param tolerance  of each part (MotionStep).
  SmoothMotion(const System& system, int articulation, Integrator integrator, double tolerance);

  /// Integrates over [time, time + h] from q, v of the whole system.
  /// @throws DivergenceError where the motion leaves all bounds.
  void start(const Eigen::Ref<const Eigen::VectorXd>& q, const Eigen::Ref<const Eigen::VectorXd>& v,
             double time, double h);

  void state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                Eigen::Ref<Eigen::VectorXd> v) override;
  const std::vector<double>& breaks() const override { return breaks_; }

  /// What servos have given over the whole step [nv].
  const Eigen::VectorXd& servo_impulse() const { return servo_impulse_; }
  /// Whether it passes a limit of a joint where a part of it ends.
  bool passes_limit() const;

 private:
  void set_base(const Eigen::Ref<const Eigen::VectorXd>& q,
                const Eigen::Ref<const Eigen::VectorXd>& v);
  void take_step(double elapsed, double h);  // from the base
  double adaptive_step(double elapsed, double part, double h);
  double longest_part(double begin, double h);
  ServoDeparture servo_departure(double elapsed);
  void read_end(Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v) const;
  void compute_rate(double time, const Eigen::VectorXd& y, Eigen::VectorXd& rate);
  double time_of_turn(double h) const;

  const System* system_;
  int articulation_;
  const Articulation* tree_;
  MotionStep step_;
  bool has_gains_;
  double time_ = 0.0;
  std::vector<double> breaks_;
  std::vector<Eigen::VectorXd> q_, v_;  // at the breaks
  std::vector<ServoPart> parts_;        // that begin there
  ServoPart part_;                      // the one at hand
  Eigen::VectorXd q_base_;
  Eigen::VectorXd servo_impulse_, servo_forces_;
  Eigen::VectorXd q_stage_, forces_, acceleration_;
  ArticulationKinematics kinematics_;
  DynamicsWorkspace work_;
};

}  // namespace amontons
