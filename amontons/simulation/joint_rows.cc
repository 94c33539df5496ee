#include "amontons/simulation/joint_rows.h"

#include "amontons/simulation/forces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace amontons {
namespace {

using Eigen::Index;

// A limit that a step leaves behind by more was passed; less is rounding [rad or m].
constexpr double kPassed = 1e-12;

// An effort beyond its limit by more than this share was exceeded; less is rounding.
constexpr double kExceeded = 1e-12;

bool has_friction(const CoordinateDynamics& coordinate) {
  return coordinate.dynamics.coulomb_friction > 0.0;
}

const std::array<double, 2>* limits_of(const CoordinateDynamics& coordinate) {
  return coordinate.q_index >= 0 && coordinate.dynamics.limits ? &*coordinate.dynamics.limits
                                                               : nullptr;
}

/// Entries of the warm start that belong to bounded rows.
std::span<const WarmStartEntry> rows_of(const State& state) {
  const auto first = std::lower_bound(
      state.warm_start.begin(), state.warm_start.end(), kBoundedRowShape,
      [](const WarmStartEntry& entry, std::int32_t shape) { return entry.key.shape_a < shape; });
  return {first, state.warm_start.end()};
}

BoundedRowKind kind_of(const WarmStartEntry& entry) {
  return static_cast<BoundedRowKind>(entry.key.feature >> 1U);
}

void mark(std::vector<char>& set, std::int32_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= set.size()) return;
  set[static_cast<std::size_t>(index)] = 1;
}

}  // namespace

JointRows::JointRows(const System& system, bool friction) : system_(&system), friction_(friction) {
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    if (limits_of(coordinate) || (friction && has_friction(coordinate))) any_ = true;
  }
  for (const ServoDrive& servo : system.servos()) {
    if (std::isfinite(servo.effort_limit)) any_ = true;
  }
}

void JointRows::begin(const State& state, JointRowSelection& selection) const {
  const std::size_t n = any_ ? system_->coordinate_dynamics().size() : 0;
  selection.lower.assign(n, 0);
  selection.upper.assign(n, 0);
  selection.servos.assign(system_->servos().size(), 0);
  for (const WarmStartEntry& entry : rows_of(state)) {
    if (kind_of(entry) != BoundedRowKind::Servo) continue;
    mark(selection.servos, entry.key.shape_b);
  }
}

/// What a state or a run names may not be there.
void JointRows::mark_limit(bool is_upper, std::int32_t index, JointRowSelection& selection) const {
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  const auto i = static_cast<std::size_t>(index);
  if (index < 0 || i >= coordinates.size() || limits_of(coordinates[i]) == nullptr) return;
  mark(is_upper ? selection.upper : selection.lower, index);
}

void JointRows::select_limits(const State& state, const Eigen::VectorXd& v_free, double h,
                              JointRowSelection& selection) const {
  if (!any_) return;
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::array<double, 2>* limits = limits_of(coordinates[i]);
    if (limits == nullptr) continue;
    const double q = state.q[coordinates[i].q_index];
    const int v = coordinates[i].v_index;
    const double reach = 2.0 * h * std::max(std::abs(state.v[v]), std::abs(v_free[v]));
    selection.lower[i] = q - (*limits)[0] <= reach;
    selection.upper[i] = (*limits)[1] - q <= reach;
  }
  for (const WarmStartEntry& entry : rows_of(state)) {
    if (kind_of(entry) != BoundedRowKind::Limit) continue;
    mark_limit((entry.key.feature & 1U) != 0, entry.key.shape_b, selection);
  }
}

void JointRows::add_row(const BoundedRow& row, int v_index, double sign,
                        ContactProblem& problem) const {
  problem.bounded_rows.push_back(row);
  problem.bounded_jacobian.add_block_row(1);
  problem.bounded_jacobian.block_at(v_index, 1)(0, 0) = sign;
}

void JointRows::assemble(const JointRowSelection& selection,
                         const Eigen::Ref<const Eigen::VectorXd>& q, double time, double h,
                         ContactProblem& problem) const {
  problem.bounded_rows.clear();
  problem.bounded_jacobian.reset(system_->num_velocities());
  if (!any_) return;
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  const std::vector<ServoDrive>& servos = system_->servos();
  // By index, then kind, as the keys are.
  for (std::size_t i = 0; i < std::max(coordinates.size(), servos.size()); ++i) {
    BoundedRow row;
    row.index = static_cast<std::int32_t>(i);
    if (i < coordinates.size()) {
      const CoordinateDynamics& own = coordinates[i];
      row.restitution = own.dynamics.limit_restitution;
      if (selection.lower[i]) {
        row.gap = q[own.q_index] - (*limits_of(own))[0];
        add_row(row, own.v_index, 1.0, problem);
      }
      if (selection.upper[i]) {
        row.is_upper = true;
        row.gap = (*limits_of(own))[1] - q[own.q_index];
        add_row(row, own.v_index, -1.0, problem);
      }
      if (friction_ && has_friction(own)) {
        BoundedRow friction;
        friction.kind = BoundedRowKind::Friction;
        friction.index = row.index;
        friction.upper = h * own.dynamics.coulomb_friction;
        friction.lower = -friction.upper;
        add_row(friction, own.v_index, 1.0, problem);
      }
    }
    if (i >= servos.size() || !selection.servos[i]) continue;
    const ServoDrive& servo = servos[i];
    const ServoTarget target = servo_target(servo, time, h);
    const double gain = h * servo.kd + h * h * servo.kp;
    BoundedRow drive;
    drive.kind = BoundedRowKind::Servo;
    drive.index = row.index;
    drive.upper = h * servo.effort_limit;
    drive.lower = -drive.upper;
    drive.compliance = 1.0 / gain;
    drive.offset =
        -h * (servo.kp * (target.position - q[servo.q_index]) + servo.kd * target.rate) / gain;
    add_row(drive, servo.v_index, 1.0, problem);
  }
}

JointRowSelection JointRows::selection_of(const std::vector<BoundedRow>& rows) const {
  JointRowSelection selection;
  begin(State{}, selection);
  for (const BoundedRow& row : rows) {
    if (row.kind == BoundedRowKind::Servo) mark(selection.servos, row.index);
    if (row.kind == BoundedRowKind::Limit) mark_limit(row.is_upper, row.index, selection);
  }
  return selection;
}

JointRows::Missing JointRows::extend(const Eigen::Ref<const Eigen::VectorXd>& q,
                                     const Eigen::VectorXd& velocity, double time, double h,
                                     JointRowSelection& selection) const {
  Missing missing = Missing::Nothing;
  if (!any_) return missing;
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::array<double, 2>* limits = limits_of(coordinates[i]);
    if (limits == nullptr) continue;
    const double next = q[coordinates[i].q_index] + h * velocity[coordinates[i].v_index];
    const auto add = [&missing](char& listed, bool passed) {
      if (listed || !passed) return;
      listed = 1;
      missing = Missing::Limits;
    };
    add(selection.lower[i], next < (*limits)[0] - kPassed);
    add(selection.upper[i], next > (*limits)[1] + kPassed);
  }
  for (std::size_t i = 0; i < system_->servos().size(); ++i) {
    const ServoDrive& servo = system_->servos()[i];
    if (selection.servos[i] || !std::isfinite(servo.effort_limit)) continue;
    const double effort = servo_effort(servo, q, velocity, time, h);
    if (std::abs(effort) <= (1.0 + kExceeded) * servo.effort_limit) continue;
    selection.servos[i] = 1;
    missing = Missing::Servos;
  }
  return missing;
}

double JointRows::largest_violation(const Eigen::Ref<const Eigen::VectorXd>& q,
                                    std::string* joint) const {
  double worst = 0.0;
  for (const CoordinateDynamics& coordinate : system_->coordinate_dynamics()) {
    const std::array<double, 2>* limits = limits_of(coordinate);
    if (limits == nullptr) continue;
    const double own =
        std::max((*limits)[0] - q[coordinate.q_index], q[coordinate.q_index] - (*limits)[1]);
    if (own <= worst) continue;
    worst = own;
    if (joint != nullptr) *joint = coordinate.joint;
  }
  return worst;
}

std::string name_of(const System& system, const BoundedRow& row) {
  const auto i = static_cast<std::size_t>(row.index);
  if (row.kind == BoundedRowKind::Servo) {
    const int v = system.servos()[i].v_index;
    for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
      if (own.v_index == v) return "servo of '" + own.joint + "'";
    }
    return "servo " + std::to_string(i);
  }
  const std::string name = "'" + system.coordinate_dynamics()[i].joint + "'";
  if (row.kind == BoundedRowKind::Friction) return "friction of " + name;
  return (row.is_upper ? "upper limit of " : "lower limit of ") + name;
}

}  // namespace amontons
