#include "amontons/io/sdf/sdf_plain.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/sdf/sdformat_value.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

std::string_view text_of(const XMLElement& element) {
  const char* text = element.GetText();
  return text ? text : "";
}

std::vector<double> numbers_of(const XMLElement& element) {
  std::istringstream words{std::string(text_of(element))};
  std::vector<double> numbers;
  for (std::string word; words >> word;) {
    numbers.push_back(0.0);
    parse_number(word, numbers.back());
  }
  return numbers;
}

/// Returns the pose of an element as plain_pose() does, in the form of libsdformat.
std::optional<ignition::math::Pose3d> six_numbers(const XMLElement& element) {
  const XMLElement* pose = element.FirstChildElement("pose");
  if (pose == nullptr) return ignition::math::Pose3d();
  const std::vector<double> n = numbers_of(*pose);
  if (pose->FirstAttribute() != nullptr || (!n.empty() && n.size() != 6)) return std::nullopt;
  if (n.empty()) return ignition::math::Pose3d();
  return ignition::math::Pose3d(n[0], n[1], n[2], n[3], n[4], n[5]);
}

/// Returns the line of an element of the used part, which is that of its original.
int line_in_file(const XMLElement& element) {
  return static_cast<const XMLElement*>(element.GetUserData())->GetLineNum();
}

/// Reads one plain model. It gives up at the first part that needs more than this file.
class PlainModel {
 public:
  PlainModel(const SdfFile& file, const XMLElement& element) : file_(file), element_(element) {}

  /// Returns the model, or nothing if it is not plain.
  std::optional<SdfModel> read() {
    allow(element_, {"static", "self_collide", "pose", "link"}, {"name"});
    SdfModel model;
    model.name = name_of(element_);
    model.X_WM = pose_of(element_);
    model.is_static = flag(element_, "static", false);
    model.self_collide = flag(element_, "self_collide", false);
    model.where = {file_.shown, line_in_file(element_), 0};
    for (const XMLElement* link = element_.FirstChildElement("link"); link != nullptr && plain_;
         link = link->NextSiblingElement("link")) {
      model.links.push_back(read_link(*link));
    }
    if (!plain_ || model.links.empty()) return std::nullopt;
    return model;
  }

 private:
  /// Gives up unless an element has only these children and attributes.
  void allow(const XMLElement& element, std::initializer_list<std::string_view> children,
             std::initializer_list<std::string_view> attributes = {}) {
    const auto is_in = [](std::initializer_list<std::string_view> names, const char* name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const XMLElement* e = element.FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      plain_ = plain_ && is_in(children, e->Name());
    }
    for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      plain_ = plain_ && is_in(attributes, a->Name());
    }
  }

  /// Returns a name. Those that stand for frames need libsdformat.
  std::string name_of(const XMLElement& element) {
    const std::string name = element.Attribute("name");
    plain_ = plain_ && !name.empty() && name.find("__") == std::string::npos &&
             name.find(':') == std::string::npos && name != "world";
    return name;
  }

  /// Returns the pose of an element in what holds it.
  ignition::math::Pose3d written_pose(const XMLElement& element) {
    const std::optional<ignition::math::Pose3d> pose = six_numbers(element);
    plain_ = plain_ && pose;
    return pose.value_or(ignition::math::Pose3d());
  }
  Pose pose_of(const XMLElement& element) { return to_pose(written_pose(element)); }

  static bool flag(const XMLElement& element, const char* child, bool otherwise) {
    const XMLElement* found = element.FirstChildElement(child);
    return found ? text_of(*found) == "true" || text_of(*found) == "1" : otherwise;
  }

  /// Returns the number in a child, or `otherwise` where there is no such child.
  static double number(const XMLElement* element, const char* child, double otherwise) {
    const XMLElement* found = element ? element->FirstChildElement(child) : nullptr;
    return found ? numbers_of(*found).at(0) : otherwise;
  }

  /// Returns the number in a child, or nothing where there is no such child.
  static std::optional<double> optional_number(const XMLElement* element, const char* child) {
    const XMLElement* found = element ? element->FirstChildElement(child) : nullptr;
    if (found == nullptr) return std::nullopt;
    return numbers_of(*found).at(0);
  }

  /// Returns the three numbers of a child.
  static Eigen::Vector3d vector(const XMLElement& element, const char* child,
                                const Eigen::Vector3d& otherwise) {
    const XMLElement* found = element.FirstChildElement(child);
    if (found == nullptr) return otherwise;
    const std::vector<double> n = numbers_of(*found);
    return {n.at(0), n.at(1), n.at(2)};
  }

  SdfLink read_link(const XMLElement& element) {
    allow(
        element,
        {"pose", "gravity", "self_collide", "kinematic", "velocity_decay", "inertial", "collision"},
        {"name"});
    SdfLink link;
    link.name = name_of(element);
    link.X_ML = pose_of(element);
    link.gravity = flag(element, "gravity", true);
    link.self_collide = flag(element, "self_collide", false);
    link.where = {file_.shown, line_in_file(element), 0};
    const XMLElement* inertial = element.FirstChildElement("inertial");
    link.inertia = read_inertia(inertial);
    link.auto_inertia = inertial != nullptr && inertial->BoolAttribute(kAutoInertia);
    link.mass = optional_number(inertial, "mass");
    link.auto_density = optional_number(inertial, "amontons:density");
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
        number(inertial, "mass", 1.0),
        {number(inertia, "ixx", 1.0), number(inertia, "iyy", 1.0), number(inertia, "izz", 1.0)},
        {number(inertia, "ixy", 0.0), number(inertia, "ixz", 0.0), number(inertia, "iyz", 0.0)});
    return to_inertia(ignition::math::Inertiald(mass, pose));
  }

  SdfCollision read_collision(const XMLElement& element) {
    allow(element, {"pose", "geometry", "surface", "amontons:density"}, {"name"});
    SdfCollision collision;
    collision.name = name_of(element);
    collision.X_LG = pose_of(element);
    collision.file = file_.path;
    collision.line = line_in_file(element);
    collision.density = optional_number(&element, "amontons:density");
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
    const Eigen::Vector3d round(number(&shape, "radius", 0.0), number(&shape, "length", 0.0), 0.0);
    if (kind == "empty") return;
    if (kind == "box") {
      collision.kind = SdfShapeKind::Box;
      collision.size = vector(shape, "size", Eigen::Vector3d::Zero());
    } else if (kind == "sphere" || kind == "cylinder" || kind == "capsule" ||
               kind == "amontons:cone") {
      collision.kind = kind == "sphere"     ? SdfShapeKind::Sphere
                       : kind == "cylinder" ? SdfShapeKind::Cylinder
                       : kind == "capsule"  ? SdfShapeKind::Capsule
                                            : SdfShapeKind::Cone;
      collision.size = round;
    } else if (kind == "ellipsoid") {
      collision.kind = SdfShapeKind::Ellipsoid;
      collision.size = vector(shape, "radii", Eigen::Vector3d::Zero());
    } else if (kind == "plane") {
      collision.kind = SdfShapeKind::Plane;
      collision.size = vector(shape, "normal", Eigen::Vector3d::UnitZ()).normalized();
      plain_ = plain_ && collision.size.norm() > 0.5;  // not of a zero vector
    } else if (kind == "mesh") {
      collision.kind = SdfShapeKind::Mesh;
      collision.size = vector(shape, "scale", Eigen::Vector3d::Ones());
      collision.uri = text_of(*shape.FirstChildElement("uri"));
      collision.shape_line = line_in_file(shape);
      collision.as_hull = shape.Attribute(kMeshOptimization, kConvexHull) != nullptr;
      allow(shape, {"uri", "scale"}, {kMeshOptimization});
    } else if (kind == "heightmap") {
      collision.kind = SdfShapeKind::HeightMap;
      collision.size = vector(shape, "size", Eigen::Vector3d::Ones());
      collision.uri = text_of(*shape.FirstChildElement("uri"));
      collision.shape_line = line_in_file(shape);
      collision.X_LG.translation +=
          collision.X_LG.rotation * vector(shape, "pos", Eigen::Vector3d::Zero());
    } else {
      plain_ = false;
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
      if (found && !to) to = numbers_of(*found).at(0);
    };
    const XMLElement* friction = surface.FirstChildElement("friction");
    read(child_of(friction, "ode"), "mu", collision.friction);
    read(child_of(friction, "bullet"), "friction", collision.friction);
    read(surface.FirstChildElement("bounce"), "restitution_coefficient", collision.restitution);
    if (const XMLElement* contact = surface.FirstChildElement("contact")) {
      allow(*contact, {"collide_without_contact"});
      collision.only_sensed = flag(*contact, "collide_without_contact", false);
    }
  }

  const SdfFile& file_;
  const XMLElement& element_;
  bool plain_ = true;
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
