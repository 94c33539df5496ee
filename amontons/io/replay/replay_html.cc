#include "amontons/io/replay/replay_html.h"

#include "amontons/io/replay/replay_encode.h"
#include "amontons/io/replay/replay_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace amontons::io {
namespace {

/// Returns the run as text, with as many contacts as fit.
///
/// Contacts get the part of max_bytes that poses and curves leave, and at least a tenth of it.
std::string encode_within(const ReplayRun& run, const ReplaySettings& settings,
                          std::size_t max_bytes) {
  const auto encode = [&](double fraction) {
    return dump_for_script(encode_replay_run(run, fraction, settings.max_series_samples));
  };
  std::string text = encode(1.0);
  if (text.size() <= max_bytes) return text;
  // Poses and curves alone; the rest of the page is for contacts.
  std::string without = encode(0.0);
  const std::size_t budget =
      std::max(max_bytes / 10, max_bytes - std::min(max_bytes, without.size()));
  double fraction = 1.0;
  // The size is nearly proportional to the fraction. The factor makes each round a real reduction.
  for (int round = 0; round < 12; ++round) {
    if (text.size() <= without.size() + budget) return text;
    fraction *=
        0.98 * static_cast<double>(budget) / static_cast<double>(text.size() - without.size());
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

  const std::size_t budget =
      settings.max_page_bytes - std::min(settings.max_page_bytes, empty_page_size());
  // The runs share what the viewer itself leaves of the page, in equal parts.
  std::vector<std::string> texts;
  for (const ReplayRun& run : runs) {
    texts.push_back(encode_within(run, settings, budget / runs.size()));
  }
  return make_page(texts, std::nullopt);
}

}  // namespace amontons::io
