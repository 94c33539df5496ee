#include "amontons/simulation/stepping/joint_rows.h"

#include "amontons/simulation/forces/joint_limits.h"
#include "amontons/simulation/forces/servo_target.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace amontons {
namespace {

// An effort beyond its limit by more than this share was exceeded; less is rounding.
constexpr double kEffortRounding = 1e-12;

/// Returns the entries of the warm start that belong to bounded rows. Keys of rows sort after all
/// keys of contacts.
std::span<const WarmStartEntry> rows_of(const State& state) {
  const auto first = std::lower_bound(
      state.warm_start.begin(), state.warm_start.end(), kBoundedRowShape,
      [](const WarmStartEntry& entry, std::int32_t shape) { return entry.key.shape_a < shape; });
  return {first, state.warm_start.end()};
}

/// Returns the kind of row that a warm start's key encodes.
BoundedRowKind kind_of(const WarmStartEntry& entry) {
  return static_cast<BoundedRowKind>(entry.key.feature >> 1U);
}

/// Marks an index if it is valid; the state may come from a file of another scene.
void mark(std::vector<char>& set, std::int32_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= set.size()) return;
  set[static_cast<std::size_t>(index)] = 1;
}

}  // namespace

JointRows::JointRows(const System& system, bool friction, bool all)
    : system_(&system), friction_(friction), all_(all) {
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    if (limits_of(coordinate) || (friction && has_friction(coordinate))) any_ = true;
    if (has_spring_row(coordinate) || (friction && has_damper_row(coordinate))) any_ = true;
  }
  for (const ServoDrive& servo : system.servos()) {
    if (servo.loop >= 0 || servo.effort.is_limited()) any_ = true;
  }
}

void JointRows::begin(const State& state, JointRowSelection& selection) const {
  const std::size_t n = any_ ? system_->coordinate_dynamics().size() : 0;
  // Servos along rows of J are always rows, the others while saturated, or if all are asked for.
  selection.lower.assign(n, 0);
  selection.upper.assign(n, 0);
  selection.servos.assign(system_->servos().size(), 0);
  selection.integrated.clear();
  for (std::size_t i = 0; i < system_->servos().size(); ++i) {
    const ServoDrive& servo = system_->servos()[i];
    if (servo.loop >= 0 || (all_ && servo.effort.is_limited())) selection.servos[i] = 1;
  }
  for (std::size_t i = 0; i < n && all_; ++i) {
    const std::array<double, 2>* limits = limits_of(system_->coordinate_dynamics()[i]);
    if (limits == nullptr) continue;
    selection.lower[i] = std::isfinite((*limits)[0]);
    selection.upper[i] = std::isfinite((*limits)[1]);
  }
  // A servo with an impulse in the warm start was saturated at the end of the last step.
  for (const WarmStartEntry& entry : rows_of(state)) {
    if (kind_of(entry) != BoundedRowKind::Servo) continue;
    mark(selection.servos, entry.key.shape_b);
  }
}

void JointRows::last_impulses(const State& state, double h, LastImpulses& result) const {
  result.contacts.setZero(system_->num_velocities());
  result.stops.setZero(system_->num_velocities());
  if (!(state.warm_start_step > 0.0)) return;
  const double share = h / state.warm_start_step;
  if (state.contact_impulse.size() == result.contacts.size())
    result.contacts = share * state.contact_impulse;
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  for (const WarmStartEntry& entry : rows_of(state)) {
    // The state may come from a file of another scene. Rows of J are no coordinates of a tree.
    const auto i = static_cast<std::size_t>(entry.key.shape_b);
    if (kind_of(entry) != BoundedRowKind::Limit || i >= coordinates.size() ||
        coordinates[i].loop >= 0)
      continue;
    const bool is_upper = (entry.key.feature & 1U) != 0;
    result.stops[coordinates[i].v_index] += (is_upper ? -share : share) * entry.impulse_W.x();
  }
}

void JointRows::exclude_trees(const std::vector<char>& integrated,
                              JointRowSelection& selection) const {
  selection.integrated = integrated;
  for (std::size_t i = 0; i < selection.servos.size(); ++i) {
    if (is_excluded(system_->servos()[i].v_index, selection)) selection.servos[i] = 0;
  }
  for (std::size_t i = 0; i < selection.lower.size(); ++i) {
    if (!is_excluded(system_->coordinate_dynamics()[i].v_index, selection)) continue;
    selection.lower[i] = selection.upper[i] = 0;
  }
}

bool JointRows::is_excluded(int v_index, const JointRowSelection& selection) const {
  if (selection.integrated.empty() || v_index < 0) return false;
  return selection.integrated[static_cast<std::size_t>(system_->articulation_of(v_index))] != 0;
}

void JointRows::clear_limits(JointRowSelection& selection) {
  std::fill(selection.lower.begin(), selection.lower.end(), 0);
  std::fill(selection.upper.begin(), selection.upper.end(), 0);
}

/// A state or a run may name a limit that does not exist.
void JointRows::mark_limit(bool is_upper, std::int32_t index, JointRowSelection& selection) const {
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  const auto i = static_cast<std::size_t>(index);
  if (index < 0 || i >= coordinates.size() || limits_of(coordinates[i]) == nullptr) return;
  if (is_excluded(coordinates[i].v_index, selection)) return;
  mark(is_upper ? selection.upper : selection.lower, index);
}

void JointRows::select_limits(const State& state, const SystemKinematics& start,
                              const Eigen::VectorXd& v_free, double h,
                              JointRowSelection& selection) const {
  if (!any_) return;
  if (h == 0.0) clear_limits(selection);
  const std::vector<CoordinateDynamics>& coordinates = system_->coordinate_dynamics();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::array<double, 2>* limits = limits_of(coordinates[i]);
    if (limits == nullptr || is_excluded(coordinates[i].v_index, selection)) continue;
    // The factor 2 allows for impulses that raise the rate within the step.
    const double q = coordinate_position(coordinates[i], start);
    const double reach =
        kAtLimit + 2.0 * h *
                       std::max(std::abs(coordinate_rate(coordinates[i], start, state.v)),
                                std::abs(coordinate_rate(coordinates[i], start, v_free)));
    if (q - (*limits)[0] <= reach) selection.lower[i] = 1;
    if ((*limits)[1] - q <= reach) selection.upper[i] = 1;
  }
  // Limits that carried an impulse remain rows, so that they can carry it again.
  for (const WarmStartEntry& entry : rows_of(state)) {
    if (kind_of(entry) != BoundedRowKind::Limit) continue;
    mark_limit((entry.key.feature & 1U) != 0, entry.key.shape_b, selection);
  }
}

void JointRows::assemble(const JointRowSelection& selection, const SystemKinematics& start,
                         double h, ContactProblem& problem) const {
  problem.bounded_rows.clear();
  problem.bounded_jacobian.reset(system_->num_velocities());
  if (any_) add_joint_rows(*system_, selection, friction_, start, h, problem);
}

JointRowSelection JointRows::selection_of(const std::vector<BoundedRow>& rows, double h) const {
  JointRowSelection selection;
  // An empty state selects only the rows that are always there.
  begin(State{}, selection);
  if (h == 0.0) clear_limits(selection);
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
    if (limits == nullptr || is_excluded(coordinates[i].v_index, selection)) continue;
    // Position at the end of the step: q + h u.
    const double next = coordinate_position(coordinates[i], start) +
                        h * coordinate_rate(coordinates[i], start, velocity);
    const auto add = [&missing](char& listed, bool passed) {
      if (listed || !passed) return;
      listed = 1;
      missing = Missing::Limits;
    };
    add(selection.lower[i], next < (*limits)[0] - kAtLimit);
    add(selection.upper[i], next > (*limits)[1] + kAtLimit);
  }
  // Effort of a servo inside M, evaluated at the solution. In an impact no servo has an impulse.
  if (h == 0.0) return missing;
  for (std::size_t i = 0; i < system_->servos().size(); ++i) {
    const ServoDrive& servo = system_->servos()[i];
    if (selection.servos[i] || !servo.effort.is_limited()) continue;
    if (is_excluded(servo.v_index, selection)) continue;
    const double effort = servo_effort(servo, start.q, velocity, start.time, h);
    const double outside = std::max(effort - servo.effort.largest, servo.effort.least - effort);
    if (outside <= kEffortRounding * servo.effort.size()) continue;
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

}  // namespace amontons
