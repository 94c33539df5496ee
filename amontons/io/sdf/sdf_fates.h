#pragma once

#include "amontons/io/xml/xml_rules.h"

#include <optional>
#include <string>

namespace amontons::io {

// Fates of SDF elements that depend on values or on neighboring elements (XmlFateFunction). Each
// function returns nothing where the table (sdf_rules.cc) holds.

std::optional<XmlFate> fate_of_physics(const tinyxml2::XMLElement& physics);
std::optional<XmlFate> fate_of_inertial(const tinyxml2::XMLElement& inertial);
std::optional<XmlFate> fate_of_density(const tinyxml2::XMLElement& inertial);
std::optional<XmlFate> fate_of_velocity_decay(const tinyxml2::XMLElement& decay);
std::optional<XmlFate> fate_of_kinematic(const tinyxml2::XMLElement& kinematic);
std::optional<XmlFate> fate_of_added_mass(const tinyxml2::XMLElement& added_mass);
std::optional<XmlFate> fate_of_population(const tinyxml2::XMLElement& population);
/// Says of a static model without links that nothing is there to simulate.
std::optional<XmlFate> fate_of_model(const tinyxml2::XMLElement& model);
/// Ignores changes of sensors and looks in what an include brings; others are findings.
std::optional<XmlFate> fate_of_params(const tinyxml2::XMLElement& params);
/// Ignores a plugin but for one that by its name drives joints or exerts forces without a command:
/// a finding.
std::optional<XmlFate> fate_of_plugin(const tinyxml2::XMLElement& plugin);
/// Ignores a wind of zero, and one that no model of the file takes; any other is a finding.
std::optional<XmlFate> fate_of_wind(const tinyxml2::XMLElement& wind);
std::optional<XmlFate> fate_of_normal(const tinyxml2::XMLElement& normal);
/// Approximates a negative coefficient, which Gazebo takes for friction without limit.
std::optional<XmlFate> fate_of_friction(const tinyxml2::XMLElement& mu);
std::optional<XmlFate> fate_of_second_friction(const tinyxml2::XMLElement& mu2);
/// Names a direction of friction where it is not the same in all directions: a finding.
std::optional<XmlFate> fate_of_friction_direction(const tinyxml2::XMLElement& fdir1);
std::optional<XmlFate> fate_of_rolling(const tinyxml2::XMLElement& rolling);
std::optional<XmlFate> fate_of_torsion(const tinyxml2::XMLElement& torsional);
std::optional<XmlFate> fate_of_bullet_friction(const tinyxml2::XMLElement& friction);
std::optional<XmlFate> fate_of_slip(const tinyxml2::XMLElement& slip);
std::optional<XmlFate> fate_of_collision(const tinyxml2::XMLElement& collision);
std::optional<XmlFate> fate_of_optimization(const tinyxml2::XMLElement& mesh);
std::optional<XmlFate> fate_of_axis(const tinyxml2::XMLElement& axis);
std::optional<XmlFate> fate_of_axis2(const tinyxml2::XMLElement& axis2);
std::optional<XmlFate> fate_of_screw_pitch(const tinyxml2::XMLElement& pitch);
std::optional<XmlFate> fate_of_old_screw_pitch(const tinyxml2::XMLElement& pitch);
std::optional<XmlFate> fate_of_gearbox(const tinyxml2::XMLElement& part);
std::optional<XmlFate> fate_of_joint_type(const tinyxml2::XMLElement& joint);
/// Ignores the gravity of a <physics> but for versions up to 1.5, in which it has its place there.
std::optional<XmlFate> fate_of_old_gravity(const tinyxml2::XMLElement& gravity);
std::optional<XmlFate> fate_of_version(const tinyxml2::XMLElement& sdf);

/// Returns the text of a child element as a number, or `otherwise` where it is absent or not a
/// number.
double child_number(const tinyxml2::XMLElement& element, const char* child, double otherwise);

/// Returns true for a model without links, models and includes of its own.
bool is_without_links(const tinyxml2::XMLElement& model);

/// Returns true for a model that is static by its own flag.
bool is_static(const tinyxml2::XMLElement& model);

/// Returns true for a model that is static, or part of one.
bool is_in_static_model(const tinyxml2::XMLElement& element);

}  // namespace amontons::io
