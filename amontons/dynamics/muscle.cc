#include "amontons/dynamics/muscle.h"

namespace amontons {
namespace {

double square(double x) { return x * x; }

}  // namespace

double muscle_force_length(const Muscle& muscle, double L) {
  // Two parabolas on each side of 1 meet in the middle between 1 and the end.
  const double end = L <= 1.0 ? muscle.lmin : muscle.lmax;
  const double share = (L - end) / (1.0 - end);  // 0 at the end, 1 at L = 1
  if (!(share > 0.0)) return 0.0;
  return share <= 0.5 ? 2.0 * square(share) : 1.0 - 2.0 * square(1.0 - share);
}

double muscle_force_velocity(const Muscle& muscle, double V) {
  const double gain = muscle.fvmax - 1.0;  // V at which the force no longer grows
  if (V <= -1.0) return 0.0;
  if (V <= 0.0) return square(V + 1.0);
  return V < gain ? muscle.fvmax - square(gain - V) / gain : muscle.fvmax;
}

double muscle_passive_force(const Muscle& muscle, double L) {
  if (L <= 1.0) return 0.0;
  // A parabola up to the middle between 1 and lmax, then its tangent.
  const double half = 0.5 * (muscle.lmax - 1.0);
  const double x = (L - 1.0) / half;
  return muscle.fpmax * (x <= 1.0 ? 0.5 * square(x) : x - 0.5);
}

double muscle_force(const Muscle& muscle, double length, double rate, double activation) {
  const double L = (length - muscle.origin) / muscle.optimal_length;
  const double V = rate / (muscle.optimal_length * muscle.vmax);
  return -muscle.peak_force *
         (activation * muscle_force_length(muscle, L) * muscle_force_velocity(muscle, V) +
          muscle_passive_force(muscle, L));
}

}  // namespace amontons
