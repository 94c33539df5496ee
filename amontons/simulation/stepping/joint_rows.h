#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/stepping/joint_row_assembly.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

/// The bounded rows of joints (contact/bounded_row.h): their limits, dry friction, and servos at
/// their effort limits; along joints that are rows of J also springs, dampers and all servos, which
/// would tie the blocks of M together.
///
/// A step begins with the limits that it may reach and the servos that were saturated in the last
/// one. After the contact solve extend() finds what the answer asks for besides: a limit passed, an
/// effort exceeded. Solved again with those the step is exact; each pass adds a row, so it ends.
class JointRows {
 public:
  /// @param friction  whether dry friction is a row (JointFriction::Coupled).
  JointRows(const System& system, bool friction);

  bool empty() const { return !any_; }

  /// Servos of the last step's rows, for the free motion; no limits yet.
  void begin(const State& state, JointRowSelection& selection) const;

  /// Leaves the trees out that an integrator moves [articulations; empty: none].
  void leave_out(const std::vector<char>& integrated, JointRowSelection& selection) const;

  /// Adds the limits within 2 h |v| of the start, v the larger of the velocities before the step
  /// and of its free motion, and those that carried an impulse in the last step.
  /// @param start  kinematics of the state.
  void select_limits(const State& state, const SystemKinematics& start,
                     const Eigen::VectorXd& v_free, double h, JointRowSelection& selection) const;

  /// Writes the rows of a selection into the problem, sorted by key. An impact (h = 0) knows limits
  /// alone: forces give no impulse in no time.
  /// @param start  at the start of the step.
  void assemble(const JointRowSelection& selection, const SystemKinematics& start, double h,
                ContactProblem& problem) const;

  /// The selection that rows of a problem come from.
  JointRowSelection selection_of(const std::vector<BoundedRow>& rows) const;

  enum class Missing { Nothing, Limits, Servos };
  /// Adds what an answer v+ asks for, if anything: rows for limits alone, or servos that M must be
  /// without.
  /// @param start  at the start of the step.
  Missing extend(const SystemKinematics& start, const Eigen::VectorXd& velocity, double h,
                 JointRowSelection& selection) const;

  /// How far positions are beyond limits at most, and the coordinate's joint [rad or m].
  double largest_violation(const SystemKinematics& kinematics, std::string* joint = nullptr) const;

 private:
  bool is_left_out(int v_index, const JointRowSelection& selection) const;
  void mark_limit(bool is_upper, std::int32_t index, JointRowSelection& selection) const;

  const System* system_;
  bool friction_, any_ = false;
};

}  // namespace amontons
