#include "amontons/io/mjcf/mjcf_muscle.h"

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

}  // namespace amontons::io
