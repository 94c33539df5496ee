#include "amontons/io/mjcf/mjcf_reference.h"

#include "amontons/math/block_diagonal_factor.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

// Name of the model in a scene of its own.
constexpr const char* kModel = "m";

/// Returns the position of a joint of one coordinate [rad or m].
double position_of(const MjcfReader& reader, const MjcfJoint& record,
                   MjcfConfiguration configuration) {
  if (configuration == MjcfConfiguration::Qpos0) return record.ref;
  const double written = record.element.number("springref", 0.0);
  const bool is_slide = reader.joint_of(record).type == JointType::Prismatic;
  return is_slide ? written : reader.compiler_of(record.element).angle(written);
}

/// Returns a scene of the model alone, without shapes and drives, that starts in a configuration.
Scene scene_of(const MjcfReader& reader, MjcfConfiguration configuration) {
  SceneModel model;
  model.name = kModel;
  model.base = reader.model.base;
  for (const ModelLink& link : reader.model.links) {
    ModelLink& own = model.links.emplace_back();
    own.name = link.name;
    own.inertia = link.inertia;
  }
  model.joints = reader.model.joints;
  model.tendons = reader.model.tendons;
  // The start of the file may be that of a keyframe.
  for (const MjcfJoint& record : reader.joints) {
    ModelJoint& joint = model.joints[static_cast<std::size_t>(record.index)];
    joint.start_pose = {};
    joint.start_rates = {};
    if (num_velocities(joint.type) == 1) joint.start = position_of(reader, record, configuration);
    if (joint.type != JointType::Free) continue;
    const auto body =
        std::find_if(reader.bodies.begin(), reader.bodies.end(),
                     [&](const MjcfBody& candidate) { return candidate.link == joint.child; });
    if (body != reader.bodies.end()) joint.start_pose = body->X_WB;
  }
  Scene scene;
  scene.models.push_back(std::move(model));
  return scene;
}

}  // namespace

MjcfReference::MjcfReference(const MjcfReader& reader, MjcfConfiguration configuration)
    : system_(scene_of(reader, configuration)) {
  const State start = system_.initial_state();
  compute_kinematics(system_, start.q, start.v, 0.0, kinematics_);
}

const JointCoordinate& MjcfReference::coordinate(const std::string& name) const {
  const int index = system_.find_joint(std::string(kModel) + "/" + name);
  return system_.joints().at(static_cast<std::size_t>(index));
}

double MjcfReference::tendon_length(const std::string& tendon) const {
  return kinematics_.loops.position[coordinate(tendon).loop];
}

double MjcfReference::acceleration(const std::string& joint_or_tendon) const {
  const JointCoordinate& own = coordinate(joint_or_tendon);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(system_.num_velocities());
  if (own.loop < 0) {
    force[own.v_offset] = 1.0;
  } else {
    force = kinematics_.loops.jacobian.transpose_times(
        Eigen::VectorXd::Unit(kinematics_.loops.position.size(), own.loop));
  }
  const BlockDiagonalFactor factor(compute_mass_matrix(system_, kinematics_));
  return factor.solve(force).norm();
}

}  // namespace amontons::io
