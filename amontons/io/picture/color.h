#pragma once

#include "amontons/io/replay/replay_html.h"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace amontons::io {

/// Returns linear red, green and blue of 0xRRGGBB (sRGB).
Eigen::Vector3f linear_color(unsigned hex);

/// Returns red, green and blue of 0xRRGGBB as they are stored, in [0, 255].
Eigen::Vector3f stored_color(unsigned hex);

/// Returns the stored value in [0, 255] of each linear component in [0, 1]; greater ones are 255.
Eigen::Vector3f stored_from_linear(const Eigen::Vector3f& linear);

/// Returns linear light compressed to [0, 1], so that bright colors keep their hue: the PBR Neutral
/// tone mapper of Khronos.
Eigen::Vector3f tone_mapped(const Eigen::Vector3f& light);

/// Returns the linear color that a shape has of its own; black becomes dark grey, so that its form
/// shows.
Eigen::Vector3f own_color(const std::array<float, 3>& srgb);

/// Returns a linear color for each body, as the replay page chooses it. Where there are several
/// models, each has one color, in shades for its links; fixed bodies are grey.
std::vector<Eigen::Vector3f> body_colors(const std::vector<ReplayBody>& bodies);

}  // namespace amontons::io
