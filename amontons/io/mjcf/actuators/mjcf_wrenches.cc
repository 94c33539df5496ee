#include "amontons/io/mjcf/actuators/mjcf_wrenches.h"

#include "amontons/io/mjcf/actuators/mjcf_transmission.h"

#include <array>
#include <utility>

namespace amontons::io {
namespace {

/// Returns the name of a link.
const std::string& name_of(const MjcfReader& reader, int link) {
  return reader.model.links[static_cast<std::size_t>(link)].name;
}

/// Returns a wrench of zero of a joint or actuator, on a link and in the axes of another.
BodyWrench wrench_on(const MjcfReader& reader, int link, int axes) {
  BodyWrench wrench;
  wrench.body = name_of(reader, link);
  wrench.axes = name_of(reader, axes);
  // Force-torque sensors of MuJoCo count no actuator as an outside force (mj_rnePostConstraint).
  wrench.by_joint = true;
  return wrench;
}

/// Adds a wrench times a signal.
void add_wrench(MjcfReader& reader, const MjcfElement& element, BodyWrench wrench,
                const MjcfSignal& signal) {
  const Eigen::Vector3d force = wrench.force_W, torque = wrench.torque_W;
  if ((signal.start == 0.0 && !signal.varies()) || (force.isZero(0.0) && torque.isZero(0.0))) {
    element.note(ImportFate::Applied, "at its control it exerts nothing");
    return;
  }
  wrench.force_W *= signal.start;
  wrench.torque_W *= signal.start;
  wrench.where = element.where();
  wrench.actuator = element.text("name");
  if (signal.varies()) {
    for (int k = 0; k < 6; ++k) {
      const double factor = k < 3 ? force[k] : torque[k - 3];
      wrench.table.push_back(*signal.scaled(factor).trajectory());
    }
  }
  reader.model.wrenches.push_back(std::move(wrench));
}

/// Adds a torque on a link and its reaction on another, in the axes of a third.
void add_torques(MjcfReader& reader, const MjcfElement& element, int link, int other, int axes,
                 const Eigen::Vector3d& torque, const MjcfSignal& signal) {
  for (const auto& [own, sign] : {std::pair(link, 1.0), std::pair(other, -1.0)}) {
    if (is_fixed_mjcf_link(reader, own)) continue;
    BodyWrench turn = wrench_on(reader, own, axes);
    turn.torque_W = sign * torque;
    add_wrench(reader, element, std::move(turn), signal);
  }
}

/// Returns three numbers of an actuator's gear, the first ones or the last ones.
Eigen::Vector3d push_of(const MjcfElement& element) {
  return Eigen::Vector3d(mjcf_gear(element).data());
}
Eigen::Vector3d turn_of(const MjcfElement& element) {
  return Eigen::Vector3d(mjcf_gear(element).data() + 3);
}

}  // namespace

bool is_fixed_mjcf_link(const MjcfReader& reader, int link) {
  const int body = reader.body_of_link(link);
  return body >= 0 && reader.bodies[static_cast<std::size_t>(body)].first_rigid_body == 0;
}

void add_mjcf_site_wrench(MjcfReader& reader, const MjcfElement& element, const MjcfSignal& force) {
  const ModelFrame& site = reader.find_site(element, "site");
  BodyWrench wrench = wrench_on(reader, site.link, site.link);
  wrench.force_W = site.X_LF.rotation * push_of(element);
  wrench.torque_W = site.X_LF.rotation * turn_of(element);
  wrench.at_B = site.X_LF.translation;
  add_wrench(reader, element, std::move(wrench), force);
}

void add_mjcf_site_torques(MjcfReader& reader, const MjcfElement& element,
                           const MjcfSignal& force) {
  const ModelFrame& site = reader.find_site(element, "site");
  const ModelFrame& reference = reader.find_site(element, "refsite");
  const Eigen::Vector3d torque = reference.X_LF.rotation * turn_of(element);
  add_torques(reader, element, site.link, reference.link, reference.link, torque, force);
}

void add_mjcf_joint_wrench(MjcfReader& reader, const MjcfElement& element,
                           const MjcfSignal& force) {
  const bool in_parent = !element.has("joint");
  const ModelJoint& joint =
      reader.joint_of(reader.find_joint(element, in_parent ? "jointinparent" : "joint"));
  if (joint.type == JointType::Free) {
    // Its force is in the axes of the world, which is the root link.
    BodyWrench push = wrench_on(reader, joint.child, 0);
    push.force_W = push_of(element);
    add_wrench(reader, element, std::move(push), force);
    add_torques(reader, element, joint.child, 0, in_parent ? 0 : joint.child, turn_of(element),
                force);
    return;
  }
  // The torque of a ball is in the axes of the body, or else of the joint's frame on the parent,
  // which the file has turned by the orientation of the body.
  const Eigen::Vector3d push = push_of(element);
  const Eigen::Vector3d torque = in_parent ? Eigen::Vector3d(joint.X_PJ.rotation * push) : push;
  add_torques(reader, element, joint.child, joint.parent, in_parent ? joint.parent : joint.child,
              torque, force);
}

}  // namespace amontons::io
