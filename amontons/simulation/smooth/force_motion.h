#pragma once

#include "amontons/contact/sliding_law.h"
#include "amontons/simulation/forces/explicit_servos.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/smooth/contact_force_law.h"
#include "amontons/simulation/smooth/force_equation.h"
#include "amontons/simulation/smooth/motion_step.h"
#include "amontons/simulation/smooth/smooth_islands.h"
#include "amontons/simulation/smooth/tree_motion.h"

#include <Eigen/Core>

#include <map>
#include <memory>
#include <vector>

namespace amontons {

/// Largest number of rates of one motion by forces: about half a second.
inline constexpr int kMaxForceRates = 32000;
/// Largest effort of the law of one motion by forces [equivalent factorizations]: about half a
/// second, too.
inline constexpr double kMaxForceEffort = 10000.0;

/// Integrates trees in sustained contact by the law of contact between forces and accelerations
/// [Drumwright 2015, secs. III-B and IV]. Where shapes touch, M vdot = f + forces of contact, as in
/// CoulombAcceleration or viscous_acceleration(). The motion is divided into parts as in
/// SmoothMotion.
///
/// Between events each contact keeps its mode (ForceMode). The motion is then smooth, and the
/// method has its order; its equation is ForceEquation. The classical Runge-Kutta method divides a
/// part whose error, estimated by two half steps, is above 1e-5 (1 + speed): friction is stiff
/// where a slip begins or ends. From then on parts keep 1e-8. At an event the modes cease to
/// satisfy the law. A contact opens, begins to slide or ends its slip, another point of its shapes
/// lands, or no force exists. Where a contact is no longer found, e.g. beyond an edge, that is an
/// event, too. The event ends the motion; bisection finds it. At the end of each part gaps, closing
/// speeds and the slip of sticking contacts are brought back to zero, which keeps the order.
///
/// A motion computes kMaxForceRates rates at most, divided by the effort of the distances of its
/// pairs of shapes (geometry/distance_effort.h), and may compute 400 in any case. They include
/// those of parts that are tried and rejected. Its law spends kMaxForceEffort at most.
class ForceMotion {
 public:
  /// @param shortest  shortest motion up to an event [s]; a shorter one does not begin.
  ForceMotion(const System& system, ContactForceLaw law, const EventSettings& settings,
              double shortest);
  ~ForceMotion();

  /// Follows the contacts of the given islands over [time, time + h] from q, v of the whole system,
  /// or to the first event. All islands share the steps of the integrator.
  /// @param at  kinematics at the start.
  /// @returns Converged. Else there is no motion: Infeasible where forces have no solution at the
  /// start, IterationLimit where rates or effort do not suffice, NumericalFailure where a velocity
  /// is not finite.
  SolveStatus start(const SystemKinematics& at, const SmoothIsland& islands,
                    const Eigen::VectorXd& v, double time, double h);

  /// Returns the solvability of the law for the contacts of islands, at an instant.
  SlidingLaw assess_sliding(const SystemKinematics& at, const SmoothIsland& islands,
                            const Eigen::VectorXd& v, double time);

  /// Returns the pairs of shapes [sorted] of which the law opens every contact at an instant. Where
  /// it does not determine the motion there are none.
  std::vector<PairOfShapes> opened_pairs(const SystemKinematics& at, const SmoothIsland& islands,
                                         const Eigen::VectorXd& v, double time);

  const TreeGroup& group() const { return equation_.group(); }
  double end_of_motion() const { return breaks_.back(); }  ///< elapsed [s]: h, or the first event
  /// Returns the estimated error of the motion, summed over its parts (StepEvents::force_error).
  double error() const { return error_; }
  /// Returns what its law has spent [equivalent factorizations].
  double law_effort() const { return law_effort_; }
  TreeMotion& tree(std::size_t of_group);

  /// Returns the group's state at the end. Forces [3 nc] there belong to the given contacts that
  /// are present.
  const Eigen::VectorXd& q_end() const { return q_.back(); }
  const Eigen::VectorXd& v_end() const { return v_.back(); }
  const Eigen::VectorXd& servo_impulse() const { return servo_impulse_; }  ///< sum over all parts
  const ContactProblem& end_problem() const { return equation_.present(); }
  const Eigen::VectorXd& end_forces() const { return end_forces_; }
  bool has_pair(const PairOfShapes& pair) const { return equation_.has_pair(pair); }
  /// Returns trees that are beyond a limit of a joint where a part ends.
  std::vector<int> trees_beyond_limits() const;
  /// Writes the poses of the group at the end into the kinematics.
  void place_end(SystemKinematics& kinematics);

 private:
  class Tree;

  /// Solves the law at an instant.
  ContactForces solve_at(const SystemKinematics& at, const SmoothIsland& islands,
                         const Eigen::VectorXd& v, double time);
  void begin_motion(const Eigen::VectorXd& v, double time);
  void state_at(double elapsed, Eigen::VectorXd& q, Eigen::VectorXd& v);
  /// Follows the motion within the effort of the thread.
  SolveStatus follow(const SystemKinematics& at, const SmoothIsland& islands,
                     const Eigen::VectorXd& v, double time, double h);
  bool follow_part(double h, double& part);
  void begin_part();
  void keep_end(double elapsed);
  void find_end_forces();
  void set_base(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  void compute_rate(double time, const Eigen::VectorXd& y, Eigen::VectorXd& rate);
  /// Returns compute_rate() as MotionStep calls it.
  auto rate() {
    return [this](double time, const Eigen::VectorXd& y, Eigen::VectorXd& result) {
      compute_rate(time, y, result);
    };
  }
  bool take_step(double elapsed, double h);
  double adaptive_step(double elapsed, double part, double shortest);
  double divided_step(double elapsed, double part, double shortest, bool& loses_contact);
  bool has_rates_left();
  Eigen::VectorXd step_positions() const;
  PhaseError servo_departure(double elapsed) const;
  /// Writes the projected end of the last step into q_next_, v_next_.
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
  std::vector<ServoPart> parts_;        // servo phases of the parts that begin there
  ServoPart part_;                      // the current part
  bool stage_failed_ = false;
  bool is_divided_ = false;  // RK4 takes shorter parts than the motion allows
  int num_rates_ = 0;        // computed in this motion
  double law_effort_ = 0.0;
  int effort_ = 1;  // of a rate, in distances of its pairs of shapes
  SolveStatus status_ = SolveStatus::NotRun;
  double error_ = 0.0;
  Eigen::VectorXd q_base_, q_next_, v_next_;  // step_ holds v at the base
  Eigen::VectorXd servo_impulse_;
  std::map<PairOfShapes, double> first_forces_;  // largest force at the start [N]
  Eigen::VectorXd end_forces_;
  std::vector<std::unique_ptr<Tree>> trees_;
};

}  // namespace amontons
