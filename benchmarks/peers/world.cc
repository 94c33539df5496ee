#include "benchmarks/peers/world.h"

#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace amontons::peers {
namespace {

[[noreturn]] void refuse(const Scene& scene, const std::string& reason) {
  throw std::invalid_argument(scene.file + ": " + reason +
                              ", which not every engine of the comparison can represent");
}

WorldBody reduce(const Scene& scene, const SceneBody& source) {
  WorldBody body;
  body.name = source.name;
  body.planar = source.base == BaseType::Planar;
  body.X_WB = source.pose;
  body.linear = source.linear_velocity;
  body.angular = source.angular_velocity;
  for (const SceneShape& shape : source.shapes) body.shapes.push_back({shape.shape, shape.X_BG});
  if (source.base == BaseType::Fixed) return body;

  const SpatialInertia& inertia = source.inertia;
  body.mass = inertia.mass;
  body.inertia = inertia.inertia.diagonal();
  const Eigen::Matrix3d off_diagonal = inertia.inertia - Eigen::Matrix3d(body.inertia.asDiagonal());
  if (inertia.center_of_mass.norm() > 1e-12 ||
      off_diagonal.norm() > 1e-12 * inertia.inertia.norm()) {
    refuse(scene, "the frame of " + body.name + " is not a principal frame");
  }
  return body;
}

void read_material(const Scene& scene, World& world) {
  std::string name;
  for (const SceneBody& body : scene.bodies) {
    for (const SceneShape& shape : body.shapes) {
      if (name.empty()) name = shape.material;
      if (shape.material != name) refuse(scene, "there is more than one material");
    }
  }
  if (name.empty()) return;  // nothing collides
  const auto material = std::find_if(scene.materials.begin(), scene.materials.end(),
                                     [&name](const Material& m) { return m.name == name; });
  if (material == scene.materials.end()) refuse(scene, "no material is stated");
  if (!scene.material_pairs.empty() || material->viscous_friction != 0.0) {
    refuse(scene, "there is more than friction and restitution");
  }
  world.friction = material->friction;
  world.restitution = material->restitution;
}

int index_in(const std::vector<WorldBody>& bodies, const std::string& name) {
  const auto it = std::find_if(bodies.begin(), bodies.end(),
                               [&name](const WorldBody& body) { return body.name == name; });
  return it == bodies.end() ? -1 : static_cast<int>(it - bodies.begin());
}

void read_joints(const Scene& scene, World& world) {
  for (const SceneJoint& source : scene.joints) {
    WorldJoint joint;
    joint.name = source.name;
    joint.type = source.type == JointType::Continuous ? JointType::Revolute : source.type;
    joint.parent = index_in(world.moving, source.parent);
    joint.child = index_in(world.moving, source.child);
    joint.axis_W = source.axis_W;
    joint.at_W = source.at_W;
    joint.friction = source.dynamics.coulomb_friction;
    joint.rate = source.rate;
    JointDynamics known = source.dynamics;
    known.coulomb_friction = 0.0;
    const bool has_more = known.limits || known.viscous_friction != 0.0 || known.stiffness != 0.0 ||
                          known.armature != 0.0 || source.position.value_or(0.0) != 0.0 ||
                          source.coordinates != Coordinates::Reduced || !source.error.isZero(0.0);
    const bool is_scalar = joint.type == JointType::Revolute || joint.type == JointType::Prismatic;
    if (has_more || !is_scalar) {
      refuse(scene, "joint " + joint.name + " has more than an axis and dry friction");
    }
    if (joint.child < 0 || joint.parent >= joint.child ||
        (joint.parent < 0 && source.parent != "world") ||
        world.joint_of(static_cast<std::size_t>(joint.child)) != nullptr) {
      refuse(scene, "joint " + joint.name + " is not one that carries a body after its parent");
    }
    world.joints.push_back(joint);
  }
  std::sort(world.joints.begin(), world.joints.end(),
            [](const WorldJoint& a, const WorldJoint& b) { return a.child < b.child; });
}

WorldJoint& driven_joint(const Scene& scene, World& world, const std::string& name) {
  const auto joint = std::find_if(world.joints.begin(), world.joints.end(),
                                  [&name](const WorldJoint& own) { return own.name == name; });
  if (joint == world.joints.end() || joint->is_driven()) {
    refuse(scene, "joint " + name + " has two drives, or carries nothing");
  }
  return *joint;
}

void read_drives(const Scene& scene, World& world) {
  for (const JointServo& servo : scene.servos) {
    if (!(servo.kp > 0.0) || servo.target_rate != 0.0 || servo.effort.is_limited()) {
      refuse(scene, "the servo of " + servo.joint + " is not one of position without a limit");
    }
    driven_joint(scene, world, servo.joint).servo = servo;
  }
  for (const JointMotion& motion : scene.joint_motions) {
    driven_joint(scene, world, motion.joint).motion = motion;
  }
}

// Bodies on joints start with the velocities of their parents and of their joints.
void place_carried_bodies(World& world) {
  const System system(world.scene);
  const State start = system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(system, start.q, start.v, 0.0, kinematics);
  for (const WorldJoint& joint : world.joints) {
    WorldBody& body = world.moving[static_cast<std::size_t>(joint.child)];
    const int index = system.find_body(body.name);
    const Vector6d V = body_velocity(system, kinematics, index, body.X_WB.translation, start.v);
    body.angular = V.head<3>();
    body.linear = V.tail<3>();
  }
}

}  // namespace

double WorldJoint::target(double time) const {
  if (motion) return motion->position(time);
  return servo->trajectory ? servo->trajectory->value(time) : servo->target;
}

bool World::is_driven() const {
  return std::any_of(joints.begin(), joints.end(),
                     [](const WorldJoint& joint) { return joint.is_driven(); });
}

const WorldJoint* World::joint_of(std::size_t body) const {
  const auto it = std::find_if(joints.begin(), joints.end(), [body](const WorldJoint& joint) {
    return joint.child == static_cast<int>(body);
  });
  return it == joints.end() ? nullptr : &*it;
}

World make_world(Scene source) {
  World world;
  world.scene = std::move(source);
  const Scene& scene = world.scene;
  if (!scene.models.empty() || !scene.motions.empty() || !scene.wrenches.empty() ||
      !scene.efforts.empty() || !scene.couplings.empty() || scene.simulation.steps.size() != 1) {
    refuse(scene, "there are models, efforts, wrenches, couplings or several steps");
  }
  world.gravity = scene.gravity;
  world.step = scene.simulation.steps.front();
  world.duration = scene.simulation.duration;
  read_material(scene, world);
  for (const SceneBody& body : scene.bodies) {
    (body.base == BaseType::Fixed ? world.fixed_bodies : world.moving)
        .push_back(reduce(scene, body));
  }
  read_joints(scene, world);
  read_drives(scene, world);
  if (!world.joints.empty()) place_carried_bodies(world);
  return world;
}

World load_world(const std::filesystem::path& file,
                 const std::vector<std::pair<std::string, std::string>>& overrides) {
  io::LoadOptions options;
  options.overrides = overrides;
  return make_world(io::load_scene(file, options));
}

HalfSpace half_space_in_world(const WorldBody& body, const WorldShape& shape) {
  const HalfSpace& local = std::get<HalfSpace>(shape.shape);
  const Pose X_WG = body.X_WB * shape.X_BG;
  HalfSpace half_space;
  half_space.normal = X_WG.rotation * local.normal;
  half_space.offset = local.offset + half_space.normal.dot(X_WG.translation);
  return half_space;
}

}  // namespace amontons::peers
