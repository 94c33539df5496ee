#include "amontons/simulation/stepping/joint_row_assembly.h"

#include "amontons/dynamics/loop_joint.h"
#include "amontons/simulation/forces/drives.h"
#include "amontons/simulation/forces/servo_target.h"
#include "amontons/simulation/system/loop_coordinates.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace amontons {
namespace {

/// Adds a row along the place that CoordinateDynamics or a ServoDrive acts on.
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

/// Returns an empty row with the given key.
BoundedRow make_row(BoundedRowKind kind, std::size_t index) {
  BoundedRow row;
  row.kind = kind;
  row.index = static_cast<std::int32_t>(index);
  return row;
}

/// Bounds the impulse [N s or N m s] of a row symmetrically.
void set_symmetric_bounds(double bound, BoundedRow& row) {
  row.upper = bound;
  row.lower = -bound;
}

/// Adds the rows of one coordinate's limits and dry friction.
void add_limits_and_friction(const CoordinateDynamics& own, std::size_t i,
                             const JointRowSelection& selection, bool with_friction,
                             const SystemKinematics& start, double h, ContactProblem& problem) {
  // A limit pushes away from itself: its row has the sign of the gap's rate.
  BoundedRow limit = make_row(BoundedRowKind::Limit, i);
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
  // Dry friction: |p| <= h mu_c.
  if (h > 0.0 && with_friction && has_friction(own)) {
    BoundedRow friction = make_row(BoundedRowKind::Friction, i);
    set_symmetric_bounds(h * own.dynamics.coulomb_friction, friction);
    add_row(friction, own, start, 1.0, problem);
  }
}

/// Adds the row of a servo at its effort limit.
void add_servo_row(const ServoDrive& servo, std::size_t i, const SystemKinematics& start, double h,
                   ContactProblem& problem) {
  // p = h (kp (target - q - h u) + kd (rate - u)), as u + R p + offset = 0 with R = 1/gain.
  const double gain = h * servo.kd + h * h * servo.kp;
  if (gain == 0.0) return;  // of a program, or of a joint that is detached: it has no effort
  BoundedRow drive = make_row(BoundedRowKind::Servo, i);
  drive.lower = h * servo.effort.least;
  drive.upper = h * servo.effort.largest;
  drive.compliance = 1.0 / gain;
  const auto target = servo_target(servo, start.time, h);
  drive.offset =
      -h *
      (servo.kp * (target.position - coordinate_position(servo, start)) + servo.kd * target.rate) /
      gain;
  add_row(drive, servo, start, 1.0, problem);
}

/// Adds the rows of one coordinate's spring and damper, where the coordinate is rows of J.
void add_spring_and_damper(const CoordinateDynamics& own, std::size_t i, bool with_damper,
                           const SystemKinematics& start, double h, ContactProblem& problem) {
  // A compliant row needs no bounds on its impulse.
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const JointDynamics& d = own.dynamics;
  // A spring that is slack at the start of the step exerts nothing in it.
  const double stretch =
      has_spring_row(own) ? spring_stretch(d, coordinate_position(own, start)) : 0.0;
  if (has_spring_row(own) && (d.slack == 0.0 || stretch != 0.0)) {  // p = -h k (stretch + h u)
    BoundedRow spring = make_row(BoundedRowKind::Spring, i);
    set_symmetric_bounds(kUnbounded, spring);
    spring.compliance = 1.0 / (h * h * d.stiffness);
    spring.offset = stretch / h;
    add_row(spring, own, start, 1.0, problem);
  }
  if (with_damper && has_damper_row(own)) {  // p = -h d u
    BoundedRow damper = make_row(BoundedRowKind::Damper, i);
    set_symmetric_bounds(kUnbounded, damper);
    damper.compliance = 1.0 / (h * d.viscous_friction);
    add_row(damper, own, start, 1.0, problem);
  }
}

/// Adds the impulses of servos, springs and dampers; with stops those of limits and friction, too.
void add_bounded_rows(const System& system, const StepReport& report, bool with_stops,
                      Eigen::VectorXd& impulses) {
  for (Eigen::Index i = 0; i < report.solution.bounded_impulses.size(); ++i) {
    const BoundedRow& row = report.problem.bounded_rows[static_cast<std::size_t>(i)];
    const bool is_stop = row.kind == BoundedRowKind::Limit || row.kind == BoundedRowKind::Friction;
    if (is_stop && !with_stops) continue;
    const auto own = static_cast<std::size_t>(row.index);
    const int loop = row.kind == BoundedRowKind::Servo ? system.servos()[own].loop
                                                       : system.coordinate_dynamics()[own].loop;
    if (loop < 0) continue;
    impulses[loop] += (row.is_upper ? -1.0 : 1.0) * report.solution.bounded_impulses[i];
  }
}

/// Adds the impulses of couplings and prescribed motions, whose rows follow those of loop joints.
void add_coordinate_rows(const System& system, const StepReport& report,
                         const SystemKinematics& start, Eigen::VectorXd& impulses) {
  Eigen::Index row = 0;
  for (const LoopJoint& joint : system.loop_joints()) row += num_loop_rows(joint.geometry.type);
  const Eigen::VectorXd& own = report.solution.joint_impulses;
  if (own.size() != system.num_joint_rows()) return;  // the step had none
  for (const CoordinateCoupling& coupling : system.couplings()) {
    if (coupling.a.loop >= 0) impulses[coupling.a.loop] += own[row];
    if (coupling.b && coupling.b->loop >= 0) {
      const double slope = coupling.curve.slope(coordinate_position(*coupling.b, start));
      impulses[coupling.b->loop] -= slope * own[row];
    }
    ++row;
  }
  for (const PrescribedCoordinate& one : system.prescribed()) {
    if (one.place.loop >= 0) impulses[one.place.loop] += own[row];
    ++row;
  }
}

}  // namespace

void add_joint_rows(const System& system, const JointRowSelection& selection, bool friction,
                    const SystemKinematics& start, double h, ContactProblem& problem) {
  const std::vector<CoordinateDynamics>& coordinates = system.coordinate_dynamics();
  const std::vector<ServoDrive>& servos = system.servos();
  // By index, then kind, as the keys are.
  for (std::size_t i = 0; i < std::max(coordinates.size(), servos.size()); ++i) {
    if (i < coordinates.size()) {
      add_limits_and_friction(coordinates[i], i, selection, friction, start, h, problem);
    }
    // Forces have no impulse in an impact.
    if (h == 0.0) continue;
    if (i < servos.size() && selection.servos[i]) add_servo_row(servos[i], i, start, h, problem);
    if (i < coordinates.size()) {
      add_spring_and_damper(coordinates[i], i, friction, start, h, problem);
    }
  }
}

Eigen::VectorXd loop_efforts(const System& system, const StepReport& report,
                             const SystemKinematics& start, bool with_stops) {
  const std::vector<LoopCoordinateSite>& sites = system.loop_coordinates();
  Eigen::VectorXd impulses = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(sites.size()));
  if (sites.empty()) return impulses;
  add_bounded_rows(system, report, with_stops, impulses);
  add_coordinate_rows(system, report, start, impulses);
  Eigen::VectorXd efforts =
      impulses / report.step + explicit_loop_efforts(system, report.commands, start,
                                                     report.start->v, start.time, report.step);
  // The effort along a tendon pulls at its terms, which are listed earlier.
  for (std::size_t i = sites.size(); i-- > 0;) {
    for (const WeighedCoordinate& term : sites[i].terms) {
      if (term.place.loop < 0) continue;
      efforts[term.place.loop] += term.coefficient * efforts[static_cast<Eigen::Index>(i)];
    }
  }
  return efforts;
}

std::string name_of(const System& system, const BoundedRow& row) {
  const auto i = static_cast<std::size_t>(row.index);
  if (row.kind == BoundedRowKind::Servo) {
    const ServoDrive& servo = system.servos()[i];
    // A servo has no name; its joint names it.
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
