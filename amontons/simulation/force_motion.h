#pragma once

#include "amontons/contact/sliding_law.h"
#include "amontons/math/runge_kutta.h"
#include "amontons/models/acceleration_problem.h"
#include "amontons/models/coulomb_acceleration.h"
#include "amontons/simulation/held_contacts.h"
#include "amontons/simulation/scene.h"
#include "amontons/simulation/tree_motion.h"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace amontons {

/// The motion of trees in sustained contact by an integrator, the law of contact between forces and
/// accelerations [Drumwright 2015, secs. III-B and IV]: where shapes touch, M vdot = f + forces of
/// contact, as CoulombAcceleration or viscous_acceleration() has them.
///
/// Between events each contact keeps what it does (ForceMode), so that the motion is smooth and the
/// method has its order: its equations are ForcesInModes. An event is where that is no more what
/// the law says: a contact opens, begins to slide, its slip ends, another point of its shapes
/// lands, or there is no force any more. It ends the motion, found by bisection. At the end of each
/// part gaps, closing speeds and the slip of what sticks are brought back to zero, the least
/// changes in the norm of M [Hairer, Wanner 1996, sec. VII.2]: the order stays.
class ForceMotion {
 public:
  /// @param touching_speed  relative speeds below this are none [m/s].
  /// @param shortest        a motion that would end before is none [s].
  ForceMotion(const System& system, SustainedContact law, const EventSettings& settings,
              double touching_speed, double shortest);
  ~ForceMotion();

  /// Follows the given contacts over [time, time + h] from q, v of the whole system, or to the
  /// first event.
  /// @param at        everything at the start.
  /// @param contacts  [sorted] that touch and neither approach nor leave.
  /// @returns false where forces have no answer at the start: nothing moves then.
  /// @throws DivergenceError where the motion leaves all bounds.
  bool start(const SystemKinematics& at, TreeGroup group, std::vector<PairOfShapes> pairs,
             std::vector<ContactKey> contacts, const Eigen::VectorXd& v, double time, double h);

  /// What the law says of contacts [sorted], at an instant.
  SlidingLaw judge(const SystemKinematics& at, TreeGroup group, std::vector<PairOfShapes> pairs,
                   const std::vector<ContactKey>& contacts, const Eigen::VectorXd& v, double time);

  const TreeGroup& group() const { return held_.group(); }
  double reached() const { return breaks_.back(); }  ///< elapsed [s]: h, or the first event
  TreeMotion& tree(std::size_t of_group);

  /// Of the group at the end; forces [3 nc] there of the contacts that were given, those present.
  const Eigen::VectorXd& q_end() const { return q_.back(); }
  const Eigen::VectorXd& v_end() const { return v_.back(); }
  const ContactProblem& end_problem() const { return end_.problem; }
  const Eigen::VectorXd& end_forces() const { return end_forces_; }
  bool has_pair(const PairOfShapes& pair) const { return held_.has_pair(pair); }
  /// Places the group there.
  void place_end(SystemKinematics& kinematics);

 private:
  class Tree;

  void state_at(double elapsed, Eigen::VectorXd& q, Eigen::VectorXd& v);
  ContactForces forces_at(const ContactInstant& instant) const;
  bool follow_part(double h, double& part);
  void keep_end(double elapsed);
  void find_end_forces();
  void set_base(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  bool take_step(double elapsed, double h);
  double take_adaptive_step(double elapsed, double part);
  bool compute_rate(double time, const Eigen::VectorXd& y, Eigen::VectorXd& rate);
  std::vector<ForceMode> modes_at(const ContactProblem& problem) const;
  /// Into q_next_, v_next_.
  bool finish_step();
  bool still_holds(double time);
  bool forces_hold(const ContactInstant& instant) const;
  double first_failure(double elapsed, double part);
  double longest_part() const;
  double error_norm() const;

  const System* system_;
  SustainedContact law_;
  Integrator integrator_;
  double tolerance_, contact_tolerance_, touching_speed_, shortest_;
  CoulombAcceleration coulomb_;
  HeldContacts held_;
  std::vector<ContactKey> contacts_;
  std::vector<ForceMode> modes_;
  double time_ = 0.0;
  std::vector<double> breaks_;
  std::vector<Eigen::VectorXd> q_, v_;  // at the breaks
  RungeKutta method_;
  bool stage_failed_ = false;
  Eigen::VectorXd q_base_, y_, y_next_, error_, q_next_, v_next_;
  ContactInstant stage_, end_;
  Eigen::VectorXd end_forces_;
  std::vector<std::unique_ptr<Tree>> trees_;
};

}  // namespace amontons
