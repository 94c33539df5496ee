#include "amontons/dynamics/muscle_activation.h"

#include "amontons/math/elementary.h"

#include <cmath>
#include <limits>

namespace amontons {
namespace {

// Time constants are scaled by kConstant + kSlope a.
constexpr double kConstant = 0.5, kSlope = 1.5;

double scale_at(double activation) { return kConstant + kSlope * activation; }

bool is_immediate(const MuscleTimes& times) {
  return times.activation == 0.0 && times.deactivation == 0.0;
}

/// Returns s of u - a = (u - a0) exp(-s), after a time in units of T1. With d = u - a0 the time is
/// f(s) = (0.5 + 1.5 u) s - 1.5 d (1 - exp(-s)), which grows and is convex.
double rise_after(double control, double start, double time) {
  constexpr int kMaxIterations = 60;  // Newton's method converges from above, quadratically
  const double d = control - start, scale = scale_at(control);
  double s = time / scale_at(start);
  for (int k = 0; k < kMaxIterations; ++k) {
    const double rest = elementary::exp(-s);
    const double step =
        (scale * s - kSlope * d * (1.0 - rest) - time) / (scale - kSlope * d * rest);
    s -= step;
    if (!(std::abs(step) > std::numeric_limits<double>::epsilon() * s)) break;
  }
  return s;
}

/// Returns w = (a - u)/(0.5 + 1.5 a), which falls as exp(-s), after a time in units of T2.
double fall_after(double control, double start, double time) {
  return (start - control) / scale_at(start) * elementary::exp(-scale_at(control) * time);
}

}  // namespace

double muscle_activation_rate(const MuscleTimes& times, double control, double activation) {
  const double scale = scale_at(activation);
  const double tau = control > activation ? times.activation * scale : times.deactivation / scale;
  return (control - activation) / tau;
}

double muscle_activation(const MuscleTimes& times, const MuscleControl& control, double time) {
  const double u = control.control, start = control.activation;
  if (is_immediate(times)) return u;
  const double elapsed = time - control.since;
  if (!(elapsed > 0.0) || start == u) return start;
  if (u > start) {
    const double s = rise_after(u, start, elapsed / times.activation);
    return u - (u - start) * elementary::exp(-s);
  }
  const double w = fall_after(u, start, elapsed / times.deactivation);
  return (u + kConstant * w) / (1.0 - kSlope * w);
}

double mean_muscle_activation(const MuscleTimes& times, const MuscleControl& control, double from,
                              double to) {
  const double u = control.control, start = muscle_activation(times, control, from);
  if (is_immediate(times) || start == u) return u;
  const double length = to - from;
  if (u > start) {
    // The integral of a dt/ds over s, with a = u - d e, dt/ds = T1 (0.5 + 1.5 a), e = exp(-s).
    const double d = u - start, scale = scale_at(u);
    const double s = rise_after(u, start, length / times.activation);
    const double e = elementary::exp(-s);
    const double sum =
        u * scale * s - d * (kSlope * u + scale) * (1.0 - e) + 0.5 * kSlope * d * d * (1.0 - e * e);
    return times.activation * sum / length;
  }
  // The integral of a - u is T2/1.5 ln((1 - 1.5 w1)/(1 - 1.5 w0)).
  const double before = 1.0 - kSlope * fall_after(u, start, 0.0);
  const double after = 1.0 - kSlope * fall_after(u, start, length / times.deactivation);
  return u + times.deactivation / kSlope * elementary::log(after / before) / length;
}

}  // namespace amontons
