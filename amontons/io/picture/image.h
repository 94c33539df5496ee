#pragma once

#include <string>
#include <vector>

namespace amontons::io {

/// Holds a picture: red, green and blue (sRGB) of each pixel, row by row from the top left.
struct Image {
  int width = 0, height = 0;       ///< [pixels]
  std::vector<unsigned char> rgb;  ///< 3 * width * height bytes
};

/// Returns the picture as a PNG file by libpng. The same picture gives the same bytes.
/// @throws std::runtime_error if libpng refuses, which only lack of memory can cause.
/// @throws Stopped (math/stop.h).
std::string encode_png(const Image& image);

}  // namespace amontons::io
