#include "amontons/simulation/joint_rows.h"

#include "amontons/simulation/forces.h"
#include "amontons/simulation/loop_coordinates.h"

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

bool has_spring_row(const CoordinateDynamics& coordinate) {
  return coordinate.loop >= 0 && coordinate.dynamics.stiffness > 0.0;
}

bool has_damper_row(const CoordinateDynamics& coordinate) {
  return coordinate.loop >= 0 && coordinate.dynamics.viscous_friction > 0.0;
}

const std::array<double, 2>* limits_of(const CoordinateDynamics& coordinate) {
  const bool has_position = coordinate.q_index >= 0 || coordinate.loop >= 0;
  return has_position && coordinate.dynamics.limits ? &*coordinate.dynamics.limits : nullptr;
}

// Rate of what CoordinateDynamics or a ServoDrive acts along.
template <typename Place>
double rate_of(const Place& place, const SystemKinematics& at, const Eigen::VectorXd& v) {
  if (place.loop < 0) return v[place.v_index];
  double rate = 0.0;
  const BlockSparseMatrix& rows = at.loops.jacobian;
  for (const BlockSparseMatrix::Block& block :
       rows.block_row(static_cast<std::size_t>(place.loop))) {
    rate += rows.values(block).row(0).dot(v.segment(block.col, block.num_cols));
  }
  return rate;
}

template <typename Place>
void add_row(const BoundedRow& row, const Place& place, const SystemKinematics& at, double sign,
             ContactProblem& problem) {
  problem.bounded_rows.push_back(row);
  problem.bounded_jacobian.add_block_row(1);
  if (place.loop < 0) {
    problem.bounded_jacobian.block_at(place.v_index, 1)(0, 0) = sign;
  } else {
    add_loop_coordinate(at.loops, place.loop, sign, problem.bounded_jacobian);
  }
}

BoundedRow named(BoundedRowKind kind, std::size_t index) {
  BoundedRow row;
  row.kind = kind;
  row.index = static_cast<std::int32_t>(index);
  return row;
}

void set_bound(double bound, BoundedRow& row) {
  row.upper = bound;
  row.lower = -bound;
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
    if (has_spring_row(coordinate) || (friction && has_damper_row(coordinate))) any_ = true;
  }
  for (const ServoDrive& servo : system.servos()) {
    if (servo.loop >= 0 || std::isfinite(servo.effort_limit)) any_ = true;
  }
}

void JointRows::begin(const State& state, JointRowSelection& selection) const {
  const std::size_t n = any_ ? system_->coordinate_dynamics().size() : 0;
  selection.lower.assign(n, 0);
  selection.upper.assign(n, 0);
  selection.servos.assign(system_->servos().size(), 0);
  selection.integrated.clear();
  for (std::size_t i = 0; i < system_->servos().size(); ++i) {
    if (system_->servos()[i].loop >= 0) selection.servos[i] = 1;
  }
  for (const WarmStartEntry& entry : rows_of(state)) {
    if (kind_of(entry) != BoundedRowKind::Servo) continue;
    mark(selection.servos, entry.key.shape_b);
  }
}

void JointRows::leave_out(const std::vector<char>& integrated, JointRowSelection& selection) const {
  selection.integrated = integrated;
  for (std::size_t i = 0; i < selection.servos.size(); ++i) {
    if (is_left_out(system_->servos()[i].v_index, selection)) selection.servos[i] = 0;
  }
}

bool JointRows::is_left_out(int v_index, const JointRowSelection& selection) const {
  if (selection.integrated.empty() || v_index < 0) return false;
  return selection.integrated[static_cast<std::size_t>(system_->articulation_of(v_index))] != 0;
}

/// What a state or a run names may not be there.
void JointRows::mark_limit(bool is_upper, std::int32_t index, JointRowSelection& selection) const {
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  const auto i = static_cast<std::size_t>(index);
  if (index < 0 || i >= coordinates.size() || limits_of(coordinates[i]) == nullptr) return;
  if (is_left_out(coordinates[i].v_index, selection)) return;
  mark(is_upper ? selection.upper : selection.lower, index);
}

void JointRows::select_limits(const State& state, const SystemKinematics& start,
                              const Eigen::VectorXd& v_free, double h,
                              JointRowSelection& selection) const {
  if (!any_) return;
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::array<double, 2>* limits = limits_of(coordinates[i]);
    if (limits == nullptr || is_left_out(coordinates[i].v_index, selection)) continue;
    const double q = coordinate_position(coordinates[i], start);
    const double reach = 2.0 * h *
                         std::max(std::abs(rate_of(coordinates[i], start, state.v)),
                                  std::abs(rate_of(coordinates[i], start, v_free)));
    selection.lower[i] = q - (*limits)[0] <= reach;
    selection.upper[i] = (*limits)[1] - q <= reach;
  }
  for (const WarmStartEntry& entry : rows_of(state)) {
    if (kind_of(entry) != BoundedRowKind::Limit) continue;
    mark_limit((entry.key.feature & 1U) != 0, entry.key.shape_b, selection);
  }
}

void JointRows::add_coordinate_rows(std::size_t i, const JointRowSelection& selection,
                                    const SystemKinematics& start, double h,
                                    ContactProblem& problem) const {
  const CoordinateDynamics& own = system_->coordinate_dynamics()[i];
  BoundedRow limit = named(BoundedRowKind::Limit, i);
  limit.restitution = own.dynamics.limit_restitution;
  if (selection.lower[i]) {
    limit.gap = coordinate_position(own, start) - (*limits_of(own))[0];
    add_row(limit, own, start, 1.0, problem);
  }
  if (selection.upper[i]) {
    limit.is_upper = true;
    limit.gap = (*limits_of(own))[1] - coordinate_position(own, start);
    add_row(limit, own, start, -1.0, problem);
  }
  if (h > 0.0 && friction_ && has_friction(own)) {
    BoundedRow friction = named(BoundedRowKind::Friction, i);
    set_bound(h * own.dynamics.coulomb_friction, friction);
    add_row(friction, own, start, 1.0, problem);
  }
}

void JointRows::add_servo_row(std::size_t i, const SystemKinematics& start, double h,
                              ContactProblem& problem) const {
  const ServoDrive& servo = system_->servos()[i];
  const double gain = h * servo.kd + h * h * servo.kp;
  BoundedRow drive = named(BoundedRowKind::Servo, i);
  set_bound(h * servo.effort_limit, drive);
  drive.compliance = 1.0 / gain;
  const auto target = servo_target(servo, start.time, h);
  drive.offset =
      -h *
      (servo.kp * (target.position - coordinate_position(servo, start)) + servo.kd * target.rate) /
      gain;
  add_row(drive, servo, start, 1.0, problem);
}

void JointRows::add_spring_and_damper(std::size_t i, const SystemKinematics& start, double h,
                                      ContactProblem& problem) const {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const CoordinateDynamics& own = system_->coordinate_dynamics()[i];
  const JointDynamics& d = own.dynamics;
  if (has_spring_row(own)) {  // p = -h k (q + h u - rest)
    BoundedRow spring = named(BoundedRowKind::Spring, i);
    set_bound(kUnbounded, spring);
    spring.compliance = 1.0 / (h * h * d.stiffness);
    spring.offset = (coordinate_position(own, start) - d.rest_position) / h;
    add_row(spring, own, start, 1.0, problem);
  }
  if (friction_ && has_damper_row(own)) {  // p = -h d u
    BoundedRow damper = named(BoundedRowKind::Damper, i);
    set_bound(kUnbounded, damper);
    damper.compliance = 1.0 / (h * d.viscous_friction);
    add_row(damper, own, start, 1.0, problem);
  }
}

void JointRows::assemble(const JointRowSelection& selection, const SystemKinematics& start,
                         double h, ContactProblem& problem) const {
  problem.bounded_rows.clear();
  problem.bounded_jacobian.reset(system_->num_velocities());
  if (!any_) return;
  const std::size_t num_coordinates = system_->coordinate_dynamics().size();
  const std::size_t num_servos = system_->servos().size();
  // By index, then kind, as the keys are.
  for (std::size_t i = 0; i < std::max(num_coordinates, num_servos); ++i) {
    if (i < num_coordinates) add_coordinate_rows(i, selection, start, h, problem);
    if (h == 0.0) continue;
    if (i < num_servos && selection.servos[i]) add_servo_row(i, start, h, problem);
    if (i < num_coordinates) add_spring_and_damper(i, start, h, problem);
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

JointRows::Missing JointRows::extend(const SystemKinematics& start, const Eigen::VectorXd& velocity,
                                     double h, JointRowSelection& selection) const {
  Missing missing = Missing::Nothing;
  if (!any_) return missing;
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::array<double, 2>* limits = limits_of(coordinates[i]);
    if (limits == nullptr || is_left_out(coordinates[i].v_index, selection)) continue;
    const double next =
        coordinate_position(coordinates[i], start) + h * rate_of(coordinates[i], start, velocity);
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
    if (is_left_out(servo.v_index, selection)) continue;
    const double effort = servo_effort(servo, start.q, velocity, start.time, h);
    if (std::abs(effort) <= (1.0 + kExceeded) * servo.effort_limit) continue;
    selection.servos[i] = 1;
    missing = Missing::Servos;
  }
  return missing;
}

double JointRows::largest_violation(const SystemKinematics& kinematics, std::string* joint) const {
  double worst = 0.0;
  for (const CoordinateDynamics& coordinate : system_->coordinate_dynamics()) {
    const std::array<double, 2>* limits = limits_of(coordinate);
    if (limits == nullptr) continue;
    const double q = coordinate_position(coordinate, kinematics);
    const double own = std::max((*limits)[0] - q, q - (*limits)[1]);
    if (own <= worst) continue;
    worst = own;
    if (joint != nullptr) *joint = coordinate.joint;
  }
  return worst;
}

std::string name_of(const System& system, const BoundedRow& row) {
  const auto i = static_cast<std::size_t>(row.index);
  if (row.kind == BoundedRowKind::Servo) {
    const ServoDrive& servo = system.servos()[i];
    for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
      if (own.v_index == servo.v_index && own.loop == servo.loop)
        return "servo of '" + own.joint + "'";
    }
    return "servo " + std::to_string(i);
  }
  const std::string name = "'" + system.coordinate_dynamics()[i].joint + "'";
  if (row.kind == BoundedRowKind::Friction) return "friction of " + name;
  if (row.kind == BoundedRowKind::Spring) return "spring of " + name;
  if (row.kind == BoundedRowKind::Damper) return "damper of " + name;
  return (row.is_upper ? "upper limit of " : "lower limit of ") + name;
}

}  // namespace amontons
