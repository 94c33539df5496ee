#include "amontons/math/trajectory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

/// Returns the slope at the end of a piece of width h0 and slope d0 whose neighbor has h1 and d1.
/// It is that of the parabola through three values, limited so that the curve stays monotone.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0.0) return 0.0;
  if (d0 * d1 <= 0.0 && std::abs(slope) > 3.0 * std::abs(d0)) return 3.0 * d0;
  return slope;
}

/// Returns the slope between two pieces: the weighted harmonic mean of theirs, zero at a turn.
double inner_slope(double h0, double h1, double d0, double d1) {
  if (d0 * d1 <= 0.0) return 0.0;
  const double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/// Returns the slopes at all instants.
std::vector<double> monotone_slopes(const std::vector<double>& times,
                                    const std::vector<double>& values) {
  const std::size_t n = times.size();
  std::vector<double> slopes(n, 0.0), h, d;
  // Width [s] and slope of each piece.
  for (std::size_t k = 0; k + 1 < n; ++k) {
    h.push_back(times[k + 1] - times[k]);
    d.push_back((values[k + 1] - values[k]) / h[k]);
  }
  // Two values make a line; one has no slope.
  if (n == 2) slopes = {d[0], d[0]};
  if (n < 3) return slopes;
  slopes.front() = end_slope(h[0], h[1], d[0], d[1]);
  slopes.back() = end_slope(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  for (std::size_t k = 1; k + 1 < n; ++k) slopes[k] = inner_slope(h[k - 1], h[k], d[k - 1], d[k]);
  return slopes;
}

}  // namespace

Trajectory::Trajectory(std::vector<double> times, std::vector<double> values,
                       Interpolation interpolation)
    : times_(std::move(times)), values_(std::move(values)), interpolation_(interpolation) {
  // Instants must increase and all values be finite, else the pieces are not defined.
  if (times_.empty() || times_.size() != values_.size()) {
    throw std::invalid_argument(
        "a trajectory needs as many values as instants, at least one; it has " +
        std::to_string(values_.size()) + " values and " + std::to_string(times_.size()) +
        " instants");
  }
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (!std::isfinite(times_[k]) || !std::isfinite(values_[k])) {
      throw std::invalid_argument("the instants and values of a trajectory must be finite");
    }
    if (k > 0 && !(times_[k] > times_[k - 1])) {
      throw std::invalid_argument("the instants of a trajectory must increase");
    }
  }
  if (interpolation_ == Interpolation::Cubic) slopes_ = monotone_slopes(times_, values_);
}

std::size_t Trajectory::piece_of(double time) const {
  return static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), time) -
                                  times_.begin());
}

double Trajectory::value_in(std::size_t piece, double time) const {
  if (piece == 0) return values_.front();
  if (piece == times_.size()) return values_.back();
  const double h = times_[piece] - times_[piece - 1], s = (time - times_[piece - 1]) / h;
  const double y0 = values_[piece - 1], y1 = values_[piece];
  // Hermite's cubic on s in [0, 1] with r = 1 - s, or the chord.
  if (interpolation_ == Interpolation::Linear) return (1.0 - s) * y0 + s * y1;
  const double r = 1.0 - s;
  return r * r * (1.0 + 2.0 * s) * y0 + s * s * (1.0 + 2.0 * r) * y1 +
         h * s * r * (r * slopes_[piece - 1] - s * slopes_[piece]);
}

double Trajectory::value(double time) const { return value_in(piece_of(time), time); }

double Trajectory::rate(double time, double within) const {
  const std::size_t piece = piece_of(within);
  if (piece == 0 || piece == times_.size()) return 0.0;
  const double h = times_[piece] - times_[piece - 1], s = (time - times_[piece - 1]) / h;
  const double slope = (values_[piece] - values_[piece - 1]) / h;
  if (interpolation_ == Interpolation::Linear) return slope;
  const double r = 1.0 - s;
  // The derivative of Hermite's cubic.
  return 6.0 * s * r * slope + r * (r - 2.0 * s) * slopes_[piece - 1] +
         s * (s - 2.0 * r) * slopes_[piece];
}

double Trajectory::next_instant(double time) const {
  const std::size_t piece = piece_of(time);
  return piece == times_.size() ? std::numeric_limits<double>::infinity() : times_[piece];
}

double Trajectory::integral(std::size_t piece, double from, double to) const {
  // Simpson's rule is exact for cubics.
  return (to - from) / 6.0 *
         (value_in(piece, from) + 4.0 * value_in(piece, 0.5 * (from + to)) + value_in(piece, to));
}

double Trajectory::mean(double from, double to) const {
  // The mean is the integral over all pieces between the two times, divided by their distance.
  double sum = 0.0, begin = from;
  const std::size_t last = piece_of(to);
  for (std::size_t piece = piece_of(from); piece < last; ++piece) {
    sum += integral(piece, begin, times_[piece]);
    begin = times_[piece];
  }
  return (sum + integral(last, begin, to)) / (to - from);
}

double Trajectory::least() const { return *std::min_element(values_.begin(), values_.end()); }

double Trajectory::largest() const { return *std::max_element(values_.begin(), values_.end()); }

}  // namespace amontons
