#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <vector>

namespace amontons {

/// Servos of a smooth tree as forces at an instant, for an explicit integrator:
///
///   f = kp (target - q) + kd (target rate - q'),    |f| <= effort limit
///
/// That is smooth in parts. In each a servo is Linear, whatever that gives, or at a bound; where it
/// is no more what the law says the part ends, so that a method of any order keeps it. Clamped is
/// the law itself, with its kinks: at a single instant, or where parts would not come to an end.
enum class ServoPhase : std::int8_t { AtLower = -1, Linear = 0, AtUpper = 1, Clamped = 2 };

/// A part of a motion.
struct ServoPart {
  /// All as the law has them, as a motion after `time` meets it.
  static ServoPart clamped(const System& system, double time);

  /// The part begins at `time`, after the instants of tables near it.
  void begin(double time);

  std::vector<ServoPhase> phases;  ///< by System::servos()
  double within = 0.0;             ///< an instant inside the part: of the pieces of tables [s]
};

/// Adds them to forces [nv of the tree].
/// @param q, v  of the tree.
void add_servo_forces(const System& system, int articulation, const ServoPart& part,
                      const Eigen::Ref<const Eigen::VectorXd>& q,
                      const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                      Eigen::Ref<Eigen::VectorXd> forces);

/// Makes the tree's servos Linear or at their bounds, as the law has them where a part begins.
void choose_servo_phases(const System& system, int articulation,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, ServoPart& part);

/// How far the phase of a servo is from the law at most.
struct ServoDeparture {
  double share = -1.0;    ///< of the effort limit; up to 0 all phases are the law's
  int servo = -1;         ///< the one that has the most, if any has a limit
  bool is_above = false;  ///< whether it asks for more than zero
};

/// The larger of a departure and that of the servos of a tree.
void add_servo_departure(const System& system, int articulation, const ServoPart& part,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                         ServoDeparture& largest);

/// How long the phases of a part are the law's, up to `length` [s].
/// @param at_end  what departs after `length`, by `part`.
/// @param departure_after  takes a step of a length given to it from the start of the part, by
/// `part`, and says what departs there; the one taken last is that of the answer.
/// @param part  a servo that departs at once, whatever its phase, becomes Clamped.
/// @param next  with the phases by which the motion goes on.
double time_in_phases(double length, ServoDeparture at_end,
                      const std::function<ServoDeparture(double)>& departure_after, ServoPart& part,
                      ServoPart& next);

}  // namespace amontons
