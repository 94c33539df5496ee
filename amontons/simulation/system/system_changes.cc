#include "amontons/math/disjoint_sets.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/system/detached_joints.h"
#include "amontons/simulation/system/material_table.h"
#include "amontons/simulation/system/parked_bodies.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

// Changes of properties by a program, between steps.

namespace amontons {

/// Holds what a program may change, as the scene gives it.
struct SystemProperties {
  Eigen::Vector3d gravity;
  std::vector<Articulation> articulations;
  std::vector<Material> materials;
  std::vector<std::vector<PairProperties>> pairs;
  std::vector<ServoDrive> servos;  // their gains alone
  std::vector<WrenchDrive> wrenches;
  std::vector<LoopJoint> loop_joints;
  std::vector<CoordinateDynamics> coordinate_dynamics;
  std::vector<EffortDrive> efforts;
  std::vector<MuscleDrive> muscles;  // bounds of their forces alone
};

namespace {

/// Throws std::invalid_argument unless a number is one of `size`.
void require_index(const char* what, int index, std::size_t size) {
  if (index >= 0 && index < static_cast<int>(size)) return;
  throw std::invalid_argument(std::string("a change names ") + what + " " + std::to_string(index) +
                              ", which is not there");
}

/// Throws std::invalid_argument with a reason unless the condition holds.
void require(bool holds, const std::string& reason) {
  if (!holds) throw std::invalid_argument(reason);
}

/// Throws for numbers that a change of its kind does not have.
void check_form(const PropertyChange& change) {
  require(static_cast<int>(change.kind) < kNumPropertyKinds, "a change is of an unknown kind");
  require(has_other(change.kind) || change.other == -1, "a change names a second thing");
  require(change.kind != PropertyKind::Gravity || change.index == -1,
          "a change of gravity names a thing");
  for (std::size_t i = 0; i < change.values.size(); ++i) {
    const double value = change.values[i];
    require(i < num_values(change.kind) || value == 0.0, "a change has too many values");
    require(!std::isnan(value), "a change has a value that is not a number");
  }
}

/// Throws for coefficients out of range.
void check_contact(const std::array<double, 8>& values) {
  require(values[0] >= 0.0 && std::isfinite(values[0]), "friction must be finite, at least 0");
  require(values[1] >= 0.0 && values[1] <= 1.0, "restitution must be within [0, 1]");
  require(values[2] >= 0.0 && std::isfinite(values[2]),
          "viscous friction must be finite, at least 0");
}

/// Returns the pose that a change of an attachment gives M in B.
Pose pose_of(const PropertyChange& change) {
  const auto& v = change.values;
  const Eigen::Vector4d wxyz(v[1], v[2], v[3], v[4]);
  return {quaternion_from_wxyz(wxyz).toRotationMatrix(), {v[5], v[6], v[7]}};
}

}  // namespace

SystemProperties System::properties() const {
  return {gravity_,  articulations_, materials_,           pair_properties_, servos_,
          wrenches_, loop_joints_,   coordinate_dynamics_, efforts_,         muscles_};
}

void System::set_changes(const std::vector<PropertyChange>& changes) {
  for (const PropertyChange& change : changes) check_change(change);
  if (!scene_properties_) {
    scene_properties_ = std::make_shared<const SystemProperties>(properties());
  }
  // Everything returns to the scene, then the changes follow; weights come last, by masses and
  // gravity.
  const SystemProperties& scene = *scene_properties_;
  gravity_ = scene.gravity;
  articulations_ = scene.articulations;
  materials_ = scene.materials;
  pair_properties_ = scene.pairs;
  wrenches_ = scene.wrenches;
  loop_joints_ = scene.loop_joints;
  coordinate_dynamics_ = scene.coordinate_dynamics;
  efforts_ = scene.efforts;
  for (std::size_t i = 0; i < servos_.size(); ++i) {
    servos_[i].kp = scene.servos[i].kp;
    servos_[i].kd = scene.servos[i].kd;
    servos_[i].effort = scene.servos[i].effort;
  }
  for (std::size_t i = 0; i < muscles_.size(); ++i) {
    muscles_[i].commanded.reset();
    muscles_[i].law.least_force = scene.muscles[i].law.least_force;
    muscles_[i].law.largest_force = scene.muscles[i].law.largest_force;
  }
  colliding_.clear();
  is_parked_.clear();
  std::vector<PropertyChange> ordered = changes;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.kind < b.kind; });
  for (const PropertyChange& change : ordered) apply_change(change);
  for (const WeightSupport& support : supports_) {
    WrenchDrive& wrench = wrenches_[support.wrench];
    const Body& body = bodies_[static_cast<std::size_t>(wrench.body)];
    const auto a = static_cast<std::size_t>(body.articulation);
    const auto link = static_cast<std::size_t>(body.link);
    const double factor = articulations_[a].links()[link].inertia.mass /
                          scene.articulations[a].links()[link].inertia.mass;
    wrench.force_W = -factor * support.mass * gravity_;
  }
  for (std::size_t a = 0; a < is_parked_.size(); ++a) {
    if (!is_parked_[a]) continue;
    support_weight(static_cast<int>(a));
    end_joint_forces(*this, static_cast<int>(a),
                     {coordinate_dynamics_, servos_, efforts_, muscles_});
  }
  end_detached_forces(*this, {coordinate_dynamics_, servos_, efforts_, muscles_});
  set_welded_links();
  changes_collisions_ = !colliding_.empty() || !is_parked_.empty();
  commands_.changes = changes;
}

void System::check_change(const PropertyChange& change) const {
  check_form(change);
  const std::array<double, 8>& values = change.values;
  const bool is_switch = values[0] == 0.0 || values[0] == 1.0;
  const auto index = static_cast<std::size_t>(change.index);
  const auto require_moving = [&] {
    require_index("body", change.index, bodies_.size());
    require(bodies_[index].articulation >= 0, "'" + bodies_[index].name + "' is fixed");
  };
  switch (change.kind) {
    case PropertyKind::Gravity:
      return require(Eigen::Map<const Eigen::Vector3d>(values.data()).allFinite(),
                     "gravity must be finite");
    case PropertyKind::MaterialPair:
      require_index("material", change.other, materials_.size());
      require(change.index <= change.other, "the materials of a change are out of order");
      [[fallthrough]];
    case PropertyKind::Material:
      require_index("material", change.index, materials_.size());
      return check_contact(values);
    case PropertyKind::Mass:
      require_moving();
      return require(values[0] > 0.0 && std::isfinite(values[0]), "a mass must be positive");
    case PropertyKind::ServoGains:
      require_index("servo", change.index, servos_.size());
      require(values[0] >= 0.0 && values[1] >= 0.0 && std::isfinite(values[0] + values[1]),
              "gains must be finite, at least 0");
      return require(values[2] >= 0.0, "an effort limit must be positive");
    case PropertyKind::Collision:
      require_index("body", change.index, bodies_.size());
      require_index("body", change.other, bodies_.size());
      return require(change.index < change.other && is_switch, "a change of collisions is invalid");
    case PropertyKind::Attachment: {
      require_index("loop joint", change.index, loop_joints_.size());
      require_detachable(*this, change.index);
      const double length = Eigen::Map<const Eigen::Vector4d>(values.data() + 1).norm();
      return require(is_switch && std::abs(length - 1.0) < 1e-9,
                     "a change of an attachment is invalid");
    }
    case PropertyKind::Parked:
      require_moving();
      return require(is_switch, "a change of parking is invalid");
    case PropertyKind::MuscleControl: {
      require_index("muscle", change.index, muscles_.size());
      const JointMuscle& law = muscles_[index].law;
      require(!law.table, "the activation of muscle '" + law.name +
                              "' is filtered or integrated; no program commands its control");
      return require(std::isfinite(values[0] + values[1] + values[2]),
                     "a control, its time and its activation must be finite");
    }
  }
}

void System::apply_change(const PropertyChange& change) {
  const std::array<double, 8>& values = change.values;
  const auto index = static_cast<std::size_t>(change.index);
  const auto other = static_cast<std::size_t>(change.other);
  switch (change.kind) {
    case PropertyKind::Gravity:
      gravity_ = {values[0], values[1], values[2]};
      break;
    case PropertyKind::Material: {
      Material& material = materials_[index];
      material.friction = values[0];
      material.restitution = values[1];
      material.viscous_friction = values[2];
      // Changes of pairs come after those of all materials.
      pair_properties_ = pair_table(materials_, material_pairs_);
      break;
    }
    case PropertyKind::MaterialPair:
      pair_properties_[index][other] = {values[0], values[1], values[2]};
      pair_properties_[other][index] = pair_properties_[index][other];
      break;
    case PropertyKind::Mass:
      set_mass(bodies_[index], values[0]);
      break;
    case PropertyKind::ServoGains:
      servos_[index].kp = values[0];
      servos_[index].kd = values[1];
      if (values[2] > 0.0) servos_[index].effort = EffortRange::symmetric(values[2]);
      break;
    case PropertyKind::Collision: {
      const CollidingBodies pair{{change.index, change.other}, values[0] == 1.0};
      const auto before = [](const CollidingBodies& a, const CollidingBodies& b) {
        return a.bodies < b.bodies;
      };
      colliding_.insert(std::upper_bound(colliding_.begin(), colliding_.end(), pair, before), pair);
      break;
    }
    case PropertyKind::Attachment:
      loop_joints_[index].is_attached = values[0] == 1.0;
      loop_joints_[index].X_BM = pose_of(change);
      break;
    case PropertyKind::Parked:
      is_parked_.resize(articulations_.size(), 0);
      is_parked_[static_cast<std::size_t>(bodies_[index].articulation)] =
          static_cast<char>(values[0] == 1.0);
      break;
    case PropertyKind::MuscleControl:
      muscles_[index].commanded = MuscleControl{values[1], values[0], values[2]};
      break;
  }
}

double System::mass_factor(int body) const {
  const Body& own = bodies_[static_cast<std::size_t>(body)];
  if (!scene_properties_ || own.articulation < 0) return 1.0;
  const auto a = static_cast<std::size_t>(own.articulation), l = static_cast<std::size_t>(own.link);
  const double mass = scene_properties_->articulations[a].links()[l].inertia.mass;
  return mass > 0.0 ? articulations_[a].links()[l].inertia.mass / mass : 1.0;
}

void System::set_mass(const Body& body, double mass) {
  Articulation& tree = articulations_[static_cast<std::size_t>(body.articulation)];
  std::vector<Link> links = tree.links();
  SpatialInertia& inertia = links[static_cast<std::size_t>(body.link)].inertia;
  require(inertia.mass > 0.0, "'" + body.name + "' has no mass that could be changed");
  inertia.inertia *= mass / inertia.mass;
  inertia.mass = mass;
  tree = Articulation(std::move(links));
}

/// Replaces the wrenches on a tree by those that carry the weights of its links.
void System::support_weight(int articulation) {
  const auto is_own = [&](const WrenchDrive& wrench) {
    return bodies_[static_cast<std::size_t>(wrench.body)].articulation == articulation;
  };
  std::erase_if(wrenches_, is_own);
  const std::vector<Link>& links = articulations_[static_cast<std::size_t>(articulation)].links();
  std::vector<char> is_done(links.size(), 0);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    if (body.articulation != articulation || is_done[static_cast<std::size_t>(body.link)]) continue;
    is_done[static_cast<std::size_t>(body.link)] = 1;
    const SpatialInertia& inertia = links[static_cast<std::size_t>(body.link)].inertia;
    wrenches_.push_back({static_cast<int>(b), -inertia.mass * gravity_, Eigen::Vector3d::Zero(),
                         body.X_LB.inverse() * inertia.center_of_mass});
  }
}

/// Tells the filters which links the fixed joints that are attached hold together.
void System::set_welded_links() {
  std::vector<int> first_link(1, 1);
  for (const Articulation& tree : articulations_) {
    first_link.push_back(first_link.back() + tree.num_links());
  }
  // Group 0 is the world, and all that is fixed.
  const auto link_of = [&](int body) {
    if (body < 0 || bodies_[static_cast<std::size_t>(body)].articulation < 0) return 0;
    const Body& own = bodies_[static_cast<std::size_t>(body)];
    return first_link[static_cast<std::size_t>(own.articulation)] + own.link;
  };
  DisjointSets groups(static_cast<std::size_t>(first_link.back()));
  for (const LoopJoint& joint : loop_joints_) {
    if (!joint.is_attached || joint.geometry.type != JointType::Fixed) continue;
    groups.join(link_of(joint.body_a), link_of(joint.body_b));
  }
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    collision_filters_.set_rigid(static_cast<int>(i), groups.root(link_of(shapes_[i].body)));
  }
}

bool System::is_parked(int body) const {
  const int a = bodies_[static_cast<std::size_t>(body)].articulation;
  return a >= 0 && !is_parked_.empty() && is_parked_[static_cast<std::size_t>(a)] != 0;
}

bool System::may_collide_changed(int shape_a, int shape_b) const {
  const PairFate fate = collision_filters_.fate(shape_a, shape_b);
  if (fate == PairFate::SameBody || fate == PairFate::BothFixed || fate == PairFate::Welded) {
    return false;
  }
  const std::pair<int, int> bodies = std::minmax({shapes_[static_cast<std::size_t>(shape_a)].body,
                                                  shapes_[static_cast<std::size_t>(shape_b)].body});
  if (is_parked(bodies.first) || is_parked(bodies.second)) return false;
  const auto found = std::lower_bound(
      colliding_.begin(), colliding_.end(), bodies,
      [](const CollidingBodies& pair, const auto& key) { return pair.bodies < key; });
  if (found != colliding_.end() && found->bodies == bodies) return found->collide;
  return fate == PairFate::Collides;
}

}  // namespace amontons
