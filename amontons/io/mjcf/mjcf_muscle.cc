#include "amontons/io/mjcf/mjcf_muscle.h"

#include "amontons/math/elementary.h"

#include <algorithm>

namespace amontons::io {
namespace {

// MuJoCo takes smaller numbers for this one where it divides.
constexpr double kSmallest = 1e-15;

/// Throws for curves that have no meaning.
void check(const MjcfElement& element, const MjcfMuscle& muscle) {
  if (!(muscle.range[0] < muscle.range[1])) {
    element.fail("the first number of its range must be smaller than the second");
  }
  if (!(muscle.lmin < 1.0 && muscle.lmax > 1.0)) element.fail("needs lmin < 1 < lmax");
  if (!(muscle.vmax > 0.0 && muscle.fvmax >= 1.0)) element.fail("needs vmax > 0 and fvmax >= 1");
  if (!(muscle.fpmax >= 0.0 && muscle.scale >= 0.0)) {
    element.fail("fpmax and scale must not be negative");
  }
}

}  // namespace

Muscle MjcfMuscle::on(const std::array<double, 2>& lengths, double acceleration) const {
  Muscle muscle{.lmin = lmin, .lmax = lmax, .vmax = vmax, .fpmax = fpmax, .fvmax = fvmax};
  muscle.peak_force = force < 0.0 ? scale / std::max(kSmallest, acceleration) : force;
  muscle.optimal_length = (lengths[1] - lengths[0]) / (range[1] - range[0]);
  muscle.origin = lengths[0] - range[0] * muscle.optimal_length;
  return muscle;
}

MjcfMuscle read_mjcf_muscle(const MjcfElement& element) {
  MjcfMuscle muscle;
  const std::vector<double> range = element.numbers("range", 2, 2);
  std::copy(range.begin(), range.end(), muscle.range.begin());
  muscle.force = element.number("force", muscle.force);
  muscle.scale = element.number("scale", muscle.scale);
  muscle.lmin = element.number("lmin", muscle.lmin);
  muscle.lmax = element.number("lmax", muscle.lmax);
  muscle.vmax = element.number("vmax", muscle.vmax);
  muscle.fpmax = element.number("fpmax", muscle.fpmax);
  muscle.fvmax = element.number("fvmax", muscle.fvmax);
  check(element, muscle);
  return muscle;
}

MjcfMuscle mjcf_muscle_of(const MjcfElement& element, const std::array<double, 9>& p) {
  const MjcfMuscle muscle{{p[0], p[1]}, p[2], p[3], p[4], p[5], p[6], p[7], p[8]};
  check(element, muscle);
  return muscle;
}

MjcfActivation mjcf_muscle_activation(double control, double act,
                                      const std::array<double, 2>& time_constants) {
  // 36 natural logarithms bring the rest below rounding; pieces of 1/256 interpolate to 1e-9.
  constexpr int kPieces = 36 * 256;
  constexpr double kConstant = 0.5, kSlope = 1.5;  // of the time constants
  const double at_control = kConstant + kSlope * control, at_start = kConstant + kSlope * act;
  MjcfActivation result;
  for (int i = 0; i <= kPieces; ++i) {
    const double s = static_cast<double>(i) / 256.0, rest = elementary::exp(-s);
    if (control > act) {
      // (u - a) falls as exp(-s).
      const double a = control - (control - act) * rest;
      result.times.push_back(time_constants[0] * (at_control * s - kSlope * (a - act)));
      result.values.push_back(a);
    } else {
      // (a - u)/(0.5 + 1.5 a) falls as exp(-s).
      const double w = (act - control) / at_start * rest;
      result.times.push_back(time_constants[1] / at_control * s);
      result.values.push_back((control + kConstant * w) / (1.0 - kSlope * w));
    }
  }
  return result;
}

}  // namespace amontons::io
