#pragma once

#include "amontons/io/replay/replay_html.h"

#include <nlohmann/json.hpp>

namespace amontons::io {

/// @throws std::invalid_argument  as make_replay_html, naming the run and the quantity.
void check_replay_run(const ReplayRun& run);

/// One run as the page reads it: names, shapes and the directory of its numbers as JSON, the
/// numbers themselves deflated, as base64 under "data".
/// @param contact_fraction  in [0, 1]: the strongest contacts of each frame that are kept.
nlohmann::ordered_json encode_replay_run(const ReplayRun& run, double contact_fraction,
                                         std::size_t max_series_samples);

}  // namespace amontons::io
