#pragma once

#include "amontons/dynamics/forward_dynamics.h"
#include "amontons/math/runge_kutta.h"
#include "amontons/simulation/scene.h"
#include "amontons/simulation/system.h"
#include "amontons/simulation/tree_motion.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// The motion of one smooth tree without contacts, by RK4 or adaptive Dormand-Prince: gravity,
/// inertia, springs, dampers, efforts and wrenches as they are at each instant.
///
/// A step of h is divided: where the method adapts, by its error; always so that nothing turns
/// farther than half a radian in a part. Any instant in between is reached by a step of its own
/// from the end of the part before it, so that it is as accurate as the end.
class SmoothMotion final : public TreeMotion {
 public:
  /// @param tolerance  of Dormand-Prince, of each part's error in v and the displacement, absolute
  /// and relative to v.
  SmoothMotion(const System& system, int articulation, Integrator integrator, double tolerance);

  /// Integrates over [time, time + h] from q, v of the whole system.
  /// @throws DivergenceError where the motion leaves all bounds.
  void start(const Eigen::Ref<const Eigen::VectorXd>& q, const Eigen::Ref<const Eigen::VectorXd>& v,
             double time, double h);

  void state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                Eigen::Ref<Eigen::VectorXd> v) override;
  const std::vector<double>& breaks() const override { return breaks_; }

 private:
  void set_base(const Eigen::Ref<const Eigen::VectorXd>& q,
                const Eigen::Ref<const Eigen::VectorXd>& v);
  void take_step(double elapsed, double h);  // from the base into y_next_
  void read_end(Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v) const;
  void compute_rate(double time, const Eigen::VectorXd& y, Eigen::VectorXd& rate);
  double error_norm() const;
  double longest_part(double h) const;

  const System* system_;
  int articulation_;
  const Articulation* tree_;
  Integrator integrator_;
  double tolerance_, time_ = 0.0;
  std::vector<double> breaks_;
  std::vector<Eigen::VectorXd> q_, v_;  // at the breaks
  RungeKutta method_;
  Eigen::VectorXd q_base_, y_, y_next_, error_;  // y: displacement from q_base, then v
  Eigen::VectorXd q_stage_, forces_, acceleration_;
  ArticulationKinematics kinematics_;
  DynamicsWorkspace work_;
};

}  // namespace amontons
