#pragma once

namespace amontons {

/// Holds the time constants of a muscle's activation a [s], which follows the control u in [0, 1]:
///
///   a' = (u - a)/tau,   tau = T1 (0.5 + 1.5 a) where u > a, else T2/(0.5 + 1.5 a)
///
/// as MuJoCo defines it (MuJoCo documentation, "Computation", "Muscle actuators"), with u and a in
/// [0, 1]. Where both are zero, a is u, which may be any number.
struct MuscleTimes {
  double activation = 0.0;    ///< T1 [s]
  double deactivation = 0.0;  ///< T2 [s]
};

/// Holds a control that a muscle has from an instant on, and its activation at that instant.
struct MuscleControl {
  double since = 0.0;       ///< [s]
  double control = 0.0;     ///< u
  double activation = 0.0;  ///< a at `since`
};

/// Returns the rate of an activation [1/s].
/// @param times  both positive.
double muscle_activation_rate(const MuscleTimes& times, double control, double activation);

/// Returns the activation at a time [s], in closed form; that at `since` for earlier times.
double muscle_activation(const MuscleTimes& times, const MuscleControl& control, double time);

/// Returns the mean activation over [from, to], since <= from < to [s].
double mean_muscle_activation(const MuscleTimes& times, const MuscleControl& control, double from,
                              double to);

}  // namespace amontons
