#pragma once

#include "amontons/io/replay/replay_html.h"

#include <nlohmann/json.hpp>

namespace amontons::io {

/// Checks that a run can be drawn.
/// @throws std::invalid_argument  as make_replay_html, naming the run and the quantity.
void check_replay_run(const ReplayRun& run);

/// Encodes one run for the page: names, shapes and the directory of its numbers as JSON.
///
/// The numbers themselves are deflated, as base64 under "data".
/// @param contact_fraction  share of each frame's contacts that are kept, strongest first, in
///                          [0, 1].
/// @param max_series_samples  samples per curve at most; longer curves become envelopes.
nlohmann::ordered_json encode_replay_run(const ReplayRun& run, double contact_fraction,
                                         std::size_t max_series_samples);

}  // namespace amontons::io
