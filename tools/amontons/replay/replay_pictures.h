#pragma once

#include <optional>
#include <string>
#include <vector>

namespace amontons::cli {

class Verb;

/// Holds the options of pictures and videos of runs.
struct PictureOptions {
  std::string still;  ///< "TIME[,TIME...]" [s]
  std::string video;  ///< "FILE.webm", "FILE.mp4", or "FOLDER/" for numbered PNG files
  std::string size = "1280x720", view = "usual", theme = "light";
  std::string camera;                        ///< "KEY=VALUE,...", as io::parse_camera reads it
  std::string overlays = "contacts,forces";  ///< also "cones", "chains"; "none"
  std::optional<int> fps;                    ///< pictures of a video per second [30]
  double speed = 1.0;                        ///< seconds of the run in one second of a video
  bool no_visuals = false;                   ///< draw collision shapes alone
  bool force = false;                        ///< replace files that this program has not written

  bool wanted() const { return !still.empty() || !video.empty(); }
};

/// Adds --still, --video, --size, --fps, --speed, --view, --camera, --overlays and --theme.
void add_picture_options(Verb& verb, PictureOptions& options);

/// Draws runs: stills as PNG, or a video.
/// @param output  of stills; empty: RUN.png beside the first run. Several are numbered.
/// @returns the exit code.
/// @throws io::ParseError for a run or an option that makes no sense; io::OutputError where nothing
/// could be drawn or written, with the remedy if a program is missing.
int make_pictures(const std::vector<std::string>& files, const PictureOptions& options,
                  const std::string& output, bool quiet, bool as_json);

}  // namespace amontons::cli
