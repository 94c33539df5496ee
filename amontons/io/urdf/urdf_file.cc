#include "amontons/io/urdf/urdf_file.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/massless_links.h"
#include "amontons/io/import/shape_mass.h"
#include "amontons/io/urdf/urdf_completion.h"
#include "amontons/io/urdf/urdf_extensions.h"
#include "amontons/io/urdf/urdf_origin.h"
#include "amontons/io/urdf/urdf_rules.h"
#include "amontons/io/urdf/urdf_tree.h"
#include "amontons/io/urdf/urdf_visuals.h"
#include "amontons/io/urdf/urdfdom_call.h"
#include "amontons/io/urdf/xacro.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/nearest_name.h"

#include <Eigen/Geometry>
#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns values of urdfdom in our types.
Eigen::Vector3d to_vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

/// Returns the pose with a normalized rotation.
Pose to_pose(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix(),
          to_vector(pose.position)};
}

/// Returns the inertia about the center of mass, along the link's axes. The file gives it along the
/// axes of <origin>: I_L = R I R' with R the rotation of that frame.
SpatialInertia to_inertia(const urdf::Inertial& inertial) {
  const Pose X_LI = to_pose(inertial.origin);
  Eigen::Matrix3d I;
  I << inertial.ixx, inertial.ixy, inertial.ixz,  //
      inertial.ixy, inertial.iyy, inertial.iyz,   //
      inertial.ixz, inertial.iyz, inertial.izz;
  return {inertial.mass, X_LI.translation, X_LI.rotation * I * X_LI.rotation.transpose()};
}

/// Returns the type of a joint; build_urdf_tree has refused unknown names.
JointType to_type(const std::string& name) {
  static const std::map<std::string, JointType> kTypes{
      {"revolute", JointType::Revolute},   {"continuous", JointType::Continuous},
      {"prismatic", JointType::Prismatic}, {"fixed", JointType::Fixed},
      {"floating", JointType::Free},       {"planar", JointType::Planar},
      {"spherical", JointType::Spherical}};
  return kTypes.at(name);
}

/// Reads one robot file into a model.
class UrdfReader {
 public:
  UrdfReader(ImportContext& context, SceneModel& model)
      : context_(context), model_(model), file_(context.inputs.shown_name(model.file)) {}

  /// Reads the whole file.
  void run(const std::string& text) {
    tinyxml2::XMLDocument document, used;
    const XMLElement& robot = parse_xml(text, file_, "robot", "a URDF file", document);
    const bool has_expressions =
        text.find("${") != std::string::npos || text.find("$(") != std::string::npos;
    if (const XMLElement* macro = find_expandable(robot, has_expressions)) {
      const std::string expanded = expand(*macro);
      parse_xml(expanded, file_, "robot", "a URDF file", document);
    }
    // Parsers of XML read on behind the first element, which alone is the robot.
    for (const XMLElement* other = document.RootElement()->NextSiblingElement(); other != nullptr;
         other = other->NextSiblingElement()) {
      note_ignored(*other, "a file holds one robot: the first one counts", file_, context_.ledger,
                   ImportFate::Warning);
    }
    remove_leftover_xacro(*document.RootElement(), "robot", file_, context_.ledger);
    complete_urdf(*document.RootElement(), file_, context_.ledger);
    read(*document.RootElement(), used);
  }

 private:
  /// Reads a robot without macros. The table checks every value and drops the ignored parts, so
  /// that urdfdom sees only valid ones.
  void read(const XMLElement& robot, tinyxml2::XMLDocument& used) {
    FaultList faults;
    faults.attempt([&] { walk_xml(robot, urdf_format(), file_, context_.ledger, used); });
    if (XMLElement* root = used.RootElement()) {
      faults.attempt([&] { replace_quaternions(*root, file_); });
    }
    // urdfdom resolves the values; order and structure of the tree are ours.
    UrdfTree tree;
    faults.attempt([&] { tree = build_urdf_tree(robot, file_); });
    if (!faults.empty()) add_missing_meshes(robot, faults);
    faults.throw_any();
    const urdf::ModelInterfaceSharedPtr parsed = parse_with_urdfdom(used, place_of(file_, robot));
    for (const UrdfLink& link : tree.links) faults.attempt([&] { add_link(link, *parsed); });
    for (const UrdfJoint& joint : tree.joints) add_joint(joint, *parsed);
    // Mimics come last, because they may refer to any joint.
    for (const UrdfJoint& joint : tree.joints) faults.attempt([&] { add_mimic(joint, *parsed); });
    faults.throw_any();
    fix_world();
    apply_urdf_extensions(*used.RootElement(), context_, model_);
    hold_links_without_mass(model_, context_.ledger);
    note_missing_urdf_looks(robot, model_.file, file_, context_.inputs, context_.ledger);
    if (context_.visuals == nullptr) return;
    read_urdf_visuals(robot, model_.file, model_.name, context_.inputs, *context_.visuals);
  }

  /// Adds the meshes of collisions that are not there to other faults of the file.
  void add_missing_meshes(const XMLElement& element, FaultList& faults) {
    for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view name = child->Name();
      const char* mesh = name == "mesh" ? child->Attribute("filename") : nullptr;
      if (mesh != nullptr) {
        faults.attempt([&] {
          context_.inputs.read_model_file_text(mesh, model_.file, place_of(file_, *child));
        });
      }
      const bool is_nothing = name == "collision" && is_nothing_to_collide(*child);
      if (name != "visual" && !is_nothing) add_missing_meshes(*child, faults);
    }
  }

  /// Returns the URDF that a file of xacro stands for, and records it in place of the file.
  std::string expand(const XMLElement& macro) {
    const SourceLocation where = place_of(file_, macro);
    const std::filesystem::path path = context_.inputs.path_of(model_.file);
    std::optional<std::string> expanded;
    if (!path.empty()) expanded = expand_xacro(path, where);
    if (!expanded) {
      fail_at(where, std::string("<") + macro.Name() +
                         "> is xacro, macros of ROS that make a URDF: expand them first with "
                         "'xacro " +
                         std::filesystem::path(model_.file).filename().string() +
                         " > robot.urdf' and read robot.urdf");
    }
    context_.inputs.replace(model_.file, *expanded);
    context_.ledger.add(ImportFate::Applied, "<robot>: xacro",
                        "expanded by the program xacro; lines are those of the result", where);
    return *expanded;
  }

  /// Adds a link with its inertia and collision shapes.
  void add_link(const UrdfLink& link, const urdf::ModelInterface& parsed) {
    const urdf::LinkConstSharedPtr source = parsed.getLink(link.name);
    ModelLink result;
    result.name = link.name;
    result.where = place_of(file_, *link.element);
    if (source->inertial) result.inertia = to_inertia(*source->inertial);
    // urdfdom keeps the collisions in the order of the file, so that both lists run in parallel.
    const XMLElement* element = link.element->FirstChildElement("collision");
    const MeshChoice choice = context_.collide.of(model_.name + "/" + link.name, {});
    for (const urdf::CollisionSharedPtr& collision : source->collision_array) {
      // Collisions of no size never reach urdfdom.
      while (is_nothing_to_collide(*element)) element = element->NextSiblingElement("collision");
      for (const Shape& shape : to_shapes(*collision, *element, link.name, choice)) {
        result.shapes.push_back({.shape = shape,
                                 .X_BG = to_pose(collision->origin),
                                 .filter = filter_of(choice.collision, {}),
                                 .name = collision->name});
      }
      element = element->NextSiblingElement("collision");
    }
    if (const XMLElement* inertial = link.element->FirstChildElement("inertial")) {
      if (inertial->FirstChildElement("mass") == nullptr) {
        add_mass_by_density(*inertial, result);
      } else if (inertial->FirstChildElement("inertia") == nullptr) {
        add_inertia_of_shapes(*inertial, result);
      }
    }
    model_.links.push_back(std::move(result));
  }

  /// Fixes the base of a robot whose root link is the world, and whose inertia has no effect.
  void fix_world() {
    const ModelLink& root = model_.links.front();
    if (root.name != kUrdfWorld) return;
    model_.base = BaseType::Fixed;
    context_.ledger.add(ImportFate::Applied, "model '" + model_.name + "': base",
                        "fixed, because its root link 'world' is the world, as in Drake, Gazebo "
                        "and MuJoCo",
                        model_.where);
    if (!(root.inertia.mass > 0.0)) return;
    context_.ledger.add(ImportFate::Warning, "link 'world': inertial",
                        "the link is the world, which does not move: its mass does not count; "
                        "give the link another name, and it is a body",
                        root.where);
  }

  /// Gives a link whose <inertial> has no <mass> that of its shapes, where a <density> says which:
  /// an element of Isaac Gym.
  void add_mass_by_density(const XMLElement& inertial, ModelLink& link) {
    const XMLElement* element = inertial.FirstChildElement("density");
    const char* text = element != nullptr ? element->Attribute("value") : nullptr;
    std::string reason = "it has no mass, which the format demands, and is left out";
    double density = 0.0;
    if (text != nullptr && parse_number(text, density).empty() && density > 0.0) {
      link.inertia = mass_of_shapes(link.shapes, density);
      reason =
          "it has no mass, which the format demands: by its density, which only Isaac Gym "
          "knows, the shapes have " +
          rounded_text(link.inertia.mass) + " kg";
    }
    context_.ledger.add(ImportFate::Warning, "link '" + link.name + "': inertial", reason,
                        place_of(file_, inertial));
  }

  /// Gives a link with a mass, but without an <inertia>, that of its shapes.
  void add_inertia_of_shapes(const XMLElement& inertial, ModelLink& link) {
    const SpatialInertia sum = mass_of_shapes(link.shapes, 1.0);
    const bool has_some = sum.mass > 0.0;
    if (has_some) link.inertia.inertia = link.inertia.mass / sum.mass * sum.inertia;
    context_.ledger.add(ImportFate::Warning, "link '" + link.name + "': inertial",
                        std::string("it has no <inertia>, which the format demands: ") +
                            (has_some ? "that of its shapes counts, for the mass and the center of "
                                        "mass of the file"
                                      : "its mass is in one point, since no shape gives it an "
                                        "extent"),
                        place_of(file_, inertial));
  }

  /// Returns what lies below a <plane> through the origin of its frame.
  HalfSpace half_space_of(const XMLElement& plane) const {
    // The table has found three numbers.
    const std::vector<double> n = visual_numbers(plane.Attribute("normal"), 3);
    const Eigen::Vector3d normal(n.at(0), n.at(1), n.at(2));
    const double length = normal.stableNorm();
    if (!(length > 1e-14)) {
      fail_at(place_of(file_, plane), "<plane>: normal has no length, so it gives no direction");
    }
    return {normal / length, 0.0};
  }

  /// Returns the shape of a collision, or its parts; a mesh is imported and recorded in the ledger.
  /// There are none for a mesh without area.
  std::vector<Shape> to_shapes(const urdf::Collision& collision, const XMLElement& element,
                               const std::string& link, const MeshChoice& choice) {
    const urdf::Geometry& geometry = *collision.geometry;
    const XMLElement& own = *element.FirstChildElement("geometry")->FirstChildElement();
    if (std::string_view(own.Name()) == "ellipsoid") {
      return {Ellipsoid{
          {own.DoubleAttribute("a"), own.DoubleAttribute("b"), own.DoubleAttribute("c")}}};
    }
    if (std::string_view(own.Name()) == "plane") return {half_space_of(own)};
    if (const auto* box = dynamic_cast<const urdf::Box*>(&geometry)) {
      return {Box{to_vector(box->dim)}};
    }
    if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(&geometry)) {
      return {Sphere{sphere->radius}};
    }
    if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(&geometry)) {
      if (std::string_view(own.Name()) == "capsule") {
        return {Capsule{cylinder->radius, cylinder->length}};
      }
      return {Cylinder{cylinder->radius, cylinder->length}};
    }
    // The shape is a mesh: the table admits no other kind.
    const auto& mesh = dynamic_cast<const urdf::Mesh&>(geometry);
    const SourceLocation where = place_of(file_, own);
    const std::string& bytes =
        context_.inputs.read_model_file_text(mesh.filename, model_.file, where);
    const MeshShape& shape =
        context_.meshes.make(mesh.filename, bytes, to_vector(mesh.scale), choice, where);
    note_mesh(context_.ledger, shape, "link '" + link + "': collision geometry mesh", where);
    return shape.shapes;
  }

  /// Adds a joint with its frame, axis, limits and friction.
  void add_joint(const UrdfJoint& joint, const urdf::ModelInterface& parsed) {
    const urdf::JointConstSharedPtr source = parsed.getJoint(joint.name);
    ModelJoint result;
    result.name = joint.name;
    result.where = place_of(file_, *joint.element);
    result.type = to_type(joint.type);
    result.parent = joint.parent;
    result.child = joint.child;
    result.X_PJ = to_pose(source->parent_to_joint_origin_transform);
    const bool is_ball = result.type == JointType::Spherical;
    if (result.type != JointType::Fixed && result.type != JointType::Free && !is_ball) {
      result.axis = to_vector(source->axis).normalized();
    }
    // Effort and velocity limits are stored for servos but not enforced.
    if (source->limits && !is_ball) {
      set_limits(*source->limits, joint, result);
      const auto bound = [](double value) {
        return value < kNoUrdfLimit ? std::optional(value) : std::nullopt;
      };
      result.dynamics.effort_limit = bound(source->limits->effort);
      result.dynamics.velocity_limit = bound(source->limits->velocity);
    }
    // <friction> is the dry friction [N or N m], <damping> the viscous one [N s/m or N m s].
    if (source->dynamics && num_velocities(result.type) == 1) {
      result.dynamics.viscous_friction = source->dynamics->damping;
      result.dynamics.coulomb_friction = source->dynamics->friction;
    }
    model_.joints.push_back(std::move(result));
  }

  /// Sets the limits of a joint that has some. Limits in the wrong order are those of no joint, and
  /// in several programs mean none.
  void set_limits(const urdf::JointLimits& limits, const UrdfJoint& source, ModelJoint& joint) {
    if (joint.type != JointType::Revolute && joint.type != JointType::Prismatic) return;
    if (limits.lower <= -kNoUrdfLimit && limits.upper >= kNoUrdfLimit) return;
    if (limits.lower <= limits.upper) {
      joint.dynamics.limits = {{limits.lower, limits.upper}};
      return;
    }
    context_.ledger.add(ImportFate::Warning, "joint '" + joint.name + "': limit",
                        "lower limit above the upper one: the joint has no limits",
                        place_of(file_, *source.element->FirstChildElement("limit")));
  }

  /// Adds a coupling q = multiplier * q(reference) + offset for a <mimic>.
  void add_mimic(const UrdfJoint& joint, const urdf::ModelInterface& parsed) {
    const XMLElement* element = joint.element->FirstChildElement("mimic");
    const urdf::JointConstSharedPtr source = parsed.getJoint(joint.name);
    if (element == nullptr || !source->mimic) return;
    const SourceLocation where = place_of(file_, *element);
    const urdf::JointMimic& mimic = *source->mimic;
    if (!has_scalar_joint(mimic.joint_name)) {
      return note_free_mimic(joint.name, mimic.joint_name, where);
    }
    if (mimic.joint_name == joint.name) {
      fail_at(where, "joint '" + joint.name + "' mimics itself");
    }
    model_.couplings.push_back({joint.name + " mimics " + mimic.joint_name,
                                joint.name,
                                mimic.joint_name,
                                {mimic.multiplier, mimic.offset},
                                where});
  }

  /// Returns the joint of a name, the end of all if there is none.
  std::vector<ModelJoint>::const_iterator find_joint(const std::string& name) const {
    return std::find_if(model_.joints.begin(), model_.joints.end(),
                        [&](const ModelJoint& other) { return other.name == name; });
  }
  /// Returns true if a joint exists and has one coordinate.
  bool has_scalar_joint(const std::string& name) const {
    const auto found = find_joint(name);
    return found != model_.joints.end() && num_velocities(found->type) == 1;
  }

  /// Records a mimic of a joint that does not exist or has no single position.
  void note_free_mimic(const std::string& joint, const std::string& missing,
                       const SourceLocation& where) {
    std::vector<std::string> scalar;
    for (const ModelJoint& other : model_.joints) {
      if (num_velocities(other.type) == 1) scalar.push_back(other.name);
    }
    const bool exists = find_joint(missing) != model_.joints.end();
    context_.ledger.add(
        ImportFate::Warning, "joint '" + joint + "': mimic",
        "it mimics joint '" + missing + "', which " +
            (exists ? "has no single position" : "does not exist" + did_you_mean(missing, scalar)) +
            "; it moves by itself",
        where);
  }

  ImportContext& context_;
  SceneModel& model_;
  std::string file_;
};

}  // namespace

void read_urdf(const std::string& text, ImportContext& context, SceneModel& model) {
  UrdfReader(context, model).run(text);
}

}  // namespace amontons::io
