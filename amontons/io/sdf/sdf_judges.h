#pragma once

#include "amontons/io/xml/xml_rules.h"

#include <optional>

namespace amontons::io {

// Fates of SDF elements that depend on values or on their neighbors (XmlJudge).

std::optional<XmlFate> judge_physics(const tinyxml2::XMLElement& physics);
std::optional<XmlFate> judge_inertial(const tinyxml2::XMLElement& inertial);
std::optional<XmlFate> judge_auto_inertia(const tinyxml2::XMLElement& inertial);
std::optional<XmlFate> judge_velocity_decay(const tinyxml2::XMLElement& decay);
std::optional<XmlFate> judge_kinematic(const tinyxml2::XMLElement& kinematic);
std::optional<XmlFate> judge_second_friction(const tinyxml2::XMLElement& mu2);
std::optional<XmlFate> judge_bullet_friction(const tinyxml2::XMLElement& friction);
std::optional<XmlFate> judge_slip(const tinyxml2::XMLElement& slip);
std::optional<XmlFate> judge_submesh(const tinyxml2::XMLElement& submesh);
std::optional<XmlFate> judge_axis(const tinyxml2::XMLElement& axis);
std::optional<XmlFate> judge_axis2(const tinyxml2::XMLElement& axis2);
std::optional<XmlFate> judge_screw_pitch(const tinyxml2::XMLElement& pitch);
std::optional<XmlFate> judge_old_screw_pitch(const tinyxml2::XMLElement& pitch);
std::optional<XmlFate> judge_gearbox(const tinyxml2::XMLElement& part);
std::optional<XmlFate> judge_joint_type(const tinyxml2::XMLElement& joint);
std::optional<XmlFate> judge_version(const tinyxml2::XMLElement& sdf);

/// The text of a child element as a number, or `otherwise` where it is absent or no number.
double child_number(const tinyxml2::XMLElement& element, const char* child, double otherwise);

/// True for a model that is static, or part of one.
bool is_in_static_model(const tinyxml2::XMLElement& element);

}  // namespace amontons::io
