#include "tools/amontons/contest/measured_motion.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/read_file.h"
#include "amontons/io/tables/timed_table.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>

namespace amontons::cli {
namespace {

constexpr std::array<const char*, 3> kPosition = {"x", "y", "z"};
constexpr std::array<const char*, 4> kOrientation = {"qw", "qx", "qy", "qz"};
constexpr double kSlack = 1e-9;  // of a time: an instant at the end of the run counts

/// Returns the index of a column, or -1.
int column_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

/// Returns the trajectories of some parts of a body; none where no part has a column and they need
/// not be there.
template <std::size_t n>
std::vector<Trajectory> parts_of(const io::TimedTable& table, const std::string& body,
                                 const std::array<const char*, n>& parts, bool needed) {
  std::vector<Trajectory> found;
  std::string missing;
  for (const char* part : parts) {
    const std::string name = body + "." + part;
    const int column = column_of(table.names(), name);
    if (column < 0) {
      if (missing.empty()) missing = name;
    } else {
      found.push_back(table.trajectory(static_cast<std::size_t>(column), Interpolation::Linear));
    }
  }
  if (!missing.empty() && (needed || !found.empty())) {
    throw io::ParseError(table.file(), 1, 0, "there is no column '" + missing + "'");
  }
  return found;
}

Eigen::Quaterniond orientation_at(const std::vector<Trajectory>& parts, double time) {
  const Eigen::Vector4d wxyz(parts[0].value(time), parts[1].value(time), parts[2].value(time),
                             parts[3].value(time));
  return quaternion_from_wxyz(wxyz.normalized());
}

}  // namespace

MeasuredMotion::MeasuredMotion(const std::string& file, const System& system, double duration) {
  const io::TimedTable table(io::read_file(file), file);
  std::vector<std::string> known;
  for (const Body& body : system.bodies()) known.push_back(body.name);
  // The bodies, in the order of their first columns.
  std::vector<std::string> names;
  for (const std::string& column : table.names()) {
    const std::size_t dot = column.rfind('.');
    const std::string name = column.substr(0, dot), part = column.substr(dot + 1);
    const auto is_part = [&part](const char* other) { return part == other; };
    if (dot == std::string::npos ||
        (std::none_of(kPosition.begin(), kPosition.end(), is_part) &&
         std::none_of(kOrientation.begin(), kOrientation.end(), is_part))) {
      throw io::ParseError(file, 1, 0,
                           "column '" + column +
                               "' is no pose; columns are time, BODY.x, BODY.y, "
                               "BODY.z, BODY.qw, BODY.qx, BODY.qy, BODY.qz");
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    Track track;
    track.body = system.find_body(name);
    if (track.body < 0) {
      const std::string nearest = nearest_name(name, known);
      throw io::ParseError(file, 1, 0,
                           "the scene has no body '" + name + "'" +
                               (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    track.position = parts_of(table, name, kPosition, true);
    track.orientation = parts_of(table, name, kOrientation, false);
    tracks_.push_back(std::move(track));
  }
  // All columns have the instants of the file.
  const Trajectory& first = tracks_.front().position.front();
  for (double time = first.next_instant(-std::numeric_limits<double>::infinity());
       time < std::numeric_limits<double>::infinity(); time = first.next_instant(time)) {
    times_.push_back(time);
  }
  if (times_.front() < 0.0 || times_.back() > duration * (1.0 + kSlack)) {
    throw io::ParseError(file, 0, 0,
                         "the measurements last from " + io::shortest_text(times_.front()) +
                             " to " + io::shortest_text(times_.back()) +
                             " s, and the run from 0 to " + io::shortest_text(duration) +
                             " s; set simulation.duration, or leave rows out");
  }
  for (const Track& track : tracks_) {
    if (track.orientation.empty()) continue;
    for (const double time : times_) {
      double square = 0.0;
      for (const Trajectory& part : track.orientation)
        square += part.value(time) * part.value(time);
      if (square < 1e-6) {
        throw io::ParseError(file, 0, 0,
                             "the quaternion at " + io::shortest_text(time) + " s is zero");
      }
    }
  }
}

bool MeasuredMotion::has_orientation() const {
  return std::any_of(tracks_.begin(), tracks_.end(),
                     [](const Track& track) { return !track.orientation.empty(); });
}

void MeasuredObserver::compare(const std::vector<Pose>& from, const std::vector<Pose>& to,
                               double share, double time) {
  double distance = 0.0, angle = 0.0;
  int positions = 0, orientations = 0;
  for (const MeasuredMotion::Track& track : motion_->tracks()) {
    const Pose& a = from[static_cast<std::size_t>(track.body)];
    const Pose& b = to[static_cast<std::size_t>(track.body)];
    const Eigen::Vector3d measured(track.position[0].value(time), track.position[1].value(time),
                                   track.position[2].value(time));
    distance += (a.translation + share * (b.translation - a.translation) - measured).norm();
    ++positions;
    if (track.orientation.empty()) continue;
    const Eigen::Quaterniond simulated =
        Eigen::Quaterniond(a.rotation).slerp(share, Eigen::Quaterniond(b.rotation));
    const Eigen::Quaterniond turn = simulated.conjugate() * orientation_at(track.orientation, time);
    angle += vector_from_quaternion(turn).norm();
    ++orientations;
  }
  distances_ += distance / positions;
  angles_ += orientations > 0 ? angle / orientations : 0.0;
}

void MeasuredObserver::observe(const StepReport& report) {
  const std::vector<double>& times = motion_->times();
  if (report.start == nullptr || report.step <= 0.0 || next_ == times.size()) return;
  const State &start = *report.start, &end = *report.end;
  const double reached = end.time * (1.0 + kSlack);
  if (times[next_] > reached) return;
  compute_kinematics(*system_, start.q, start.v, start.time, start_);
  compute_kinematics(*system_, end.q, end.v, end.time, end_);
  for (; next_ < times.size() && times[next_] <= reached; ++next_) {
    const double share = (times[next_] - start.time) / (end.time - start.time);
    compare(start_.X_WB, end_.X_WB, std::clamp(share, 0.0, 1.0), times[next_]);
  }
}

MeasuredError MeasuredObserver::error() const {
  MeasuredError error;
  if (next_ < motion_->times().size()) return error;
  const double count = static_cast<double>(next_);
  error.distance = distances_ / count;
  if (motion_->has_orientation()) error.angle = angles_ / count;
  return error;
}

}  // namespace amontons::cli
