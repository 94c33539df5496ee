#pragma once

#include "amontons/contact/sliding_law.h"
#include "amontons/simulation/forces/explicit_servos.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/smooth/contact_force_law.h"
#include "amontons/simulation/smooth/force_equation.h"
#include "amontons/simulation/smooth/motion_step.h"
#include "amontons/simulation/smooth/tree_motion.h"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace amontons {

/// The motion of trees in sustained contact by an integrator, the law of contact between forces and
/// accelerations [Drumwright 2015, secs. III-B and IV]: where shapes touch, M vdot = f + forces of
/// contact, as CoulombAcceleration or viscous_acceleration() has them. Parts are as SmoothMotion's.
///
/// Between events each contact keeps what it does (ForceMode), so that the motion is smooth and the
/// method has its order: its equation is ForceEquation. An event is where that is no more what the
/// law says: a contact opens, begins to slide, its slip ends, another point of its shapes lands, or
/// there is no force any more. It ends the motion, found by bisection. At the end of each part
/// gaps, closing speeds and the slip of what sticks are brought back to zero: the order stays.
class ForceMotion {
 public:
  /// @param shortest  a motion that would end before is none [s].
  ForceMotion(const System& system, ContactForceLaw law, const EventSettings& settings,
              double shortest);
  ~ForceMotion();

  /// Follows the given contacts over [time, time + h] from q, v of the whole system, or to the
  /// first event.
  /// @param at        everything at the start.
  /// @param contacts  [sorted] that touch and neither approach nor leave.
  /// @returns false where forces have no answer at the start: nothing moves then.
  /// @throws DivergenceError where the motion leaves all bounds.
  bool start(const SystemKinematics& at, TreeGroup group, std::vector<PairOfShapes> pairs,
             const std::vector<ContactKey>& contacts, const Eigen::VectorXd& v, double time,
             double h);

  /// What the law says of contacts [sorted], at an instant.
  SlidingLaw assess_sliding(const SystemKinematics& at, TreeGroup group,
                            std::vector<PairOfShapes> pairs,
                            const std::vector<ContactKey>& contacts, const Eigen::VectorXd& v,
                            double time);

  const TreeGroup& group() const { return equation_.group(); }
  double reached() const { return breaks_.back(); }  ///< elapsed [s]: h, or the first event
  TreeMotion& tree(std::size_t of_group);

  /// Of the group at the end; forces [3 nc] there of the contacts that were given, those present.
  const Eigen::VectorXd& q_end() const { return q_.back(); }
  const Eigen::VectorXd& v_end() const { return v_.back(); }
  const Eigen::VectorXd& servo_impulse() const { return servo_impulse_; }  ///< of all parts
  const ContactProblem& end_problem() const { return equation_.present(); }
  const Eigen::VectorXd& end_forces() const { return end_forces_; }
  bool has_pair(const PairOfShapes& pair) const { return equation_.has_pair(pair); }
  /// Trees that are beyond a limit of a joint where a part ends.
  std::vector<int> trees_beyond_limits() const;
  /// Places the group there.
  void place_end(SystemKinematics& kinematics);

 private:
  class Tree;

  void state_at(double elapsed, Eigen::VectorXd& q, Eigen::VectorXd& v);
  bool follow_part(double h, double& part);
  void begin_part();
  void keep_end(double elapsed);
  void find_end_forces();
  void set_base(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  bool take_step(double elapsed, double h);
  double adaptive_step(double elapsed, double part);
  Eigen::VectorXd step_positions() const;
  ServoDeparture servo_departure(double elapsed) const;
  /// Into q_next_, v_next_.
  bool finish_step();
  bool still_holds(double time);
  double first_failure(double elapsed, double part);
  double longest_part() const;

  const System* system_;
  double contact_tolerance_, shortest_;
  ForceEquation equation_;
  MotionStep step_;
  double time_ = 0.0, next_table_ = 0.0;
  std::vector<double> breaks_;
  std::vector<Eigen::VectorXd> q_, v_;  // at the breaks
  std::vector<ServoPart> parts_;        // that begin there
  ServoPart part_;                      // the one at hand
  bool stage_failed_ = false;
  Eigen::VectorXd q_base_, q_next_, v_next_;  // v at the base: of step_
  Eigen::VectorXd servo_impulse_;
  Eigen::VectorXd end_forces_;
  std::vector<std::unique_ptr<Tree>> trees_;
};

}  // namespace amontons
