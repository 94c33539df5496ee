#pragma once

#include "experiments/experiment.h"

#include <string>

namespace amontons::experiments {

/// Returns a figure as an SVG element within a page, whose text color it takes.
std::string to_svg(const Figure& figure);

/// Returns the same as a file of its own: with a background, in light or dark as its reader
/// prefers.
std::string to_svg_file(const Figure& figure);

}  // namespace amontons::experiments
