#pragma once

#include <cstddef>
#include <vector>

namespace amontons {

enum class Interpolation {
  Linear,
  Cubic  ///< with a continuous rate, never beyond the values on either side
};

/// A quantity given at some instants and interpolated in between. Before the first instant and
/// after the last it stays as it is there.
///
/// Cubic pieces have the slopes of [Fritsch, Butland 1984], the weighted harmonic mean of the
/// slopes on both sides: where the values turn the slope is zero, so that nothing overshoots. The
/// slopes at the ends are those of a parabola through three values, cut to the same end.
class Trajectory {
 public:
  /// @param times   [n], n >= 1, increasing [s].
  /// @param values  [n], finite.
  /// @throws std::invalid_argument where they are not.
  Trajectory(std::vector<double> times, std::vector<double> values, Interpolation interpolation);

  double value(double time) const;  ///< at a time [s]
  /// At an instant between two linear pieces that of the later one; zero where nothing is given.
  double rate(double time) const { return rate(time, time); }
  /// That of the piece at the instant `within`, as if it went on.
  double rate(double time, double within) const;
  /// The first of the given instants after `time`; infinite if there is none.
  double next_instant(double time) const;
  /// The mean over [from, to], exact for the interpolated curve; from < to.
  double mean(double from, double to) const;

  double least() const;    ///< of all values; the curve does not leave these bounds
  double largest() const;  ///< of all values

 private:
  std::size_t piece_of(double time) const;  // 0: before the first instant; n: after the last
  double integral(std::size_t piece, double from, double to) const;
  double value_in(std::size_t piece, double time) const;

  std::vector<double> times_, values_, slopes_;
  Interpolation interpolation_;
};

}  // namespace amontons
