#pragma once

#include "amontons/io/replay/replay_html.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Makes the page of a simulation that runs.
///
/// It is like that of make_replay_html, but holds the first frame alone. All others come from a
/// stream of the server that sent the page.
/// @param start   one frame; its curves have names and no values.
/// @param stream  address of the stream, relative to the page's own.
/// @throws std::invalid_argument  as make_replay_html.
std::string make_live_replay_html(const ReplayRun& start, const std::string& stream);

/// Holds a frame of a running simulation.
struct LiveFrame {
  ReplayFrame frame;
  std::vector<double> curves;   ///< in the order of ReplayRun::series; NaN leaves a gap
  std::vector<double> joints;   ///< positions of the joints that the page lists [rad or m]
  std::vector<double> targets;  ///< targets of their servos [rad or m]; NaN without a servo
  long num_steps = 0;           ///< steps so far
  long num_missed = 0;          ///< steps so far that missed their certificate
  bool accepted = true;         ///< every step so far has an answer that is accepted
  std::string verdict;          ///< how the steps so far answered the law asked
};

/// Encodes a frame for the stream, as JSON without line breaks.
///
/// The object is {"time", "steps", "missed", "accepted", "verdict", "impact", "poses",
/// "velocities", "contacts", "curves", "joints", "targets"}. The last six are arrays, little
/// endian, as base64: poses and contacts of double precision, since a scene may be far from the
/// origin, the others of single. A pose is x, y, z [m] and the quaternion w, x, y, z, a velocity
/// the linear and the angular one. A contact is bodies A and B, position, normal, force, gap,
/// friction and mode.
std::string encode_live_frame(const LiveFrame& frame);

}  // namespace amontons::io
