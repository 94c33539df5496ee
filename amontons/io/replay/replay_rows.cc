#include "amontons/io/replay/replay_rows.h"

#include "amontons/math/rotation.h"
#include "amontons/simulation/detection/contact_places.h"
#include "amontons/simulation/system/kinematics.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

/// A value that leaves a gap in its curve.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Names of the works of a step, in the order of works_of().
constexpr std::array kWorkNames = {
    "gravity work", "actuator work",       "contact normal work", "contact friction work",
    "spring work",  "joint friction work", "impact work",         "stabilization work",
    "integration",  "unexplained"};

/// Returns the works of a step by cause [J].
std::array<double, kWorkNames.size()> works_of(const EnergyLedger& energy) {
  return {energy.gravity,     energy.actuators,      energy.contact_normal, energy.contact_friction,
          energy.springs,     energy.joint_friction, energy.impacts,        energy.stabilization,
          energy.integration, energy.unexplained};
}

/// Names of the residuals, in the order of residuals_of().
constexpr std::array kResidualNames = {"normal", "friction", "limit",  "joint friction",
                                       "joint",  "dynamics", "coulomb"};

/// Returns the residuals of a certificate [-].
std::array<double, kResidualNames.size()> residuals_of(const Certificate& certificate) {
  return {certificate.normal.value,         certificate.friction.value, certificate.limit.value,
          certificate.joint_friction.value, certificate.joint.value,    certificate.dynamics.value,
          certificate.coulomb.value};
}

/// Appends what the curves of a joint show at positions q: angles [rad] and distances [m]. A
/// rotation of three freedoms is its shortest rotation vector.
void append_joint_values(const JointCoordinate& joint, const Eigen::VectorXd& q,
                         std::vector<double>& values) {
  const int first = joint.q_offset;
  if (joint.type != JointType::Free && joint.type != JointType::Spherical) {
    for (int k = 0; k < joint.num_q; ++k) values.push_back(q[first + k]);
    return;
  }
  // q is the quaternion w, x, y, z, and then the position of a free joint.
  for (int k = 4; k < joint.num_q; ++k) values.push_back(q[first + k]);
  const Eigen::Quaterniond turn(q[first], q[first + 1], q[first + 2], q[first + 3]);
  for (const double component : vector_from_quaternion(turn)) values.push_back(component);
}

/// Returns the least gap of a row's contacts [m].
double least_gap(const RunRow& row) {
  if (row.num_contacts == 0) return kNone;
  double gap = std::numeric_limits<double>::infinity();
  for (const RunContact& contact : row.contacts) gap = std::min(gap, contact.gap);
  return gap;
}

/// Returns where the contacts of a row lie at the poses of its end.
std::vector<ContactPlace> places_at_end(const System& system, const RunRow& row,
                                        const std::vector<Pose>& X_WB) {
  std::vector<ContactPlace> places;
  for (const RunContact& contact : row.contacts) {
    places.push_back({contact.key, contact.position_W, contact.gap});
  }
  if (places.empty()) return places;
  move_contact_places(system,
                      poses_of_contacts(system, row.q_start, row.v_eval, row.step, row.time_start),
                      X_WB, places);
  return places;
}

}  // namespace

ReplayFrame replay_frame(const System& system, const RunRow& row) {
  ReplayFrame frame;
  frame.time = row.time;
  frame.is_impact = row.step_count > 0 && !(row.step > 0.0);
  SystemKinematics kinematics;
  compute_kinematics(system, row.q, row.v, row.time, kinematics);
  for (std::size_t b = 0; b < row.num_bodies(); ++b) {
    frame.poses.push_back({row.position_of(b), row.quat_wxyz_of(b)});
    const Vector6d velocity =
        body_velocity(system, kinematics, static_cast<int>(b), row.position_of(b), row.v);
    frame.velocities.push_back({.linear = velocity.tail<3>(), .angular = velocity.head<3>()});
  }
  // Impulses [N s] are mean forces [N] over the step [s], unless it took no time.
  const double span = row.step > 0.0 ? row.step : 1.0;
  const std::vector<ContactPlace> places = places_at_end(system, row, kinematics.X_WB);
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    const RunContact& contact = row.contacts[i];
    ReplayContact shown;
    shown.body_a = contact.body_a;
    shown.body_b = contact.body_b;
    shown.position = places[i].position_W;
    shown.normal = contact.normal_W;
    // The frame (t1, t2, n) of the contact, turned into the world.
    shown.force = contact_frame(contact.normal_W) * contact.impulse / span;
    shown.gap = contact.gap;
    shown.friction = contact.friction;
    shown.mode = static_cast<ReplayContactMode>(contact.mode);
    frame.contacts.push_back(shown);
  }
  return frame;
}

void take_contacts(const RunRow& from, RunRow& row) {
  row.contacts = from.contacts;
  row.step = from.step;
  row.time_start = from.time_start;
  row.q_start = from.q_start;
  row.v_start = from.v_start;
  row.v_eval = from.v_eval;
}

ReplayCurves::ReplayCurves(const System& system, double tolerance)
    : works_(kWorkNames.size(), 0.0) {
  // The order of the curves is that in which values_at() fills them.
  const char* energies = "Energy and summed work";
  add(energies, "kinetic", "J", false, kNone);
  add(energies, "potential", "J", false, kNone);
  for (const char* name : kWorkNames) add(energies, name, "J", false, kNone);
  add("Gap", "least gap", "m", false, kNone);
  add("Gap", "overlap or joint error", "m", false, kNone);
  for (const char* name : kResidualNames) add("Certificate", name, "", true, tolerance);
  add("Contacts", "contacts", "", false, kNone);
  add("Wall time of a step", "step", "s", true, kNone);
  add("Wall time of a step", "contact solve", "s", true, kNone);
  // Joints that are rows of J have no coordinate.
  for (const JointCoordinate& joint : system.joints()) {
    if (joint.q_offset < 0 || joint.num_q == 0) continue;
    joints_.push_back(joint);
    add_joint(joint);
  }
}

void ReplayCurves::add_joint(const JointCoordinate& joint) {
  const auto angle = [&](const std::string& what) {
    add("Joint angles", joint.name + what, "rad", false, kNone);
  };
  const auto distance = [&](const std::string& what) {
    add("Joint displacements", joint.name + what, "m", false, kNone);
  };
  // The order within a joint is that of append_joint_values().
  switch (joint.type) {
    case JointType::Prismatic:
      return distance("");
    case JointType::Planar:
      for (const char* axis : {" x", " y"}) distance(axis);
      return angle("");
    case JointType::Free:
      for (const char* axis : {" x", " y", " z"}) distance(axis);
      [[fallthrough]];
    case JointType::Spherical:
      for (const char* axis : {" rotation x", " rotation y", " rotation z"}) angle(axis);
      return;
    default:
      if (joint.num_q == 1) return angle("");
      for (int k = 1; k <= joint.num_q; ++k) angle(" angle " + std::to_string(k));
  }
}

void ReplayCurves::add(const char* chart, const std::string& name, const char* unit, bool log,
                       double limit) {
  ReplaySeries series;
  series.name = name;
  series.unit = unit;
  series.log_scale = log;
  series.chart = chart;
  series.limit = limit;
  series_.push_back(std::move(series));
}

const std::vector<double>& ReplayCurves::values_at(const RunRow& row) {
  values_.clear();
  // Energies at the row, and works summed over the rows so far [J].
  values_.insert(values_.end(), {row.energy.kinetic, row.energy.potential});
  const auto works = works_of(row.energy);
  for (std::size_t k = 0; k < works.size(); ++k) values_.push_back(works_[k] += works[k]);
  // Gaps [m], residuals [-], and the number of contacts. A gap that is not recorded keeps its last
  // value.
  if (row.has_contacts()) least_gap_ = least_gap(row);
  values_.insert(values_.end(), {least_gap_, row.certificate.infeasibility});
  for (const double residual : residuals_of(row.certificate)) values_.push_back(residual);
  values_.push_back(static_cast<double>(row.num_contacts));
  // The initial state took no step.
  const bool is_step = row.step_count > 0;
  values_.insert(values_.end(),
                 {is_step ? row.step_time_s : kNone, is_step ? row.solve_time_s : kNone});
  for (const JointCoordinate& joint : joints_) append_joint_values(joint, row.q, values_);
  return values_;
}

}  // namespace amontons::io
