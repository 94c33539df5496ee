#pragma once

#include "experiments/experiment.h"

#include <cstddef>
#include <string>

namespace amontons::experiments {

/// Header and rows of a table in columns, for a terminal; each line is indented.
std::string text_table(const Table& table, std::size_t indent = 0);

}  // namespace amontons::experiments
