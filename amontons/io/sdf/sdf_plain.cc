#include "amontons/io/sdf/sdf_plain.h"

#include "amontons/io/sdf/sdf_plain_joints.h"
#include "amontons/io/sdf/sdf_plain_reader.h"
#include "amontons/io/sdf/sdformat_value.h"
#include "amontons/io/sdf/shapes/newer_shapes.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/math/stop.h"

#include <set>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Reads one plain model. It gives up at the first part that needs more than this file.
class PlainModel : private PlainReader {
 public:
  PlainModel(const SdfFile& file, const XMLElement& element) : file_(file), element_(element) {}

  /// Returns the model, or nothing if it is not plain.
  std::optional<SdfModel> read() {
    check_stop();
    allow(element_, {"static", "self_collide", "pose", "link", "joint"}, {"name"});
    SdfModel model;
    model.name = name_of(element_);
    model.X_WM = pose_of(element_);
    model.is_static = flag_in(element_, "static", false);
    model.self_collide = flag_in(element_, "self_collide", false);
    model.where = {file_.shown, line_in_file(element_), 0};
    for (const XMLElement* link = element_.FirstChildElement("link"); link != nullptr && is_plain();
         link = link->NextSiblingElement("link")) {
      model.links.push_back(read_link(*link));
    }
    if (!is_plain() || model.links.empty()) return std::nullopt;
    std::optional<std::vector<SdfJoint>> joints = read_plain_joints(
        element_, file_.used->RootElement()->Attribute("version"), file_.shown, model.links);
    if (!joints) return std::nullopt;
    model.joints = std::move(*joints);
    return model;
  }

 private:
  Pose pose_of(const XMLElement& element) { return to_pose(written_pose(element)); }

  SdfLink read_link(const XMLElement& element) {
    allow(
        element,
        {"pose", "gravity", "self_collide", "kinematic", "velocity_decay", "inertial", "collision"},
        {"name"});
    SdfLink link;
    link.name = name_of(element);
    link.X_ML = pose_of(element);
    link.gravity = flag_in(element, "gravity", true);
    link.self_collide = flag_in(element, "self_collide", false);
    link.where = {file_.shown, line_in_file(element), 0};
    const XMLElement* inertial = element.FirstChildElement("inertial");
    link.inertia = read_inertia(inertial);
    link.auto_inertia = inertial != nullptr && inertial->BoolAttribute(kAutoInertia);
    link.mass = number_in(inertial, "mass");
    link.auto_density = number_in(inertial, "amontons:density");
    for (const XMLElement* collision = element.FirstChildElement("collision"); collision != nullptr;
         collision = collision->NextSiblingElement("collision")) {
      link.collisions.push_back(read_collision(*collision));
    }
    return link;
  }

  /// Reads an inertia [kg, kg m^2]; the format's defaults are ones.
  SpatialInertia read_inertia(const XMLElement* inertial) {
    ignition::math::Pose3d pose;
    if (inertial != nullptr) {
      allow(*inertial, {"pose", "mass", "inertia", "amontons:density"}, {kAutoInertia});
      pose = written_pose(*inertial);
    }
    const XMLElement* inertia = inertial ? inertial->FirstChildElement("inertia") : nullptr;
    const ignition::math::MassMatrix3d mass(
        number_in(inertial, "mass").value_or(1.0),
        {number_in(inertia, "ixx").value_or(1.0), number_in(inertia, "iyy").value_or(1.0),
         number_in(inertia, "izz").value_or(1.0)},
        {number_in(inertia, "ixy").value_or(0.0), number_in(inertia, "ixz").value_or(0.0),
         number_in(inertia, "iyz").value_or(0.0)});
    return to_inertia(ignition::math::Inertiald(mass, pose));
  }

  SdfCollision read_collision(const XMLElement& element) {
    allow(element, {"pose", "geometry", "surface", "amontons:density"}, {"name"});
    SdfCollision collision;
    collision.name = name_of(element);
    collision.X_LG = pose_of(element);
    collision.file = file_.path;
    collision.line = line_in_file(element);
    collision.density = number_in(&element, "amontons:density");
    const XMLElement* geometry = element.FirstChildElement("geometry");
    collision.shape_line = line_in_file(*geometry);
    read_shape(*geometry->FirstChildElement(), collision);
    if (const XMLElement* surface = element.FirstChildElement("surface")) {
      read_surface(*surface, collision);
    }
    return collision;
  }

  void read_shape(const XMLElement& shape, SdfCollision& collision) {
    const std::string_view kind = shape.Name();
    const Eigen::Vector3d round(number_in(&shape, "radius").value_or(0.0),
                                number_in(&shape, "length").value_or(0.0), 0.0);
    if (kind == "empty") return;
    if (kind == "box") {
      collision.kind = SdfShapeKind::Box;
      collision.size = vector_in(shape, "size", Eigen::Vector3d::Zero());
    } else if (kind == "sphere" || kind == "cylinder" || kind == "capsule" ||
               kind == "amontons:cone") {
      collision.kind = kind == "sphere"     ? SdfShapeKind::Sphere
                       : kind == "cylinder" ? SdfShapeKind::Cylinder
                       : kind == "capsule"  ? SdfShapeKind::Capsule
                                            : SdfShapeKind::Cone;
      collision.size = round;
    } else if (kind == "ellipsoid") {
      collision.kind = SdfShapeKind::Ellipsoid;
      collision.size = vector_in(shape, "radii", Eigen::Vector3d::Zero());
    } else if (kind == "plane") {
      collision.kind = SdfShapeKind::Plane;
      collision.size = vector_in(shape, "normal", Eigen::Vector3d::UnitZ()).normalized();
      require(collision.size.norm() > 0.5);  // not of a zero vector
    } else if (kind == "mesh") {
      collision.kind = SdfShapeKind::Mesh;
      collision.size = vector_in(shape, "scale", Eigen::Vector3d::Ones());
      collision.uri = text_of(*shape.FirstChildElement("uri"));
      collision.shape_line = line_in_file(shape);
      collision.as_hull = shape.Attribute(kMeshOptimization, kConvexHull) != nullptr;
      allow(shape, {"uri", "scale"}, {kMeshOptimization});
    } else if (kind == "heightmap") {
      collision.kind = SdfShapeKind::HeightMap;
      collision.size = vector_in(shape, "size", Eigen::Vector3d::Ones());
      collision.uri = text_of(*shape.FirstChildElement("uri"));
      collision.shape_line = line_in_file(shape);
      collision.X_LG.translation +=
          collision.X_LG.rotation * vector_in(shape, "pos", Eigen::Vector3d::Zero());
    } else if (kind == kPolylines) {
      collision.kind = SdfShapeKind::Polylines;
      collision.uri = text_of(shape);
      collision.shape_line = line_in_file(shape);
    } else {
      require(false);
    }
  }

  /// Reads friction and restitution; bit masks are left to libsdformat.
  void read_surface(const XMLElement& surface, SdfCollision& collision) {
    allow(surface, {"friction", "bounce", "contact"});
    const auto child_of = [](const XMLElement* element, const char* name) {
      return element ? element->FirstChildElement(name) : nullptr;
    };
    const auto read = [&](const XMLElement* element, const char* name, std::optional<double>& to) {
      const XMLElement* found = child_of(element, name);
      if (found && !to) to = number_in(element, name);
    };
    const XMLElement* friction = surface.FirstChildElement("friction");
    read(child_of(friction, "ode"), "mu", collision.friction);
    read(child_of(friction, "bullet"), "friction", collision.friction);
    read(surface.FirstChildElement("bounce"), "restitution_coefficient", collision.restitution);
    if (const XMLElement* contact = surface.FirstChildElement("contact")) {
      allow(*contact, {"collide_without_contact"});
      collision.only_sensed = flag_in(*contact, "collide_without_contact", false);
    }
  }

  const SdfFile& file_;
  const XMLElement& element_;
};

/// Reads a model that a world includes. What the include gives replaces name, pose and flag.
std::optional<SdfModel> read_include(const SdfDocument& document, const XMLElement& include) {
  const SdfFile& file = document.file_of(std::string(text_of(*include.FirstChildElement("uri"))));
  const XMLElement* element = file.used->RootElement()->FirstChildElement("model");
  if (element == nullptr || element->NextSiblingElement() != nullptr) return std::nullopt;
  std::optional<SdfModel> model = PlainModel(file, *element).read();
  if (!model) return std::nullopt;
  for (const XMLElement* e = include.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    const std::string_view key = e->Name(), text = text_of(*e);
    if (key == "name") {
      model->name = text;
    } else if (key == "static") {
      model->is_static = text == "true" || text == "1";
    } else if (key == "placement_frame") {
      return std::nullopt;
    }
  }
  // Its pose replaces that of the model, also where it is empty.
  const std::optional<Pose> pose = plain_pose(include);
  if (!pose) return std::nullopt;
  if (include.FirstChildElement("pose") != nullptr) model->X_WM = *pose;
  return model;
}

/// Returns the name of a model or include in the world.
std::string name_in_world(const SdfDocument& document, const XMLElement& element) {
  if (const char* name = element.Attribute("name")) return name;
  if (const XMLElement* name = element.FirstChildElement("name")) {
    return std::string(text_of(*name));
  }
  const SdfFile& file = document.file_of(std::string(text_of(*element.FirstChildElement("uri"))));
  const XMLElement* model = file.used->RootElement()->FirstChildElement("model");
  const char* name = model ? model->Attribute("name") : nullptr;
  return name ? name : "";
}

}  // namespace

std::optional<Pose> plain_pose(const XMLElement& element) {
  const std::optional<ignition::math::Pose3d> pose = six_numbers(element);
  return pose ? std::optional<Pose>(to_pose(*pose)) : std::nullopt;
}

std::optional<PlainModels> read_plain_models(const SdfDocument& document) {
  const XMLElement& root = *document.main().used->RootElement();
  PlainModels result;
  // A file holds a world, or a single model.
  const XMLElement* holder = root.FirstChildElement("world");
  result.is_world = holder != nullptr;
  if (holder != nullptr && holder->NextSiblingElement("world") != nullptr) return std::nullopt;
  if (holder == nullptr) holder = &root;
  std::set<std::string> names;
  for (const XMLElement* e = holder->FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    const std::string_view name = e->Name();
    const XMLElement* pose = e->FirstChildElement("pose");
    if (name == "frame" || (pose && pose->Attribute("relative_to"))) return std::nullopt;
    if (name != "model" && name != "include") continue;
    result.models.push_back(name == "model" ? PlainModel(document.main(), *e).read()
                                            : read_include(document, *e));
    // Names of the world must differ; libsdformat reports it if they do not.
    if (!names.insert(name_in_world(document, *e)).second) return std::nullopt;
  }
  if (!result.is_world && result.models.size() != 1) return std::nullopt;
  return result;
}

}  // namespace amontons::io
