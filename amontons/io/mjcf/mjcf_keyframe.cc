#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/rotation.h"

#include <algorithm>

// <keyframe>: the start.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

// Name of the keyframe that is the start, as many published models call it.
constexpr const char* kHome = "home";

/// Returns the rotation of four numbers of qpos.
Eigen::Matrix3d rotation_at(const MjcfElement& key, const double* wxyz) {
  const Eigen::Vector4d written(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  if (!(written.norm() > 1e-14)) key.fail("qpos", "holds a quaternion without length");
  return quaternion_from_wxyz(written.normalized()).toRotationMatrix();
}

/// Sets the start positions of all joints from qpos.
void set_positions(MjcfReader& reader, const MjcfElement& key) {
  const auto count = static_cast<std::size_t>(reader.num_q);
  const std::vector<double> qpos = key.numbers("qpos", count, count);
  if (qpos.empty()) return;
  for (const MjcfJoint& record : reader.joints) {
    ModelJoint& joint = reader.model.joints[static_cast<std::size_t>(record.index)];
    // A free joint has position and quaternion, a ball a quaternion, all others one number.
    const double* q = qpos.data() + record.q_offset;
    if (joint.type == JointType::Free) {
      joint.start_pose = {rotation_at(key, q + 3), {q[0], q[1], q[2]}};
    } else if (joint.type == JointType::Spherical) {
      joint.start_pose.rotation = rotation_at(key, q);
    } else {
      joint.start = q[0];
    }
  }
}

/// Reads the positions and controls of the keyframe and refuses velocities.
void read_home(MjcfReader& reader, const MjcfElement& key) {
  key.text("name");
  set_positions(reader, key);
  // Controls are numbered like the actuators, in the order of the file.
  const std::size_t num_actuators = reader.file.document.section("actuator").size();
  reader.ctrl = key.numbers("ctrl", num_actuators, num_actuators);
  for (const char* name : {"qvel", "act"}) {
    const std::vector<double> values = key.numbers(name, 0, 1000000);
    if (std::any_of(values.begin(), values.end(), [](double v) { return v != 0.0; })) {
      key.note(name, ImportFate::Refused, "a model starts at rest");
    }
  }
}

}  // namespace

void read_mjcf_keyframe(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  bool found = false;
  for (const XMLElement* section : document.children(document.root(), "keyframe")) {
    reader.element(*section, "");
    // The first key of that name counts; all others are reported as left out.
    for (const XMLElement* xml : document.children(*section, "key")) {
      const char* name = xml->Attribute("name");
      if (found || name == nullptr || std::string(name) != kHome) continue;
      read_home(reader, reader.element(*xml, ""));
      found = true;
    }
  }
}

}  // namespace amontons::io
