#include "amontons/io/urdf/urdf_contact_rules.h"

#include "amontons/io/urdf/urdf_extension_value.h"

#include <tinyxml2.h>

#include <string>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr std::string_view kAnotherSolver = "a setting of another solver";
constexpr std::string_view kRigid = "contacts are rigid";

std::optional<XmlFate> fate_of_friction(const XMLElement& friction) {
  if (extension_number(friction).value_or(-1.0) >= 0.0) return std::nullopt;
  return unsupported("its value is no number that is not negative: it does not count");
}

std::optional<XmlFate> fate_of_restitution(const XMLElement& restitution) {
  const double number = extension_number(restitution).value_or(-1.0);
  if (number >= 0.0 && number <= 1.0) return std::nullopt;
  return unsupported("its value is no number in [0, 1]: it does not count");
}

std::optional<XmlFate> fate_of_rolling(const XMLElement& rolling) {
  if (extension_number(rolling).value_or(1.0) == 0.0) return std::nullopt;
  return unsupported("a contact does not resist spinning or rolling");
}

std::optional<XmlFate> fate_of_scaling(const XMLElement& scaling) {
  if (extension_number(scaling).value_or(0.0) == 1.0) return std::nullopt;
  return unsupported("inertias are those of <inertial>");
}

/// Returns the rule of a value that is applied.
ElementRule value(std::string_view path, XmlFateFunction fate_of) {
  return {.path = path,
          .attributes = {{"value", XmlValue::AnyText}},
          .text = XmlValue::AnyText,
          .fate_of = fate_of};
}

/// Returns the rule of a value that is left out.
ElementRule left_out(std::string_view path, std::string_view reason,
                     XmlFateFunction fate_of = nullptr) {
  return {.path = path, .fate = ImportFate::Ignored, .reason = reason, .fate_of = fate_of};
}

}  // namespace

std::vector<ElementRule> contact_rules() {
  return {
      {.path = "robot/link/contact", .reason = "extends the format in Bullet"},
      value("robot/link/contact/lateral_friction", fate_of_friction),
      value("robot/link/contact/restitution", fate_of_restitution),
      left_out("robot/link/contact/rolling_friction", "it is zero", fate_of_rolling),
      left_out("robot/link/contact/spinning_friction", "it is zero", fate_of_rolling),
      left_out("robot/link/contact/inertia_scaling", "it is 1", fate_of_scaling),
      left_out("robot/link/contact/stiffness", kRigid),
      left_out("robot/link/contact/damping", kRigid),
      left_out("robot/link/contact/contact_cfm", kAnotherSolver),
      left_out("robot/link/contact/contact_erp", kAnotherSolver),
      left_out("robot/link/contact/friction_anchor", kAnotherSolver),
  };
}

}  // namespace amontons::io
