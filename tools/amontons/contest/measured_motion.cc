#include "tools/amontons/contest/measured_motion.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/read_file.h"
#include "amontons/io/yaml/yaml_overrides.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <optional>

namespace amontons::cli {
namespace {

constexpr double kSlack = 1e-9;  // of a time: an instant at the end of the run counts

/// Returns the name of the only body that moves; empty where there are several or none.
std::string only_moving_body(const System& system) {
  std::string name;
  for (const Body& body : system.bodies()) {
    if (body.articulation < 0) continue;
    if (!name.empty()) return "";
    name = body.name;
  }
  return name;
}

/// Returns numbers as a list of YAML.
std::string list_of(const Eigen::Ref<const Eigen::VectorXd>& numbers) {
  std::string text;
  for (const double number : numbers) {
    text += (text.empty() ? "[" : ", ") + io::shortest_text(number);
  }
  return text + "]";
}

/// Returns the index of a name, which is not negative.
/// @param kind  "body" or "joint", for the error.
int checked_index(int index, const std::string& kind, const std::string& name,
                  const std::string& file, const std::vector<std::string>& known) {
  if (index < 0) {
    throw io::ParseError(
        file, 0, 0, "the scene has no " + kind + " '" + name + "'" + did_you_mean(name, known));
  }
  return index;
}

/// Returns the position of a joint of one coordinate [rad or m], or nothing for other joints.
std::optional<double> position_of(const JointCoordinate& joint, const SystemKinematics& at) {
  if (joint.loop >= 0) return at.loops.position[joint.loop];
  if (joint.q_offset < 0 || joint.num_q != 1) return {};
  return at.q[joint.q_offset];
}

/// Refuses a --measured-body of which the file has nothing.
void check_owner(const io::MotionFile& motion, const std::string& body, const std::string& file) {
  const auto is_owner = [&](const io::MeasuredBody& one) { return one.name == body; };
  if (body.empty() || std::any_of(motion.bodies.begin(), motion.bodies.end(), is_owner)) return;
  throw io::ParseError("--measured-body", 0, 0,
                       file + " has no column of '" + body +
                           "': its columns name their bodies, or are joints; leave the option out");
}

/// Refuses a motion of which no position, orientation or joint can be compared.
void check_measured(const io::MotionFile& motion, const std::string& file) {
  const auto has_whole_row = [](const auto& rows) {
    return (rows.array().isFinite().rowwise().all()).any();
  };
  const bool is_body_measured =
      std::any_of(motion.bodies.begin(), motion.bodies.end(), [&](const io::MeasuredBody& body) {
        return has_whole_row(body.positions) || has_whole_row(body.quaternions);
      });
  const bool is_joint_measured =
      std::any_of(motion.joints.begin(), motion.joints.end(), [](const io::MeasuredJoint& joint) {
        return std::any_of(joint.positions.begin(), joint.positions.end(),
                           [](double position) { return std::isfinite(position); });
      });
  if (is_body_measured || is_joint_measured) return;
  throw io::ParseError(file, 0, 0,
                       "has no whole position, orientation or joint that could be compared: cells "
                       "of every row are empty");
}

}  // namespace

io::MotionFile read_motion(const std::string& file, const std::string& body,
                           const io::MotionUnits& units, const System& system) {
  const std::string text = io::read_file(file);
  const std::string owner = body.empty() ? only_moving_body(system) : body;
  const bool is_tum = io::is_tum(text, file);
  if (is_tum && owner.empty()) {
    throw io::ParseError(file, 0, 0,
                         "a trajectory names no body, and several or none of the scene move; give "
                         "--measured-body NAME");
  }
  io::MotionFile motion = is_tum ? io::parse_tum(text, file, owner, units)
                                 : io::parse_motion_csv(text, file, owner, units);
  check_owner(motion, body, file);
  check_measured(motion, file);
  return motion;
}

std::vector<std::pair<std::string, std::string>> start_overrides(const io::MotionFile& motion) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const io::MeasuredBody& body : motion.bodies) {
    if (!body.linear_velocity) continue;
    std::string pose = "{position: " + list_of(body.positions.row(0).transpose());
    if (body.quaternions.rows() > 0) {
      pose += ", quat_wxyz: " + list_of(body.quaternions.row(0).transpose());
    }
    std::string velocity = "{linear: " + list_of(*body.linear_velocity);
    if (body.angular_velocity) velocity += ", angular: " + list_of(*body.angular_velocity);
    const std::string path = "bodies." + io::path_part(body.name);
    overrides.emplace_back(path + ".pose", pose + "}");
    overrides.emplace_back(path + ".velocity", velocity + "}");
  }
  return overrides;
}

MeasuredMotion::MeasuredMotion(io::MotionFile motion, const std::string& file, const System& system,
                               double duration)
    : motion_(std::move(motion)) {
  std::vector<std::string> bodies, joints;
  for (const Body& body : system.bodies()) bodies.push_back(body.name);
  for (const JointCoordinate& joint : system.joints()) joints.push_back(joint.name);
  for (const io::MeasuredBody& body : motion_.bodies) {
    const int index = system.find_body(body.name);
    bodies_.push_back(checked_index(index, "body", body.name, file, bodies));
  }
  for (const io::MeasuredJoint& joint : motion_.joints) {
    const int index =
        checked_index(system.find_joint(joint.name), "joint", joint.name, file, joints);
    const JointCoordinate& own = system.joints()[static_cast<std::size_t>(index)];
    if (own.loop < 0 && (own.q_offset < 0 || own.num_q != 1)) {
      throw io::ParseError(
          file, 0, 0,
          "joint '" + joint.name + "' does not have one coordinate; measure its body instead");
    }
    joints_.push_back(index);
  }
  if (motion_.times.back() > duration * (1.0 + kSlack)) {
    throw io::ParseError(file, 0, 0,
                         "the measurements last " + io::shortest_text(motion_.times.back()) +
                             " s from the first row, and the run " + io::shortest_text(duration) +
                             " s; set simulation.duration, leave rows out, or give the unit of the "
                             "file's times with --time-unit");
  }
}

void MeasuredObserver::Sum::add(double error) {
  if (std::isnan(error)) return;
  total += error;
  ++count;
}

double MeasuredObserver::Sum::mean() const {
  return count > 0 ? total / static_cast<double>(count) : std::numeric_limits<double>::infinity();
}

void MeasuredObserver::compare(double share) {
  const io::MotionFile& motion = measured_->motion();
  const auto row = static_cast<Eigen::Index>(next_);
  for (std::size_t k = 0; k < motion.bodies.size(); ++k) {
    const io::MeasuredBody& body = motion.bodies[k];
    const auto index = static_cast<std::size_t>(measured_->body(k));
    const Pose &a = start_.X_WB[index], &b = end_.X_WB[index];
    const Eigen::Vector3d position = a.translation + share * (b.translation - a.translation);
    distance_.add((position - body.positions.row(row).transpose()).norm());
    if (body.quaternions.rows() == 0 || !body.quaternions.row(row).allFinite()) continue;
    const Eigen::Vector4d wxyz = body.quaternions.row(row).transpose().normalized();
    const Eigen::Quaterniond simulated =
        Eigen::Quaterniond(a.rotation).slerp(share, Eigen::Quaterniond(b.rotation));
    angle_.add(vector_from_quaternion(simulated.conjugate() * quaternion_from_wxyz(wxyz)).norm());
  }
  for (std::size_t k = 0; k < motion.joints.size(); ++k) {
    const JointCoordinate& joint = system_->joints()[static_cast<std::size_t>(measured_->joint(k))];
    const double from = *position_of(joint, start_), to = *position_of(joint, end_);
    joints_.add(std::abs(from + share * (to - from) - motion.joints[k].positions[next_]));
  }
}

void MeasuredObserver::observe(const StepReport& report) {
  const std::vector<double>& times = measured_->motion().times;
  if (report.start == nullptr || report.step <= 0.0 || next_ == times.size()) return;
  const State &start = *report.start, &end = *report.end;
  const double reached = end.time * (1.0 + kSlack);
  if (times[next_] > reached) return;
  compute_kinematics(*system_, start.q, start.v, start.time, start_);
  compute_kinematics(*system_, end.q, end.v, end.time, end_);
  for (; next_ < times.size() && times[next_] <= reached; ++next_) {
    const double share = (times[next_] - start.time) / (end.time - start.time);
    compare(std::clamp(share, 0.0, 1.0));
  }
}

MeasuredError MeasuredObserver::error() const {
  if (next_ < measured_->motion().times.size()) return {};
  return {distance_.mean(), angle_.mean(), joints_.mean()};
}

}  // namespace amontons::cli
