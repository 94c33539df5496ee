#include "benchmarks/peers/engines/dart_world.h"

#include <cmath>
#include <stdexcept>

namespace amontons::peers {
namespace {

dart::dynamics::ShapePtr make_shape(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    return std::make_shared<dart::dynamics::SphereShape>(sphere->radius);
  }
  if (const auto* box = std::get_if<Box>(&shape)) {
    return std::make_shared<dart::dynamics::BoxShape>(box->size);
  }
  throw std::invalid_argument("DART: shape " + shape_type_name(shape));
}

// DART takes the lesser friction of two shapes, and the product of their restitutions.
void add_shape(const World& world, dart::dynamics::BodyNode* body,
               const dart::dynamics::ShapePtr& shape, const Pose& X_BG) {
  using namespace dart::dynamics;
  ShapeNode* node = body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
  node->setRelativeTransform(to_dart(X_BG));
  node->getDynamicsAspect()->setFrictionCoeff(world.friction);
  node->getDynamicsAspect()->setRestitutionCoeff(std::sqrt(world.restitution));
}

dart::dynamics::Inertia inertia_of(const WorldBody& body) {
  dart::dynamics::Inertia inertia;
  inertia.setMass(body.mass);
  inertia.setMoment(body.inertia.x(), body.inertia.y(), body.inertia.z(), 0, 0, 0);
  return inertia;
}

/// Adds bodies one after the other, parents first.
class Builder {
 public:
  explicit Builder(const World& world) : world_(world) {
    for (std::size_t i = 0; i < world.moving.size(); ++i) add_body(i);
  }

  const std::vector<dart::dynamics::SkeletonPtr>& skeletons() const { return skeletons_; }
  const std::vector<dart::dynamics::BodyNode*>& bodies() const { return bodies_; }

 private:
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
      add_shape(world_, body, make_shape(shape.shape), shape.X_BG);
    }
    body->setName(source.name);
    body->getParentJoint()->setName("joint of " + source.name);
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

  const World& world_;
  std::vector<dart::dynamics::SkeletonPtr> skeletons_;
  std::vector<dart::dynamics::BodyNode*> bodies_;  // [moving]
};

}  // namespace

Eigen::Isometry3d to_dart(const Pose& X) {
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = X.rotation;
  transform.translation() = X.translation;
  return transform;
}

std::vector<dart::dynamics::BodyNode*> add_dart_bodies(
    const World& world, std::vector<dart::dynamics::SkeletonPtr>& skeletons) {
  const Builder builder(world);
  skeletons = builder.skeletons();
  return builder.bodies();
}

dart::dynamics::SkeletonPtr make_dart_ground(const World& world, const WorldBody& source) {
  using namespace dart::dynamics;
  const SkeletonPtr skeleton = Skeleton::create(source.name);
  BodyNode* body = skeleton->createJointAndBodyNodePair<WeldJoint>().second;
  for (const WorldShape& shape : source.shapes) {
    const HalfSpace plane = half_space_in_world(source, shape);
    add_shape(world, body, std::make_shared<PlaneShape>(plane.normal, plane.offset), Pose());
  }
  return skeleton;
}

}  // namespace amontons::peers
