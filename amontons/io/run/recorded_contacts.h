#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/simulation/scene/scene.h"

#include <string>

namespace amontons::io {

/// Returns true if a run records the contacts of a step (RecordedContacts).
///
/// Under `auto` these are the contacts of every step, but in time stepping, without output.every,
/// of a step with more than 100 contacts only those of a frame, 60 a second, and those of a step
/// that misses its certificate or the law asked.
/// @param output  settings of the scene, as its method.
/// @param row     the step's row, with or without its contacts.
bool records_contacts(const OutputSettings& output, const std::string& method, const RunRow& row);

}  // namespace amontons::io
