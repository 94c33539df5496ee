#include "amontons/simulation/forces/explicit_servos.h"

#include "amontons/simulation/forces/first_crossing.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Ref;
using Eigen::VectorXd;

// Time after an instant at which a table's next piece surely holds [s]; shorter than any piece.
constexpr double kTableOffset = 1e-9;

// Share of an effort limit up to which a phase agrees with the law.
constexpr double kPhaseRounding = 1e-12;

// Share of a part's length below which the part is empty.
constexpr double kEmptyPartShare = 1e-12;

/// Calls a visitor with each servo of a tree and its indices in the tree's q and v.
template <typename Visit>
void for_each_servo(const System& system, int articulation, const Visit& visit) {
  const int q0 = system.q_offset(articulation), v0 = system.v_offset(articulation);
  for (std::size_t i = 0; i < system.servos().size(); ++i) {
    const ServoDrive& servo = system.servos()[i];
    if (servo.v_index < 0 || system.articulation_of(servo.v_index) != articulation) continue;
    visit(i, servo, servo.q_index - q0, servo.v_index - v0);
  }
}

/// Returns the force of a servo without its limit [N m or N].
double linear_force(const ServoDrive& servo, double q, double v, double time, double within) {
  double target = servo.target, rate = servo.target_rate;
  // A trajectory of a servo without kp gives rates, else positions.
  if (servo.trajectory && servo.kp == 0.0) {
    rate = servo.trajectory->value(time);
  } else if (servo.trajectory) {
    target = servo.trajectory->value(time);
    rate = servo.trajectory->rate(time, within);
  }
  return servo.kp * (target - q) + servo.kd * (rate - v);
}

}  // namespace

ServoPart ServoPart::clamped(const System& system, double time) {
  ServoPart part{std::vector<ServoPhase>(system.servos().size(), ServoPhase::Clamped)};
  part.begin(time);
  return part;
}

void ServoPart::begin(double time) { within = time + kTableOffset; }

void add_servo_forces(const System& system, int articulation, const ServoPart& part,
                      const Ref<const VectorXd>& q, const Ref<const VectorXd>& v, double time,
                      Ref<VectorXd> forces) {
  for_each_servo(system, articulation, [&](std::size_t i, const ServoDrive& servo, int iq, int iv) {
    // At a bound the force is constant; Linear ignores the limit.
    if (part.phases[i] == ServoPhase::AtLower) {
      forces[iv] += servo.effort.least;
    } else if (part.phases[i] == ServoPhase::AtUpper) {
      forces[iv] += servo.effort.largest;
    } else {
      const double force = linear_force(servo, q[iq], v[iv], time, part.within);
      const bool is_clamped = part.phases[i] == ServoPhase::Clamped;
      forces[iv] += is_clamped ? servo.effort.clamp(force) : force;
    }
  });
}

void choose_servo_phases(const System& system, int articulation, const Ref<const VectorXd>& q,
                         const Ref<const VectorXd>& v, double time, ServoPart& part) {
  for_each_servo(system, articulation, [&](std::size_t i, const ServoDrive& servo, int iq, int iv) {
    const double force = linear_force(servo, q[iq], v[iv], time, part.within);
    // The phase of a part is the law's at its start.
    part.phases[i] = force > servo.effort.largest ? ServoPhase::AtUpper
                     : force < servo.effort.least ? ServoPhase::AtLower
                                                  : ServoPhase::Linear;
  });
}

void merge_phase_error(const System& system, int articulation, const ServoPart& part,
                       const Ref<const VectorXd>& q, const Ref<const VectorXd>& v, double time,
                       PhaseError& largest) {
  for_each_servo(system, articulation, [&](std::size_t i, const ServoDrive& servo, int iq, int iv) {
    if (!servo.effort.is_limited() || part.phases[i] == ServoPhase::Clamped) return;
    const double force = linear_force(servo, q[iq], v[iv], time, part.within);
    // How far the force is above and below the range; the unit is the larger limit.
    const double above = (force - servo.effort.largest) / servo.effort.size();
    const double below = (servo.effort.least - force) / servo.effort.size();
    // Linear departs outside of the range, a bound within it.
    const double own = part.phases[i] == ServoPhase::Linear    ? std::max(above, below)
                       : part.phases[i] == ServoPhase::AtUpper ? -above
                                                               : -below;
    if (own > largest.share) largest = {own, static_cast<int>(i), above > below};
  });
}

double time_in_phases(double length, PhaseError at_end,
                      const std::function<PhaseError(double)>& departure_after, ServoPart& part,
                      ServoPart& next) {
  next = part;
  if (!(at_end.share > kPhaseRounding)) return length;
  PhaseError departed = at_end;  // names the servo that departs
  const auto share_after = [&](double instant) {
    const PhaseError after = departure_after(instant);
    if (after.servo >= 0 && after.share >= -kPhaseRounding) departed = after;
    return after.share;
  };
  // At the start phases depart by rounding alone.
  const CrossingEnd holds{0.0, std::min(departure_after(0.0).share, -kPhaseRounding)};
  const double end = find_crossing(holds, {length, at_end.share}, kPhaseRounding,
                                   kEmptyPartShare * length, share_after);
  const auto servo = static_cast<std::size_t>(departed.servo);
  // An empty part: neither phase fits, so that the servo follows its law with the kink.
  if (end <= kEmptyPartShare * length) {
    part.phases[servo] = ServoPhase::Clamped;
    return time_in_phases(length, departure_after(length), departure_after, part, next);
  }
  // A bound returns to Linear, Linear goes to the bound that it has reached.
  next.phases[servo] = part.phases[servo] != ServoPhase::Linear ? ServoPhase::Linear
                       : departed.is_above                      ? ServoPhase::AtUpper
                                                                : ServoPhase::AtLower;
  return end;
}

}  // namespace amontons
