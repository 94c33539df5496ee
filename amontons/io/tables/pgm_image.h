#pragma once

#include <Eigen/Core>

#include <string>
#include <string_view>

namespace amontons::io {

/// Holds a gray image of 8 or 16 bits.
struct PgmImage {
  Eigen::MatrixXd values;  ///< [height x width], row 0 on top, 0 to largest
  double largest = 0.0;    ///< the value of white
};

/// Returns true if the bytes begin like a PGM file (P2 or P5).
bool is_pgm(std::string_view bytes);

/// Reads a PGM image, plain (P2) or binary (P5).
/// @throws ParseError with the line, or without one inside binary data.
PgmImage parse_pgm(const std::string& bytes, const std::string& name);

}  // namespace amontons::io
