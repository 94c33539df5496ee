#include "amontons/io/sdf/completion/pose_quaternions.h"

#include "amontons/io/xml/xml_text.h"
#include "amontons/math/rotation.h"

#include <fmt/format.h>

#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr double kDegree = std::numbers::pi / 180.0;

/// Writes one pose. One without angles, or with a quaternion, stays as it is.
void write_quaternion(XMLElement& pose) {
  const char* format = pose.Attribute("rotation_format");
  if (format != nullptr && std::string_view(format) != "euler_rpy") return;
  const std::vector<double> n = numbers_in(text_of(pose));
  if (n.size() != 6 || (n[3] == 0.0 && n[4] == 0.0 && n[5] == 0.0)) return;
  const double unit = pose.BoolAttribute("degrees") ? kDegree : 1.0;
  const Eigen::Quaterniond q(rotation_from_rpy(unit * n[3], unit * n[4], unit * n[5]));
  pose.DeleteAttribute("degrees");
  pose.SetAttribute("rotation_format", "quat_xyzw");
  const std::string text =
      fmt::format("{} {} {} {} {} {} {}", n[0], n[1], n[2], q.x(), q.y(), q.z(), q.w());
  pose.SetText(text.c_str());
}

}  // namespace

void write_pose_quaternions(XMLElement& element) {
  if (std::string_view(element.Name()) == "pose") write_quaternion(element);
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    write_pose_quaternions(*child);
  }
}

}  // namespace amontons::io
