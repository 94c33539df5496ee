#include "amontons/dynamics/loop_joint.h"
#include "amontons/simulation/system/detached_joints.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system_builder.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>

// Joints that are rows of J, what acts along them, tendons, couplings and prescribed motions.

namespace amontons {
namespace {

/// Returns true if two poses give the joint's coordinate up to whole turns only.
bool has_ambiguous_turns(const JointGeometry& joint) {
  return joint.type == JointType::Revolute || joint.type == JointType::Continuous ||
         (joint.type == JointType::Screw && joint.pitch == 0.0);
}

}  // namespace

void SystemBuilder::add_model_loops(const SceneModel& model, int first_node) {
  // Links of a model have consecutive nodes.
  const auto node_of = [first_node](int link) { return link < 0 ? -1 : first_node + link; };
  for (const ModelLoop& loop : model.loops) {
    const std::string name = model.name + "/" + loop.name;
    refuse_dynamics_of_rows(name, loop.type, loop.dynamics, loop.where);
    add_loop(name,
             {{loop.type, loop.axis, loop.axis2, loop.pitch, loop.length},
              node_of(loop.link_a),
              node_of(loop.link_b),
              loop.X_AF,
              loop.X_BM,
              loop.is_attached},
             {}, &loop.dynamics, &loop.where);
  }
}

/// Throws for properties that rows of J cannot have: a rotor, and forces along one of several
/// coordinates.
void SystemBuilder::refuse_dynamics_of_rows(const std::string& name, JointType type,
                                            const JointDynamics& dynamics,
                                            const SourceLocation& where) const {
  const std::string rows =
      "joint '" + name + "' is rows of J (maximal coordinates or a closed loop)";
  if (dynamics.armature != 0.0) {
    fail(&where, rows +
                     ", along which no armature can act; use coordinates: reduced and close the "
                     "loop elsewhere");
  }
  // Only a joint of one freedom has a loop coordinate.
  if (num_velocities(type) != 1) {
    const bool any = dynamics.stiffness != 0.0 || dynamics.viscous_friction != 0.0 ||
                     dynamics.coulomb_friction != 0.0 || dynamics.limits;
    if (!any) return;
    fail(&where, rows +
                     " of more than one freedom, along which no stiffness, friction or limits "
                     "can act; use coordinates: reduced");
  }
}

/// Lists a joint as rows of J; rows are numbered once all are known.
void SystemBuilder::add_loop(const std::string& name, const LoopJoint& loop,
                             std::optional<double> start, const JointDynamics* dynamics,
                             const SourceLocation* where) {
  system_.loop_joints_.push_back(loop);
  loops_.push_back({name, start, dynamics, where});
}

void SystemBuilder::add_loop_coordinates() {
  int& first_row = system_.num_joint_rows_;
  for (std::size_t i = 0; i < system_.loop_joints_.size(); ++i) {
    // Rows of J are numbered in the order of the loop joints.
    JointCoordinate coordinate;
    coordinate.name = loops_[i].name;
    coordinate.type = system_.loop_joints_[i].geometry.type;
    coordinate.first_row = first_row;
    coordinate.num_rows = num_loop_rows(coordinate.type);
    first_row += coordinate.num_rows;
    system_.joints_.push_back(coordinate);
    add_loop_dynamics(i);
  }
}

/// Lists limits, friction and springs along a joint that is rows of J.
void SystemBuilder::add_loop_dynamics(std::size_t loop_joint) {
  const JointDynamics* dynamics = loops_[loop_joint].dynamics;
  if (dynamics == nullptr) return;
  const bool any = dynamics->limits || dynamics->coulomb_friction > 0.0 ||
                   dynamics->viscous_friction > 0.0 || dynamics->stiffness > 0.0;
  if (!any) return;
  JointCoordinate& joint = system_.joints_.back();
  const int loop = require_loop_coordinate(joint);
  system_.coordinate_dynamics_.push_back({joint.name, -1, -1, *dynamics, loop});
}

/// Returns the index of the coordinate along a joint that is rows of J, and adds it if it is new.
int SystemBuilder::require_loop_coordinate(JointCoordinate& joint) {
  if (joint.loop >= 0) return joint.loop;
  const auto of_rows = [&](const JointCoordinate& other) { return other.first_row >= 0; };
  const std::ptrdiff_t index =
      std::count_if(system_.joints_.data(), &joint, of_rows);  // as loop joints are listed
  const Loop& loop = loops_[static_cast<std::size_t>(index)];
  joint.loop = static_cast<int>(system_.loop_coordinates_.size());
  system_.loop_coordinates_.push_back({static_cast<int>(index), -1});
  if (!has_ambiguous_turns(system_.loop_joints_[static_cast<std::size_t>(index)].geometry)) {
    return joint.loop;
  }
  // Turns are counted from the declared start, else from the middle of the limits, else from zero.
  const bool has_limits = loop.dynamics != nullptr && loop.dynamics->limits;
  const double middle =
      has_limits ? 0.5 * ((*loop.dynamics->limits)[0] + (*loop.dynamics->limits)[1]) : 0.0;
  system_.loop_coordinates_.back().q_index = system_.nq_++;
  Eigen::VectorXd& q = system_.initial_state_.q;
  q.conservativeResize(system_.nq_);
  q[system_.nq_ - 1] = loop.start.value_or(middle);
  return joint.loop;
}

/// Measures the angles that q counts, nearest to the values from which they are counted.
void SystemBuilder::measure_counted_angles() {
  SystemKinematics kinematics;
  State& state = system_.initial_state_;
  compute_kinematics(system_, state.q, state.v, 0.0, kinematics);
  for (std::size_t i = 0; i < system_.loop_coordinates_.size(); ++i) {
    const int q_index = system_.loop_coordinates_[i].q_index;
    if (q_index >= 0) state.q[q_index] = kinematics.loops.position[static_cast<Eigen::Index>(i)];
  }
}

/// Ends what acts along the joints that begin detached; what a program attaches has it again.
void SystemBuilder::begin_detached() {
  bool any = false;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if (system_.loop_joints_[i].is_attached) continue;
    any = true;
    try {
      require_detachable(system_, static_cast<int>(i));
    } catch (const std::invalid_argument& error) {
      fail(loops_[i].where, "joint '" + loops_[i].name + "' begins detached: " + error.what());
    }
  }
  if (any) system_.set_changes({});
}

void SystemBuilder::add_tendons() {
  int first_node = static_cast<int>(scene_.bodies.size());
  for (const SceneModel& model : scene_.models) {
    for (const ModelTendon& tendon : model.tendons) add_tendon(model, tendon, first_node);
    first_node += static_cast<int>(model.links.size());
  }
}

void SystemBuilder::add_tendon(const SceneModel& model, const ModelTendon& tendon, int first_node) {
  // Loop joints that it names get their coordinates first, so that they are measured first.
  LoopCoordinateSite site;
  for (const TendonTerm& term : tendon.terms) {
    const std::string joint = model.name + "/" + term.joint;
    site.terms.push_back({require_scalar_joint(joint, tendon.where), term.coefficient});
  }
  // Links of the path are bodies, which are numbered as the nodes are.
  for (TendonSegment segment : tendon.path) {
    segment.start.body += first_node;
    segment.end.body += first_node;
    if (segment.obstacle) {
      segment.obstacle->body += first_node;
      if (segment.obstacle->side) segment.obstacle->side->body += first_node;
    }
    site.path.push_back(std::move(segment));
  }
  JointCoordinate coordinate;
  coordinate.name = model.name + "/" + tendon.name;
  coordinate.loop = static_cast<int>(system_.loop_coordinates_.size());
  system_.loop_coordinates_.push_back(std::move(site));
  const JointDynamics& d = tendon.dynamics;
  if (d.limits || d.coulomb_friction > 0.0 || d.viscous_friction > 0.0 || d.stiffness > 0.0) {
    system_.coordinate_dynamics_.push_back(
        {coordinate.name, -1, -1, tendon.dynamics, coordinate.loop});
  }
  system_.joints_.push_back(std::move(coordinate));
}

/// Names within a model have its name as prefix.
void SystemBuilder::add_couplings() {
  for (const SceneModel& model : scene_.models) {
    for (const JointCoupling& coupling : model.couplings) add_coupling(coupling, model.name + "/");
  }
  for (const JointCoupling& coupling : scene_.couplings) add_coupling(coupling, "");
}

void SystemBuilder::add_coupling(const JointCoupling& coupling, const std::string& prefix) {
  CoordinateCoupling result;
  // a = curve(b); without b the joint is locked at the offset.
  result.a = require_scalar_joint(prefix + coupling.joint, coupling.where);
  result.curve = coupling.curve;
  if (!coupling.reference.empty()) {
    if (coupling.joint == coupling.reference) {
      fail(&coupling.where, "coupling '" + prefix + coupling.name + "' couples joint '" + prefix +
                                coupling.joint + "' to itself; name two joints");
    }
    result.b = require_scalar_joint(prefix + coupling.reference, coupling.where);
  }
  system_.couplings_.push_back(result);
  JointCoordinate row;
  row.name = prefix + coupling.name;
  row.first_row = system_.num_joint_rows_++;
  row.num_rows = 1;
  system_.joints_.push_back(row);
}

void SystemBuilder::add_joint_motions() {
  for (const JointMotion& motion : scene_.joint_motions) {
    const CoordinatePlace place = require_scalar_joint(motion.joint, motion.where);
    // A coordinate can have one prescribed motion and no coupling that determines it.
    const auto is_driven = [&](const PrescribedCoordinate& other) { return other.place == place; };
    if (std::any_of(system_.prescribed_.begin(), system_.prescribed_.end(), is_driven)) {
      fail(&motion.where, "joint '" + motion.joint + "' has two prescribed motions");
    }
    const auto follows = [&](const CoordinateCoupling& other) { return other.a == place; };
    if (std::any_of(system_.couplings_.begin(), system_.couplings_.end(), follows)) {
      fail(&motion.where, "joint '" + motion.joint +
                              "' follows a coupling and cannot have a prescribed motion besides; "
                              "prescribe that of the joint it refers to");
    }
    system_.prescribed_.push_back({place, motion});
    JointCoordinate row;
    row.name = "motion of " + motion.joint;
    row.first_row = system_.num_joint_rows_++;
    row.num_rows = 1;
    system_.joints_.push_back(row);
  }
}

}  // namespace amontons
