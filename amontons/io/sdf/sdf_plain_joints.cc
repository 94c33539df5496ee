#include "amontons/io/sdf/sdf_plain_joints.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/sdf/sdf_joint_values.h"
#include "amontons/io/sdf/sdf_plain_reader.h"
#include "amontons/io/xml/xml_text.h"

#include <map>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

// Version from which an axis is written in the frame of its joint, and not of its model.
constexpr double kAxesOfJoints = 1.5;

/// Reads the joints of one model.
class PlainJoints : private PlainReader {
 public:
  /// @param axes_of_model  axes are written in the model's frame.
  PlainJoints(const std::string& file, const SdfFrames& frames, const std::vector<SdfLink>& links,
              bool axes_of_model)
      : file_(file), frames_(frames), axes_of_model_(axes_of_model) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      places_.emplace(links[i].name, static_cast<int>(i));
    }
  }

  /// Returns the joints, or nothing where one is not plain.
  std::optional<std::vector<SdfJoint>> read(const XMLElement& model) {
    std::vector<SdfJoint> joints;
    for (const XMLElement* joint = model.FirstChildElement("joint"); joint != nullptr && is_plain();
         joint = joint->NextSiblingElement("joint")) {
      joints.push_back(read_joint(*joint));
    }
    if (!is_plain()) return std::nullopt;
    return joints;
  }

 private:
  SdfJoint read_joint(const XMLElement& element) {
    allow(element,
          {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "gearbox_ratio",
           "gearbox_reference_body", "amontons:screw_thread_pitch"},
          {"name", "type"});
    SdfJoint joint;
    joint.name = name_of(element);
    joint.type = element.Attribute("type");
    set_default_axes(joint);
    joint.where = {file_, line_in_file(element), 0};
    const std::string parent = trimmed_text(element.FirstChildElement("parent"));
    if (parent != "world") joint.parent = link_of(parent);
    joint.child = link_of(trimmed_text(element.FirstChildElement("child")));
    // That both are one link is an error, which libsdformat reports.
    require(joint.parent != joint.child);
    joint.X_MJ = frames_.pose_of(joint.name).value_or(Pose{});
    read_axis(element.FirstChildElement("axis"), joint.X_MJ, joint.axis);
    read_axis(element.FirstChildElement("axis2"), joint.X_MJ, joint.axis2);
    joint.pitch = screw_pitch(number_in(&element, "thread_pitch"),
                              number_in(&element, "amontons:screw_thread_pitch"), joint);
    joint.gear_ratio = number_in(&element, "gearbox_ratio").value_or(1.0);
    joint.gear_reference = trimmed_text(element.FirstChildElement("gearbox_reference_body"));
    return joint;
  }

  /// Returns the place of the link that a frame moves with; -1 where it is none of this model's.
  int link_of(const std::string& frame) {
    const auto found = places_.find(frames_.body_of(frame).value_or(""));
    require(found != places_.end());
    return found == places_.end() ? -1 : found->second;
  }

  /// Reads an axis with everything along it, where there is one.
  void read_axis(const XMLElement* element, const Pose& X_MJ, SdfAxis& axis) {
    if (element == nullptr) return;
    allow(*element, {"xyz", "limit", "dynamics", "initial_position", "use_parent_model_frame",
                     "amontons:mimic"});
    const XMLElement* xyz = element->FirstChildElement("xyz");
    if (xyz != nullptr) allow(*xyz, {}, {"expressed_in"});
    axis.xyz = vector_in(*element, "xyz", Eigen::Vector3d::UnitZ()).normalized();
    const char* frame = xyz != nullptr ? xyz->Attribute("expressed_in") : nullptr;
    if (frame != nullptr) {
      const std::optional<Pose> X_MF = frames_.pose_of(frame);
      require(X_MF.has_value());
      axis.xyz = X_MJ.rotation.transpose() * (X_MF.value_or(Pose{}).rotation * axis.xyz);
    } else if (axes_of_model_ || flag_in(*element, "use_parent_model_frame", false)) {
      axis.xyz = X_MJ.rotation.transpose() * axis.xyz;
    }
    const XMLElement* limit = element->FirstChildElement("limit");
    set_limits(number_in(limit, "lower").value_or(axis.lower),
               number_in(limit, "upper").value_or(axis.upper), number_in(limit, "effort"),
               number_in(limit, "velocity"), axis);
    const XMLElement* dynamics = element->FirstChildElement("dynamics");
    axis.damping = number_in(dynamics, "damping").value_or(0.0);
    axis.friction = number_in(dynamics, "friction").value_or(0.0);
    axis.stiffness = number_in(dynamics, "spring_stiffness").value_or(0.0);
    axis.rest_position = number_in(dynamics, "spring_reference").value_or(0.0);
    axis.initial_position = number_in(element, "initial_position");
    if (const XMLElement* mimic = element->FirstChildElement("amontons:mimic")) {
      axis.mimic = SdfMimic{mimic->Attribute("joint"), number_in(mimic, "multiplier").value_or(1.0),
                            number_in(mimic, "offset").value_or(0.0),
                            number_in(mimic, "reference").value_or(0.0)};
    }
  }

  const std::string& file_;
  const SdfFrames& frames_;
  std::map<std::string, int> places_;  // of the links
  bool axes_of_model_;
};

}  // namespace

std::optional<std::vector<SdfJoint>> read_plain_joints(const XMLElement& model,
                                                       const std::string& version,
                                                       const std::string& file,
                                                       const SdfFrames& frames,
                                                       const std::vector<SdfLink>& links) {
  double number = 0.0;
  const bool is_known = parse_number(version, number).empty();
  if (!is_known && model.FirstChildElement("joint") != nullptr) return std::nullopt;
  return PlainJoints(file, frames, links, number < kAxesOfJoints).read(model);
}

}  // namespace amontons::io
