#include "amontons/io/sdf/sdf_plain_reader.h"

#include "amontons/io/xml/xml_text.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <vector>

namespace amontons::io {

using tinyxml2::XMLElement;

std::optional<WrittenPose> written_pose(const XMLElement& element) {
  const XMLElement* pose = element.FirstChildElement("pose");
  if (pose == nullptr) return WrittenPose{};
  WrittenPose result;
  if (const char* frame = pose->Attribute("relative_to")) result.relative_to = frame;
  // The used part has quaternions for libsdformat. A pose that no file holds has no original.
  const auto* original = static_cast<const XMLElement*>(pose->GetUserData());
  if (original == nullptr) original = pose;
  for (const tinyxml2::XMLAttribute* a = original->FirstAttribute(); a != nullptr; a = a->Next()) {
    if (std::string_view(a->Name()) != "relative_to") return std::nullopt;
  }
  const std::vector<double> n = numbers_in(text_of(*original));
  if (!n.empty() && n.size() != 6) return std::nullopt;
  if (!n.empty()) result.X = {rotation_from_rpy(n[3], n[4], n[5]), {n[0], n[1], n[2]}};
  return result;
}

int line_in_file(const XMLElement& element) {
  return static_cast<const XMLElement*>(element.GetUserData())->GetLineNum();
}

bool flag_in(const XMLElement& element, const char* child, bool otherwise) {
  const XMLElement* found = element.FirstChildElement(child);
  return found ? text_of(*found) == "true" || text_of(*found) == "1" : otherwise;
}

std::optional<double> number_in(const XMLElement* element, const char* child) {
  const XMLElement* found = element ? element->FirstChildElement(child) : nullptr;
  if (found == nullptr) return std::nullopt;
  return numbers_in(text_of(*found)).at(0);
}

Eigen::Vector3d vector_in(const XMLElement& element, const char* child,
                          const Eigen::Vector3d& otherwise) {
  const XMLElement* found = element.FirstChildElement(child);
  if (found == nullptr) return otherwise;
  const std::vector<double> n = numbers_in(text_of(*found));
  return {n.at(0), n.at(1), n.at(2)};
}

void PlainReader::allow(const XMLElement& element, std::initializer_list<std::string_view> children,
                        std::initializer_list<std::string_view> attributes) {
  const auto is_in = [](std::initializer_list<std::string_view> names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const XMLElement* e = element.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    require(is_in(children, e->Name()));
  }
  for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    require(is_in(attributes, a->Name()));
  }
}

std::string PlainReader::name_of(const XMLElement& element) {
  const std::string name = element.Attribute("name");
  require(!name.empty() && name.find("__") == std::string::npos &&
          name.find(':') == std::string::npos && name != "world");
  return name;
}

std::pair<Pose, std::string> PlainReader::pose_in_frame(const XMLElement& element,
                                                        const std::string& otherwise) {
  const std::optional<WrittenPose> written = written_pose(element);
  require(written.has_value());
  if (!written) return {Pose{}, otherwise};
  return {written->X, written->relative_to.empty() ? otherwise : written->relative_to};
}

Pose PlainReader::pose_in_holder(const XMLElement& element) {
  const std::optional<WrittenPose> written = written_pose(element);
  require(written && written->relative_to.empty());
  return written ? written->X : Pose{};
}

}  // namespace amontons::io
