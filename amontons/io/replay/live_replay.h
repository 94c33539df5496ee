#pragma once

#include "amontons/io/replay/replay_html.h"

#include <string>
#include <vector>

namespace amontons::io {

/// The page of a simulation that runs: as make_replay_html, but it holds the first frame alone and
/// takes all others from a stream of the server that it came from.
/// @param start   one frame; its curves have names and no values.
/// @param stream  address of the stream, relative to the page's own.
/// @throws std::invalid_argument  as make_replay_html.
std::string make_live_replay_html(const ReplayRun& start, const std::string& stream);

/// A frame of a running simulation.
struct LiveFrame {
  ReplayFrame frame;
  std::vector<double> curves;  ///< in the order of ReplayRun::series; NaN leaves a gap
  long num_steps = 0;          ///< so far
  long num_missed = 0;         ///< of these, how many missed their certificate
};

/// What the stream brings for a frame: one line of JSON without line breaks, {"time", "steps",
/// "missed", "poses", "contacts", "curves"}; the last three are arrays of single precision, little
/// endian, as base64. Per body x, y, z and the quaternion w, x, y, z; per contact the bodies A and
/// B, position, normal, force, gap, friction and mode.
std::string encode_live_frame(const LiveFrame& frame);

}  // namespace amontons::io
