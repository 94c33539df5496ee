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

}  // namespace amontons::io
