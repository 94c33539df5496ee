#include "amontons/io/replay/replay_encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace amontons::io {
namespace {

/// Throws an std::invalid_argument that names the run and the quantity.
[[noreturn]] void refuse(const ReplayRun& run, const std::string& what) {
  throw std::invalid_argument(fmt::format("replay of '{}': {}", run.title, what));
}

/// Checks the vertices and the triangles of a mesh.
void check_mesh(const ReplayRun& run, const std::string& where, const ReplayShape& shape) {
  if (shape.vertices.size() % 3 != 0 || shape.triangles.size() % 3 != 0) {
    refuse(run, where + " needs three numbers per vertex and three indices per triangle");
  }
  if (!std::all_of(shape.vertices.begin(), shape.vertices.end(),
                   [](float x) { return std::isfinite(x); })) {
    refuse(run, where + " has a vertex that is not finite");
  }
  // The viewer indexes vertices without a check.
  const auto num_vertices = static_cast<long>(shape.vertices.size() / 3);
  for (const int index : shape.triangles) {
    if (index < 0 || index >= num_vertices) {
      refuse(run, fmt::format("{} has the vertex index {}, outside 0 .. {}", where, index,
                              num_vertices - 1));
    }
  }
}

/// Checks type, sizes and pose of a shape.
void check_shape(const ReplayRun& run, const ReplayBody& body, const ReplayShape& shape) {
  // The types that the viewer draws, with the number of their sizes (replay_html.h).
  static const std::map<std::string, std::size_t> kNumSizes = {
      {"sphere", 1},    {"box", 3},        {"capsule", 2}, {"cylinder", 2},
      {"ellipsoid", 3}, {"half_space", 4}, {"mesh", 0}};
  const std::string where = fmt::format("a shape ({}) of body '{}'", shape.type, body.name);
  const auto entry = kNumSizes.find(shape.type);
  if (entry == kNumSizes.end()) refuse(run, where + " is of no known type");
  if (shape.size.size() != entry->second) {
    refuse(run,
           fmt::format("{} has {} sizes instead of {}", where, shape.size.size(), entry->second));
  }
  // The numbers of a half space are a normal and an offset, which may be negative.
  const bool has_lengths = shape.type != "half_space";
  for (const double size : shape.size) {
    if (!std::isfinite(size) || (has_lengths && size <= 0.0)) {
      refuse(run, fmt::format("{} has the size {}", where, size));
    }
  }
  if (!shape.X_BG.rotation.allFinite() || !shape.X_BG.translation.allFinite()) {
    refuse(run, where + " has a pose that is not finite");
  }
  if (shape.type == "mesh") check_mesh(run, where, shape);
}

/// Checks bodies, mode and vectors of a contact.
void check_contact(const ReplayRun& run, double time, const ReplayContact& contact) {
  const auto num_bodies = static_cast<long>(run.bodies.size());
  for (const int body : {contact.body_a, contact.body_b}) {
    if (body < 0 || body >= num_bodies) {
      refuse(run, fmt::format("a contact at {} s names body {}, outside 0 .. {}", time, body,
                              num_bodies - 1));
    }
  }
  if (static_cast<unsigned>(contact.mode) > static_cast<unsigned>(ReplayContactMode::Impact)) {
    refuse(run, fmt::format("a contact at {} s has the unknown mode {}", time,
                            static_cast<unsigned>(contact.mode)));
  }
  // The normal may be rounded, but the encoding of directions needs one that is not zero.
  const double norm = contact.normal.norm();
  if (!contact.position.allFinite() || !contact.force.allFinite() || !(norm > 0.5 && norm < 2.0)) {
    refuse(run,
           fmt::format("a contact of '{}' and '{}' at {} s has a position or force that is not "
                       "finite or a normal that is not a unit vector",
                       run.bodies[static_cast<std::size_t>(contact.body_a)].name,
                       run.bodies[static_cast<std::size_t>(contact.body_b)].name, time));
  }
}

/// Checks the poses of all bodies, and the contacts of a frame.
void check_frame(const ReplayRun& run, const ReplayFrame& frame) {
  if (frame.poses.size() != run.bodies.size()) {
    refuse(run, fmt::format("the frame at {} s has {} poses for {} bodies", frame.time,
                            frame.poses.size(), run.bodies.size()));
  }
  for (std::size_t b = 0; b < frame.poses.size(); ++b) {
    const ReplayPose& pose = frame.poses[b];
    const double norm = pose.quat_wxyz.norm();
    if (!pose.position.allFinite() || !(norm > 0.5 && norm < 2.0)) {
      refuse(run, fmt::format("the pose of '{}' at {} s is not finite or its quaternion is not of "
                              "unit length",
                              run.bodies[b].name, frame.time));
    }
  }
  // The page has velocities for all bodies at all frames, or none.
  const bool has_velocities = !run.frames.front().velocities.empty();
  if (frame.velocities.size() != (has_velocities ? run.bodies.size() : 0)) {
    refuse(run, fmt::format("the frame at {} s has {} velocities for {} bodies", frame.time,
                            frame.velocities.size(), run.bodies.size()));
  }
  for (std::size_t b = 0; b < frame.velocities.size(); ++b) {
    const ReplayVelocity& velocity = frame.velocities[b];
    if (velocity.linear.allFinite() && velocity.angular.allFinite()) continue;
    refuse(run, fmt::format("the velocity of '{}' at {} s is not finite", run.bodies[b].name,
                            frame.time));
  }
  for (const ReplayContact& contact : frame.contacts) check_contact(run, frame.time, contact);
}

}  // namespace

void check_replay_run(const ReplayRun& run) {
  // Frames: one at least, in the order of time, each with a pose for every body.
  if (run.frames.empty()) refuse(run, "it has no frame");
  for (const ReplayBody& body : run.bodies) {
    for (const ReplayShape& shape : body.shapes) check_shape(run, body, shape);
  }
  double previous_time = run.frames.front().time;
  for (const ReplayFrame& frame : run.frames) {
    if (!std::isfinite(frame.time) || frame.time < previous_time) {
      refuse(run, fmt::format("the frame time {} s follows {} s", frame.time, previous_time));
    }
    previous_time = frame.time;
    check_frame(run, frame);
  }
  // Curves: one value for each time, and times in order.
  for (const ReplaySeries& series : run.series) {
    if (series.values.size() != run.series_time.size()) {
      refuse(run, fmt::format("the curve '{}' has {} values for {} times", series.name,
                              series.values.size(), run.series_time.size()));
    }
  }
  if (!std::all_of(run.series_time.begin(), run.series_time.end(),
                   [](double t) { return std::isfinite(t); }) ||
      !std::is_sorted(run.series_time.begin(), run.series_time.end())) {
    refuse(run, "the times of its curves are not finite or not in order");
  }
}

}  // namespace amontons::io
