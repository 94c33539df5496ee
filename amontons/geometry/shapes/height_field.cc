#include "amontons/geometry/shapes/height_field.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

/// Throws unless a size [m] is positive and finite.
void check_size(const char* name, double size) {
  if (!(size > 0.0) || !std::isfinite(size)) {
    throw std::invalid_argument(std::string("height field: ") + name +
                                " must be positive and finite, is " + std::to_string(size) + " m");
  }
}

/// Holds the place of a coordinate measured in cells: its cell, and how far into it (0 to 1).
struct CellPosition {
  Eigen::Index cell = 0;
  double fraction = 0.0;
};
/// Finds the cell of a coordinate; outside of the grid it is that of the border.
CellPosition locate(double cells, Eigen::Index num_cells) {
  const double clamped = std::clamp(cells, 0.0, static_cast<double>(num_cells));
  const Eigen::Index cell = std::min(static_cast<Eigen::Index>(clamped), num_cells - 1);
  return {cell, clamped - static_cast<double>(cell)};
}

}  // namespace

HeightField::HeightField(Eigen::MatrixXd heights, double size_x, double size_y)
    : heights_(std::move(heights)), size_x_(size_x), size_y_(size_y) {
  if (heights_.rows() < 2 || heights_.cols() < 2) {
    throw std::invalid_argument("height field: needs at least 2 x 2 heights, has " +
                                std::to_string(heights_.rows()) + " x " +
                                std::to_string(heights_.cols()));
  }
  check_size("size_x", size_x);
  check_size("size_y", size_y);
  for (Eigen::Index i = 0; i < heights_.rows(); ++i) {
    for (Eigen::Index j = 0; j < heights_.cols(); ++j) {
      if (std::isfinite(heights_(i, j))) continue;
      throw std::invalid_argument("height field: height (" + std::to_string(i) + ", " +
                                  std::to_string(j) + ") is not finite");
    }
  }
  lowest_ = heights_.minCoeff();
  highest_ = heights_.maxCoeff();
}

Eigen::Vector3d HeightField::vertex(Eigen::Index i, Eigen::Index j) const {
  // Weights instead of steps of the spacing: the last row lies exactly on the border.
  const double u = static_cast<double>(i) / static_cast<double>(heights_.rows() - 1);
  const double v = static_cast<double>(j) / static_cast<double>(heights_.cols() - 1);
  return {size_x_ * (u - 0.5), size_y_ * (v - 0.5), heights_(i, j)};
}

double HeightField::height_at(double x, double y) const {
  const CellPosition along_x = locate((x + 0.5 * size_x_) / spacing_x(), heights_.rows() - 1);
  const CellPosition along_y = locate((y + 0.5 * size_y_) / spacing_y(), heights_.cols() - 1);
  const Eigen::Index i = along_x.cell, j = along_y.cell;
  const double u = along_x.fraction, v = along_y.fraction;
  const double diagonal = heights_(i, j), opposite = heights_(i + 1, j + 1);
  // The triangle below the diagonal (u >= v) or above it, in barycentric weights.
  if (u >= v) return (1.0 - u) * diagonal + (u - v) * heights_(i + 1, j) + v * opposite;
  return (1.0 - v) * diagonal + (v - u) * heights_(i, j + 1) + u * opposite;
}

}  // namespace amontons
