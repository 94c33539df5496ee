#include "amontons/io/sdf/sdf_fates.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/acting_plugin.h"
#include "amontons/io/sdf/completion/sdf_completion.h"
#include "amontons/io/sdf/versions/sdf_old_version.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_value.h"

#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns true for an element that is present and true.
bool is_true(const XMLElement* element) {
  return element != nullptr && (text_of(*element) == "true" || text_of(*element) == "1");
}

/// Returns the element around one, null for the root.
const XMLElement* parent_of(const XMLElement& element) {
  return element.Parent() ? element.Parent()->ToElement() : nullptr;
}

/// Returns the nearest element of a name that holds this one, itself included; null if there is
/// none.
const XMLElement* holder_of(const XMLElement& element, std::string_view name) {
  const XMLElement* e = &element;
  while (e != nullptr && name != e->Name()) e = parent_of(*e);
  return e;
}

/// Returns the type of the joint that an element belongs to.
std::string type_of_joint(const XMLElement& part) {
  const XMLElement* joint = holder_of(part, "joint");
  const char* type = joint ? joint->Attribute("type") : nullptr;
  return type ? type : "";
}

/// Returns true if a model or link in an element asks for wind. What it includes may ask for it.
bool takes_wind(const XMLElement& element) {
  for (const XMLElement* e = element.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    const std::string_view name = e->Name();
    if (name == "include" || (name == "enable_wind" && is_true(e))) return true;
    if ((name == "model" || name == "link") && takes_wind(*e)) return true;
  }
  return false;
}

// Short forms of the fates.
XmlFate ignored(const std::string& reason) { return {ImportFate::Ignored, reason}; }
XmlFate refused(const std::string& reason) { return {ImportFate::Refused, reason}; }
XmlFate approximated(const std::string& reason) { return {ImportFate::Approximated, reason}; }

}  // namespace

double child_number(const XMLElement& element, const char* child, double otherwise) {
  const XMLElement* found = element.FirstChildElement(child);
  return found ? found->DoubleText(otherwise) : otherwise;
}

bool is_without_links(const XMLElement& model) {
  return !model.FirstChildElement("link") && !model.FirstChildElement("model") &&
         !model.FirstChildElement("include");
}

bool is_static(const XMLElement& model) { return is_true(model.FirstChildElement("static")); }

bool is_in_static_model(const XMLElement& element) {
  // A model is static if any model around it is.
  for (const XMLElement* e = holder_of(element, "model"); e != nullptr; e = parent_of(*e)) {
    // A world has no flag, and thousands of children to search for one.
    if (std::string_view(e->Name()) == "model" && is_static(*e)) return true;
  }
  return false;
}

std::optional<XmlFate> fate_of_physics(const XMLElement& physics) {
  // The last <physics> with default="true" counts, else the first one.
  const XMLElement* chosen = physics.Parent()->FirstChildElement("physics");
  for (const XMLElement* e = chosen; e != nullptr; e = e->NextSiblingElement("physics")) {
    if (e->BoolAttribute("default")) chosen = e;
  }
  if (chosen == &physics) return std::nullopt;
  return ignored("another <physics> of the world is the default one");
}

std::optional<XmlFate> fate_of_inertial(const XMLElement& inertial) {
  if (!is_in_static_model(inertial)) return std::nullopt;
  return ignored("the model is static");
}

std::optional<XmlFate> fate_of_density(const XMLElement& density) {
  const XMLElement* link = holder_of(density, "link");
  const XMLElement* inertial = link ? link->FirstChildElement("inertial") : nullptr;
  if (inertial != nullptr && inertial->BoolAttribute("auto")) return std::nullopt;
  return ignored("<mass> of the link is used instead");
}

std::optional<XmlFate> fate_of_velocity_decay(const XMLElement& decay) {
  if (child_number(decay, "linear", 0.0) == 0.0 && child_number(decay, "angular", 0.0) == 0.0) {
    return std::nullopt;
  }
  if (is_in_static_model(decay)) return ignored("the model is static");
  return unsupported("bodies move without drag");
}

std::optional<XmlFate> fate_of_kinematic(const XMLElement& kinematic) {
  if (!is_true(&kinematic)) return std::nullopt;
  if (is_in_static_model(kinematic)) return ignored("the model is static");
  return unsupported("it moves as forces say; a joint with the world, or a static model, holds it");
}

std::optional<XmlFate> fate_of_added_mass(const XMLElement& added_mass) {
  // What is not a number counts as a mass, which reports it.
  for (const XMLElement* e = added_mass.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    if (e->DoubleText(1.0) == 0.0) continue;
    return unsupported("bodies have no mass of a fluid that moves with them");
  }
  return ignored("it is zero");
}

std::optional<XmlFate> fate_of_population(const XMLElement&) {
  return unsupported("it makes no models here; write each of them as a <model> or <include>");
}

std::optional<XmlFate> fate_of_model(const XMLElement& model) {
  if (!is_without_links(model) || !is_static(model)) return std::nullopt;
  return XmlFate{ImportFate::Applied, "static and without a link: nothing is there to simulate"};
}

std::optional<XmlFate> fate_of_params(const XMLElement& params) {
  constexpr std::string_view kMoveNothing[] = {"sensor", "plugin", "visual", "light",
                                               "particle_emitter"};
  bool moves = false;
  std::string changes;
  for (const XMLElement* e = params.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    const std::string_view kind = e->Name();
    moves = moves || std::find(std::begin(kMoveNothing), std::end(kMoveNothing), kind) ==
                         std::end(kMoveNothing);
    const char* const place = e->Attribute("element_id");
    const char* const action = e->Attribute("action");
    changes += (changes.empty() ? "" : ", ") + std::string(kind) +
               (place != nullptr ? " of '" + std::string(place) + "'" : "") +
               (action != nullptr ? " (" + std::string(action) + ")" : "");
  }
  if (changes.empty()) return ignored("it changes nothing");
  if (!moves) return ignored("changes of sensors and looks: " + changes);
  return unsupported("what is included is read without these changes: " + changes);
}

std::optional<XmlFate> fate_of_plugin(const XMLElement& plugin) {
  if (is_in_static_model(plugin)) return std::nullopt;
  const char* const name = plugin.Attribute("name");
  const char* const library = plugin.Attribute("filename");
  const bool acts =
      acts_by_its_name(name != nullptr ? name : "", library != nullptr ? library : "");
  // Gazebo's ApplyLinkWrench waits for commands, but for wrenches that the file gives.
  if (plugin.FirstChildElement("persistent") != nullptr) {
    return unsupported("its <persistent> wrenches do not act; give them as actuators of the scene");
  }
  if (!acts) return std::nullopt;
  return unsupported("by its name it drives joints or exerts forces; no plugin acts here");
}

std::optional<XmlFate> fate_of_wind(const XMLElement& wind) {
  const XMLElement* velocity = wind.FirstChildElement("linear_velocity");
  std::istringstream words{std::string(velocity != nullptr ? text_of(*velocity) : "")};
  bool blows = false;
  for (double component = 0.0; words >> component;) blows = blows || component != 0.0;
  if (!blows || !takes_wind(*parent_of(wind))) return std::nullopt;
  return unsupported("there is no air: nothing feels it");
}

std::optional<XmlFate> fate_of_normal(const XMLElement& normal) {
  std::istringstream words{std::string(text_of(normal))};
  double largest = 0.0;
  // A word that is no number has an error of its own.
  for (std::string word; words >> word;) {
    double number = 0.0;
    if (!parse_number(word, number).empty()) return std::nullopt;
    largest = std::max(largest, std::abs(number));
  }
  // libsdformat normalizes the direction, which is meaningless for a length below 1e-6.
  if (largest >= 1e-6) return std::nullopt;
  return refused("its normal is shorter than 1e-6, so it gives no direction; (0 0 1) is upwards");
}

std::optional<XmlFate> fate_of_friction(const XMLElement& mu) {
  if (mu.DoubleText(0.0) >= 0.0) return std::nullopt;
  return approximated("negative, which is friction without limit to Gazebo: read as " +
                      std::string(kUnlimitedFriction));
}

std::optional<XmlFate> fate_of_second_friction(const XMLElement& mu2) {
  // <ode> calls the coefficients mu and mu2, <bullet> friction and friction2.
  const char* const first = std::string_view(mu2.Name()) == "mu2" ? "mu" : "friction";
  const double mu = child_number(*parent_of(mu2), first, 1.0);
  const double second = mu2.DoubleText(mu);
  if (second == mu || (second < 0.0 && mu < 0.0)) return std::nullopt;
  // Of two surfaces Gazebo takes the smaller coefficient, and few have one as large as the ground
  // plane that comes with Gazebo.
  constexpr double kLarge = 10.0;
  const auto is_large = [](double own) { return own < 0.0 || own >= kLarge; };
  if (is_large(mu) && is_large(second)) {
    return approximated("friction is the same in all directions; the first coefficient is used");
  }
  return unsupported("friction is the same in all directions; the first coefficient is used");
}

std::optional<XmlFate> fate_of_friction_direction(const XMLElement& fdir1) {
  const bool differs = [&] {
    for (const char* second : {"mu2", "friction2"}) {
      const XMLElement* mu2 = parent_of(fdir1)->FirstChildElement(second);
      const std::optional<XmlFate> fate =
          mu2 != nullptr ? fate_of_second_friction(*mu2) : std::nullopt;
      if (fate && fate->is_finding) return true;
    }
    return child_number(*parent_of(fdir1), "slip1", 0.0) !=
           child_number(*parent_of(fdir1), "slip2", 0.0);
  }();
  if (differs) return unsupported("friction is the same in all directions");
  return ignored("its friction is the same in all directions");
}

std::optional<XmlFate> fate_of_rolling(const XMLElement& rolling) {
  if (rolling.DoubleText(0.0) == 0.0) return ignored("it is zero");
  return unsupported("a contact does not resist spinning or rolling");
}

std::optional<XmlFate> fate_of_torsion(const XMLElement& torsional) {
  // Gazebo multiplies the coefficient by the radius of a patch, by default one of radius 0.
  const bool has_patch = child_number(torsional, "patch_radius", 0.0) > 0.0 ||
                         child_number(torsional, "surface_radius", 0.0) > 0.0;
  const double coefficient = child_number(torsional, "coefficient", 1.0);
  if (!has_patch || coefficient == 0.0) return ignored("without a radius of contact it is zero");
  return unsupported("a contact does not resist spinning or rolling");
}

std::optional<XmlFate> fate_of_bullet_friction(const XMLElement& friction) {
  // <ode> has precedence over <bullet>, as in sdformat_collision.cc.
  const XMLElement* all = parent_of(*parent_of(friction));
  const XMLElement* ode = all->FirstChildElement("ode");
  if (ode == nullptr || ode->FirstChildElement("mu") == nullptr) return std::nullopt;
  return ignored("the coefficient of <ode> is used instead");
}

std::optional<XmlFate> fate_of_slip(const XMLElement& slip) {
  if (slip.DoubleText(0.0) == 0.0) return std::nullopt;
  return unsupported("contacts do not slip by a compliance; see viscous_friction of a material");
}

std::optional<XmlFate> fate_of_collision(const XMLElement& collision) {
  const XMLElement* geometry = collision.FirstChildElement("geometry");
  const XMLElement* shape = geometry ? geometry->FirstChildElement() : nullptr;
  if (shape == nullptr || shape->NextSiblingElement() != nullptr) return std::nullopt;
  const std::string_view kind = shape->Name();
  if (kind == "plane") return std::nullopt;  // its size is that of a picture
  for (const char* size : {"size", "radius", "length", "radii", "scale"}) {
    // A capsule of no length is a sphere.
    if (kind == "capsule" && std::string_view(size) == "length") continue;
    const XMLElement* value = shape->FirstChildElement(size);
    if (value != nullptr && has_zero_size(value->GetText())) {
      return ignored("nothing there to collide: a size of its shape is 0");
    }
  }
  return std::nullopt;
}

std::optional<XmlFate> fate_of_optimization(const XMLElement& mesh) {
  // The attribute is one of SDF 1.11; a file of an older version may have it, too.
  const std::string_view method = mesh.Attribute("optimization");
  if (method.empty() || method == "convex_hull") return std::nullopt;
  // What a file asks for and does not get is a finding.
  const std::string fault =
      method == "convex_decomposition"
          ? "no mesh is decomposed into convex parts"
          : "'" + std::string(method) + "' is none of convex_hull and convex_decomposition";
  return XmlFate{ImportFate::Warning,
                 fault + ": it collides as it is; a scene can choose hull or parts (collide)"};
}

std::optional<XmlFate> fate_of_axis(const XMLElement& axis) {
  const std::string type = type_of_joint(axis);
  if (type == "fixed" || type == "ball") return ignored("a " + type + " joint has no axis");
  if (is_in_static_model(axis)) return ignored("the model is static");
  return std::nullopt;
}

std::optional<XmlFate> fate_of_axis2(const XMLElement& axis2) {
  const std::string type = type_of_joint(axis2);
  if (type == "universal" || type == "revolute2" || type == "gearbox") return fate_of_axis(axis2);
  return ignored("a " + type + " joint has one axis");
}

std::optional<XmlFate> fate_of_screw_pitch(const XMLElement& pitch) {
  if (type_of_joint(pitch) == "screw") return std::nullopt;
  return ignored("the joint is no screw");
}

std::optional<XmlFate> fate_of_old_screw_pitch(const XMLElement& pitch) {
  if (parent_of(pitch)->FirstChildElement("screw_thread_pitch") != nullptr) {
    return ignored("<screw_thread_pitch> is used instead");
  }
  return fate_of_screw_pitch(pitch);
}

std::optional<XmlFate> fate_of_gearbox(const XMLElement& part) {
  if (type_of_joint(part) == "gearbox") return std::nullopt;
  return ignored("the joint is no gearbox");
}

std::optional<XmlFate> fate_of_joint_type(const XMLElement& joint) {
  if (is_in_static_model(joint)) return ignored("the model is static, so that no joint moves");
  const bool has_housing = joint.FirstChildElement("gearbox_reference_body") != nullptr;
  if (has_housing || type_of_joint(joint) != "gearbox") return std::nullopt;
  return unsupported("it couples nothing without a <gearbox_reference_body>");
}

std::optional<XmlFate> fate_of_old_gravity(const XMLElement& gravity) {
  const XMLElement* sdf = holder_of(gravity, "sdf");
  const std::string_view version =
      sdf && sdf->Attribute("version") ? sdf->Attribute("version") : "";
  if (is_before_sdf_1_4(version) || version == "1.4" || version == "1.5") return std::nullopt;
  return ignored("not part of this version of the format: gravity is an element of the world");
}

std::optional<XmlFate> fate_of_version(const XMLElement& sdf) {
  const std::string_view version = sdf.Attribute("version") ? sdf.Attribute("version") : "";
  for (const char* known : {"1.4", "1.5", "1.6", "1.7", "1.8", "1.9"}) {
    if (version == known) return std::nullopt;
  }
  for (const char* newer : {"1.10", "1.11", "1.12"}) {
    if (version == newer) {
      return approximated(
          "read as 1.9; of what is newer only cone, mimic, optimization and screw_thread_pitch");
    }
  }
  if (version == "1.0" || version == "1.1") {
    return approximated(
        "read as 1.4, where attributes of 1.0 are elements; a step within <ode> or <bullet> is "
        "that of <physics>");
  }
  if (is_before_sdf_1_4(version)) {
    return approximated("read as 1.4; a step within <ode> or <bullet> is that of <physics>");
  }
  return refused("version '" + std::string(version) + "' is not known; versions 1.0 to 1.12 are");
}

}  // namespace amontons::io
