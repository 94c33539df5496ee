#pragma once

#include <Eigen/Core>

namespace amontons::io {

/// Holds a gray image of 8 or 16 bits.
struct GrayImage {
  Eigen::MatrixXd values;   ///< [height x width], row 0 on top, 0 to largest
  double largest = 0.0;     ///< the value of white
  bool has_colors = false;  ///< the file has colors, of which the values are the red ones
};

}  // namespace amontons::io
