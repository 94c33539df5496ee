#pragma once

#include "amontons/io/replay/replay_html.h"
#include "amontons/io/replay/replay_sections.h"

#include <nlohmann/json.hpp>

namespace amontons::io {

/// Adds the sections "series_times" and "series_values" (one row per curve).
///
/// Curves longer than max_samples become their envelopes.
/// @returns the names, units and charts of the curves.
nlohmann::ordered_json encode_replay_series(const ReplayRun& run, std::size_t max_samples,
                                            ReplaySections& sections);

}  // namespace amontons::io
