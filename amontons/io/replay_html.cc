#include "amontons/io/replay_html.h"

#include "amontons/io/replay_encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace amontons::embedded {
// Generated from assets/replay.html by cmake/EmbedFile.cmake.
extern const unsigned char replay_template[];
extern const std::size_t replay_template_size;
}  // namespace amontons::embedded

namespace amontons::io {
namespace {

constexpr std::string_view kMarker = "<!--AMONTONS-DATA-->";

std::string_view page_template() {
  return {reinterpret_cast<const char*>(embedded::replay_template), embedded::replay_template_size};
}

/// JSON that is safe inside a script element: neither "</script" nor "<!--" can occur, since every
/// '<' is written as an escape. Bytes that are not UTF-8 become U+FFFD.
std::string dump_for_script(const nlohmann::ordered_json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

/// The run as text, its contacts thinned until they fit into what the poses and curves leave of
/// max_bytes, and in any case into a tenth of it.
std::string encode_within(const ReplayRun& run, const ReplaySettings& settings,
                          std::size_t max_bytes) {
  const auto encode = [&](double fraction) {
    return dump_for_script(encode_replay_run(run, fraction, settings.max_series_samples));
  };
  std::string text = encode(1.0);
  if (text.size() <= max_bytes) return text;
  std::string without = encode(0.0);
  const std::size_t room =
      std::max(max_bytes / 10, max_bytes - std::min(max_bytes, without.size()));
  double fraction = 1.0;
  // The size is nearly proportional to the fraction; the factor makes each round a real reduction.
  for (int round = 0; round < 12; ++round) {
    if (text.size() <= without.size() + room) return text;
    fraction *=
        0.98 * static_cast<double>(room) / static_cast<double>(text.size() - without.size());
    text = encode(fraction);
  }
  return without;
}

}  // namespace

std::string make_replay_html(const std::vector<ReplayRun>& runs, const ReplaySettings& settings) {
  if (runs.empty()) throw std::invalid_argument("a replay needs at least one run");
  if (settings.max_series_samples < 2) {
    throw std::invalid_argument(fmt::format("max_series_samples is {}, but an envelope needs 2",
                                            settings.max_series_samples));
  }
  for (const ReplayRun& run : runs) check_replay_run(run);

  const std::string_view page = page_template();
  const std::size_t marker = page.find(kMarker);
  if (marker == std::string_view::npos) {
    throw std::logic_error("the replay template has no place for its data");
  }
  const std::size_t room = settings.max_page_bytes - std::min(settings.max_page_bytes, page.size());
  std::string html(page.substr(0, marker));
  html += R"(<script type="application/json" id="amontons-data">{"format":1,"runs":[)";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) html += ',';
    html += encode_within(runs[i], settings, room / runs.size());
  }
  html += "]}</script>";
  html += page.substr(marker + kMarker.size());
  return html;
}

}  // namespace amontons::io
