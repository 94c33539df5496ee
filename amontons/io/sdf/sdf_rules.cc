#include "amontons/io/sdf/sdf_rules.h"

#include "amontons/io/sdf/sdf_fates.h"
#include "amontons/io/sdf/sdf_state.h"

namespace amontons::io {
namespace {

// Short names make the rows of the table fit their lines.
constexpr ImportFate kApplied = ImportFate::Applied;
constexpr ImportFate kIgnored = ImportFate::Ignored;
constexpr ImportFate kRefused = ImportFate::Refused;
constexpr bool kRequired = true, kOptional = false;
// Reasons in the ledger that several elements share.
constexpr std::string_view kAnotherSolver = "settings of another solver";
constexpr std::string_view kEffortNotEnforced =
    "stored, not enforced; a servo has its own effort limit";
constexpr std::string_view kVelocityNotEnforced =
    "stored, not enforced; nothing bounds the velocity of a joint";
constexpr std::string_view kRigid = "contacts are rigid";
constexpr std::string_view kLooks = "looks only; the replay does not draw it";
constexpr std::string_view kNoSensors = "there are no sensors";

/// Returns the attribute `name`, which most elements need.
AttributeRule name() { return {.name = "name", .required = kRequired}; }

/// Returns the rule of an element that is applied and has a value as its text.
ElementRule value(std::string_view path, XmlValue kind, XmlFateFunction fate_of = nullptr) {
  return {.path = path, .text = kind, .fate_of = fate_of};
}

/// Returns the rule of an element that is left out with all its content.
ElementRule ignored(std::string_view path, std::string_view reason,
                    XmlFateFunction fate_of = nullptr) {
  return {.path = path, .fate = kIgnored, .reason = reason, .repeatable = true, .fate_of = fate_of};
}

/// Returns the rule of an element that is checked and kept, but has no effect.
ElementRule stored(std::string_view path, XmlValue kind, std::string_view reason) {
  return {.path = path, .fate = kIgnored, .reason = reason, .text = kind};
}

/// Returns the rule of an element that is an error.
ElementRule refused(std::string_view path, std::string_view reason) {
  return {.path = path, .fate = kRefused, .reason = reason, .repeatable = true};
}

/// Returns the rule of a <pose>.
ElementRule pose(std::string_view path) {
  using enum XmlValue;
  return {.path = path,
          .attributes = {{.name = "relative_to", .value = AnyText},
                         {.name = "rotation_format"},
                         {.name = "degrees", .value = Bool}},
          .text = Pose};
}

using Rules = std::vector<ElementRule>;

/// Returns the rules of the root and the elements below it.
Rules root_rules() {
  using enum XmlValue;
  return {
      {.path = "sdf", .attributes = {{"version", Text, kRequired, kApplied, "", fate_of_version}}},
      {.path = "sdf/world", .attributes = {{.name = "name"}}, .children_of = "world"},
      {.path = "sdf/model",
       .attributes = {name(), {.name = "canonical_link"}, {.name = "placement_frame"}},
       .children_of = "model",
       .fate_of = fate_of_model},
      ignored("sdf/light", "light"),
      ignored("sdf/actor", "an animation")};
}

/// Returns the rules of a world.
Rules world_rules() {
  using enum XmlValue;
  return {
      // Gravity and step; everything else in <physics> concerns other solvers.
      value("world/gravity", Vector3),
      {.path = "world/physics",
       .repeatable = true,
       .attributes = {{"name", Text, kOptional, kIgnored, kAnotherSolver},
                      {"type", Text, kOptional, kIgnored, kAnotherSolver},
                      {"default", Bool}},
       .fate_of = fate_of_physics},
      value("world/physics/max_step_size", Positive),
      value("world/physics/gravity", Vector3, fate_of_old_gravity),
      ignored("world/physics/real_time_factor", "nothing keeps pace with real time"),
      ignored("world/physics/real_time_update_rate", "nothing keeps pace with real time"),
      ignored("world/physics/max_contacts", "every contact counts"),
      ignored("world/physics/ode", kAnotherSolver),
      ignored("world/physics/bullet", kAnotherSolver),
      ignored("world/physics/dart", kAnotherSolver),
      ignored("world/physics/simbody", kAnotherSolver),
      // Models, written or included.
      {.path = "world/model",
       .repeatable = true,
       .attributes = {name(), {.name = "canonical_link"}, {.name = "placement_frame"}},
       .children_of = "model",
       .fate_of = fate_of_model},
      {.path = "world/include", .repeatable = true, .required = {"uri"}, .children_of = "include"},
      {.path = "world/frame",
       .repeatable = true,
       .attributes = {name(), {.name = "attached_to", .value = AnyText}},
       .children_of = "frame"},
      {.path = "world/joint",
       .repeatable = true,
       .attributes = {name(), {.name = "type", .required = kRequired}},
       .required = {"parent", "child"},
       .children_of = "joint",
       .fate_of = fate_of_joint_type},
      // Elements that make or move bodies are findings where they do, others are ignored.
      {.path = "world/population", .repeatable = true, .fate_of = fate_of_population},
      {.path = "world/state", .repeatable = true, .fate_of = fate_of_state},
      ignored("world/road", kLooks),
      ignored("world/actor", "an animation"),
      ignored("world/light", "light"),
      ignored("world/scene", kLooks),
      ignored("world/gui", "belongs to another program"),
      ignored("world/plugin", "belongs to another program", fate_of_plugin),
      ignored("world/audio", "sound"),
      ignored("world/wind", "there is no air", fate_of_wind),
      ignored("world/atmosphere", "there is no air"),
      ignored("world/magnetic_field", kNoSensors),
      ignored("world/spherical_coordinates", kNoSensors),
      ignored("world/particle_emitter", kLooks)};
}

/// Returns the rules of a model, its frames and its includes.
Rules model_rules() {
  using enum XmlValue;
  // Paths begin at "model", "frame" and "include", since these occur in several places.
  return {value("model/static", Bool),
          value("model/self_collide", Bool),
          ignored("model/allow_auto_disable", "nothing falls asleep"),
          ignored("model/enable_wind", "there is no air"),
          ignored("model/plugin", "belongs to another program", fate_of_plugin),
          ignored("model/gripper", "what a gripper holds it holds by friction"),
          pose("model/pose"),
          {.path = "model/frame",
           .repeatable = true,
           .attributes = {name(), {.name = "attached_to", .value = AnyText}},
           .children_of = "frame"},
          pose("frame/pose"),
          {.path = "model/model",
           .repeatable = true,
           .attributes = {name(), {.name = "canonical_link"}, {.name = "placement_frame"}},
           .children_of = "model",
           .fate_of = fate_of_model},
          {.path = "model/include",
           .repeatable = true,
           .attributes = {{.name = "merge", .value = Bool}},
           .required = {"uri"},
           .children_of = "include"},
          value("include/uri", Text),
          value("include/name", Text),
          value("include/static", Bool),
          value("include/placement_frame", Text),
          pose("include/pose"),
          ignored("include/plugin", "belongs to another program", fate_of_plugin),
          {.path = "include/experimental:params", .repeatable = true, .fate_of = fate_of_params}};
}

/// Returns the rules of a link without its collisions.
Rules link_rules() {
  using enum XmlValue;
  // Pose and flags, then inertia, then parts without effect on motion.
  return {{.path = "model/link", .repeatable = true, .attributes = {name()}, .children_of = "link"},
          pose("link/pose"),
          value("link/gravity", Bool),
          value("link/self_collide", Bool),
          value("link/kinematic", Bool, fate_of_kinematic),
          ignored("link/enable_wind", "there is no air"),
          ignored("link/must_be_base_link", "the tree of joints decides"),
          {.path = "link/velocity_decay", .fate_of = fate_of_velocity_decay},
          value("link/velocity_decay/linear", Number),
          value("link/velocity_decay/angular", Number),
          {.path = "link/inertial", .attributes = {{"auto", Bool}}, .fate_of = fate_of_inertial},
          pose("link/inertial/pose"),
          value("link/inertial/mass", NonNegative),
          ignored("link/inertial/frame", "never had a meaning"),
          value("link/inertial/density", Positive, fate_of_density),
          {.path = "link/inertial/fluid_added_mass", .fate_of = fate_of_added_mass},
          {.path = "link/inertial/inertia"},
          value("link/inertial/inertia/ixx", Number),
          value("link/inertial/inertia/ixy", Number),
          value("link/inertial/inertia/ixz", Number),
          value("link/inertial/inertia/iyy", Number),
          value("link/inertial/inertia/iyz", Number),
          value("link/inertial/inertia/izz", Number),
          ignored("link/visual", "moves nothing; the replay draws it"),
          ignored("link/sensor", kNoSensors),
          ignored("link/projector", kLooks),
          ignored("link/audio_sink", "sound"),
          ignored("link/audio_source", "sound"),
          ignored("link/battery", "there are no batteries"),
          ignored("link/light", "light"),
          ignored("link/particle_emitter", kLooks)};
}

/// Returns the rules of a collision and its geometry.
Rules collision_rules() {
  using enum XmlValue;
  return {
      {.path = "link/collision",
       .repeatable = true,
       .attributes = {name()},
       .required = {"geometry"},
       .children_of = "collision",
       .fate_of = fate_of_collision},
      pose("collision/pose"),
      ignored("collision/laser_retro", kNoSensors),
      ignored("collision/max_contacts", "every contact counts"),
      value("collision/density", Positive, fate_of_density),
      ignored("collision/mass", "of SDF 1.0: <mass> of the link is used instead"),
      ignored("collision/auto_inertia_params", "<inertia> of the link is used instead"),
      // Shapes: exactly one for each collision.
      {.path = "collision/geometry", .single_child_noun = "shape"},
      {.path = "collision/geometry/empty"},
      {.path = "collision/geometry/box"},
      value("collision/geometry/box/size", PositiveVector3),
      {.path = "collision/geometry/sphere"},
      value("collision/geometry/sphere/radius", Positive),
      {.path = "collision/geometry/cylinder"},
      value("collision/geometry/cylinder/radius", Positive),
      value("collision/geometry/cylinder/length", Positive),
      {.path = "collision/geometry/capsule"},
      value("collision/geometry/capsule/radius", Positive),
      value("collision/geometry/capsule/length", NonNegative),
      {.path = "collision/geometry/cone",
       .fate = ImportFate::Approximated,
       .reason = "collides as a pyramid of 64 sides, of the same volume"},
      value("collision/geometry/cone/radius", Positive),
      value("collision/geometry/cone/length", Positive),
      {.path = "collision/geometry/ellipsoid"},
      value("collision/geometry/ellipsoid/radii", PositiveVector3),
      {.path = "collision/geometry/plane"},
      value("collision/geometry/plane/normal", Vector3, fate_of_normal),
      {.path = "collision/geometry/plane/size",
       .fate = kIgnored,
       .reason = "planes that collide have no end",
       .text = Vector2},
      {.path = "collision/geometry/mesh",
       .attributes = {{"optimization", AnyText, kOptional, kApplied, "", fate_of_optimization}},
       .required = {"uri"},
       .noted_by_reader = true},
      value("collision/geometry/mesh/uri", Text),
      value("collision/geometry/mesh/scale", NonZeroVector3),
      {.path = "collision/geometry/mesh/submesh", .required = {"name"}},
      value("collision/geometry/mesh/submesh/name", Text),
      value("collision/geometry/mesh/submesh/center", Bool),
      ignored("collision/geometry/mesh/convex_decomposition", "no mesh is decomposed"),
      {.path = "collision/geometry/heightmap",
       .reason = "the ground is solid below, without end",
       .required = {"uri"}},
      value("collision/geometry/heightmap/uri", Text),
      value("collision/geometry/heightmap/size", PositiveVector3),
      value("collision/geometry/heightmap/pos", Vector3),
      ignored("collision/geometry/heightmap/texture", kLooks),
      ignored("collision/geometry/heightmap/blend", kLooks),
      ignored("collision/geometry/heightmap/use_terrain_paging", kLooks),
      ignored("collision/geometry/heightmap/sampling", "the terrain has the points of the image"),
      refused("collision/geometry/image", "images are no solids; make a mesh of it"),
      {.path = "collision/geometry/polyline", .repeatable = true, .required = {"point", "height"}},
      {.path = "collision/geometry/polyline/point", .repeatable = true, .text = Vector2},
      value("collision/geometry/polyline/height", Positive)};
}

/// Returns the rules of a collision's surface.
Rules surface_rules() {
  using enum XmlValue;
  return {
      // Restitution, then friction, then bit masks; compliance has no place in rigid contact.
      {.path = "collision/surface"},
      {.path = "collision/surface/bounce"},
      value("collision/surface/bounce/restitution_coefficient", Fraction),
      ignored("collision/surface/bounce/threshold", "see rest_speed of the scene"),
      {.path = "collision/surface/friction"},
      {.path = "collision/surface/friction/ode"},
      value("collision/surface/friction/ode/mu", Number, fate_of_friction),
      value("collision/surface/friction/ode/mu2", Number, fate_of_second_friction),
      value("collision/surface/friction/ode/slip1", Number, fate_of_slip),
      value("collision/surface/friction/ode/slip2", Number, fate_of_slip),
      ignored("collision/surface/friction/ode/fdir1", "", fate_of_friction_direction),
      {.path = "collision/surface/friction/bullet"},
      value("collision/surface/friction/bullet/friction", NonNegative, fate_of_bullet_friction),
      value("collision/surface/friction/bullet/friction2", NonNegative, fate_of_second_friction),
      ignored("collision/surface/friction/bullet/fdir1", "", fate_of_friction_direction),
      ignored("collision/surface/friction/bullet/rolling_friction", "it is zero", fate_of_rolling),
      ignored("collision/surface/friction/torsional", "contacts are points, which do not twist",
              fate_of_torsion),
      {.path = "collision/surface/contact"},
      value("collision/surface/contact/collide_without_contact", Bool),
      ignored("collision/surface/contact/collide_without_contact_bitmask", kNoSensors),
      value("collision/surface/contact/collide_bitmask", Text),
      value("collision/surface/contact/category_bitmask", Text),
      ignored("collision/surface/contact/poissons_ratio", kRigid),
      ignored("collision/surface/contact/elastic_modulus", kRigid),
      ignored("collision/surface/contact/ode", kRigid),
      ignored("collision/surface/contact/bullet", kRigid),
      ignored("collision/surface/soft_contact", kRigid)};
}

/// Returns the rules of a joint and its axes.
Rules joint_rules() {
  using enum XmlValue;
  // The joint itself, then its axes under a path of their own, because <axis> and <axis2> are
  // alike.
  return {{.path = "model/joint",
           .repeatable = true,
           .attributes = {name(), {.name = "type", .required = kRequired}},
           .required = {"parent", "child"},
           .children_of = "joint",
           .fate_of = fate_of_joint_type},
          value("joint/parent", Text),
          value("joint/child", Text),
          pose("joint/pose"),
          value("joint/thread_pitch", Number, fate_of_old_screw_pitch),
          value("joint/screw_thread_pitch", Number, fate_of_screw_pitch),
          value("joint/gearbox_ratio", Number, fate_of_gearbox),
          value("joint/gearbox_reference_body", Text, fate_of_gearbox),
          {.path = "joint/axis", .children_of = "axis", .fate_of = fate_of_axis},
          {.path = "joint/axis2", .children_of = "axis", .fate_of = fate_of_axis2},
          ignored("joint/physics", kAnotherSolver),
          ignored("joint/sensor", kNoSensors),
          ignored("joint/plugin", "belongs to another program", fate_of_plugin),
          {.path = "axis/xyz",
           .attributes = {{.name = "expressed_in", .value = AnyText}},
           .text = Vector3},
          value("axis/use_parent_model_frame", Bool),
          value("axis/initial_position", Number),
          {.path = "axis/dynamics"},
          value("axis/dynamics/damping", NonNegative),
          value("axis/dynamics/friction", NonNegative),
          value("axis/dynamics/spring_reference", Number),
          value("axis/dynamics/spring_stiffness", NonNegative),
          {.path = "axis/limit"},
          value("axis/limit/lower", Bound),
          value("axis/limit/upper", Bound),
          stored("axis/limit/effort", Bound, kEffortNotEnforced),
          stored("axis/limit/velocity", Bound, kVelocityNotEnforced),
          ignored("axis/limit/stiffness", "limits are rigid"),
          ignored("axis/limit/dissipation", "limits are rigid"),
          {.path = "axis/mimic",
           .attributes = {{.name = "joint", .required = kRequired},
                          {"axis", Text, kOptional, kApplied, ""}}},
          value("axis/mimic/multiplier", Number),
          value("axis/mimic/offset", Number),
          value("axis/mimic/reference", Number)};
}

/// Returns the whole table.
Rules make_rules() {
  Rules all;
  for (const Rules& rules : {root_rules(), world_rules(), model_rules(), link_rules(),
                             collision_rules(), surface_rules(), joint_rules()}) {
    all.insert(all.end(), rules.begin(), rules.end());
  }
  return all;
}

}  // namespace

const XmlFormat& sdf_format() {
  static const XmlFormat kFormat(make_rules());
  return kFormat;
}

}  // namespace amontons::io
