#include "amontons/io/common/fail_at.h"
#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/rotation.h"

#include <algorithm>

// <keyframe>: the start.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

// Name of the keyframe that is the start where the scene names none, as many models call it.
constexpr const char* kHome = "home";

/// Returns the rotation of four numbers. A quaternion without length is no turn, as in MuJoCo.
Eigen::Matrix3d rotation_at(const MjcfElement& key, const char* attribute, const double* wxyz) {
  const Eigen::Vector4d written(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  if (!(written.stableNorm() > 1e-15)) {
    key.note(attribute, ImportFate::Applied, "a quaternion without length counts as no turn");
    return Eigen::Matrix3d::Identity();
  }
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
      joint.start_pose = {rotation_at(key, "qpos", q + 3), {q[0], q[1], q[2]}};
    } else if (joint.type == JointType::Spherical) {
      joint.start_pose.rotation = rotation_at(key, "qpos", q);
    } else {
      joint.start = q[0];
    }
  }
}

/// Sets the start rates of all joints from qvel. Angular velocities of the file are in the axes of
/// the body, those of joints in the frame of the joint.
void set_rates(MjcfReader& reader, const MjcfElement& key) {
  std::size_t count = 0;
  for (const MjcfJoint& record : reader.joints) {
    count += static_cast<std::size_t>(num_velocities(reader.joint_of(record).type));
  }
  const std::vector<double> qvel = key.numbers("qvel", count, count);
  if (std::all_of(qvel.begin(), qvel.end(), [](double v) { return v == 0.0; })) return;
  const double* v = qvel.data();
  for (const MjcfJoint& record : reader.joints) {
    ModelJoint& joint = reader.model.joints[static_cast<std::size_t>(record.index)];
    const int nv = num_velocities(joint.type);
    const Eigen::Map<const Eigen::VectorXd> own(v, nv);
    joint.start_rates = own;
    if (nv > 1) joint.start_rates.head<3>() = joint.start_pose.rotation * own.tail<3>();
    if (joint.type == JointType::Free) joint.start_rates.tail<3>() = own.head<3>();
    v += nv;
  }
}

/// Returns true if the inertia of a body is about other axes than those of its frame. MuJoCo sorts
/// the axes of several geoms by their moments.
bool has_own_axes(const ModelLink& link) {
  const Eigen::Matrix3d& I = link.inertia.inertia;
  const bool is_sorted = I(0, 0) >= I(1, 1) && I(1, 1) >= I(2, 2);
  return !link.inertia.center_of_mass.isZero(0.0) || !I.isDiagonal(0.0) ||
         (!is_sorted && link.shapes.size() > 1);
}

/// Returns true if a file aligns a free body that carries no other with its axes of inertia.
bool is_aligned(const MjcfReader& reader, const MjcfJoint& record, int link) {
  const int index = reader.body_of_link(link);
  // The first body that another one carries comes right behind it.
  const auto next = static_cast<std::size_t>(index) + 1;
  const bool carries = next < reader.bodies.size() && reader.bodies[next].parent == index;
  const char* said = record.element.xml().Attribute("align");
  if (carries || (said != nullptr && std::string(said) == "false")) return false;
  if (said != nullptr && std::string(said) == "true") return true;
  const MjcfDocument& document = reader.file.document;
  bool aligned = false;
  for (const XMLElement* xml :
       document.children(document.root(reader.bodies[next - 1].model), "compiler")) {
    aligned = xml->BoolAttribute("alignfree", aligned);
  }
  return aligned;
}

/// Names the bodies for which MuJoCo counts qpos and qvel in axes of inertia.
void note_aligned_bodies(MjcfReader& reader, const MjcfElement& key) {
  for (const MjcfJoint& record : reader.joints) {
    const ModelJoint& joint = reader.model.joints[static_cast<std::size_t>(record.index)];
    const ModelLink& link = reader.model.links[static_cast<std::size_t>(joint.child)];
    if (joint.type != JointType::Free || !has_own_axes(link)) continue;
    if (!is_aligned(reader, record, joint.child)) continue;
    for (const char* numbers : {"qpos", "qvel"}) {
      if (!key.has(numbers)) continue;
      key.note(numbers, ImportFate::Warning,
               "that of body '" + link.name +
                   "' counts in its frame as written; MuJoCo moves this frame to the axes of "
                   "inertia (align, alignfree) and counts it there");
    }
  }
}

/// Places the bodies that a program moves (mocap), which here stay where they are.
void place_mocap_bodies(MjcfReader& reader, const MjcfElement& key) {
  const std::size_t n = reader.mocap_bodies.size();
  const std::vector<double> positions = key.numbers("mpos", 3 * n, 3 * n);
  const std::vector<double> rotations = key.numbers("mquat", 4 * n, 4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const int link = reader.bodies[static_cast<std::size_t>(reader.mocap_bodies[i])].link;
    // They are children of the world, on a joint that is fixed.
    Pose& X_WB = reader.model.joints[static_cast<std::size_t>(link - 1)].X_PJ;
    if (!positions.empty()) {
      X_WB.translation = Eigen::Map<const Eigen::Vector3d>(&positions[3 * i]);
    }
    if (!rotations.empty()) X_WB.rotation = rotation_at(key, "mquat", &rotations[4 * i]);
  }
}

/// Reads the keyframe that is the start.
void read_start(MjcfReader& reader, const MjcfElement& key) {
  key.text("name");
  set_positions(reader, key);
  set_rates(reader, key);
  note_aligned_bodies(reader, key);
  place_mocap_bodies(reader, key);
  // Controls are numbered like the actuators, in the order of the file, activations like those of
  // them that have one.
  const std::size_t num_actuators = reader.file.document.section("actuator").size();
  reader.ctrl = key.numbers("ctrl", num_actuators, num_actuators);
  reader.act = key.numbers("act", 0, 1000000);
  reader.act_place = key.where("act");
}

}  // namespace

void read_mjcf_keyframe(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  const std::optional<std::string>& asked = reader.context.keyframe;
  const std::string wanted = asked.value_or(kHome);
  std::vector<std::string> names;
  bool found = false;
  for (const XMLElement* section : document.children(document.root(), "keyframe")) {
    reader.element(*section, "");
    // The first key of that name counts; all others are reported as left out.
    for (const XMLElement* xml : document.children(*section, "key")) {
      const char* given = xml->Attribute("name");
      // MuJoCo counts keyframes, so that one without a name has its number.
      const std::string name = given == nullptr ? std::to_string(names.size()) : given;
      names.push_back(name);
      if (found || name != wanted) continue;
      read_start(reader, reader.element(*xml, ""));
      found = true;
    }
  }
  if (found || !asked) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  fail_at(reader.model.where, "keyframe: the file has no keyframe '" + wanted + "'" +
                                  did_you_mean(wanted, names) +
                                  (list.empty() ? "; it has none" : "; it has " + list));
}

}  // namespace amontons::io
