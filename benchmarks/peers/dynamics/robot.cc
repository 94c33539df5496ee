#include "benchmarks/peers/dynamics/robot.h"

#include "amontons/io/scene/model_scene.h"
#include "amontons/simulation/system/kinematics.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <stdexcept>

namespace amontons::peers {
namespace {

Scene read_scene(const std::filesystem::path& file) {
  return io::is_model_file(file) ? io::load_model_scene(file) : io::load_scene(file);
}

/// Returns the frame of a link's center of mass and principal axes, in the link.
/// @param body  receives mass and inertia in that frame.
Pose principal_frame(const Link& link, WorldBody& body) {
  const SpatialInertia& inertia = link.inertia;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia.inertia);
  if (!(inertia.mass > 0.0) || !(principal.eigenvalues().minCoeff() > 0.0)) {
    throw std::invalid_argument("link " + link.name + " has no inertia");
  }
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  body.mass = inertia.mass;
  body.inertia = principal.eigenvalues();
  return {axes, inertia.center_of_mass};
}

WorldJoint joint_of(const Link& link, const Pose& X_WP) {
  WorldJoint joint;
  joint.name = "joint " + link.name;
  joint.type = link.joint == JointType::Prismatic ? JointType::Prismatic : JointType::Revolute;
  const Pose X_WF = X_WP * link.X_PF;
  joint.axis_W = X_WF.rotation * link.axis;
  joint.at_W = X_WF.translation;
  joint.armature = link.armature;
  return joint;
}

void require_known(const Link& link) {
  const bool is_base = link.parent < 0 && link.joint == JointType::Free;
  const bool is_scalar = link.joint == JointType::Revolute || link.joint == JointType::Continuous ||
                         link.joint == JointType::Prismatic;
  if (!is_base && !is_scalar) {
    throw std::invalid_argument("the joint of link " + link.name + " has several coordinates");
  }
}

}  // namespace

Robot reduce_robot(const Scene& scene) {
  Robot robot{System(scene), {}, {}, {}, {}};
  const System& system = robot.system;
  if (!system.loop_joints().empty() || !system.prescribed().empty()) {
    throw std::invalid_argument("the robot has closed loops");
  }
  World& world = robot.world;
  world.gravity = system.gravity();
  world.step = scene.simulation.steps.front();
  const State start = system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(system, start.q, start.v, 0.0, kinematics);
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    const std::vector<Pose>& X_WL = kinematics.trees[a].X_WB;
    const int first = static_cast<int>(world.moving.size());
    for (int l = 0; l < tree.num_links(); ++l) {
      const Link& link = tree.links()[static_cast<std::size_t>(l)];
      require_known(link);
      WorldBody body;
      body.name = "body" + std::to_string(world.moving.size());
      const Pose X_LB = principal_frame(link, body);
      body.X_WB = X_WL[static_cast<std::size_t>(l)] * X_LB;
      world.moving.push_back(body);
      robot.links.push_back({static_cast<int>(a), l, X_LB});
      if (link.joint == JointType::Free) continue;
      const bool on_world = link.parent < 0;
      WorldJoint joint =
          joint_of(link, on_world ? Pose{} : X_WL[static_cast<std::size_t>(link.parent)]);
      joint.parent = on_world ? -1 : first + link.parent;
      joint.child = first + l;
      world.joints.push_back(joint);
      robot.q_index.push_back(system.q_offset(static_cast<int>(a)) + tree.q_offset(l));
      robot.v_index.push_back(system.v_offset(static_cast<int>(a)) + tree.v_offset(l));
    }
  }
  return robot;
}

Robot load_robot(const std::filesystem::path& file) {
  Robot robot = reduce_robot(read_scene(file));
  if (robot.system.num_joint_rows() > 0) throw std::invalid_argument("the robot has gears");
  for (const WorldJoint& joint : robot.world.joints) {
    if (joint.armature > 0.0) throw std::invalid_argument(joint.name + " has armature");
  }
  return robot;
}

}  // namespace amontons::peers
