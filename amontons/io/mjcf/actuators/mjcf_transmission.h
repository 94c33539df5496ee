#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

/// Holds a joint, tendon or slider along which an actuator acts.
struct MjcfLine {
  std::string name;                             ///< in the model
  std::optional<std::array<double, 2>> limits;  ///< of its position
  EffortRange effort;                           ///< of all its actuators
  bool is_path = false;                         ///< a tendon along a path in space
  /// Holds the joints that it moves, with the change of its position by theirs.
  std::vector<std::pair<std::size_t, double>> joints = {};
  double gear = 1.0;       ///< force along it by that of the actuator
  bool has_length = true;  ///< false: the length of the actuator is zero, whatever its position
};

/// Refuses an actuator on several targets, as MuJoCo does.
void check_mjcf_transmission(const MjcfElement& element);

/// Returns the joint of an actuator; nothing for one of several coordinates.
std::optional<MjcfLine> mjcf_joint_line(const MjcfReader& reader, const MjcfElement& element);

/// Returns the tendon of an actuator; nothing for one that is not modeled.
std::optional<MjcfLine> mjcf_tendon_line(const MjcfReader& reader, const MjcfElement& element);

/// Returns the slider of an actuator, which a rod joins to its crank, or the way of a site along an
/// axis of its reference. It is a tendon of its own in the model. Nothing: nothing moves it, or the
/// reference turns beside the site; the actuator then has its note.
/// @throws ParseError for a crank without slider or rod.
std::optional<MjcfLine> mjcf_slider_line(MjcfReader& reader, const MjcfElement& element);

/// Returns the way of a free body along one direction of the world, for an actuator that damps its
/// velocity there. MuJoCo gives such an actuator no length. It is a tendon of its own in the model.
/// @returns nothing for an actuator that acts on anything else, or that turns the body, too.
std::optional<MjcfLine> mjcf_free_line(MjcfReader& reader, const MjcfElement& element);

/// Returns the numbers of gear; missing ones are those of the format: 1, 0, 0, 0, 0, 0.
std::array<double, 6> mjcf_gear(const MjcfElement& element);

/// Returns true for an actuator whose gear has a torque.
bool mjcf_turns(const MjcfElement& element);

/// Notes an actuator on something on which nothing acts here, which is a finding.
/// @throws ParseError for one that names nothing on which it acts.
void note_other_mjcf_transmission(const MjcfElement& element);

}  // namespace amontons::io
