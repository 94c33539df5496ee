#include "amontons/simulation/system/material_table.h"
#include "amontons/simulation/system/system_builder.h"
#include "amontons/simulation/system/tendon_length.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

// Materials, frames and actuators.

namespace amontons {
namespace {

/// Returns the name of an actuator in the scene; none where its file gives it none.
std::string actuator_name(const std::string& prefix, const std::string& name) {
  return name.empty() ? name : prefix + name;
}

/// Returns the links that a sensor of a subtree measures, its own first; all for one of energies.
/// @param first_node  index of the body of the model's first link.
std::vector<SubtreePart> subtree_of(const SceneModel& model, const ModelSensor& sensor,
                                    int first_node) {
  std::vector<SubtreePart> parts;
  if (sensor.kind == SensorKind::PotentialEnergy || sensor.kind == SensorKind::KineticEnergy) {
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      parts.push_back({first_node + static_cast<int>(i), model.links[i].inertia});
    }
    return parts;
  }
  if (sensor.kind != SensorKind::SubtreeCenter && sensor.kind != SensorKind::SubtreeVelocity &&
      sensor.kind != SensorKind::SubtreeAngularMomentum) {
    return parts;
  }
  std::vector<int> parents(model.links.size(), -1);
  for (const ModelJoint& joint : model.joints) {
    parents[static_cast<std::size_t>(joint.child)] = joint.parent;
  }
  std::vector<char> is_carried(model.links.size(), 0);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    // Parents come before their children.
    const bool is_below = parents[i] >= 0 && is_carried[static_cast<std::size_t>(parents[i])] != 0;
    if (!is_below && model.links[i].name != sensor.object) continue;
    is_carried[i] = 1;
    parts.push_back({first_node + static_cast<int>(i), model.links[i].inertia});
  }
  return parts;
}

}  // namespace

void SystemBuilder::add_materials() {
  std::vector<Material> materials = scene_.materials;
  // Shapes without a material use `default`.
  const bool has_default = std::any_of(materials.begin(), materials.end(),
                                       [](const Material& m) { return m.name == "default"; });
  if (!has_default) materials.insert(materials.begin(), Material{"default"});
  for (const Material& material : materials) material_names_.push_back(material.name);
  system_.pair_properties_ = pair_table(materials, scene_.material_pairs);
  system_.materials_ = std::move(materials);
  system_.material_pairs_ = scene_.material_pairs;
}

void SystemBuilder::add_frames() {
  for (const SceneFrame& frame : scene_.frames) {
    const int body = require_node(frame.body, frame.where);
    system_.frames_.push_back({frame.name, body, frame.X_BF, {}});
  }
  // Nodes are numbered bodies first, then the links of each model.
  int first_node = static_cast<int>(scene_.bodies.size());
  for (const SceneModel& model : scene_.models) {
    for (const ModelFrame& frame : model.frames) {
      system_.frames_.push_back(
          {model.name + "/" + frame.name, first_node + frame.link, frame.X_LF, frame.extent});
    }
    for (const ModelSensor& sensor : model.sensors) {
      system_.sensors_.push_back({model.name + "/" + sensor.name, model.name, sensor,
                                  subtree_of(model, sensor, first_node)});
    }
    first_node += static_cast<int>(model.links.size());
  }
}

/// Adds servos and efforts. The prefix is the model's name, for names within a model.
void SystemBuilder::add_joint_drives(const std::vector<JointServo>& servos,
                                     const std::vector<JointEffort>& efforts,
                                     const std::string& prefix) {
  for (const JointServo& servo : servos) {
    const CoordinatePlace place = require_scalar_joint(prefix + servo.joint, servo.where);
    system_.servos_.push_back({place.q_index, place.v_index, servo.target, servo.target_rate,
                               servo.kp, servo.kd, servo.effort, servo.trajectory, place.loop,
                               actuator_name(prefix, servo.actuator)});
  }
  for (const JointEffort& effort : efforts) {
    const CoordinatePlace place = require_scalar_joint(prefix + effort.joint, effort.where);
    system_.efforts_.push_back({place.v_index, effort.effort, effort.table, place.loop,
                                actuator_name(prefix, effort.actuator)});
  }
}

void SystemBuilder::add_muscles(const SceneModel& model) {
  for (const JointMuscle& muscle : model.muscles) {
    const CoordinatePlace place =
        require_scalar_joint(model.name + "/" + muscle.joint, muscle.where);
    system_.muscles_.push_back({place.q_index, place.v_index, muscle, place.loop});
    system_.muscles_.back().law.name = model.name + "/" + muscle.name;
  }
}

void SystemBuilder::add_actuators() {
  for (const SceneModel& model : scene_.models) {
    add_joint_drives(model.servos, model.efforts, model.name + "/");
    add_muscles(model);
  }
  add_joint_drives(scene_.servos, scene_.efforts, "");
  // Prescribed motions of fixed bodies.
  for (const BodyMotion& motion : scene_.motions) {
    const int node = require_node(motion.body, motion.where);
    Body& body = system_.bodies_[static_cast<std::size_t>(node)];
    const bool carries = !children_[static_cast<std::size_t>(node)].empty();
    // Loop coordinates and trees take their fixed bodies to be at rest.
    const bool measured = std::any_of(
        system_.loop_coordinates_.begin(), system_.loop_coordinates_.end(),
        [&](const LoopCoordinateSite& site) {
          if (site.loop_joint < 0) {
            const std::vector<int> bodies = bodies_of_path(site);
            return std::find(bodies.begin(), bodies.end(), node) != bodies.end();
          }
          const LoopJoint& loop = system_.loop_joints_[static_cast<std::size_t>(site.loop_joint)];
          return loop.body_a == node || loop.body_b == node;
        });
    if (body.articulation >= 0 || body.motion >= 0 || carries || measured) {
      throw std::invalid_argument(
          motion.where.file + ":" + std::to_string(motion.where.line) + ": '" + motion.body +
          "' cannot have a prescribed motion: it must be a fixed body, moved once, that carries no "
          "joint in reduced coordinates, no tendon, and no joint with limits, friction, springs or "
          "drives");
    }
    body.motion = static_cast<int>(system_.motions_.size());
    system_.motions_.push_back(motion);
  }
  add_wrenches();
}

void SystemBuilder::add_wrenches() {
  // Links without gravity, or with a share of it, get the opposite force at their center of mass.
  int link_node = static_cast<int>(scene_.bodies.size());
  for (const SceneModel& model : scene_.models) {
    for (const ModelLink& link : model.links) {
      const int node = link_node++;
      const bool moves = system_.bodies_[static_cast<std::size_t>(node)].articulation >= 0;
      const double share = link.gravity ? link.weight_support : 1.0;
      if (share == 0.0 || !moves) continue;
      system_.supports_.push_back({system_.wrenches_.size(), share * link.inertia.mass});
      system_.wrenches_.push_back({node, -share * link.inertia.mass * scene_.gravity,
                                   Eigen::Vector3d::Zero(), link.inertia.center_of_mass});
    }
  }
  for (const SceneModel& model : scene_.models) {
    for (const BodyWrench& wrench : model.wrenches) add_wrench(wrench, model.name + "/");
  }
  for (const BodyWrench& wrench : scene_.wrenches) add_wrench(wrench, "");
}

/// Adds a wrench. The prefix is the model's name, for names within a model.
void SystemBuilder::add_wrench(const BodyWrench& wrench, const std::string& prefix) {
  const int node = require_node(prefix + wrench.body, wrench.where);
  if (system_.bodies_[static_cast<std::size_t>(node)].articulation < 0) {
    fail(&wrench.where, "'" + prefix + wrench.body + "' is fixed; a force cannot move it");
  }
  const int axes = wrench.axes.empty() ? -1 : require_node(prefix + wrench.axes, wrench.where);
  system_.wrenches_.push_back(
      {node, wrench.force_W, wrench.torque_W, wrench.at_B, wrench.table, axes, wrench.by_joint});
}

}  // namespace amontons
