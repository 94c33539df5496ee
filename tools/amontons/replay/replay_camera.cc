#include "tools/amontons/replay/replay_camera.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

namespace amontons::cli {
namespace {

// Bytes 16 to 23 of a PNG: width and height, the most significant byte first.
bool has_size(const std::string& png, int width, int height) {
  const auto number_at = [&png](std::size_t at) {
    unsigned number = 0;
    for (std::size_t k = 0; k < 4; ++k)
      number = number << 8 | static_cast<unsigned char>(png[at + k]);
    return number;
  };
  return png.size() > 24 && png.starts_with("\x89PNG") &&
         number_at(16) == static_cast<unsigned>(width) &&
         number_at(20) == static_cast<unsigned>(height);
}

std::string profile_in(const io::TemporaryFolder& folder) {
  const std::filesystem::path file = folder.write("profile-is-here", "");
  return (file.parent_path() / "profile").string();
}

}  // namespace

ReplayCamera::ReplayCamera(const std::vector<io::ReplayRun>& runs, const PictureStyle& style)
    : style_(style), browser_(profile_in(folder_), style.width, style.height) {
  io::ReplaySettings settings;
  settings.max_page_bytes = std::numeric_limits<std::size_t>::max();  // no contact is left out
  const std::string page = folder_.write("replay.html", io::make_replay_html(runs, settings));
  browser_.open(fmt::format("file://{}#bare=1&view={}&theme={}", page, style.view, style.theme));
}

std::string ReplayCamera::take(double frame_time) {
  const nlohmann::json drawn = browser_.evaluate(fmt::format("amontons.showTime({})", frame_time));
  if (drawn.at("colors").get<int>() < 2) {
    throw BrowserError("Chromium has drawn nothing: it has no WebGL, not even in software");
  }
  if (drawn.at("time").get<double>() != frame_time) {
    throw BrowserError(fmt::format("the page shows t = {} s instead of {} s",
                                   drawn.at("time").get<double>(), frame_time));
  }
  std::string png = browser_.screenshot();
  if (!has_size(png, style_.width, style_.height)) {
    throw BrowserError(
        fmt::format("Chromium's picture is not {} x {}", style_.width, style_.height));
  }
  return png;
}

}  // namespace amontons::cli
