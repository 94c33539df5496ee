#pragma once

namespace amontons {

/// Describes a muscle: an actuator that only pulls, with a force that depends on its length l, its
/// rate of lengthening and its activation a,
///
///   f = -F (a FL(L) FV(V) + FP(L)),   L = (l - origin)/L0,   V = l'/(L0 vmax),
///
/// as MuJoCo defines it (MuJoCo documentation, "Computation", "Muscle actuators"). L is in units of
/// the length L0 at which the muscle is strongest.
struct Muscle {
  double peak_force = 0.0;      ///< F [N or N m]
  double optimal_length = 1.0;  ///< L0 [m or rad], > 0
  double origin = 0.0;          ///< length l at which L is 0 [m or rad]
  double lmin = 0.5;            ///< L below which the active force is zero [-]
  double lmax = 1.6;            ///< L above which it is zero [-]
  double vmax = 1.5;            ///< fastest shortening [L0 per second]
  double fpmax = 1.3;           ///< passive force at (1 + lmax)/2 is half of it [F]
  double fvmax = 1.2;           ///< force at fast lengthening, as a share of F [-]
};

/// Returns FL, the active force at a length [-]: 1 at L = 1, quadratic splines down to 0 at lmin
/// and lmax.
double muscle_force_length(const Muscle& muscle, double L);
/// Returns FV, the factor of a velocity [-]: 0 for V <= -1, 1 at V = 0, fvmax at V >= fvmax - 1.
double muscle_force_velocity(const Muscle& muscle, double V);
/// Returns FP, the passive force at a length [-]: zero up to L = 1.
double muscle_passive_force(const Muscle& muscle, double L);

/// Returns the force of a muscle [N or N m], at most zero.
/// @param length, rate  of the muscle [m or rad], [m/s or rad/s].
/// @param activation    in [0, 1].
double muscle_force(const Muscle& muscle, double length, double rate, double activation);

}  // namespace amontons
