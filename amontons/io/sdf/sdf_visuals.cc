#include "amontons/io/sdf/sdf_visuals.h"

#include "amontons/io/common/trimmed.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/rotation.h"

#include <numbers>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Calls a function with each <link> below an element.
template <typename Function>
void for_each_link(const XMLElement& element, const Function& function) {
  for (const XMLElement* e = element.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    const std::string_view name = e->Name();
    if (name == "link") function(*e);
    if (name == "model" || name == "world") for_each_link(*e, function);
  }
}

const char* text_in(const XMLElement* holder, const char* child) {
  const XMLElement* found = holder != nullptr ? holder->FirstChildElement(child) : nullptr;
  return found != nullptr ? found->GetText() : nullptr;
}

/// Returns the three numbers of a child, or others where they are absent or malformed.
Eigen::Vector3d vector_in(const XMLElement& holder, const char* child,
                          const Eigen::Vector3d& otherwise) {
  const std::vector<double> n = visual_numbers(text_in(&holder, child), 3);
  return n.empty() ? otherwise : Eigen::Vector3d(n[0], n[1], n[2]);
}

double length_in(const XMLElement& holder, const char* child, double otherwise) {
  const std::vector<double> n = visual_numbers(text_in(&holder, child), 1);
  return n.empty() || !(n[0] > 0.0) ? otherwise : n[0];
}

/// Returns the pose of a <visual> in its link; none where it is written in another way.
std::optional<Pose> pose_of(const XMLElement& visual) {
  const XMLElement* pose = visual.FirstChildElement("pose");
  if (pose == nullptr || pose->GetText() == nullptr) return Pose{};
  const char* frame = pose->Attribute("relative_to");
  if (frame != nullptr && *frame != '\0') return std::nullopt;
  const std::vector<double> n = visual_numbers(pose->GetText(), 6);
  const std::vector<double> q = visual_numbers(pose->GetText(), 7);
  if (!q.empty()) {
    const Eigen::Vector4d wxyz(q[6], q[3], q[4], q[5]);
    if (!(wxyz.norm() > 0.0)) return std::nullopt;
    return Pose{quaternion_from_wxyz(wxyz.normalized()).toRotationMatrix(), {q[0], q[1], q[2]}};
  }
  if (n.empty()) return std::nullopt;
  const double angle = pose->BoolAttribute("degrees") ? std::numbers::pi / 180.0 : 1.0;
  return Pose{rotation_from_rpy(angle * n[3], angle * n[4], angle * n[5]), {n[0], n[1], n[2]}};
}

/// Returns the shape of a <geometry>, with the sizes of the format where it gives none; none for
/// meshes, planes and what cannot be drawn.
std::optional<Shape> shape_of(const XMLElement& geometry) {
  const Eigen::Vector3d ones = Eigen::Vector3d::Ones();
  const XMLElement* shape = geometry.FirstChildElement();
  const std::string_view kind = shape != nullptr ? shape->Name() : "";
  if (kind == "box") {
    const Eigen::Vector3d size = vector_in(*shape, "size", ones);
    if (size.minCoeff() > 0.0) return Box{size};
  } else if (kind == "sphere") {
    return Sphere{length_in(*shape, "radius", 1.0)};
  } else if (kind == "cylinder") {
    return Cylinder{length_in(*shape, "radius", 1.0), length_in(*shape, "length", 1.0)};
  } else if (kind == "capsule") {
    return Capsule{length_in(*shape, "radius", 0.5), length_in(*shape, "length", 1.0)};
  } else if (kind == "ellipsoid") {
    const Eigen::Vector3d radii = vector_in(*shape, "radii", ones);
    if (radii.minCoeff() > 0.0) return Ellipsoid{radii};
  }
  return std::nullopt;
}

}  // namespace

SdfVisuals::SdfVisuals(const SdfDocument& document, ImportContext& context)
    : document_(document), context_(context) {
  for (const SdfFile& file : document.files()) {
    for_each_link(*file.original->RootElement(), [&](const XMLElement& link) {
      links_.emplace(std::pair(file.shown, link.GetLineNum()), std::pair(&file, &link));
    });
  }
}

void SdfVisuals::add(const SdfLink& link, const std::string& owner) {
  const auto [first, last] = links_.equal_range({link.where.file, link.where.line});
  for (auto it = first; it != last; ++it) {
    const auto [file, element] = it->second;
    // Names of nested models come before that of the link.
    const char* name = element->Attribute("name");
    const bool is_it =
        name != nullptr && (link.name == name || link.name.ends_with(std::string("::") + name));
    if (!is_it) continue;
    for (const XMLElement* visual = element->FirstChildElement("visual"); visual != nullptr;
         visual = visual->NextSiblingElement("visual")) {
      add_visual(*visual, *file, owner);
    }
    return;
  }
}

void SdfVisuals::add_visual(const XMLElement& visual, const SdfFile& file,
                            const std::string& owner) {
  const XMLElement* geometry = visual.FirstChildElement("geometry");
  const std::optional<Pose> pose = pose_of(visual);
  if (geometry == nullptr || !pose) return;
  ModelVisual part{.link = owner, .X_LV = *pose};
  // The diffuse color is what a body has in white light.
  const XMLElement* material = visual.FirstChildElement("material");
  part.color = visual_color(text_in(material, "diffuse"));
  if (!part.color) part.color = visual_color(text_in(material, "ambient"));
  const XMLElement* mesh = geometry->FirstChildElement("mesh");
  if (mesh == nullptr) {
    part.shape = shape_of(*geometry);
    if (part.shape && context_.visuals) context_.visuals->parts.push_back(std::move(part));
    return;
  }
  const char* uri = text_in(mesh, "uri");
  if (uri == nullptr || mesh->FirstChildElement("submesh") != nullptr) return;
  part.scale = vector_in(*mesh, "scale", Eigen::Vector3d::Ones());
  const auto [name, model_file] = document_.name_of_file(std::string(trimmed(uri)), file);
  if (noted_.insert(mesh).second) {
    note_missing_look(name, model_file, context_.inputs, record_name(*mesh),
                      place_of(file.shown, *mesh), context_.ledger);
  }
  if (context_.visuals == nullptr) return;
  add_mesh_visual(std::move(part), name, model_file, context_.inputs, *context_.visuals);
}

}  // namespace amontons::io
