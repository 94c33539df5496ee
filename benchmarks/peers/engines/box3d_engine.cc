// Box3D, single precision.

#include "benchmarks/peers/engine.h"

#include <box3d/box3d.h>
#include <cmath>
#include <stdexcept>

namespace amontons::peers {
namespace {

// Box3D has no half-space. A box below the plane takes its place, of the size of the ground in its
// own benchmarks [m].
constexpr float kGroundHalfWidth = 400.0f, kGroundHalfDepth = 1.0f;
constexpr double kBounceSteps = 2.0;  // nothing bounces below 2 g h

b3Vec3 to_box3d(const Eigen::Vector3d& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}
Eigen::Vector3d to_eigen(const b3Vec3& v) { return {v.x, v.y, v.z}; }

b3Quat to_box3d(const Eigen::Quaterniond& q) {
  return {to_box3d(Eigen::Vector3d(q.vec())), static_cast<float>(q.w())};
}
b3Quat to_box3d(const Eigen::Matrix3d& R) { return to_box3d(Eigen::Quaterniond(R).normalized()); }
b3Transform to_box3d(const Pose& X) { return {to_box3d(X.translation), to_box3d(X.rotation)}; }

int num_substeps(const std::string& setting) {
  if (setting == "sub4") return 4;
  if (setting == "sub16") return 16;
  throw std::invalid_argument("unknown setting of Box3D: " + setting);
}

b3WorldId make_world(const World& world) {
  b3WorldDef def = b3DefaultWorldDef();
  def.gravity = to_box3d(world.gravity);
  def.restitutionThreshold = static_cast<float>(kBounceSteps * world.gravity.norm() * world.step);
  // A body at rest is computed like any other.
  def.enableSleep = false;
  def.workerCount = 1;
  return b3CreateWorld(&def);
}

class Box3dEngine : public Engine {
 public:
  Box3dEngine(const World& world, const std::string& setting)
      : world_(world), num_substeps_(num_substeps(setting)), box3d_(make_world(world)) {
    ground_ = make_ground();
    for (const WorldBody& body : world.moving) add_body(body);
    for (const WorldBody& body : world.fixed_bodies) add_fixed(body);
    for (const WorldJoint& joint : world.joints) add_joint(joint);
  }

  ~Box3dEngine() override { b3DestroyWorld(box3d_); }

  void step() override { b3World_Step(box3d_, static_cast<float>(world_.step), num_substeps_); }

  void read_states(std::vector<BodyState>& states) const override {
    states.resize(bodies_.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      const b3WorldTransform X = b3Body_GetTransform(bodies_[i]);
      const Eigen::Quaterniond q(X.q.s, X.q.v.x, X.q.v.y, X.q.v.z);
      states[i].X_WB.rotation = q.normalized().toRotationMatrix();
      states[i].X_WB.translation = Eigen::Vector3d(X.p.x, X.p.y, X.p.z);
      states[i].linear = to_eigen(b3Body_GetLinearVelocity(bodies_[i]));
      states[i].angular = to_eigen(b3Body_GetAngularVelocity(bodies_[i]));
    }
  }

  // Two moving bodies list their contact both.
  int num_contacts() const override {
    std::vector<b3ContactData> contacts;
    int count = 0;
    for (const b3BodyId body : bodies_) {
      contacts.resize(static_cast<std::size_t>(b3Body_GetContactCapacity(body)));
      const int size =
          b3Body_GetContactData(body, contacts.data(), static_cast<int>(contacts.size()));
      for (int i = 0; i < size; ++i) {
        const b3ContactData& contact = contacts[static_cast<std::size_t>(i)];
        const b3BodyId a = b3Shape_GetBody(contact.shapeIdA), b = b3Shape_GetBody(contact.shapeIdB);
        const bool is_second = B3_ID_EQUALS(b, body) && b3Body_GetType(a) == b3_dynamicBody;
        for (int m = 0; m < contact.manifoldCount && !is_second; ++m) {
          count += contact.manifolds[m].pointCount;
        }
      }
    }
    return count;
  }

 private:
  b3BodyId make_ground() {
    const b3BodyDef def = b3DefaultBodyDef();
    return b3CreateBody(box3d_, &def);
  }

  b3ShapeDef material() const {
    b3ShapeDef def = b3DefaultShapeDef();
    // Box3D takes the root of the product of two frictions and the larger of two restitutions.
    def.baseMaterial.friction = static_cast<float>(world_.friction);
    def.baseMaterial.restitution = static_cast<float>(world_.restitution);
    def.updateBodyMass = false;
    return def;
  }

  void add_body(const WorldBody& source) {
    b3BodyDef def = b3DefaultBodyDef();
    def.type = b3_dynamicBody;
    def.position = to_box3d(source.X_WB.translation);
    def.rotation = to_box3d(source.X_WB.rotation);
    def.linearVelocity = to_box3d(source.linear);
    def.angularVelocity = to_box3d(source.angular);
    if (source.planar) {
      def.motionLocks.linearY = def.motionLocks.angularX = def.motionLocks.angularZ = true;
    }
    const b3BodyId body = b3CreateBody(box3d_, &def);
    for (const WorldShape& shape : source.shapes) add_shape(body, shape);
    b3MassData mass{};
    mass.mass = static_cast<float>(source.mass);
    mass.inertia.cx.x = static_cast<float>(source.inertia.x());
    mass.inertia.cy.y = static_cast<float>(source.inertia.y());
    mass.inertia.cz.z = static_cast<float>(source.inertia.z());
    b3Body_SetMassData(body, mass);
    bodies_.push_back(body);
  }

  void add_shape(b3BodyId body, const WorldShape& source) const {
    const b3ShapeDef def = material();
    if (const auto* sphere = std::get_if<Sphere>(&source.shape)) {
      const b3Sphere shape{to_box3d(source.X_BG.translation), static_cast<float>(sphere->radius)};
      b3CreateSphereShape(body, &def, &shape);
    } else if (const auto* box = std::get_if<Box>(&source.shape)) {
      const b3Vec3 half = to_box3d(Eigen::Vector3d(0.5 * box->size));
      const b3BoxHull hull =
          b3MakeTransformedBoxHull(half.x, half.y, half.z, to_box3d(source.X_BG));
      b3CreateHullShape(body, &def, &hull.base);
    } else {
      throw std::invalid_argument("Box3D: shape " + shape_type_name(source.shape));
    }
  }

  void add_fixed(const WorldBody& source) {
    for (const WorldShape& shape : source.shapes) {
      const HalfSpace plane = half_space_in_world(source, shape);
      b3BodyDef def = b3DefaultBodyDef();
      def.rotation =
          to_box3d(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), plane.normal));
      const double center = plane.offset - static_cast<double>(kGroundHalfDepth);
      def.position = to_box3d(Eigen::Vector3d(center * plane.normal));
      const b3BodyId body = b3CreateBody(box3d_, &def);
      const b3BoxHull hull = b3MakeBoxHull(kGroundHalfWidth, kGroundHalfWidth, kGroundHalfDepth);
      const b3ShapeDef shape_def = material();
      b3CreateHullShape(body, &shape_def, &hull.base);
    }
  }

  // Sets the bodies of a joint and its frames, whose `axis` lies along that of the joint.
  void connect(const WorldJoint& source, const Eigen::Vector3d& axis, b3JointDef& def) const {
    const Pose X_WJ{Eigen::Quaterniond::FromTwoVectors(axis, source.axis_W).toRotationMatrix(),
                    source.at_W};
    const auto child = static_cast<std::size_t>(source.child);
    def.bodyIdB = bodies_[child];
    def.localFrameB = to_box3d(world_.moving[child].X_WB.inverse() * X_WJ);
    if (source.parent < 0) {
      def.bodyIdA = ground_;
      def.localFrameA = to_box3d(X_WJ);
    } else {
      const auto parent = static_cast<std::size_t>(source.parent);
      def.bodyIdA = bodies_[parent];
      def.localFrameA = to_box3d(world_.moving[parent].X_WB.inverse() * X_WJ);
    }
  }

  // Dry friction is a motor with the target speed zero, whose force is bounded by that of friction.
  void add_joint(const WorldJoint& source) const {
    const auto friction = static_cast<float>(source.friction);
    if (source.type == JointType::Revolute) {
      b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
      connect(source, Eigen::Vector3d::UnitZ(), def.base);
      def.enableMotor = friction > 0.0f;
      def.maxMotorTorque = friction;
      b3CreateRevoluteJoint(box3d_, &def);
    } else {
      b3PrismaticJointDef def = b3DefaultPrismaticJointDef();
      connect(source, Eigen::Vector3d::UnitX(), def.base);
      def.enableMotor = friction > 0.0f;
      def.maxMotorForce = friction;
      b3CreatePrismaticJoint(box3d_, &def);
    }
  }

  World world_;
  int num_substeps_ = 0;
  b3WorldId box3d_;
  b3BodyId ground_ = b3_nullBodyId;
  std::vector<b3BodyId> bodies_;
};

}  // namespace

EngineInfo engine_info() {
  const b3Version version = b3GetVersion();
  return {
      "box3d",
      std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
          std::to_string(version.revision) + " (" +
          (b3IsDoublePrecision() ? "double positions" : "float32") + ")",
      {{"sub4", "soft step, 4 substeps, warm start, contacts at 30 Hz and damping 10, no sleeping"},
       {"sub16", "soft step, 16 substeps"}}};
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  if (world.is_driven()) throw std::invalid_argument("Box3D: servos and prescribed motions");
  return std::make_unique<Box3dEngine>(world, setting);
}

}  // namespace amontons::peers
