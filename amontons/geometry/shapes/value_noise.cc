#include "amontons/geometry/shapes/value_noise.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

/// Scatters neighboring integers by the bijection SplitMix64 [Steele, Lea, Flood 2014].
std::uint64_t scatter(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Returns a value uniform in [-1, 1), the same for the same lattice point and seed.
double lattice_value(std::uint64_t seed, std::int64_t i, std::int64_t j) {
  const std::uint64_t bits = scatter(scatter(scatter(seed) ^ static_cast<std::uint64_t>(i)) ^
                                     static_cast<std::uint64_t>(j));
  return std::ldexp(static_cast<double>(bits >> 11), -52) - 1.0;
}

/// Returns the blending polynomial 6 t^5 - 15 t^4 + 10 t^3.
double blend(double t) { return t * t * t * (t * (t * 6.0 - 15.0) + 10.0); }

/// Interpolates linearly between a and b.
double mix(double a, double b, double t) { return a + (b - a) * t; }

/// Returns the height [m] at a point of the terrain [m].
double height(const ValueNoise& noise, double x, double y) {
  const double u = x / noise.wavelength, v = y / noise.wavelength;
  const double u0 = std::floor(u), v0 = std::floor(v);
  const auto i = static_cast<std::int64_t>(u0);
  const auto j = static_cast<std::int64_t>(v0);
  // Bilinear interpolation of the cell's four corners, in blended coordinates.
  const double s = blend(u - u0), t = blend(v - v0);
  const double lower = mix(lattice_value(noise.seed, i, j), lattice_value(noise.seed, i + 1, j), s);
  const double upper =
      mix(lattice_value(noise.seed, i, j + 1), lattice_value(noise.seed, i + 1, j + 1), s);
  return noise.amplitude * mix(lower, upper, t);
}

/// Throws std::invalid_argument with a message unless the condition holds.
void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument("value noise: " + message);
}

}  // namespace

Eigen::MatrixXd value_noise_heights(const ValueNoise& noise, int cells_x, int cells_y,
                                    double size_x, double size_y) {
  require(noise.amplitude >= 0.0 && std::isfinite(noise.amplitude),
          "amplitude must not be negative, but is " + std::to_string(noise.amplitude));
  require(noise.wavelength > 0.0 && std::isfinite(noise.wavelength),
          "wavelength must be positive, but is " + std::to_string(noise.wavelength));
  require(cells_x >= 1 && cells_y >= 1, "a terrain needs at least one cell along x and along y");
  require(size_x > 0.0 && size_y > 0.0 && std::isfinite(size_x) && std::isfinite(size_y),
          "the size must be positive");
  // Doubles cannot distinguish more than 2^53 lattice points.
  require(std::max(size_x, size_y) / noise.wavelength < 9e15,
          "the wavelength is too short for the size");
  Eigen::MatrixXd heights(cells_x + 1, cells_y + 1);
  for (int j = 0; j <= cells_y; ++j) {
    for (int i = 0; i <= cells_x; ++i) {
      heights(i, j) = height(noise, size_x * i / cells_x, size_y * j / cells_y);
    }
  }
  return heights;
}

}  // namespace amontons
