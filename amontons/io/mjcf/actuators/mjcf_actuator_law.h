#pragma once

#include "amontons/dynamics/muscle_activation.h"
#include "amontons/io/mjcf/actuators/mjcf_actuator_form.h"
#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/trajectory.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds a quantity that is constant, or known over time.
struct MjcfSignal {
  double start = 0.0;
  std::vector<double> times = {}, values = {};  ///< empty: it is constant
  Interpolation interpolation = Interpolation::Linear;

  bool varies() const { return !times.empty(); }
  /// Returns offset + factor times the signal, within bounds.
  MjcfSignal mapped(double factor, double offset, double least, double largest) const;
  MjcfSignal scaled(double factor) const;        ///< factor times the signal
  std::optional<Trajectory> trajectory() const;  ///< nothing where it is constant
};

/// Holds a control and how an activation follows it.
struct MjcfControl {
  MuscleTimes times;  ///< zero: the activation is the control
  std::array<double, 2> range{-std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity()};  ///< of the control
  double control = 0.0, activation = 0.0;                                ///< at the start
};

/// Holds the force of an actuator: offset(t) + position l + rate dl/dt, for the length l of its
/// transmission; or a muscle.
struct MjcfActuatorLaw {
  MjcfSignal offset;                     ///< [N or N m]; of a muscle: its activation
  double position = 0.0, rate = 0.0;     ///< [N/m or N m/rad], [N s/m or N m s/rad]
  std::optional<MjcfMuscle> muscle{};    ///< replaces position and rate
  std::optional<MjcfControl> control{};  ///< replaces the offset of a muscle
  std::optional<double> dampratio{};     ///< rate by the inertia at qpos0: 2 ratio sqrt(kp m)
};

/// Reads the force of an actuator at its control at the start, and notes what has no effect.
/// @param index  number of the actuator, in the order of ctrl.
/// @param next_act  number of the next activation; raised by those that the actuator has.
/// @param limits  of the transmission, for inheritrange.
/// @returns nothing for an actuator that is noted as one that exerts nothing.
std::optional<MjcfActuatorLaw> read_mjcf_actuator_law(
    MjcfReader& reader, const MjcfElement& element, std::size_t index, std::size_t& next_act,
    const std::optional<std::array<double, 2>>& limits);

}  // namespace amontons::io
