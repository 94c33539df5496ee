// Bullet's Featherstone bodies, for worlds with joints.

#include "benchmarks/peers/engines/bullet_common.h"

#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <stdexcept>
#include <vector>

namespace amontons::peers {
namespace {

constexpr int kWorld = -1, kBase = -1;

struct Options {
  int iterations = 10;
  std::unique_ptr<btMLCPSolverInterface> mlcp;
  std::unique_ptr<btMultiBodyConstraintSolver> solver;
};

// These bodies have no nonsmooth CG: its setting is as many iterations of the plain solver.
Options options_of(const std::string& setting) {
  Options options;
  if (setting == "dantzig") {
    options.mlcp = std::make_unique<btDantzigSolver>();
    options.solver = std::make_unique<btMultiBodyMLCPConstraintSolver>(options.mlcp.get());
    return options;
  }
  options.solver = std::make_unique<btMultiBodyConstraintSolver>();
  if (setting == "si10") {
    options.iterations = 10;
  } else if (setting == "si1000") {
    options.iterations = 1000;
  } else if (setting == "nncg100") {
    options.iterations = 100;
  } else {
    throw std::invalid_argument("unknown setting of Bullet: " + setting);
  }
  return options;
}

btQuaternion rotation_to(const Eigen::Matrix3d& R_to_from) {
  btQuaternion q;
  to_bullet(R_to_from).getRotation(q);
  return q;
}

class BulletMultibodyEngine : public Engine {
 public:
  BulletMultibodyEngine(const World& world, const std::string& setting)
      : world_(world), options_(options_of(setting)) {
    dispatcher_ = std::make_unique<btCollisionDispatcher>(&configuration_);
    bullet_ = std::make_unique<btMultiBodyDynamicsWorld>(dispatcher_.get(), &broad_phase_,
                                                         options_.solver.get(), &configuration_);
    bullet_->setGravity(to_bullet(world.gravity));
    btContactSolverInfo& info = bullet_->getSolverInfo();
    info.m_numIterations = options_.iterations;
    info.m_solverMode |= SOLVER_USE_WARMSTARTING | SOLVER_USE_2_FRICTION_DIRECTIONS;
    place_.resize(world.moving.size());
    for (std::size_t i = 0; i < world.moving.size(); ++i) {
      const WorldJoint* joint = world.joint_of(i);
      if (joint == nullptr || joint->parent == kWorld) add_tree(i);
    }
    for (const WorldBody& body : world.fixed_bodies) add_fixed(body);
  }

  ~BulletMultibodyEngine() override {
    for (const auto& motor : motors_) bullet_->removeMultiBodyConstraint(motor.get());
    for (const auto& tree : trees_) bullet_->removeMultiBody(tree.get());
    for (const auto& collider : colliders_) bullet_->removeCollisionObject(collider.get());
    for (const auto& body : fixed_) bullet_->removeRigidBody(body.get());
  }

  void step() override {
    for (const Drive& drive : drives_) apply(drive);
    bullet_->stepSimulation(world_.step, 0);
    time_ += world_.step;
  }

  void read_states(std::vector<BodyState>& states) const override {
    states.resize(place_.size());
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      btMultiBody& tree = *trees_[t];
      btAlignedObjectArray<btQuaternion> rotations;
      btAlignedObjectArray<btVector3> origins, w, v;
      tree.forwardKinematics(rotations, origins);
      w.resize(tree.getNumLinks() + 1);
      v.resize(tree.getNumLinks() + 1);
      tree.compTreeLinkVelocities(&w[0], &v[0]);
      for (std::size_t i = 0; i < place_.size(); ++i) {
        if (place_[i].tree != t) continue;
        const int link = place_[i].link;
        BodyState& state = states[i];
        state.X_WB = to_eigen(link == kBase ? tree.getBaseWorldTransform()
                                            : tree.getLink(link).m_cachedWorldTransform);
        state.angular = state.X_WB.rotation * to_eigen(w[link + 1]);
        state.linear = state.X_WB.rotation * to_eigen(v[link + 1]);
      }
    }
  }

  int num_contacts() const override { return count_bullet_contacts(*dispatcher_); }

 private:
  struct Place {
    std::size_t tree = 0;
    int link = kBase;
  };

  struct Drive {
    const WorldJoint* joint = nullptr;
    btMultiBody* tree = nullptr;
    int link = 0;
    btMultiBodyJointMotor* motor = nullptr;  // motor of a prescribed motion
  };

  // A prescribed motion is a motor whose target is the joint's position after the step. A servo is
  // an effort, because a motor's gains are no stiffness.
  void apply(const Drive& drive) const {
    const WorldJoint& joint = *drive.joint;
    const double q = drive.tree->getJointPos(drive.link), v = drive.tree->getJointVel(drive.link);
    const double end = joint.target(time_ + world_.step);
    if (drive.motor != nullptr) {
      drive.motor->setVelocityTarget((end - q) / world_.step);
      return;
    }
    const double rate = (end - joint.target(time_)) / world_.step;
    drive.tree->addJointTorque(
        drive.link, joint.servo->kp * (joint.target(time_) - q) + joint.servo->kd * (rate - v));
  }

  // Returns the bodies that joints connect to `root`, parents first.
  std::vector<std::size_t> bodies_on(std::size_t root) const {
    std::vector<std::size_t> bodies{root};
    for (const WorldJoint& joint : world_.joints) {
      for (const std::size_t body : std::vector<std::size_t>(bodies)) {
        if (joint.parent == static_cast<int>(body)) {
          bodies.push_back(static_cast<std::size_t>(joint.child));
        }
      }
    }
    return bodies;
  }

  void add_tree(std::size_t root) {
    const std::vector<std::size_t> bodies = bodies_on(root);
    const bool on_world = world_.joint_of(root) != nullptr;
    const int num_links = static_cast<int>(bodies.size()) - (on_world ? 0 : 1);
    const WorldBody& base = world_.moving[root];
    trees_.push_back(std::make_unique<btMultiBody>(
        num_links, on_world ? 0.0 : base.mass,
        on_world ? btVector3(0.0, 0.0, 0.0) : to_bullet(base.inertia), on_world, false));
    btMultiBody& tree = *trees_.back();
    if (!on_world) tree.setBaseWorldTransform(to_bullet(base.X_WB));
    tree.setLinearDamping(0.0);
    tree.setAngularDamping(0.0);
    tree.setHasSelfCollision(false);
    int link = on_world ? 0 : kBase;
    for (const std::size_t body : bodies) {
      place_[body] = {trees_.size() - 1, link};
      if (link >= 0) add_link(tree, link, body);
      ++link;
    }
    tree.finalizeMultiDof();
    // The memory for velocities exists only from here on.
    if (!on_world) {
      tree.setBaseVel(to_bullet(base.linear));
      tree.setBaseOmega(to_bullet(base.angular));
    }
    bullet_->addMultiBody(&tree);
    for (const std::size_t body : bodies) {
      const WorldJoint* joint = world_.joint_of(body);
      if (joint != nullptr) set_joint(tree, place_[body].link, *joint);
      add_shapes(tree, place_[body].link, world_.moving[body]);
    }
  }

  void add_link(btMultiBody& tree, int link, std::size_t body) {
    const WorldJoint& joint = *world_.joint_of(body);
    const WorldBody& child = world_.moving[body];
    const bool on_world = joint.parent == kWorld;
    const Pose X_WP =
        on_world ? Pose{} : world_.moving[static_cast<std::size_t>(joint.parent)].X_WB;
    const int parent = on_world ? kBase : place_[static_cast<std::size_t>(joint.parent)].link;
    const Eigen::Matrix3d R_CW = child.X_WB.rotation.transpose();
    const btQuaternion R_CP = rotation_to(R_CW * X_WP.rotation);
    const btVector3 axis = to_bullet(Eigen::Vector3d(R_CW * joint.axis_W));
    const btVector3 pivot = to_bullet(X_WP.inverse() * joint.at_W);
    const btVector3 com = to_bullet(Eigen::Vector3d(-(child.X_WB.inverse() * joint.at_W)));
    if (joint.type == JointType::Revolute) {
      tree.setupRevolute(link, child.mass, to_bullet(child.inertia), parent, R_CP, axis, pivot, com,
                         true);
    } else {
      tree.setupPrismatic(link, child.mass, to_bullet(child.inertia), parent, R_CP, axis, pivot,
                          com, true);
    }
  }

  // Dry friction is a motor with the target speed zero, whose impulse is bounded by that of
  // friction.
  void set_joint(btMultiBody& tree, int link, const WorldJoint& joint) {
    tree.setJointVel(link, joint.rate);
    if (joint.friction > 0.0) add_motor(tree, link, world_.step * joint.friction);
    if (!joint.is_driven()) return;
    constexpr double kAnyImpulse = 1e6;  // [N s or N m s]
    btMultiBodyJointMotor* motor = joint.motion ? add_motor(tree, link, kAnyImpulse) : nullptr;
    drives_.push_back({&joint, &tree, link, motor});
  }

  btMultiBodyJointMotor* add_motor(btMultiBody& tree, int link, double largest_impulse) {
    motors_.push_back(std::make_unique<btMultiBodyJointMotor>(&tree, link, 0.0, largest_impulse));
    bullet_->addMultiBodyConstraint(motors_.back().get());
    motors_.back()->finalizeMultiDof();
    return motors_.back().get();
  }

  // Bullet ignores the motor of a link without a collider, which is in no island. A link without
  // shape therefore gets an empty one, which touches nothing.
  void add_shapes(btMultiBody& tree, int link, const WorldBody& body) {
    auto compound = std::make_unique<btCompoundShape>();
    for (const WorldShape& shape : body.shapes) {
      shapes_.push_back(make_bullet_shape(shape.shape));
      compound->addChildShape(to_bullet(shape.X_BG), shapes_.back().get());
    }
    auto collider = std::make_unique<btMultiBodyLinkCollider>(&tree, link);
    collider->setCollisionShape(compound.get());
    collider->setWorldTransform(to_bullet(body.X_WB));
    set_material(world_, *collider);
    if (link == kBase) {
      tree.setBaseCollider(collider.get());
    } else {
      tree.getLink(link).m_collider = collider.get();
    }
    bullet_->addCollisionObject(collider.get(), btBroadphaseProxy::DefaultFilter,
                                body.shapes.empty() ? 0 : btBroadphaseProxy::AllFilter);
    shapes_.push_back(std::move(compound));
    colliders_.push_back(std::move(collider));
  }

  void add_fixed(const WorldBody& source) {
    for (const WorldShape& shape : source.shapes) {
      shapes_.push_back(make_fixed_bullet_shape(source, shape));
      btRigidBody::btRigidBodyConstructionInfo info(0.0, nullptr, shapes_.back().get());
      info.m_startWorldTransform = to_bullet(fixed_bullet_pose(source, shape));
      fixed_.push_back(std::make_unique<btRigidBody>(info));
      set_material(world_, *fixed_.back());
      bullet_->addRigidBody(fixed_.back().get());
    }
  }

  World world_;
  Options options_;
  btDefaultCollisionConfiguration configuration_;
  btDbvtBroadphase broad_phase_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::unique_ptr<btMultiBodyDynamicsWorld> bullet_;
  std::vector<Place> place_;  // [moving]
  std::vector<std::unique_ptr<btMultiBody>> trees_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<std::unique_ptr<btMultiBodyJointMotor>> motors_;
  std::vector<Drive> drives_;
  double time_ = 0.0;
  std::vector<std::unique_ptr<btRigidBody>> fixed_;
};

}  // namespace

std::unique_ptr<Engine> make_bullet_multibody(const World& world, const std::string& setting) {
  return std::make_unique<BulletMultibodyEngine>(world, setting);
}

}  // namespace amontons::peers
