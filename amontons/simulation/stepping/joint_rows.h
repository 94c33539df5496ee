#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/stepping/joint_row_assembly.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

/// Selects the bounded rows of joints (contact/bounded_row.h): limits, dry friction, and servos at
/// their effort limits. Along joints that are rows of J springs, dampers and all servos are rows,
/// too, because they would couple the blocks of M.
///
/// A step begins with the limits that it may reach and the servos that were saturated in the last
/// one. After the contact solve extend() finds the rows that its solution violates: a limit passed,
/// an effort exceeded. With these rows the step is solved again and is exact. Each pass adds a row,
/// so the iteration ends. For some laws all limits and servos are rows from the start.
/// docs/theory/joint-rows.md has the equations.
class JointRows {
 public:
  /// @param friction  true: dry friction is a row (JointFriction::Coupled).
  /// @param all       true: all limits and bounded servos are rows (ModelTraits::needs_all_rows).
  JointRows(const System& system, bool friction, bool all);

  bool empty() const { return !any_; }

  /// Selects the servos of the last step's rows, for the free motion, and no limits; or all rows.
  void begin(const State& state, JointRowSelection& selection) const;

  /// Writes the impulses of contacts and limits in the last step that are expected again in a step
  /// of length h [s].
  void last_impulses(const State& state, double h, LastImpulses& result) const;

  /// Removes the servos of trees that an integrator moves [articulations; empty: none], and notes
  /// these trees.
  void exclude_trees(const std::vector<char>& integrated, JointRowSelection& selection) const;

  /// Adds the limits within 2 h |v| of the start, and those that carried an impulse in the last
  /// step. v is the larger of the velocities at the start of the step and of its free motion. An
  /// impact (h = 0) has no other limits: any more would act as if closed.
  /// @param start  kinematics of the state.
  void select_limits(const State& state, const SystemKinematics& start,
                     const Eigen::VectorXd& v_free, double h, JointRowSelection& selection) const;

  /// Writes the rows of a selection into the problem, sorted by key. An impact (h = 0) has limits
  /// alone, because forces give no impulse in no time.
  /// @param start  kinematics at the start of the step.
  void assemble(const JointRowSelection& selection, const SystemKinematics& start, double h,
                ContactProblem& problem) const;

  /// Returns the selection from which rows of a problem come.
  JointRowSelection selection_of(const std::vector<BoundedRow>& rows, double h) const;

  /// Names the rows that a selection lacked.
  enum class Missing { Nothing, Limits, Servos };
  /// Adds the rows that a solution v+ violates, if any. Rows of limits need a new solve; rows of
  /// servos also need a new evaluation, because M must be without them.
  /// @param start  kinematics at the start of the step.
  Missing extend(const SystemKinematics& start, const Eigen::VectorXd& velocity, double h,
                 JointRowSelection& selection) const;

  /// Returns the largest distance of a position beyond its limits, and the coordinate's joint [rad
  /// or m].
  double largest_violation(const SystemKinematics& kinematics, std::string* joint = nullptr) const;

 private:
  /// Returns true if an integrator moves the tree of a rate.
  bool is_excluded(int v_index, const JointRowSelection& selection) const;
  /// Removes all limits from a selection.
  static void clear_limits(JointRowSelection& selection);
  /// Selects a limit, if it exists and its tree has rows.
  void mark_limit(bool is_upper, std::int32_t index, JointRowSelection& selection) const;

  const System* system_;
  bool friction_, all_, any_ = false;
};

}  // namespace amontons
