#pragma once

#include "amontons/dynamics/muscle.h"
#include "amontons/dynamics/muscle_activation.h"
#include "amontons/io/mjcf/mjcf_element.h"

#include <array>
#include <cstddef>
#include <optional>

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

/// Names how an activation follows its control.
enum class MjcfDynamics {
  None,        ///< the control itself
  Integrator,  ///< its integral
  Filter,      ///< a filter of first order
  Muscle,      ///< a muscle, with one time constant for each direction
};

/// Holds the general form of an actuator: force = (gain . (1, l, dl/dt)) u + bias . (1, l, dl/dt),
/// for the control or activation u; or the force of a muscle of activation u.
struct MjcfActuatorForm {
  bool is_modeled = true;           ///< false: it exerts nothing, which is noted
  std::size_t num_activations = 0;  ///< in the act of a keyframe
  std::array<double, 3> gain{1.0, 0.0, 0.0}, bias{};
  MjcfDynamics dynamics = MjcfDynamics::None;
  double time_constant = 1.0;            ///< of the filter [s]
  MuscleTimes muscle_times{0.01, 0.04};  ///< of a muscle's activation
  std::optional<MjcfMuscle> muscle{};
  std::optional<double> dampratio{};  ///< the rate feedback is 2 ratio sqrt(kp m) at qpos0
};

/// Reads the general form of an actuator. All kinds of actuators share one default in each class:
/// the elements of the classes, the outermost first, and then the actuator itself each set what
/// their kinds set of it.
/// @throws ParseError for numbers that have no meaning.
MjcfActuatorForm read_mjcf_actuator_form(const MjcfElement& element);

}  // namespace amontons::io
