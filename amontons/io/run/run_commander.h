#pragma once

#include <string>

namespace amontons::io {

/// Names who commands a run besides its scene.
enum class RunCommander {
  Program,  ///< a program, which alone can continue the run, or nobody
  Page      ///< the pages of `replay --live`; the run continues without them
};

/// Returns the word of a run file for a commander: "program" or "page".
const char* to_string(RunCommander commander);

/// Returns the commander that the header of a run file names; a program where it names none.
/// @throws ParseError if the file cannot be read.
RunCommander read_run_commander(const std::string& path);

}  // namespace amontons::io
