#pragma once

#include "amontons/io/common/temporary_folder.h"
#include "amontons/io/replay/replay_html.h"
#include "tools/amontons/replay/headless_browser.h"

#include <string>
#include <vector>

namespace amontons::cli {

struct PictureStyle {
  int width = 1280, height = 720;
  std::string view = "usual";   ///< or "front", "side", "top"
  std::string theme = "light";  ///< or "dark"
};

/// Takes pictures of a replay page's scene. The same runs and style give the same bytes.
class ReplayCamera {
 public:
  /// Opens the page in a browser.
  /// @throws BrowserError if there is no browser, or it cannot show the page.
  ReplayCamera(const std::vector<io::ReplayRun>& runs, const PictureStyle& style);

  /// Returns the scene at the time of a frame of the first run, as PNG.
  /// @throws BrowserError if the browser shows another time, another size, or nothing at all.
  std::string take(double frame_time);

 private:
  PictureStyle style_;
  io::TemporaryFolder folder_;
  HeadlessBrowser browser_;
};

}  // namespace amontons::cli
