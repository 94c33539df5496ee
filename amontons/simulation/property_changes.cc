#include "amontons/simulation/property_changes.h"

#include "amontons/math/named_index.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/system/detached_joints.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/loop_joint_of.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace amontons {
namespace {

/// Returns the index of the item with a name; throws as index_of_named().
template <typename Item>
int index_of(const char* what, const std::vector<Item>& items, const std::string& name) {
  return index_of_named(what, items, name, &Item::name);
}

int body_of(const Simulator& sim, const std::string& name) {
  return index_of("body", sim.system().bodies(), name);
}

int moving_body_of(const Simulator& sim, const std::string& name) {
  const int index = body_of(sim, name);
  if (sim.system().bodies()[static_cast<std::size_t>(index)].articulation < 0) {
    throw std::invalid_argument("'" + name + "' is fixed");
  }
  return index;
}

const JointCoordinate& joint_of(const Simulator& sim, const std::string& name) {
  const std::vector<JointCoordinate>& joints = sim.system().joints();
  return joints[static_cast<std::size_t>(index_of("joint", joints, name))];
}

std::array<double, 8> values_of(const PairProperties& old, const ContactChange& change) {
  return {change.friction.value_or(old.friction), change.restitution.value_or(old.restitution),
          change.viscous_friction.value_or(old.viscous_friction)};
}

/// Returns the servos with their gains, those of parked trees, too, whose servos do not act.
std::vector<ServoDrive> released_servos(const System& system) {
  std::vector<PropertyChange> changes = system.commands().changes;
  const auto parks = [](const PropertyChange& change) {
    return change.kind == PropertyKind::Parked;
  };
  if (std::erase_if(changes, parks) == 0) return system.servos();
  System released = system;
  released.set_changes(changes);
  return released.servos();
}

}  // namespace

PropertyChange gravity_change(const Eigen::Vector3d& gravity) {
  return {PropertyKind::Gravity, -1, -1, {gravity.x(), gravity.y(), gravity.z()}};
}

PropertyChange material_change(const Simulator& sim, const std::string& material,
                               const ContactChange& change) {
  const int index = index_of("material", sim.system().materials(), material);
  const Material& own = sim.system().materials()[static_cast<std::size_t>(index)];
  return {PropertyKind::Material, index, -1,
          values_of({own.friction, own.restitution, own.viscous_friction}, change)};
}

PropertyChange material_pair_change(const Simulator& sim, const std::string& first,
                                    const std::string& second, const ContactChange& change) {
  const auto [a, b] = std::minmax({index_of("material", sim.system().materials(), first),
                                   index_of("material", sim.system().materials(), second)});
  return {PropertyKind::MaterialPair, a, b, values_of(properties_of(sim, first, second), change)};
}

PairProperties properties_of(const Simulator& sim, const std::string& first,
                             const std::string& second) {
  return sim.system().properties_of_materials(
      index_of("material", sim.system().materials(), first),
      index_of("material", sim.system().materials(), second));
}

PropertyChange mass_change(const Simulator& sim, const std::string& body, double mass) {
  return {PropertyKind::Mass, moving_body_of(sim, body), -1, {mass}};
}

double mass_of(const Simulator& sim, const std::string& body) {
  const Body& own = sim.system().bodies()[static_cast<std::size_t>(moving_body_of(sim, body))];
  const Articulation& tree =
      sim.system().articulations()[static_cast<std::size_t>(own.articulation)];
  return tree.links()[static_cast<std::size_t>(own.link)].inertia.mass;
}

PropertyChange servo_gains_change(const Simulator& sim, const std::string& joint,
                                  const GainsChange& change) {
  const JointCoordinate& own = joint_of(sim, joint);
  const std::vector<ServoDrive> servos = released_servos(sim.system());
  const auto servo = std::find_if(servos.begin(), servos.end(), [&](const ServoDrive& drive) {
    return own.loop >= 0 ? drive.loop == own.loop
                         : drive.loop < 0 && own.v_offset >= 0 && drive.v_index == own.v_offset;
  });
  if (servo == servos.end()) {
    throw std::invalid_argument("joint '" + joint + "' has no servo; give it one in the scene");
  }
  if (change.effort_limit && !(*change.effort_limit > 0.0)) {
    throw std::invalid_argument("an effort limit must be positive");
  }
  return {PropertyKind::ServoGains,
          static_cast<int>(servo - servos.begin()),
          -1,
          {change.kp.value_or(servo->kp), change.kd.value_or(servo->kd),
           change.effort_limit.value_or(servo->effort.symmetric_limit())}};
}

PropertyChange collision_change(const Simulator& sim, const std::string& a, const std::string& b,
                                bool collide) {
  const auto [first, second] = std::minmax({body_of(sim, a), body_of(sim, b)});
  if (first == second) throw std::invalid_argument("a body does not collide with itself");
  return {PropertyKind::Collision, first, second, {collide ? 1.0 : 0.0}};
}

PropertyChange attachment_change(const Simulator& sim, const std::string& joint, bool attached) {
  const System& system = sim.system();
  const int index = loop_joint_of(system, joint_of(sim, joint));
  if (index < 0) {
    throw std::invalid_argument("joint '" + joint +
                                "' is no joint between two bodies that is rows of J; give it "
                                "coordinates: maximal in the scene to let it go");
  }
  const LoopJoint& own = system.loop_joints()[static_cast<std::size_t>(index)];
  Pose X_BM = own.X_BM;
  if (attached && !own.is_attached && own.geometry.type == JointType::Fixed) {
    // M is where F is now.
    SystemKinematics kinematics;
    const State& state = sim.state();
    compute_kinematics(system, state.q, state.v, state.time, kinematics);
    X_BM = frame_pose(kinematics, own.body_b, Pose{}).inverse() *
           frame_pose(kinematics, own.body_a, own.X_AF);
  }
  const Eigen::Vector4d q = wxyz_from_quaternion(Eigen::Quaterniond(X_BM.rotation).normalized());
  const Eigen::Vector3d& p = X_BM.translation;
  return {PropertyKind::Attachment,
          index,
          -1,
          {attached ? 1.0 : 0.0, q[0], q[1], q[2], q[3], p.x(), p.y(), p.z()}};
}

void require_attached(const System& system, const JointCoordinate& joint) {
  if (!is_along_detached(system, joint.loop)) return;
  throw std::invalid_argument("joint '" + joint.name +
                              "' is detached; attach it before an effort acts along it");
}

void end_detached_efforts(System& system) {
  Eigen::VectorXd& efforts = system.commanded_loop_effort();
  for (Eigen::Index i = 0; i < efforts.size(); ++i) {
    if (is_along_detached(system, static_cast<int>(i))) efforts[i] = 0.0;
  }
}

PropertyChange parking_change(const Simulator& sim, const std::string& body, bool parked) {
  return {PropertyKind::Parked, moving_body_of(sim, body), -1, {parked ? 1.0 : 0.0}};
}

}  // namespace amontons
