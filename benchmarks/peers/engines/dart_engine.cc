// DART, with ODE's collision detector.

#include "benchmarks/peers/engine.h"

#include <cmath>
#include <dart/collision/ode/OdeCollisionDetector.hpp>
#include <dart/dart.hpp>
#include <stdexcept>

namespace amontons::peers {
namespace {

constexpr std::size_t kMaxContacts = 100'000;

Eigen::Isometry3d to_dart(const Pose& X) {
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = X.rotation;
  transform.translation() = X.translation;
  return transform;
}

std::unique_ptr<dart::constraint::ConstraintSolver> make_solver(const std::string& setting) {
  using namespace dart::constraint;
  if (setting == "dantzig") return std::make_unique<BoxedLcpConstraintSolver>();
  auto pgs = std::make_shared<PgsBoxedLcpSolver>();
  if (setting == "pgs1000") {
    PgsBoxedLcpSolver::Option option = pgs->getOption();
    option.mMaxIteration = 1000;
    pgs->setOption(option);
  } else if (setting != "pgs") {
    throw std::invalid_argument("unknown setting of DART: " + setting);
  }
  return std::make_unique<BoxedLcpConstraintSolver>(pgs);
}

class DartEngine : public Engine {
 public:
  DartEngine(const World& world, const std::string& setting)
      : world_(world), dart_(dart::simulation::World::create()) {
    dart_->setGravity(world.gravity);
    dart_->setTimeStep(world.step);
    dart_->setConstraintSolver(make_solver(setting));
    auto* solver = dart_->getConstraintSolver();
    solver->setCollisionDetector(dart::collision::OdeCollisionDetector::create());
    solver->getCollisionOption().maxNumContacts = kMaxContacts;
    for (std::size_t i = 0; i < world.moving.size(); ++i) add_body(i);
    // A skeleton joins the world with all of its bodies.
    for (const dart::dynamics::SkeletonPtr& skeleton : skeletons_) dart_->addSkeleton(skeleton);
    for (const WorldBody& body : world.fixed_bodies) add_fixed(body);
  }

  void step() override { dart_->step(); }

  void read_states(std::vector<BodyState>& states) const override {
    states.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const dart::dynamics::BodyNode& body = *bodies_[i];
      const Eigen::Isometry3d& X = body.getWorldTransform();
      states[i].X_WB = {X.linear(), X.translation()};
      states[i].linear = body.getLinearVelocity();
      states[i].angular = body.getAngularVelocity();
    }
  }

  int num_contacts() const override {
    return static_cast<int>(dart_->getLastCollisionResult().getNumContacts());
  }

 private:
  static dart::dynamics::ShapePtr make_shape(const Shape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape)) {
      return std::make_shared<dart::dynamics::SphereShape>(sphere->radius);
    }
    if (const auto* box = std::get_if<Box>(&shape)) {
      return std::make_shared<dart::dynamics::BoxShape>(box->size);
    }
    throw std::invalid_argument("DART: shape " + shape_type_name(shape));
  }

  // The lesser friction of two shapes counts, and the product of their restitutions.
  void add_shape(dart::dynamics::BodyNode* body, const dart::dynamics::ShapePtr& shape,
                 const Pose& X_BG) const {
    using namespace dart::dynamics;
    ShapeNode* node = body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    node->setRelativeTransform(to_dart(X_BG));
    node->getDynamicsAspect()->setFrictionCoeff(world_.friction);
    node->getDynamicsAspect()->setRestitutionCoeff(std::sqrt(world_.restitution));
  }

  static dart::dynamics::Inertia inertia_of(const WorldBody& body) {
    dart::dynamics::Inertia inertia;
    inertia.setMass(body.mass);
    inertia.setMoment(body.inertia.x(), body.inertia.y(), body.inertia.z(), 0, 0, 0);
    return inertia;
  }

  void add_body(std::size_t i) {
    const WorldBody& source = world_.moving[i];
    const WorldJoint* carrier = world_.joint_of(i);
    if (carrier == nullptr) {
      add_free(source);
    } else if (carrier->type == JointType::Revolute) {
      add_carried<dart::dynamics::RevoluteJoint>(source, *carrier);
    } else {
      add_carried<dart::dynamics::PrismaticJoint>(source, *carrier);
    }
  }

  // Frames of a joint have the world's axes at the start.
  template <typename DartJoint>
  void add_carried(const WorldBody& source, const WorldJoint& carrier) {
    using namespace dart::dynamics;
    const bool on_world = carrier.parent < 0;
    const std::size_t parent = on_world ? 0 : static_cast<std::size_t>(carrier.parent);
    const SkeletonPtr skeleton =
        on_world ? Skeleton::create(source.name) : bodies_[parent]->getSkeleton();
    auto [joint, body] =
        skeleton->createJointAndBodyNodePair<DartJoint>(on_world ? nullptr : bodies_[parent]);
    const Pose X_WP = on_world ? Pose{} : world_.moving[parent].X_WB;
    joint->setTransformFromParentBodyNode(to_dart(X_WP.inverse() * carrier.frame()));
    joint->setTransformFromChildBodyNode(to_dart(source.X_WB.inverse() * carrier.frame()));
    joint->setAxis(carrier.axis_W);
    joint->setCoulombFriction(0, carrier.friction);
    joint->setVelocity(0, carrier.rate);
    finish_body(source, body);
    if (on_world) skeletons_.push_back(skeleton);
  }

  void finish_body(const WorldBody& source, dart::dynamics::BodyNode* body) {
    body->setInertia(inertia_of(source));
    for (const WorldShape& shape : source.shapes) {
      add_shape(body, make_shape(shape.shape), shape.X_BG);
    }
    bodies_.push_back(body);
  }

  void add_free(const WorldBody& source) {
    using namespace dart::dynamics;
    const SkeletonPtr skeleton = Skeleton::create(source.name);
    BodyNode* body = nullptr;
    if (source.planar) {
      auto [joint, node] = skeleton->createJointAndBodyNodePair<PlanarJoint>();
      joint->setZXPlane();
      joint->setTransformFromParentBodyNode(to_dart(source.X_WB));
      joint->setVelocity(0, source.linear.z());
      joint->setVelocity(1, source.linear.x());
      joint->setVelocity(2, source.angular.y());
      body = node;
    } else {
      auto [joint, node] = skeleton->createJointAndBodyNodePair<FreeJoint>();
      joint->setTransform(to_dart(source.X_WB));
      joint->setLinearVelocity(source.linear);
      joint->setAngularVelocity(source.angular);
      body = node;
    }
    finish_body(source, body);
    skeletons_.push_back(skeleton);
  }

  void add_fixed(const WorldBody& source) {
    using namespace dart::dynamics;
    const SkeletonPtr skeleton = Skeleton::create(source.name);
    BodyNode* body = skeleton->createJointAndBodyNodePair<WeldJoint>().second;
    for (const WorldShape& shape : source.shapes) {
      const HalfSpace plane = half_space_in_world(source, shape);
      add_shape(body, std::make_shared<PlaneShape>(plane.normal, plane.offset), Pose());
    }
    dart_->addSkeleton(skeleton);
  }

  World world_;
  dart::simulation::WorldPtr dart_;
  std::vector<dart::dynamics::SkeletonPtr> skeletons_;
  std::vector<dart::dynamics::BodyNode*> bodies_;  // [moving]
};

}  // namespace

EngineInfo engine_info() {
  return {"dart",
          DART_VERSION,
          {{"dantzig", "boxed LCP by Dantzig, ODE's collision detector, ERP 0.01"},
           {"pgs", "boxed LCP by PGS, 30 iterations"},
           {"pgs1000", "boxed LCP by PGS, 1000 iterations"}}};
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  return std::make_unique<DartEngine>(world, setting);
}

}  // namespace amontons::peers
