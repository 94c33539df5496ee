#pragma once

#include <Eigen/Core>

#include <cstdint>

namespace amontons {

/// Describes a terrain of interpolated random heights.
struct ValueNoise {
  double amplitude = 0.0;   ///< heights lie in [-amplitude, amplitude] [m], >= 0
  double wavelength = 1.0;  ///< distance of the random lattice points [m], > 0
  std::uint64_t seed = 0;   ///< the same seed gives the same terrain on every machine
};

/// Returns smooth random heights on a grid of cells, for a HeightField. Independent uniform values
/// lie at the points of a square lattice, the first of them at the grid's corner (0, 0). In between
/// they are blended by the polynomial 6 t^5 - 15 t^4 + 10 t^3. Slope and curvature are continuous
/// [Perlin 2002, the blending; values in place of gradients].
///
/// The slope along an axis is at most 3.75 amplitude / wavelength.
/// @param cells_x, cells_y  number of cells, >= 1.
/// @param size_x, size_y    extent of the grid [m], > 0.
/// @returns [cells_x + 1, cells_y + 1] heights [m].
/// @throws std::invalid_argument naming the value out of its range.
Eigen::MatrixXd value_noise_heights(const ValueNoise& noise, int cells_x, int cells_y,
                                    double size_x, double size_y);

}  // namespace amontons
