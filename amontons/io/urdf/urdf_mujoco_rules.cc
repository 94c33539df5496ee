#include "amontons/io/urdf/urdf_mujoco_rules.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/trimmed.h"

#include <tinyxml2.h>

#include <sstream>
#include <string>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr ImportFate kApplied = ImportFate::Applied, kIgnored = ImportFate::Ignored;
constexpr bool kOptional = false;
// Reasons in the ledger that several attributes share.
constexpr std::string_view kSolver = "a setting of MuJoCo's own solver";
constexpr std::string_view kOfMjcf = "a setting of files of MuJoCo, which URDF does not have";
constexpr std::string_view kMeshes = "meshes are sought beside the file and in its packages";
constexpr std::string_view kFuse =
    "says if links that are fixed to the world count for settotalmass";
constexpr std::string_view kWhereScene = "counts where this file is the scene; a scene has its own";
constexpr std::string_view kEnabled = "it is not disabled";

/// Returns the text of an attribute without blanks; empty where there is none.
std::string text_of(const XMLElement& element, const char* attribute) {
  const char* text = element.Attribute(attribute);
  return text != nullptr ? std::string(trimmed(text)) : "";
}

/// Returns true if one of the numbers of an attribute is not zero, or is no number.
bool is_nonzero(const XMLElement& element, const char* attribute) {
  std::istringstream words(text_of(element, attribute));
  for (std::string word; words >> word;) {
    double number = 0.0;
    if (!parse_number(word, number).empty() || number != 0.0) return true;
  }
  return false;
}

std::optional<XmlFate> fate_of_total_mass(const XMLElement& compiler) {
  double total = 0.0;
  parse_number(text_of(compiler, "settotalmass"), total);
  if (total > 0.0) {
    return XmlFate{kApplied, "one factor for all masses and moments of inertia of the file"};
  }
  return XmlFate{kIgnored, "without a positive mass all masses stay as they are"};
}

/// Names a lower bound of masses or moments of inertia, which is not applied.
template <bool of_mass>
std::optional<XmlFate> fate_of_bound(const XMLElement& compiler) {
  if (!is_nonzero(compiler, of_mass ? "boundmass" : "boundinertia")) return std::nullopt;
  return unsupported("masses and inertias are those of the file; write larger ones there");
}

std::optional<XmlFate> fate_of_geom_inertia(const XMLElement& compiler) {
  if (text_of(compiler, "inertiafromgeom") != "true") return std::nullopt;
  return unsupported("masses are those of <inertial>; without it they follow from `density`");
}

std::optional<XmlFate> fate_of_wind(const XMLElement& option) {
  if (!is_nonzero(option, "wind")) return std::nullopt;
  return unsupported("there is no fluid");
}
std::optional<XmlFate> fate_of_fluid_density(const XMLElement& option) {
  if (!is_nonzero(option, "density")) return std::nullopt;
  return unsupported("there is no fluid: nothing drags");
}
std::optional<XmlFate> fate_of_viscosity(const XMLElement& option) {
  if (!is_nonzero(option, "viscosity")) return std::nullopt;
  return unsupported("there is no fluid: nothing drags");
}

std::optional<XmlFate> fate_of_pairs(const XMLElement& option) {
  if (text_of(option, "collision") != "predefined") return std::nullopt;
  return unsupported("links collide, though a URDF has no predefined pairs");
}

/// Returns the fate of a flag: a finding where it is disabled.
std::optional<XmlFate> fate_of_flag(const XMLElement& flag, const char* name) {
  if (text_of(flag, name) != "disable") return std::nullopt;
  return unsupported("it is not disabled here");
}

/// Returns the rules of the attributes of <option>.
std::vector<AttributeRule> option_attributes() {
  using enum XmlValue;
  std::vector<AttributeRule> rules{
      {"timestep", Positive, kOptional, kApplied, kWhereScene},
      {"gravity", Vector3, kOptional, kApplied, kWhereScene},
      {"wind", AnyText, kOptional, kIgnored, "it is zero", fate_of_wind},
      {"density", AnyText, kOptional, kIgnored, "it is zero", fate_of_fluid_density},
      {"viscosity", AnyText, kOptional, kIgnored, "it is zero", fate_of_viscosity},
      {"collision", AnyText, kOptional, kIgnored, "all links may collide", fate_of_pairs},
      {"integrator", AnyText, kOptional, kIgnored, "time stepping is that of the scene"},
      {"cone", AnyText, kOptional, kIgnored, "the contact model says what the friction cone is"},
      {"magnetic", AnyText, kOptional, kIgnored, "there are no sensors"}};
  for (const char* name :
       {"apirate", "impratio", "tolerance", "noslip_tolerance", "mpr_tolerance", "ls_tolerance",
        "ccd_tolerance", "o_margin", "o_solref", "o_solimp", "o_friction", "jacobian", "solver",
        "iterations", "noslip_iterations", "mpr_iterations", "ls_iterations", "ccd_iterations"}) {
    rules.push_back({name, AnyText, kOptional, kIgnored, kSolver});
  }
  return rules;
}

/// Returns the rules of the attributes of <compiler>.
std::vector<AttributeRule> compiler_attributes() {
  using enum XmlValue;
  std::vector<AttributeRule> rules{
      {"settotalmass", Number, kOptional, kApplied, "", fate_of_total_mass},
      {"boundmass", AnyText, kOptional, kIgnored, "it is zero", fate_of_bound<true>},
      {"boundinertia", AnyText, kOptional, kIgnored, "it is zero", fate_of_bound<false>},
      {"balanceinertia", AnyText, kOptional, kIgnored, "an inertia that no body has is a finding"},
      {"inertiafromgeom", AnyText, kOptional, kIgnored, "<inertial> counts", fate_of_geom_inertia},
      {"fusestatic", AnyText, kOptional, kApplied, kFuse},
      {"discardvisual", AnyText, kOptional, kIgnored, "<visual> moves nothing"},
      {"usethread", AnyText, kOptional, kIgnored, "speed only"},
      {"convexhull", AnyText, kOptional, kIgnored, "meshes have hulls anyhow"}};
  for (const char* name : {"meshdir", "texturedir", "assetdir", "strippath"}) {
    rules.push_back({name, AnyText, kOptional, kIgnored, kMeshes});
  }
  for (const char* name : {"angle", "coordinate", "eulerseq", "autolimits", "fitaabb",
                           "exactmeshinertia", "inertiagrouprange", "alignfree", "saveinertial"}) {
    rules.push_back({name, AnyText, kOptional, kIgnored, kOfMjcf});
  }
  return rules;
}

/// Returns the rule of a flag of <option>.
AttributeRule flag(std::string_view name, XmlFateFunction fate_of) {
  return {name, XmlValue::AnyText, kOptional, kIgnored, kEnabled, fate_of};
}

}  // namespace

std::vector<ElementRule> mujoco_rules() {
  return {
      {.path = "robot/mujoco", .reason = "extends the robot in MuJoCo"},
      {.path = "robot/mujoco/compiler", .attributes = compiler_attributes()},
      {.path = "robot/mujoco/option", .attributes = option_attributes()},
      {.path = "robot/mujoco/option/flag",
       .attributes =
           {flag("constraint", [](const XMLElement& e) { return fate_of_flag(e, "constraint"); }),
            flag("contact", [](const XMLElement& e) { return fate_of_flag(e, "contact"); }),
            flag("equality", [](const XMLElement& e) { return fate_of_flag(e, "equality"); }),
            flag("frictionloss",
                 [](const XMLElement& e) { return fate_of_flag(e, "frictionloss"); }),
            flag("gravity", [](const XMLElement& e) { return fate_of_flag(e, "gravity"); }),
            flag("limit", [](const XMLElement& e) { return fate_of_flag(e, "limit"); }),
            flag("passive", [](const XMLElement& e) { return fate_of_flag(e, "passive"); }),
            flag("filterparent",
                 [](const XMLElement& e) { return fate_of_flag(e, "filterparent"); })}},
      {.path = "robot/mujoco/size", .fate = kIgnored, .reason = "sizes of MuJoCo's memory"},
  };
}

}  // namespace amontons::io
