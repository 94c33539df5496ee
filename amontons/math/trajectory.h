#pragma once

#include <cstddef>
#include <vector>

namespace amontons {

/// Names the curve between two instants.
enum class Interpolation {
  Linear,
  Cubic  ///< with a continuous rate, never beyond the values on either side
};

/// Interpolates a quantity given at some instants. Before the first instant and after the last it
/// keeps the value there.
///
/// Cubic pieces have the slopes of [Fritsch, Butland 1984], the weighted harmonic mean of the
/// slopes on both sides: where the values turn the slope is zero, so that nothing overshoots. The
/// slopes at the ends are those of a parabola through three values, limited to the same end.
class Trajectory {
 public:
  /// @param times   [n], n >= 1, increasing [s].
  /// @param values  [n], finite.
  /// @throws std::invalid_argument where they are not.
  Trajectory(std::vector<double> times, std::vector<double> values, Interpolation interpolation);

  double value(double time) const;  ///< value at a time [s]
  /// Returns the rate; between two linear pieces that of the later one, outside the instants zero.
  double rate(double time) const { return rate(time, time); }
  /// Returns the rate of the piece at the instant `within`, extrapolated to `time`.
  double rate(double time, double within) const;
  /// Returns the first of the given instants after `time`; infinite if there is none.
  double next_instant(double time) const;
  /// Returns the mean over [from, to], exact for the interpolated curve; from < to.
  double mean(double from, double to) const;

  double least() const;    ///< minimum of all values; the curve does not leave these bounds
  double largest() const;  ///< maximum of all values

 private:
  std::size_t piece_of(double time) const;  // 0: before the first instant; n: after the last
  double integral(std::size_t piece, double from, double to) const;
  double value_in(std::size_t piece, double time) const;

  std::vector<double> times_, values_, slopes_;
  Interpolation interpolation_;
};

}  // namespace amontons
