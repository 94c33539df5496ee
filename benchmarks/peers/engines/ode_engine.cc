// Open Dynamics Engine, double precision.

#include "benchmarks/peers/engine.h"

#include <array>
#include <cmath>
#include <cstdarg>
#include <ode/ode.h>
#include <stdexcept>

namespace amontons::peers {
namespace {

constexpr double kErp = 0.2, kCfm = 1e-10;
constexpr int kMaxContactsPerPair = 8;
constexpr double kSlipThreshold = 1e-9;  // [m/s] below it a contact keeps the world's directions
constexpr double kBounceSteps = 2.0;     // nothing bounces below 2 g h

int g_reported_errors = 0;  // ODE's message handlers carry no user data

void count_message(int, const char*, va_list) { ++g_reported_errors; }

struct Options {
  int quick_iterations = 0;  // 0: dWorldStep, the exact LCP
  bool slip_directions = false;
};

Options options_of(const std::string& setting) {
  if (setting == "quick20") return {20, false};
  if (setting == "quick1000") return {1000, false};
  if (setting == "step") return {0, false};
  if (setting == "slipdir") return {0, true};
  throw std::invalid_argument("unknown setting of ODE: " + setting);
}

void set_rotation(dBodyID body, const Eigen::Matrix3d& R) {
  dMatrix3 rotation{};
  for (int row = 0; row < 3; ++row) {
    for (int col = 0; col < 3; ++col) rotation[4 * row + col] = R(row, col);
  }
  dBodySetRotation(body, rotation);
}

class OdeEngine : public Engine {
 public:
  OdeEngine(const World& world, const std::string& setting)
      : world_(world), options_(options_of(setting)) {
    dInitODE2(0);
    dSetMessageHandler(count_message);
    ode_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(ode_, world.gravity.x(), world.gravity.y(), world.gravity.z());
    dWorldSetERP(ode_, kErp);
    dWorldSetCFM(ode_, kCfm);
    dWorldSetQuickStepNumIterations(ode_, options_.quick_iterations);
    for (const WorldBody& body : world.moving) add_body(body);
    for (const WorldBody& body : world.fixed_bodies) add_fixed(body);
    for (const WorldJoint& joint : world.joints) add_joint(joint);
  }

  ~OdeEngine() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(ode_);
    dCloseODE();
  }

  void step() override {
    num_contacts_ = 0;
    dSpaceCollide(space_, this, &OdeEngine::on_near_pair);
    if (options_.quick_iterations > 0) {
      dWorldQuickStep(ode_, world_.step);
    } else {
      dWorldStep(ode_, world_.step);
    }
    dJointGroupEmpty(contacts_);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (world_.moving[i].planar) keep_in_plane(bodies_[i]);
    }
  }

  void read_states(std::vector<BodyState>& states) const override {
    states.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const dReal* R = dBodyGetRotation(bodies_[i]);
      for (int row = 0; row < 3; ++row) {
        for (int col = 0; col < 3; ++col) states[i].X_WB.rotation(row, col) = R[4 * row + col];
      }
      states[i].X_WB.translation = Eigen::Map<const Eigen::Vector3d>(dBodyGetPosition(bodies_[i]));
      states[i].linear = Eigen::Map<const Eigen::Vector3d>(dBodyGetLinearVel(bodies_[i]));
      states[i].angular = Eigen::Map<const Eigen::Vector3d>(dBodyGetAngularVel(bodies_[i]));
    }
  }

  int num_contacts() const override { return num_contacts_; }
  int num_errors() const override { return g_reported_errors; }

 private:
  void add_body(const WorldBody& body) {
    const dBodyID id = dBodyCreate(ode_);
    dMass mass;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia.x(), body.inertia.y(),
                       body.inertia.z(), 0, 0, 0);
    dBodySetMass(id, &mass);
    const Eigen::Vector3d& p = body.X_WB.translation;
    dBodySetPosition(id, p.x(), p.y(), p.z());
    set_rotation(id, body.X_WB.rotation);
    dBodySetLinearVel(id, body.linear.x(), body.linear.y(), body.linear.z());
    dBodySetAngularVel(id, body.angular.x(), body.angular.y(), body.angular.z());
    for (const WorldShape& shape : body.shapes) {
      const dGeomID geom = make_geom(shape.shape);
      dGeomSetBody(geom, id);
      const bool is_turned =
          !std::holds_alternative<Sphere>(shape.shape) && !shape.X_BG.rotation.isIdentity(0.0);
      if (is_turned) throw std::invalid_argument("ODE: a turned shape");
      if (shape.X_BG.translation.isZero(0.0)) continue;
      const Eigen::Vector3d& offset = shape.X_BG.translation;
      dGeomSetOffsetPosition(geom, offset.x(), offset.y(), offset.z());
    }
    bodies_.push_back(id);
  }

  dGeomID make_geom(const Shape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape)) {
      return dCreateSphere(space_, sphere->radius);
    }
    if (const auto* box = std::get_if<Box>(&shape)) {
      return dCreateBox(space_, box->size.x(), box->size.y(), box->size.z());
    }
    throw std::invalid_argument("ODE: shape " + shape_type_name(shape));
  }

  void add_fixed(const WorldBody& body) {
    for (const WorldShape& shape : body.shapes) {
      const HalfSpace plane = half_space_in_world(body, shape);
      dCreatePlane(space_, plane.normal.x(), plane.normal.y(), plane.normal.z(), plane.offset);
    }
  }

  // Dry friction is a motor with the target speed zero, whose force is bounded by that of friction.
  void add_joint(const WorldJoint& source) {
    const dBodyID child = bodies_[static_cast<std::size_t>(source.child)];
    const dBodyID parent =
        source.parent < 0 ? nullptr : bodies_[static_cast<std::size_t>(source.parent)];
    const Eigen::Vector3d& axis = source.axis_W;
    if (source.type == JointType::Revolute) {
      const dJointID joint = dJointCreateHinge(ode_, nullptr);
      dJointAttach(joint, child, parent);
      dJointSetHingeAnchor(joint, source.at_W.x(), source.at_W.y(), source.at_W.z());
      dJointSetHingeAxis(joint, axis.x(), axis.y(), axis.z());
      dJointSetHingeParam(joint, dParamVel, 0.0);
      dJointSetHingeParam(joint, dParamFMax, source.friction);
    } else {
      const dJointID joint = dJointCreateSlider(ode_, nullptr);
      dJointAttach(joint, child, parent);
      dJointSetSliderAxis(joint, axis.x(), axis.y(), axis.z());
      dJointSetSliderParam(joint, dParamVel, 0.0);
      dJointSetSliderParam(joint, dParamFMax, source.friction);
    }
  }

  static void on_near_pair(void* self, dGeomID a, dGeomID b) {
    static_cast<OdeEngine*>(self)->collide(a, b);
  }

  void collide(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) return;
    if (body_a != nullptr && body_b != nullptr &&
        dAreConnectedExcluding(body_a, body_b, dJointTypeContact) != 0) {
      return;
    }
    std::array<dContactGeom, kMaxContactsPerPair> points;
    const int count =
        dCollide(a, b, kMaxContactsPerPair, points.data(), static_cast<int>(sizeof(dContactGeom)));
    num_contacts_ += count;
    for (int i = 0; i < count; ++i) {
      dContact contact{};
      contact.geom = points[static_cast<std::size_t>(i)];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = world_.friction;
      if (world_.restitution > 0.0) {
        contact.surface.mode |= dContactBounce;
        contact.surface.bounce = world_.restitution;
        contact.surface.bounce_vel = kBounceSteps * world_.gravity.norm() * world_.step;
      }
      if (options_.slip_directions) align_with_slip(body_a, body_b, contact);
      dJointAttach(dJointCreateContact(ode_, contacts_, &contact), body_a, body_b);
    }
  }

  static Eigen::Vector3d velocity_at(dBodyID body, const dReal* p) {
    dVector3 velocity{};
    if (body != nullptr) dBodyGetPointVel(body, p[0], p[1], p[2], velocity);
    return {velocity[0], velocity[1], velocity[2]};
  }

  static void align_with_slip(dBodyID a, dBodyID b, dContact& contact) {
    const Eigen::Vector3d normal(contact.geom.normal[0], contact.geom.normal[1],
                                 contact.geom.normal[2]);
    Eigen::Vector3d slip = velocity_at(a, contact.geom.pos) - velocity_at(b, contact.geom.pos);
    slip -= normal * normal.dot(slip);
    if (slip.norm() < kSlipThreshold) return;
    slip.normalize();
    contact.surface.mode |= dContactFDir1;
    for (int k = 0; k < 3; ++k) contact.fdir1[k] = slip[k];
  }

  // ODE's own planar joint exists in the x-y plane only.
  static void keep_in_plane(dBodyID body) {
    const dReal* v = dBodyGetLinearVel(body);
    const dReal* w = dBodyGetAngularVel(body);
    dBodySetLinearVel(body, v[0], 0.0, v[2]);
    dBodySetAngularVel(body, 0.0, w[1], 0.0);
  }

  World world_;
  Options options_;
  dWorldID ode_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contacts_ = nullptr;
  std::vector<dBodyID> bodies_;
  int num_contacts_ = 0;
};

}  // namespace

EngineInfo engine_info() {
  return {"ode",
          AMONTONS_PEER_VERSION,
          {{"quick20", "QuickStep, 20 iterations, ERP 0.2, CFM 1e-10, pyramid by normal force"},
           {"quick1000", "QuickStep, 1000 iterations"},
           {"step", "dWorldStep: exact LCP (Dantzig)"},
           {"slipdir", "dWorldStep, each pyramid turned to the slip direction by the user"}}};
}

std::unique_ptr<Engine> make_engine(const World& world, const std::string& setting) {
  if (world.is_driven()) throw std::invalid_argument("ODE: servos and prescribed motions");
  return std::make_unique<OdeEngine>(world, setting);
}

}  // namespace amontons::peers
