#include "amontons/io/mjcf/mjcf_reference.h"

#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/math/rotation.h"

#include <cstddef>
#include <string>
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
  // A keyframe may place the bodies that a program moves elsewhere than qpos0.
  for (const int body : reader.mocap_bodies) {
    const MjcfBody& own = reader.bodies[static_cast<std::size_t>(body)];
    model.joints[static_cast<std::size_t>(own.link - 1)].X_PJ = own.X_WB;
  }
  // The start of the file may be that of a keyframe.
  for (const MjcfJoint& record : reader.joints) {
    ModelJoint& joint = model.joints[static_cast<std::size_t>(record.index)];
    joint.start_pose = {};
    joint.start_rates = {};
    if (num_velocities(joint.type) == 1) joint.start = position_of(reader, record, configuration);
    if (joint.type != JointType::Free) continue;
    const int body = reader.body_of_link(joint.child);
    if (body >= 0) joint.start_pose = reader.bodies[static_cast<std::size_t>(body)].X_WB;
  }
  Scene scene;
  scene.models.push_back(std::move(model));
  return scene;
}

/// Returns the links of the model as the articulation takes them; the first one is the world.
std::vector<Link> links_of(const SceneModel& model) {
  std::vector<Link> links(model.links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i].name = model.links[i].name;
    links[i].inertia = model.links[i].inertia;
  }
  links[0].joint = JointType::Fixed;
  for (const ModelJoint& joint : model.joints) {
    Link& link = links[static_cast<std::size_t>(joint.child)];
    link.parent = joint.parent;
    link.joint = joint.type;
    link.axis = joint.axis;
    link.armature = joint.dynamics.armature;
    link.X_PF = joint.X_PJ;
    link.X_MB = joint.X_JC;
  }
  return links;
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

double MjcfReference::reflected_inertia(const std::string& tendon) const {
  Eigen::VectorXd row = kinematics_.loops.jacobian.transpose_times(
      Eigen::VectorXd::Unit(kinematics_.loops.position.size(), coordinate(tendon).loop));
  Eigen::VectorXd diagonal(row.size());
  for (std::size_t a = 0; a < system_.articulations().size(); ++a) {
    const Articulation& tree = system_.articulations()[a];
    diagonal.segment(system_.v_offset(static_cast<int>(a)), tree.num_velocities()) =
        tree.mass_matrix(kinematics_.trees[a]).diagonal();
  }
  // MJCF turns a free body about its own axes.
  for (const JointCoordinate& joint : system_.joints()) {
    if (joint.type != JointType::Free || joint.v_offset < 0) continue;
    const int tree = system_.articulation_of(joint.v_offset);
    const Eigen::Index first = joint.v_offset - system_.v_offset(tree);
    const Eigen::Matrix3d R =
        quaternion_from_wxyz(system_.initial_state().q.segment<4>(joint.q_offset))
            .toRotationMatrix();
    const Eigen::Matrix3d M = system_.articulations()[static_cast<std::size_t>(tree)]
                                  .mass_matrix(kinematics_.trees[static_cast<std::size_t>(tree)])
                                  .block<3, 3>(first, first);
    diagonal.segment<3>(joint.v_offset) = (R.transpose() * M * R).diagonal();
    row.segment<3>(joint.v_offset) = R.transpose() * row.segment<3>(joint.v_offset).eval();
  }
  // Smaller squares of moment arms are zero in MuJoCo.
  constexpr double kSmallest = 1e-15;
  double sum = 0.0;
  for (Eigen::Index j = 0; j < row.size(); ++j) {
    if (row[j] * row[j] > kSmallest) sum += diagonal[j] / (row[j] * row[j]);
  }
  return sum;
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
  if (!factor_) factor_.emplace(compute_mass_matrix(system_, kinematics_));
  return factor_->solve(force).norm();
}

double MjcfInertiaAtQpos0::free(std::size_t joint, int num_coordinates) const {
  // Other trees do not take part.
  Eigen::Index first = v_index[joint], end = first + 1;
  while (parents[static_cast<std::size_t>(first)] >= 0) --first;
  while (end < M.rows() && parents[static_cast<std::size_t>(end)] >= 0) ++end;
  const Eigen::Index size = end - first;
  if (first != first_) has_mass_ = factor_.factor(M.block(first, first, size, size));
  first_ = first;
  if (!has_mass_) return 0.0;
  double sum = 0.0;
  for (int k = 0; k < num_coordinates; ++k) {
    const Eigen::Index i = v_index[joint] + k - first;
    sum += factor_.solve(Eigen::VectorXd(Eigen::VectorXd::Unit(size, i)))[i];
  }
  return num_coordinates / sum;
}

MjcfInertiaAtQpos0 compute_mjcf_inertia_at_qpos0(const MjcfReader& reader) {
  const MergedTree merged = merge_fixed_joints(links_of(reader.model));
  MjcfInertiaAtQpos0 result;
  if (merged.links.empty()) return result;
  const Articulation tree(merged.links);
  constexpr int kMostVelocities = 5000;
  if (tree.num_velocities() > kMostVelocities) {
    fail_at(reader.model.links.front().where,
            "springdamper, dampratio and muscles need the mass matrix of the model, which has " +
                std::to_string(tree.num_velocities()) + " degrees of freedom, more than " +
                std::to_string(kMostVelocities) + "; give stiffness and damping themselves");
  }
  Eigen::VectorXd q = tree.neutral_position();
  for (const MjcfJoint& joint : reader.joints) {
    const int child = reader.joint_of(joint).child;
    const int link = merged.frames[static_cast<std::size_t>(child)].link;
    result.v_index.push_back(tree.v_offset(link));
    if (num_velocities(reader.joint_of(joint).type) == 1) q[tree.q_offset(link)] = joint.ref;
  }
  ArticulationKinematics kinematics;
  tree.compute_kinematics(q, Eigen::VectorXd::Zero(tree.num_velocities()), kinematics);
  result.M = tree.mass_matrix(kinematics);
  result.parents = tree.dof_parents();
  return result;
}

void set_mjcf_springdampers(MjcfReader& reader) {
  MjcfInertiaAtQpos0 inertia;
  for (std::size_t j = 0; j < reader.joints.size(); ++j) {
    const MjcfJoint& record = reader.joints[j];
    if (!record.springdamper) continue;
    if (inertia.v_index.empty()) inertia = compute_mjcf_inertia_at_qpos0(reader);
    ModelJoint& joint = reader.model.joints[static_cast<std::size_t>(record.index)];
    const auto [time, ratio] = *record.springdamper;
    const double m = inertia.free(j, num_velocities(joint.type));
    // Joints of several coordinates have dampers, but no springs.
    if (num_velocities(joint.type) == 1 && reader.flags.spring) {
      joint.dynamics.stiffness = m / (time * time * ratio * ratio);
    }
    if (reader.flags.damper) joint.dynamics.viscous_friction = 2.0 * m / time;
  }
}

}  // namespace amontons::io
