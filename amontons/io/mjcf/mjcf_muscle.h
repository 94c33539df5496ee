#pragma once

#include "amontons/dynamics/muscle.h"
#include "amontons/io/mjcf/mjcf_element.h"

#include <array>
#include <optional>
#include <vector>

namespace amontons::io {

/// Holds the parameters of a muscle, in the order of gainprm.
struct MjcfMuscle {
  std::array<double, 2> range{0.75, 1.05};  ///< lengths at the ends of lengthrange, in L0 [-]
  double force = -1.0;                      ///< peak force [N]; < 0: scale/acceleration
  double scale = 200.0;                     ///< [N/(kg m), ...]
  double lmin = 0.5, lmax = 1.6, vmax = 1.5, fpmax = 1.3, fvmax = 1.2;  ///< as in Muscle

  /// Returns true if a peak force must be derived from the inertia at qpos0.
  bool needs_acceleration() const { return force < 0.0; }
  /// Returns the muscle of a transmission.
  /// @param lengths  range of its length [m or rad], ascending.
  /// @param acceleration  norm of the joint accelerations by a unit force at qpos0 [1/kg, ...].
  Muscle on(const std::array<double, 2>& lengths, double acceleration) const;
};

/// Reads the parameters of a <muscle>. @throws ParseError for lengths out of order.
MjcfMuscle read_mjcf_muscle(const MjcfElement& element);
/// Returns the parameters that `gainprm` of a <general> gives. @throws ParseError as above.
MjcfMuscle mjcf_muscle_of(const MjcfElement& element, const std::array<double, 9>& p);

/// Holds an activation that approaches a constant control, at certain times [s].
struct MjcfActivation {
  std::vector<double> times, values;  ///< ascending times; values in [0, 1]
};

/// Returns the activation of a muscle from `act` on, under a constant control. It follows
///
///   a' = (u - a)/tau,   tau = T1 (0.5 + 1.5 a) where u > a, else T2/(0.5 + 1.5 a),
///
/// whose inverse t(a) is known.
/// @param control, act  in [0, 1], not equal.
/// @param time_constants  T1 and T2 [s], > 0.
MjcfActivation mjcf_muscle_activation(double control, double act,
                                      const std::array<double, 2>& time_constants);

}  // namespace amontons::io
