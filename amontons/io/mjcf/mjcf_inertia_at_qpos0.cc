#include "amontons/io/mjcf/mjcf_inertia_at_qpos0.h"

#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/merge_fixed_joints.h"

#include <Eigen/Cholesky>

#include <cstddef>

namespace amontons::io {
namespace {

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

double MjcfInertiaAtQpos0::free(std::size_t joint, int num_coordinates) const {
  // Other trees do not take part.
  Eigen::Index first = v_index[joint], end = first + 1;
  while (parents[static_cast<std::size_t>(first)] >= 0) --first;
  while (end < M.rows() && parents[static_cast<std::size_t>(end)] >= 0) ++end;
  const Eigen::Index size = end - first;
  const Eigen::LLT<Eigen::MatrixXd> factor(M.block(first, first, size, size));
  double sum = 0.0;
  for (int k = 0; k < num_coordinates; ++k) {
    const Eigen::Index i = v_index[joint] + k - first;
    sum += factor.solve(Eigen::VectorXd(Eigen::VectorXd::Unit(size, i)))[i];
  }
  return num_coordinates / sum;
}

MjcfInertiaAtQpos0 compute_mjcf_inertia_at_qpos0(const MjcfReader& reader) {
  const MergedTree merged = merge_fixed_joints(links_of(reader.model));
  MjcfInertiaAtQpos0 result;
  if (merged.links.empty()) return result;
  const Articulation tree(merged.links);
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
    joint.dynamics.stiffness = m / (time * time * ratio * ratio);
    joint.dynamics.viscous_friction = 2.0 * m / time;
  }
}

}  // namespace amontons::io
