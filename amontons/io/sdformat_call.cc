#include "amontons/io/sdformat_call.h"

#include "amontons/io/parse_number.h"
#include "amontons/io/sdf_errors.h"
#include "amontons/io/yaml_reader.h"

#include <Eigen/Geometry>

#include <cmath>
#include <exception>
#include <iostream>
#include <mutex>
#include <sdf/sdf.hh>
#include <sstream>

// The one file that knows libsdformat's types.

namespace amontons::io {
namespace {

using ignition::math::Pose3d;
using ignition::math::Vector3d;

constexpr double kNoLimit = 1e15;  // libsdformat writes 1e16 where there is none
constexpr double kTurn = 6.283185307179586477;

Eigen::Vector3d to_vector(const Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

Pose to_pose(const Pose3d& pose) {
  const auto& r = pose.Rot();
  return {Eigen::Quaterniond(r.W(), r.X(), r.Y(), r.Z()).normalized().toRotationMatrix(),
          to_vector(pose.Pos())};
}

/// A child element, also one that libsdformat does not know; null if it is absent.
sdf::ElementPtr find_child(const sdf::ElementPtr& element, const std::string& name) {
  if (element == nullptr) return nullptr;
  for (sdf::ElementPtr e = element->GetFirstElement(); e != nullptr; e = e->GetNextElement()) {
    if (e->GetName() == name) return e;
  }
  return nullptr;
}

std::optional<double> number_in(const sdf::ElementPtr& element, const std::string& child) {
  const sdf::ElementPtr found = find_child(element, child);
  double number = 0.0;
  if (found == nullptr || found->GetValue() == nullptr) return std::nullopt;
  const std::string text = found->GetValue()->GetAsString();
  return parse_number(text, number).empty() ? std::optional(number) : std::nullopt;
}

bool flag_in(const sdf::ElementPtr& element, const std::string& child, bool otherwise) {
  const sdf::ElementPtr found = find_child(element, child);
  return found ? found->Get<bool>() : otherwise;
}

int line_of(const sdf::ElementPtr& element) {
  return element ? element->LineNumber().value_or(0) : 0;
}

SpatialInertia to_inertia(const ignition::math::Inertiald& inertial) {
  const Pose X_LI = to_pose(inertial.Pose());
  const auto& m = inertial.MassMatrix();
  const Vector3d d = m.DiagonalMoments(), o = m.OffDiagonalMoments();
  Eigen::Matrix3d I;
  I << d.X(), o.X(), o.Y(),  //
      o.X(), d.Y(), o.Z(),   //
      o.Y(), o.Z(), d.Z();
  return {m.Mass(), X_LI.translation, X_LI.rotation * I * X_LI.rotation.transpose()};
}

/// Takes what libsdformat says for as long as it lives: some of it goes past its own console, which
/// besides complains of a missing HOME when it is made. The streams are one for the whole process.
class SilentConsole {
 public:
  SilentConsole() : lock_(mutex()), errors_(std::cerr.rdbuf(nowhere_.rdbuf())) {
    sdf::Console::Instance()->SetQuiet(true);
  }
  ~SilentConsole() { std::cerr.rdbuf(errors_); }
  SilentConsole(const SilentConsole&) = delete;
  SilentConsole& operator=(const SilentConsole&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex only_one;
    return only_one;
  }

  std::lock_guard<std::mutex> lock_;
  std::ostringstream nowhere_;
  std::streambuf* errors_;
};

sdf::ParserConfig make_config() {
  sdf::ParserConfig config;
  config.SetFindCallback([](const std::string&) { return std::string(); });
  config.SetWarningsPolicy(sdf::EnforcementPolicy::ERR);
  config.SetUnrecognizedElementsPolicy(sdf::EnforcementPolicy::ERR);
  config.SetDeprecatedElementsPolicy(sdf::EnforcementPolicy::LOG);
  return config;
}

/// Turns libsdformat's objects into plain data: nested models become one, poses and axes are
/// resolved into the frames that we use.
class Resolver {
 public:
  explicit Resolver(const SdfDocument& document) : document_(document) {}

  /// @throws ParseError for the first that matters. Inertias are judged by checks of our own.
  void check(const sdf::Errors& errors) const;

  SdfWorld resolve(const sdf::Root& root) const;

 private:
  /// A model that lies in another one, and where.
  struct Scope {
    std::string prefix;  ///< "inner::"
    Pose X_MN;           ///< of the inner model in the outermost one
  };

  SdfModel resolve_model(const sdf::Model& model) const;
  void add_links(const sdf::Model& model, const Scope& scope, SdfModel& result) const;
  void add_joints(const sdf::Model& model, const Scope& scope, SdfModel& result) const;
  SdfLink resolve_link(const sdf::Link& link, const Scope& scope) const;
  SdfCollision resolve_collision(const sdf::Collision& collision) const;
  void resolve_geometry(const sdf::Geometry& geometry, SdfCollision& result) const;
  void resolve_surface(const sdf::ElementPtr& collision, SdfCollision& result) const;
  SdfJoint resolve_joint(const sdf::Joint& joint, const Scope& scope, const SdfModel& model) const;
  SdfAxis resolve_axis(const sdf::JointAxis& axis, const Scope& scope) const;

  Pose resolve_pose(const sdf::SemanticPose& pose, const std::string& in) const;
  SourceLocation place_of_element(const sdf::ElementPtr& element) const;

  const SdfDocument& document_;
};

void Resolver::check(const sdf::Errors& errors) const {
  for (const sdf::Error& error : errors) {
    if (error.Code() == sdf::ErrorCode::LINK_INERTIA_INVALID) continue;
    std::string message = error.Message();
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) {
      message.pop_back();
    }
    fail_at(locate_sdf_error(document_, error.FilePath().value_or(""),
                             error.LineNumber().value_or(0), message),
            "not a valid SDF file: " + message);
  }
}

SdfWorld Resolver::resolve(const sdf::Root& root) const {
  SdfWorld result;
  if (root.WorldCount() > 0) {
    const sdf::World& world = *root.WorldByIndex(0);
    result.is_world = true;
    result.gravity = to_vector(world.Gravity());
    result.step = world.PhysicsDefault() ? world.PhysicsDefault()->MaxStepSize() : 0.0;
    for (std::uint64_t i = 0; i < world.ModelCount(); ++i) {
      result.models.push_back(resolve_model(*world.ModelByIndex(i)));
    }
  } else if (root.Model() != nullptr) {
    result.models.push_back(resolve_model(*root.Model()));
  }
  if (result.models.empty()) {
    fail_at({document_.main().shown, document_.main().original->RootElement()->GetLineNum(), 0},
            "the file holds no <model>");
  }
  return result;
}

SdfModel Resolver::resolve_model(const sdf::Model& model) const {
  SdfModel result;
  result.name = model.Name();
  result.X_WM = resolve_pose(model.SemanticPose(), "");
  result.is_static = model.Static();
  result.self_collide = model.SelfCollide();
  result.where = place_of_element(model.Element());
  add_links(model, {}, result);
  add_joints(model, {}, result);
  return result;
}

void Resolver::add_links(const sdf::Model& model, const Scope& scope, SdfModel& result) const {
  for (std::uint64_t i = 0; i < model.LinkCount(); ++i) {
    result.links.push_back(resolve_link(*model.LinkByIndex(i), scope));
  }
  for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
    const sdf::Model& inner = *model.ModelByIndex(i);
    if (inner.Static() && !result.is_static) {
      fail_at(place_of_element(inner.Element()),
              "model '" + inner.Name() + "' is static within one that moves; join it to the world");
    }
    add_links(inner,
              {scope.prefix + inner.Name() + "::",
               scope.X_MN * resolve_pose(inner.SemanticPose(), "__model__")},
              result);
  }
}

void Resolver::add_joints(const sdf::Model& model, const Scope& scope, SdfModel& result) const {
  for (std::uint64_t i = 0; i < model.JointCount(); ++i) {
    result.joints.push_back(resolve_joint(*model.JointByIndex(i), scope, result));
  }
  for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
    const sdf::Model& inner = *model.ModelByIndex(i);
    add_joints(inner,
               {scope.prefix + inner.Name() + "::",
                scope.X_MN * resolve_pose(inner.SemanticPose(), "__model__")},
               result);
  }
}

SdfLink Resolver::resolve_link(const sdf::Link& link, const Scope& scope) const {
  SdfLink result;
  result.name = scope.prefix + link.Name();
  result.X_ML = scope.X_MN * resolve_pose(link.SemanticPose(), "__model__");
  result.inertia = to_inertia(link.Inertial());
  result.gravity = flag_in(link.Element(), "gravity", true);
  result.self_collide = flag_in(link.Element(), "self_collide", false);
  result.where = place_of_element(link.Element());
  for (std::uint64_t i = 0; i < link.CollisionCount(); ++i) {
    result.collisions.push_back(resolve_collision(*link.CollisionByIndex(i)));
  }
  return result;
}

SdfCollision Resolver::resolve_collision(const sdf::Collision& collision) const {
  SdfCollision result;
  result.name = collision.Name();
  Pose3d pose;
  check(collision.SemanticPose().Resolve(pose));
  result.X_LG = to_pose(pose);
  result.file = collision.Element()->FilePath();
  result.line = line_of(collision.Element());
  resolve_geometry(*collision.Geom(), result);
  resolve_surface(find_child(collision.Element(), "surface"), result);
  return result;
}

void Resolver::resolve_geometry(const sdf::Geometry& geometry, SdfCollision& result) const {
  result.shape_line = line_of(geometry.Element());
  const sdf::ElementPtr cone = find_child(geometry.Element(), "amontons:cone");
  if (cone != nullptr) {
    result.kind = SdfShapeKind::Cone;
    result.size << number_in(cone, "radius").value_or(0), number_in(cone, "length").value_or(0), 0;
  } else if (const sdf::Box* box = geometry.BoxShape()) {
    result.kind = SdfShapeKind::Box;
    result.size = to_vector(box->Size());
  } else if (const sdf::Sphere* sphere = geometry.SphereShape()) {
    result.kind = SdfShapeKind::Sphere;
    result.size.x() = sphere->Radius();
  } else if (const sdf::Cylinder* cylinder = geometry.CylinderShape()) {
    result.kind = SdfShapeKind::Cylinder;
    result.size << cylinder->Radius(), cylinder->Length(), 0.0;
  } else if (const sdf::Capsule* capsule = geometry.CapsuleShape()) {
    result.kind = SdfShapeKind::Capsule;
    result.size << capsule->Radius(), capsule->Length(), 0.0;
  } else if (const sdf::Ellipsoid* ellipsoid = geometry.EllipsoidShape()) {
    result.kind = SdfShapeKind::Ellipsoid;
    result.size = to_vector(ellipsoid->Radii());
  } else if (const sdf::Plane* plane = geometry.PlaneShape()) {
    result.kind = SdfShapeKind::Plane;
    result.size = to_vector(plane->Normal());
  } else if (const sdf::Mesh* mesh = geometry.MeshShape()) {
    result.kind = SdfShapeKind::Mesh;
    result.size = to_vector(mesh->Scale());
    result.uri = mesh->Uri();
    result.shape_line = line_of(mesh->Element());
  }
}

void Resolver::resolve_surface(const sdf::ElementPtr& surface, SdfCollision& result) const {
  if (surface == nullptr) return;
  const sdf::ElementPtr friction = find_child(surface, "friction");
  result.friction = number_in(find_child(friction, "ode"), "mu");
  if (!result.friction) result.friction = number_in(find_child(friction, "bullet"), "friction");
  result.restitution = number_in(find_child(surface, "bounce"), "restitution_coefficient");
  const sdf::ElementPtr contact = find_child(surface, "contact");
  result.only_sensed = flag_in(contact, "collide_without_contact", false);
  if (const sdf::ElementPtr bits = find_child(contact, "collide_bitmask")) {
    result.mask = result.category = bits->Get<unsigned int>();
  }
  if (const sdf::ElementPtr bits = find_child(contact, "category_bitmask")) {
    result.category = bits->Get<unsigned int>();
  }
}

SdfJoint Resolver::resolve_joint(const sdf::Joint& joint, const Scope& scope,
                                 const SdfModel& model) const {
  SdfJoint result;
  result.name = scope.prefix + joint.Name();
  result.type = joint.Element()->Get<std::string>("type");
  result.where = place_of_element(joint.Element());
  std::string parent, child;
  check(joint.ResolveParentLink(parent));
  check(joint.ResolveChildLink(child));
  const auto index_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      if (model.links[i].name == scope.prefix + name) return static_cast<int>(i);
    }
    fail_at(result.where, "joint '" + result.name + "': there is no link '" + name + "'");
  };
  result.parent = parent == "world" ? -1 : index_of(parent);
  result.child = index_of(child);
  result.X_MJ = scope.X_MN * resolve_pose(joint.SemanticPose(), "__model__");
  if (joint.Axis(0) != nullptr) result.axis = resolve_axis(*joint.Axis(0), scope);
  if (joint.Axis(1) != nullptr) result.axis2 = resolve_axis(*joint.Axis(1), scope);
  // thread_pitch is in rad/m and left-handed, screw_thread_pitch in m a turn and right-handed.
  const double old_pitch = number_in(joint.Element(), "thread_pitch").value_or(1.0);
  const std::optional<double> pitch = number_in(joint.Element(), "amontons:screw_thread_pitch");
  if (result.type == "screw" && !pitch && old_pitch == 0.0) {
    fail_at(result.where, "joint '" + result.name + "': thread_pitch must not be zero");
  }
  result.pitch = pitch ? *pitch / kTurn : -1.0 / old_pitch;
  result.gear_ratio = number_in(joint.Element(), "gearbox_ratio").value_or(1.0);
  if (const sdf::ElementPtr body = find_child(joint.Element(), "gearbox_reference_body")) {
    result.gear_reference = scope.prefix + body->Get<std::string>();
  }
  return result;
}

SdfAxis Resolver::resolve_axis(const sdf::JointAxis& axis, const Scope& scope) const {
  SdfAxis result;
  Vector3d xyz;
  check(axis.ResolveXyz(xyz));
  result.xyz = to_vector(xyz).normalized();
  if (std::abs(axis.Lower()) < kNoLimit) result.lower = axis.Lower();
  if (std::abs(axis.Upper()) < kNoLimit) result.upper = axis.Upper();
  const sdf::ElementPtr limit = find_child(axis.Element(), "limit");
  result.effort = number_in(limit, "effort");
  result.velocity = number_in(limit, "velocity");
  if (result.effort.value_or(-1.0) < 0.0) result.effort.reset();  // -1: without bound
  if (result.velocity.value_or(-1.0) < 0.0) result.velocity.reset();
  result.damping = axis.Damping();
  result.friction = axis.Friction();
  result.stiffness = axis.SpringStiffness();
  result.rest_position = axis.SpringReference();
  result.initial_position = number_in(axis.Element(), "initial_position");
  const sdf::ElementPtr mimic = find_child(axis.Element(), "amontons:mimic");
  if (mimic != nullptr) {
    const sdf::ParamPtr joint = mimic->GetAttribute("joint");
    result.mimic = SdfMimic{scope.prefix + (joint ? joint->GetAsString() : ""),
                            number_in(mimic, "multiplier").value_or(1.0),
                            number_in(mimic, "offset").value_or(0.0),
                            number_in(mimic, "reference").value_or(0.0)};
  }
  return result;
}

Pose Resolver::resolve_pose(const sdf::SemanticPose& pose, const std::string& in) const {
  Pose3d result;
  check(pose.Resolve(result, in));
  return to_pose(result);
}

SourceLocation Resolver::place_of_element(const sdf::ElementPtr& element) const {
  if (element == nullptr) return {document_.main().shown, 0, 0};
  return {document_.file_of(element->FilePath()).shown, line_of(element), 0};
}

}  // namespace

SdfWorld resolve_with_sdformat(const SdfDocument& document) {
  const SilentConsole silence;
  sdf::Root root;
  sdf::Errors errors;
  try {
    errors = root.LoadSdfString(document.main().text, make_config());
  } catch (const std::exception& error) {
    fail_at({document.main().shown, document.main().original->RootElement()->GetLineNum(), 0},
            std::string("not a valid SDF file: ") + error.what());
  }
  const Resolver resolver(document);
  resolver.check(errors);
  return resolver.resolve(root);
}

}  // namespace amontons::io
