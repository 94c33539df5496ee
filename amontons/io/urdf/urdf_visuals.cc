#include "amontons/io/urdf/urdf_visuals.h"

#include "amontons/io/urdf/urdf_origin.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/rotation.h"

#include <map>
#include <optional>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Calls function(link, visual) with each <visual> of a robot.
template <typename Function>
void for_each_visual(const XMLElement& robot, const Function& function) {
  for (const XMLElement* link = robot.FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    for (const XMLElement* visual = link->FirstChildElement("visual"); visual != nullptr;
         visual = visual->NextSiblingElement("visual")) {
      function(*link, *visual);
    }
  }
}

/// Returns the <mesh> of a <visual>; null where it draws none, or names no file.
const XMLElement* mesh_of(const XMLElement& visual) {
  const XMLElement* geometry = visual.FirstChildElement("geometry");
  const XMLElement* mesh = geometry != nullptr ? geometry->FirstChildElement("mesh") : nullptr;
  return mesh != nullptr && mesh->Attribute("filename") != nullptr ? mesh : nullptr;
}

/// Returns three numbers of an attribute, or three others where it is absent or malformed.
Eigen::Vector3d vector_of(const XMLElement* element, const char* attribute,
                          const Eigen::Vector3d& otherwise) {
  const char* text = element != nullptr ? element->Attribute(attribute) : nullptr;
  const std::vector<double> n = visual_numbers(text, 3);
  return n.empty() ? otherwise : Eigen::Vector3d(n[0], n[1], n[2]);
}

/// Returns the rotation of an <origin>, which may be null.
Eigen::Matrix3d rotation_of(const XMLElement* origin) {
  if (origin != nullptr) {
    if (const std::optional<Eigen::Matrix3d> R = rotation_of_quaternion(*origin)) return *R;
  }
  const Eigen::Vector3d rpy = vector_of(origin, "rpy", Eigen::Vector3d::Zero());
  return rotation_from_rpy(rpy.x(), rpy.y(), rpy.z());
}

/// Returns a positive number of an attribute, or 0.
double length_of(const XMLElement& element, const char* attribute) {
  const std::vector<double> n = visual_numbers(element.Attribute(attribute), 1);
  return n.empty() || !(n[0] > 0.0) ? 0.0 : n[0];
}

/// Returns the shape of a <geometry>; none for a mesh, and for one without a size.
std::optional<Shape> shape_of(const XMLElement& geometry) {
  if (const XMLElement* box = geometry.FirstChildElement("box")) {
    const Eigen::Vector3d size = vector_of(box, "size", Eigen::Vector3d::Zero());
    if (size.minCoeff() > 0.0) return Box{size};
  } else if (const XMLElement* sphere = geometry.FirstChildElement("sphere")) {
    const double radius = length_of(*sphere, "radius");
    if (radius > 0.0) return Sphere{radius};
  } else if (const XMLElement* cylinder = geometry.FirstChildElement("cylinder")) {
    const double radius = length_of(*cylinder, "radius"), length = length_of(*cylinder, "length");
    if (radius > 0.0 && length > 0.0) return Cylinder{radius, length};
  } else if (const XMLElement* capsule = geometry.FirstChildElement("capsule")) {
    const double radius = length_of(*capsule, "radius"), length = length_of(*capsule, "length");
    if (radius > 0.0 && length > 0.0) return Capsule{radius, length};
  } else if (const XMLElement* ellipsoid = geometry.FirstChildElement("ellipsoid")) {
    const Eigen::Vector3d axes(length_of(*ellipsoid, "a"), length_of(*ellipsoid, "b"),
                               length_of(*ellipsoid, "c"));
    if (axes.minCoeff() > 0.0) return Ellipsoid{axes};
  }
  return std::nullopt;
}

/// Returns the color that a <material> itself gives.
std::optional<Rgba> own_color(const XMLElement& material) {
  const XMLElement* color = material.FirstChildElement("color");
  return color != nullptr ? visual_color(color->Attribute("rgba")) : std::nullopt;
}

/// Holds the colors of a robot's materials by name. A material may be defined in the robot, or at
/// its first use.
class Materials {
 public:
  explicit Materials(const XMLElement& robot) {
    for (const XMLElement* m = robot.FirstChildElement("material"); m != nullptr;
         m = m->NextSiblingElement("material")) {
      add(*m);
    }
    for_each_visual(robot, [&](const XMLElement&, const XMLElement& visual) {
      if (const XMLElement* m = visual.FirstChildElement("material")) add(*m);
    });
  }

  /// Returns the color of a <visual>.
  std::optional<Rgba> color_of(const XMLElement& visual) const {
    const XMLElement* material = visual.FirstChildElement("material");
    if (material == nullptr) return std::nullopt;
    if (const std::optional<Rgba> color = own_color(*material)) return color;
    const char* name = material->Attribute("name");
    const auto found = colors_.find(name != nullptr ? name : "");
    return found == colors_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void add(const XMLElement& material) {
    const char* name = material.Attribute("name");
    const std::optional<Rgba> color = own_color(material);
    if (name != nullptr && color) colors_.emplace(name, *color);
  }

  std::map<std::string, Rgba> colors_;
};

}  // namespace

void read_urdf_visuals(const XMLElement& robot, const std::string& model_file,
                       const std::string& model, InputFiles& inputs, ModelVisuals& visuals) {
  const Materials materials(robot);
  for_each_visual(robot, [&](const XMLElement& link, const XMLElement& visual) {
    const XMLElement* geometry = visual.FirstChildElement("geometry");
    const char* name = link.Attribute("name");
    if (geometry == nullptr || name == nullptr) return;
    const XMLElement* origin = visual.FirstChildElement("origin");
    ModelVisual part{
        .link = model + "/" + name,
        .X_LV = {rotation_of(origin), vector_of(origin, "xyz", Eigen::Vector3d::Zero())}};
    part.color = materials.color_of(visual);
    if (const XMLElement* mesh = mesh_of(visual)) {
      part.scale = vector_of(mesh, "scale", Eigen::Vector3d::Ones());
      add_mesh_visual(part, mesh->Attribute("filename"), model_file, inputs, visuals);
    } else if ((part.shape = shape_of(*geometry))) {
      visuals.parts.push_back(std::move(part));
    }
  });
}

void note_missing_urdf_looks(const XMLElement& robot, const std::string& model_file,
                             const std::string& file, const InputFiles& inputs,
                             ImportLedger& ledger) {
  for_each_visual(robot, [&](const XMLElement&, const XMLElement& visual) {
    const XMLElement* mesh = mesh_of(visual);
    if (mesh == nullptr) return;
    note_missing_look(mesh->Attribute("filename"), model_file, inputs, record_name(*mesh),
                      place_of(file, *mesh), ledger);
  });
}

}  // namespace amontons::io
