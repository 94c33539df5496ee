#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <vector>

namespace amontons {

/// Names how a servo of a smooth tree acts as a force at an instant, for an explicit integrator:
///
///   f = kp (target - q) + kd (target rate - q'),    |f| <= effort limit
///
/// This force is smooth in parts of a motion. In each part a servo is Linear, without regard to its
/// limit, or at a bound. The part ends where that departs from the law, so that an integrator of
/// any order keeps its order. Clamped is the law itself, with its kinks: for a single instant, or
/// where parts would become ever shorter.
enum class ServoPhase : std::int8_t { AtLower = -1, Linear = 0, AtUpper = 1, Clamped = 2 };

/// Holds the phases of all servos in one part of a motion.
struct ServoPart {
  /// Returns a part in which all servos follow the law itself, at and after `time` [s].
  static ServoPart clamped(const System& system, double time);

  /// Begins the part at `time` [s], after the instants of tables near it.
  void begin(double time);

  std::vector<ServoPhase> phases;  ///< by System::servos()
  double within = 0.0;  ///< an instant inside the part, which selects the pieces of tables [s]
};

/// Adds the servo forces to `forces` [nv of the tree].
/// @param q, v  of the tree.
void add_servo_forces(const System& system, int articulation, const ServoPart& part,
                      const Eigen::Ref<const Eigen::VectorXd>& q,
                      const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                      Eigen::Ref<Eigen::VectorXd> forces);

/// Sets the phases of the tree's servos, Linear or at a bound, by the law at the start of a part.
void choose_servo_phases(const System& system, int articulation,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, ServoPart& part);

/// Measures the largest distance of a servo's phase from the law.
struct PhaseError {
  double share = -1.0;    ///< share of the effort limit; up to 0 all phases agree with the law
  int servo = -1;         ///< servo with that distance; -1: none has a limit
  bool is_above = false;  ///< true: its force is positive
};

/// Raises `largest` to the departure of a tree's servos, if that is larger.
void merge_phase_error(const System& system, int articulation, const ServoPart& part,
                       const Eigen::Ref<const Eigen::VectorXd>& q,
                       const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                       PhaseError& largest);

/// Returns how long the phases of a part agree with the law, up to `length` [s].
/// @param at_end  departure after `length`, by `part`.
/// @param departure_after  takes a step of a given length [s] from the start of the part, by
/// `part`, and returns the departure there. Its last call has the returned length.
/// @param part  a servo that departs at once in any phase becomes Clamped.
/// @param next  part with the phases in which the motion continues.
double time_in_phases(double length, PhaseError at_end,
                      const std::function<PhaseError(double)>& departure_after, ServoPart& part,
                      ServoPart& next);

}  // namespace amontons
