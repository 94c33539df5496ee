#include "amontons/io/urdf/urdf_origin.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <sstream>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr const char* kQuaternion = "quat_xyzw";

/// Replaces the quaternion of one <origin>.
void replace_quaternion(XMLElement& origin, const std::string& file) {
  const char* text = origin.Attribute(kQuaternion);
  if (text == nullptr) return;
  const auto* original = static_cast<const XMLElement*>(origin.GetUserData());
  const std::string shown = describe(*original) + ": quat_xyzw of <origin>";
  if (origin.Attribute("rpy") != nullptr) {
    fail_at(place_of(file, *original),
            describe(*original) + ": an <origin> has rpy or quat_xyzw, not both");
  }
  const std::optional<Eigen::Matrix3d> rotation = rotation_of_quaternion(origin);
  if (!rotation) {
    fail_at(place_of(file, *original),
            shown + " must be 4 numbers (x y z w), not all of them zero, but is '" + text + "'");
  }
  std::string rpy;
  for (const double angle : rpy_from_rotation(*rotation)) {
    rpy += (rpy.empty() ? "" : " ") + shortest_text(angle);
  }
  origin.DeleteAttribute(kQuaternion);
  origin.SetAttribute("rpy", rpy.c_str());
}

void replace_quaternions_in(XMLElement& element, const std::string& file, FaultList& faults) {
  if (std::string_view(element.Name()) == "origin") {
    faults.attempt([&] { replace_quaternion(element, file); });
  }
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    replace_quaternions_in(*child, file, faults);
  }
}

}  // namespace

std::optional<Eigen::Matrix3d> rotation_of_quaternion(const XMLElement& origin) {
  const char* text = origin.Attribute(kQuaternion);
  std::istringstream words(text != nullptr ? text : "");
  Eigen::Vector4d xyzw = Eigen::Vector4d::Zero();
  Eigen::Index count = 0;
  for (std::string word; words >> word; ++count) {
    if (count == 4 || !parse_number(word, xyzw[count]).empty()) return std::nullopt;
  }
  const double largest = xyzw.cwiseAbs().maxCoeff();
  if (count != 4 || largest < kSmallestNumber) return std::nullopt;
  // Eigen holds its coefficients in the same order. The division keeps squares within the range.
  return Eigen::Quaterniond(Eigen::Vector4d(xyzw / largest)).normalized().toRotationMatrix();
}

Eigen::Vector3d rpy_from_rotation(const Eigen::Matrix3d& R) {
  // At a pitch of 90 degrees any yaw will do. The others follow from Rz(yaw)' R = Ry Rx, whose
  // entries are accurate at any yaw.
  const double yaw = elementary::atan2(R(1, 0), R(0, 0));
  const double c = elementary::cos(yaw), s = elementary::sin(yaw);
  const double pitch = elementary::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0));
  const double roll = elementary::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  return {roll, pitch, yaw};
}

void replace_quaternions(XMLElement& used, const std::string& file) {
  FaultList faults;
  replace_quaternions_in(used, file, faults);
  faults.throw_any();
}

}  // namespace amontons::io
