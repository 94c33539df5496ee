#include "amontons/simulation/joint_wrench.h"

#include "amontons/dynamics/loop_joint.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/forces/mean_wrench.h"
#include "amontons/simulation/stepping/joint_row_assembly.h"
#include "amontons/simulation/stepping/step_kinematics.h"
#include "amontons/simulation/system/tree_base.h"

#include <Eigen/Geometry>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Sums the wrenches that act from outside on one link and all that it carries.
class OuterWrench {
 public:
  OuterWrench(const System& system, const Body& body, const Vector3d& about)
      : system_(system), articulation_(body.articulation), about_(about) {
    const std::vector<Link>& links =
        system.articulations()[static_cast<std::size_t>(body.articulation)].links();
    is_carried_.assign(links.size(), 0);
    is_carried_[static_cast<std::size_t>(body.link)] = 1;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].parent >= 0 && is_carried_[static_cast<std::size_t>(links[i].parent)]) {
        is_carried_[i] = 1;
      }
    }
  }

  /// Adds a force and a torque at a point of a body, where the body is carried.
  void add(int body, const Vector3d& force, const Vector3d& torque, const Vector3d& at) {
    if (body < 0) return;
    const Body& own = system_.bodies()[static_cast<std::size_t>(body)];
    if (own.articulation != articulation_ || !is_carried_[static_cast<std::size_t>(own.link)]) {
      return;
    }
    wrench_.force_W += force;
    wrench_.torque_W += torque + (at - about_).cross(force);
  }
  const Wrench& sum() const { return wrench_; }

 private:
  const System& system_;
  int articulation_;
  Vector3d about_;
  std::vector<char> is_carried_;
  Wrench wrench_;
};

void add_contacts(const StepReport& report, OuterWrench& outer) {
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    const Vector3d force = contact_frame(contact.normal_W) *
                           report.solution.impulses.segment<3>(ContactProblem::row(i)) /
                           report.step;
    outer.add(contact.body_b, force, Vector3d::Zero(), contact.position_W);
    outer.add(contact.body_a, -force, Vector3d::Zero(), contact.position_W);
  }
}

/// Adds the wrenches on bodies, but those of their own joints.
void add_drives(const System& system, const StepReport& report, const SystemKinematics& start,
                OuterWrench& outer) {
  const auto add = [&](const WrenchDrive& drive) {
    if (drive.by_joint) return;
    const Pose& X_WB = start.X_WB[static_cast<std::size_t>(drive.body)];
    const Vector6d wrench =
        mean_wrench_W(drive, axes_of(drive, start.X_WB), start.time, report.step);
    outer.add(drive.body, wrench.tail<3>(), wrench.head<3>(), X_WB * drive.at_B);
  };
  for (const WrenchDrive& drive : system.wrenches()) add(drive);
  for (const WrenchDrive& drive : report.commands.wrenches) add(drive);
}

/// Holds what a joint that is rows of J gives its two bodies in a step, each about its own frame.
struct LoopWrenches {
  Vector6d on_a = Vector6d::Zero(), on_b = Vector6d::Zero();  // (torque, force), in W
  Vector3d p_WF, p_WM;
};

/// Returns those of all joints that are rows of J: of their rows, and of all that acts along their
/// coordinates.
std::vector<LoopWrenches> loop_wrenches(const System& system, const StepReport& report,
                                        const SystemKinematics& start) {
  std::vector<LoopWrenches> wrenches;
  Eigen::Index row = 0;
  for (const LoopJoint& joint : system.loop_joints()) {
    const Eigen::Index n = num_loop_rows(joint.geometry.type);
    const Pose X_WF = frame_pose(start, joint.body_a, joint.X_AF);
    const Pose X_WM = frame_pose(start, joint.body_b, joint.X_BM);
    LoopWrenches& own = wrenches.emplace_back();
    own.p_WF = X_WF.translation;
    own.p_WM = X_WM.translation;
    if (joint.is_attached && report.solution.joint_impulses.size() >= row + n) {
      const LoopJointRows rows = loop_joint_rows(joint.geometry, X_WF, X_WM);
      const Eigen::VectorXd force = report.solution.joint_impulses.segment(row, n) / report.step;
      own.on_a = rows.jacobian_F.transpose() * force;
      own.on_b = rows.jacobian_M.transpose() * force;
    }
    row += n;
  }
  // Efforts along the coordinates act through their rates.
  const Eigen::VectorXd efforts = loop_efforts(system, report, start);
  for (std::size_t i = 0; i < system.loop_coordinates().size(); ++i) {
    const LoopCoordinateSite& site = system.loop_coordinates()[i];
    const double effort = efforts[static_cast<Eigen::Index>(i)];
    if (site.loop_joint < 0 || effort == 0.0) continue;
    const auto k = static_cast<std::size_t>(site.loop_joint);
    const LoopJoint& joint = system.loop_joints()[k];
    const LoopCoordinate at =
        loop_coordinate(joint.geometry, frame_pose(start, joint.body_a, joint.X_AF),
                        frame_pose(start, joint.body_b, joint.X_BM), 0.0);
    wrenches[k].on_a += effort * at.jacobian_F.transpose();
    wrenches[k].on_b += effort * at.jacobian_M.transpose();
  }
  return wrenches;
}

void add_loop_joints(const System& system, const StepReport& report, const SystemKinematics& start,
                     OuterWrench& outer) {
  const std::vector<LoopWrenches> wrenches = loop_wrenches(system, report, start);
  for (std::size_t k = 0; k < wrenches.size(); ++k) {
    const auto& [on_a, on_b, p_WF, p_WM] = wrenches[k];
    outer.add(system.loop_joints()[k].body_a, on_a.tail<3>(), on_a.head<3>(), p_WF);
    outer.add(system.loop_joints()[k].body_b, on_b.tail<3>(), on_b.head<3>(), p_WM);
  }
}

/// Holds the wrench of a joint about its frame M at the start of the step.
struct WrenchAtStart {
  Wrench about_M;
  Vector3d p_WM;
};

/// Returns the wrench of the joint that carries a body.
/// @param start  kinematics at the start of the step.
WrenchAtStart wrench_at_start(const System& system, const StepReport& report, int body,
                              const SystemKinematics& start) {
  const Body& own = system.bodies()[static_cast<std::size_t>(body)];
  if (own.articulation < 0) {
    throw std::invalid_argument("'" + own.name + "' is fixed; no joint carries it");
  }
  WrenchAtStart result;
  // What moves the link with all that it carries, about the link's origin.
  const auto a = static_cast<std::size_t>(own.articulation),
             link = static_cast<std::size_t>(own.link);
  const Articulation& tree = system.articulations()[a];
  const Eigen::Index v0 = system.v_offset(own.articulation), n = tree.num_velocities();
  const Eigen::VectorXd before = report.start->v.segment(v0, n);
  const Eigen::VectorXd vdot = (report.solution.velocity.segment(v0, n) - before) / report.step;
  NewtonEulerWorkspace work;
  Eigen::VectorXd efforts(n);
  tree.inverse_dynamics(start.trees[a], before, vdot, system.gravity(), work, efforts);
  const Vector6d& needed = work.forces[link];

  // The joint supplies what nothing else does, about its frame M.
  const Vector3d origin = start.trees[a].X_WB[link].translation;
  result.p_WM = origin - start.trees[a].p_MB_W[link];
  OuterWrench outer(system, own, result.p_WM);
  add_contacts(report, outer);
  add_drives(system, report, start, outer);
  add_loop_joints(system, report, start, outer);
  result.about_M = {
      needed.tail<3>() - outer.sum().force_W,
      needed.head<3>() + (origin - result.p_WM).cross(needed.tail<3>()) - outer.sum().torque_W};
  return result;
}

/// Returns whether the tree lets the body move as a free or planar base does, so that joints which
/// are rows of J alone can carry it.
bool is_base(const System& system, const Body& body) {
  if (body.articulation < 0) return false;
  const Link& link = system.articulations()[static_cast<std::size_t>(body.articulation)]
                         .links()[static_cast<std::size_t>(body.link)];
  return link.parent < 0 && has_moving_base(system, body.articulation);
}

/// Returns the sum of all joints that are rows of J and carry the body, about a point, or nothing
/// if there is none.
std::optional<Wrench> carrying_loop_joints(const System& system, const StepReport& report, int body,
                                           const SystemKinematics& start, const Vector3d& about) {
  std::optional<Wrench> sum;
  const std::vector<LoopWrenches> wrenches = loop_wrenches(system, report, start);
  for (std::size_t k = 0; k < wrenches.size(); ++k) {
    if (system.loop_joints()[k].body_b != body) continue;
    if (!sum) sum = Wrench{};
    const Vector3d force = wrenches[k].on_b.tail<3>();
    sum->force_W += force;
    sum->torque_W += wrenches[k].on_b.head<3>() + (wrenches[k].p_WM - about).cross(force);
  }
  return sum;
}

/// Expresses a wrench about a point in a frame F, about its origin.
FrameWrench in_frame(const Wrench& wrench, const Vector3d& about, const Pose& X_WF) {
  const Vector3d torque_W = wrench.torque_W + (about - X_WF.translation).cross(wrench.force_W);
  return {X_WF.rotation.transpose() * wrench.force_W, X_WF.rotation.transpose() * torque_W};
}

}  // namespace

Wrench joint_wrench(const System& system, const StepReport& report, int body,
                    const StepKinematics* known) {
  require_step(report);
  SystemKinematics own;
  return wrench_at_start(system, report, body, start_kinematics(system, report, known, own))
      .about_M;
}

Wrench loop_joint_wrench(const System& system, const StepReport& report, int loop_joint,
                         const StepKinematics* known) {
  require_step(report);
  SystemKinematics own;
  const SystemKinematics& start = start_kinematics(system, report, known, own);
  const Vector6d on_b =
      loop_wrenches(system, report, start)[static_cast<std::size_t>(loop_joint)].on_b;
  return {on_b.tail<3>(), on_b.head<3>()};
}

Eigen::VectorXd loop_joint_efforts(const System& system, const StepReport& report,
                                   const StepKinematics* known) {
  require_step(report);
  SystemKinematics own;
  return loop_efforts(system, report, start_kinematics(system, report, known, own), false);
}

FrameWrench joint_wrench_in_frame(const System& system, const StepReport& report, int body,
                                  const Pose& X_BF, const StepKinematics* known) {
  require_step(report);
  SystemKinematics own;
  const SystemKinematics& start = start_kinematics(system, report, known, own);
  const WrenchAtStart found = wrench_at_start(system, report, body, start);
  const Pose X_WF = frame_pose(start, body, X_BF);
  if (is_base(system, system.bodies()[static_cast<std::size_t>(body)])) {
    const std::optional<Wrench> carried =
        carrying_loop_joints(system, report, body, start, X_WF.translation);
    if (carried) return in_frame(*carried, X_WF.translation, X_WF);
  }
  return in_frame(found.about_M, found.p_WM, X_WF);
}

}  // namespace amontons
