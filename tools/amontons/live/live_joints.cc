#include "tools/amontons/live/live_joints.h"

#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <optional>

namespace amontons::live {
namespace {

constexpr double kTravel = 0.5;    // of the slider of a sliding joint without limits, each way [m]
constexpr double kWidest = 100.0;  // limits that a slider still has as its ends [rad or m]

/// Returns the joint's place; none for a joint without one coordinate of its own.
std::optional<CoordinatePlace> place_of(const JointCoordinate& joint) {
  if (joint.loop >= 0) return CoordinatePlace{-1, -1, joint.loop};
  if (joint.num_v != 1 || joint.num_q != 1) return {};
  return CoordinatePlace{joint.q_offset, joint.v_offset, -1};
}

bool is_at(const ServoDrive& servo, const CoordinatePlace& place) {
  return place.loop >= 0 ? servo.loop == place.loop
                         : servo.loop < 0 && servo.v_index == place.v_index;
}

/// Returns the servo at a place whose target position is free to be set; -1: none.
int servo_at(const System& system, const CoordinatePlace& place) {
  const std::vector<ServoDrive>& servos = system.servos();
  for (std::size_t i = 0; i < servos.size(); ++i) {
    const bool is_free = !servos[i].trajectory && servos[i].kp > 0.0;
    if (is_free && is_at(servos[i], place)) return static_cast<int>(i);
  }
  return -1;
}

/// Returns true if a coupling or a prescribed motion gives the position at a place.
bool is_led(const System& system, const CoordinatePlace& place) {
  const auto by_coupling = [&](const CoordinateCoupling& own) { return own.a == place; };
  const auto by_motion = [&](const PrescribedCoordinate& own) { return own.place == place; };
  return std::any_of(system.couplings().begin(), system.couplings().end(), by_coupling) ||
         std::any_of(system.prescribed().begin(), system.prescribed().end(), by_motion);
}

/// Returns the limits of a joint [rad or m]; none where it has none.
std::optional<std::array<double, 2>> limits_of(const System& system, const JointCoordinate& joint) {
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (own.joint == joint.name) return own.dynamics.limits;
  }
  return {};
}

}  // namespace

LiveJoints::LiveJoints(const System& system) {
  for (const JointCoordinate& joint : system.joints()) {
    const std::optional<CoordinatePlace> place = place_of(joint);
    if (!place) continue;
    ++num_all_;
    if (joints_.size() == kMaxJoints) continue;
    Joint own{.name = joint.name, .place = *place};
    own.turns = joint.type != JointType::Prismatic;
    own.servo = servo_at(system, *place);
    own.is_led = is_led(system, *place);
    // Without limits the slider is around the target that the scene gives, or zero.
    const double reach = own.turns ? std::numbers::pi : kTravel;
    const double middle =
        own.servo < 0 ? 0.0 : system.servos()[static_cast<std::size_t>(own.servo)].target;
    const std::optional<std::array<double, 2>> limits = limits_of(system, joint);
    const bool is_narrow = limits && (*limits)[1] - (*limits)[0] < kWidest;
    own.low = is_narrow ? (*limits)[0] : middle - reach;
    own.high = is_narrow ? (*limits)[1] : middle + reach;
    joints_.push_back(own);
  }
}

void LiveJoints::read(const System& system, const Eigen::VectorXd& q, double time,
                      std::vector<double>& positions, std::vector<double>& targets) const {
  positions.clear();
  targets.clear();
  const bool has_loops = std::any_of(joints_.begin(), joints_.end(),
                                     [](const Joint& joint) { return joint.place.loop >= 0; });
  SystemKinematics kinematics;
  if (has_loops) {
    compute_kinematics(system, q, Eigen::VectorXd::Zero(system.num_velocities()), time, kinematics);
  }
  for (const Joint& joint : joints_) {
    positions.push_back(joint.place.loop < 0 ? q[joint.place.q_index]
                                             : kinematics.loops.position[joint.place.loop]);
    targets.push_back(joint.servo < 0
                          ? std::numeric_limits<double>::quiet_NaN()
                          : system.servos()[static_cast<std::size_t>(joint.servo)].target);
  }
}

nlohmann::json LiveJoints::json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Joint& joint : joints_) {
    list.push_back({{"name", joint.name},
                    {"unit", joint.turns ? "rad" : "m"},
                    {"low", joint.low},
                    {"high", joint.high},
                    {"servo", joint.servo >= 0},
                    {"pose", joint.can_be_placed()}});
  }
  return list;
}

void place_joints(Simulator& sim, const LiveJoints& joints,
                  const std::map<std::size_t, double>& positions) {
  Eigen::VectorXd q = sim.state().q, v = sim.state().v;
  const auto put = [&](const CoordinatePlace& place, double position) {
    q[place.q_index] = position;
    v[place.v_index] = 0.0;
  };
  for (const auto& [joint, position] : positions) put(joints.list()[joint].place, position);
  // A chain of gears turns from its first joint on, in as many passes at most.
  const std::vector<CoordinateCoupling>& couplings = sim.system().couplings();
  for (std::size_t pass = 0; pass < couplings.size(); ++pass) {
    for (const CoordinateCoupling& own : couplings) {
      if (own.a.v_index < 0 || !own.b || own.b->v_index < 0) continue;
      put(own.a, own.curve.value(q[own.b->q_index]));
    }
  }
  sim.set_state(q, v);
}

std::string joint_of_servo(const System& system, int servo) {
  if (servo < 0 || servo >= static_cast<int>(system.servos().size())) return "";
  const ServoDrive& drive = system.servos()[static_cast<std::size_t>(servo)];
  for (const JointCoordinate& joint : system.joints()) {
    const std::optional<CoordinatePlace> place = place_of(joint);
    if (place && is_at(drive, *place)) return joint.name;
  }
  return "";
}

}  // namespace amontons::live
