#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/commands.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amontons {

/// A body or link by name: where its frame rides.
struct Body {
  std::string name;       ///< as in the scene; of a link model/link
  int articulation = -1;  ///< -1: fixed to the world
  int link = -1;          ///< of that articulation, after merging fixed joints
  Pose X_LB;              ///< its frame in that link (in the world when fixed)
  int motion = -1;        ///< prescribed motion of a fixed body, or -1
};

/// A shape that collides.
struct CollisionShape {
  int body = -1;                ///< index of the body
  Shape shape;                  ///< in its own frame
  Pose X_BG;                    ///< in its body [m]
  int material = 0;             ///< index of the material
  CollisionFilter filter = {};  ///< what it may collide with
};

/// A joint, coupling or prescribed motion by name: where to find it in q and v, or in the rows of
/// J.
struct JointCoordinate {
  std::string name;                   ///< as in the scene; of a model model/joint
  JointType type = JointType::Fixed;  ///< Fixed for a coupling or a motion
  int q_offset = -1, v_offset = -1;   ///< -1: the joint is rows of J
  int num_q = 0, num_v = 0;           ///< how many coordinates
  int first_row = -1, num_rows = 0;   ///< rows of J, where it is a loop joint
  int loop = -1;                      ///< of System::loop_coordinates(), where it has one
};

/// A joint kept by rows of J: frame F on body A, frame M on body B.
struct LoopJoint {
  JointGeometry geometry;        ///< what it lets move
  int body_a = -1, body_b = -1;  ///< -1: the world
  Pose X_AF, X_BM;               ///< frames that it holds together, in A and in B
};

/// The coordinate along a loop joint of one freedom: not part of q and v but measured between its
/// two bodies (dynamics/loop_joint.h). Only joints along which something acts have one.
struct LoopCoordinateSite {
  int loop_joint = -1;     ///< index of the joint
  double reference = 0.0;  ///< an angle is taken within half a turn of this [rad]
};

/// A joint's coordinate: an entry of q and v, or one along a loop joint.
struct CoordinatePlace {
  int q_index = -1, v_index = -1;  ///< -1 along a loop joint
  int loop = -1;                   ///< of System::loop_coordinates(), else -1

  bool operator==(const CoordinatePlace&) const = default;  ///< member by member
};

/// One row of J: a = multiplier b + offset.
struct CoordinateCoupling {
  CoordinatePlace a;                      ///< the coordinate that follows
  std::optional<CoordinatePlace> b;       ///< without it: a = offset
  double multiplier = 1.0, offset = 0.0;  ///< a = multiplier b + offset [-], [rad or m]
};

/// One row of J: the coordinate is where the motion has it.
struct PrescribedCoordinate {
  CoordinatePlace place;  ///< of the joint's coordinate
  JointMotion motion;     ///< what it follows
};

/// What acts along one coordinate of a joint besides actuators. Armature is part of the tree.
struct CoordinateDynamics {
  std::string joint;               ///< name, or model/joint
  int q_index = -1, v_index = -1;  ///< q_index is -1 where v is not the rate of one entry of q
  JointDynamics dynamics;          ///< what acts along it
  int loop = -1;  ///< of System::loop_coordinates(): the joint is rows of J, else -1
};

/// Implicit servo and effort of one scalar joint coordinate.
struct ServoDrive {
  int q_index = -1, v_index = -1;  ///< into q and v
  /// Targets [rad or m], [rad/s or m/s]; gains.
  double target = 0.0, target_rate = 0.0, kp = 0.0, kd = 0.0;
  double effort_limit = 0.0;                  ///< [N m or N]
  std::optional<Trajectory> trajectory = {};  ///< of the target; without kp of its rate
  int loop = -1;                              ///< of System::loop_coordinates(), else -1
};
/// An effort along a coordinate.
struct EffortDrive {
  int v_index = -1;                      ///< into v
  double effort = 0.0;                   ///< [N m or N]
  std::optional<Trajectory> table = {};  ///< over time, in place of the constant one
  int loop = -1;                         ///< of System::loop_coordinates(), else -1
};

/// What two shapes that meet have together.
struct PairProperties {
  double friction = 0.0;          ///< mu [-]
  double restitution = 0.0;       ///< e [-]
  double viscous_friction = 0.0;  ///< mu_v [N s/m]
};

/// What moves and what it may touch: built once from a scene, then immutable but for commands.
///
/// q and v are laid out articulation by articulation, in the order of each one's first declared
/// body, links within it as declared, parents first. Fixed bodies take no room.
class System {
 public:
  /// @throws std::invalid_argument naming the element of the scene that is at fault (a loop without
  /// a free joint, a massless moving link, an unknown name).
  explicit System(const Scene& scene);

  const Eigen::Vector3d& gravity() const { return gravity_; }  ///< in W [m/s^2]
  const std::vector<Body>& bodies() const { return bodies_; }  ///< all, fixed ones included
  /// Trees of moving bodies.
  const std::vector<Articulation>& articulations() const { return articulations_; }
  /// Where its coordinates begin in q.
  int q_offset(int articulation) const { return q_offset_[static_cast<std::size_t>(articulation)]; }
  /// Where they begin in v.
  int v_offset(int articulation) const { return v_offset_[static_cast<std::size_t>(articulation)]; }
  int articulation_of(int v_index) const;     ///< the one that holds this entry of v
  int num_positions() const { return nq_; }   ///< nq
  int num_velocities() const { return nv_; }  ///< nv
  const std::vector<CollisionShape>& shapes() const { return shapes_; }  ///< all that collide
  /// Joints that are rows of J.
  const std::vector<LoopJoint>& loop_joints() const { return loop_joints_; }
  /// Those of one freedom.
  const std::vector<LoopCoordinateSite>& loop_coordinates() const { return loop_coordinates_; }
  const std::vector<CoordinateCoupling>& couplings() const { return couplings_; }  ///< gears
  /// Joints with a prescribed motion.
  const std::vector<PrescribedCoordinate>& prescribed() const { return prescribed_; }
  /// Rows of J: those of the loop joints, then one per coupling, then one per prescribed motion.
  int num_joint_rows() const { return num_joint_rows_; }
  /// Coordinates first, then loop joints, couplings and motions in the order of their rows.
  const std::vector<JointCoordinate>& joints() const { return joints_; }
  /// One per joint coordinate, in the order of v; free and planar bases have none. Behind them
  /// those of loop joints along which something acts.
  const std::vector<CoordinateDynamics>& coordinate_dynamics() const {
    return coordinate_dynamics_;
  }
  const std::vector<BodyMotion>& motions() const { return motions_; }     ///< of fixed bodies
  const std::vector<ServoDrive>& servos() const { return servos_; }       ///< of the scene
  const std::vector<EffortDrive>& efforts() const { return efforts_; }    ///< of the scene
  const std::vector<WrenchDrive>& wrenches() const { return wrenches_; }  ///< of the scene

  /// Whether the same q and v may move differently at another time. What joins a system and reads
  /// the time must be named here, or bodies at rest would not meet it.
  bool depends_on_time() const;

  const Commands& commands() const { return commands_; }  ///< of a program, besides the scene's
  Commands no_commands() const;                           ///< as after the system was built
  /// All at once; targets that are not commanded are the scene's again.
  /// @throws std::invalid_argument for sizes and indices that are not the system's.
  void set_commands(const Commands& commands);
  /// The commanded efforts and wrenches, to be changed one by one.
  Eigen::VectorXd& commanded_effort() { return commands_.effort; }
  /// [one per loop coordinate] [N m or N].
  Eigen::VectorXd& commanded_loop_effort() { return commands_.loop_effort; }
  std::vector<WrenchDrive>& commanded_wrenches() { return commands_.wrenches; }  ///< of a program
  /// @throws std::invalid_argument for an index of servos() that is not there.
  void set_servo_target(int servo, double target, double target_rate);

  /// Of two shapes, by their materials.
  PairProperties pair_properties(int shape_a, int shape_b) const;
  /// False for shapes of one body, of bodies both fixed, of filtered links, and of shapes whose
  /// filters do not admit each other.
  bool may_collide(int shape_a, int shape_b) const;
  /// What is taken off every gap [m]: shapes touch where they are so far apart.
  double protective_layer() const { return protective_layer_; }

  State initial_state() const { return initial_state_; }  ///< of the scene
  int find_body(std::string_view name) const;             ///< -1 if there is none
  int find_joint(std::string_view name) const;  ///< index into joints(), -1 if there is none

 private:
  friend class SystemBuilder;

  Eigen::Vector3d gravity_;
  std::vector<Body> bodies_;
  std::vector<Articulation> articulations_;
  std::vector<int> q_offset_, v_offset_;
  int nq_ = 0, nv_ = 0;
  std::vector<CollisionShape> shapes_;
  std::vector<LoopJoint> loop_joints_;
  std::vector<LoopCoordinateSite> loop_coordinates_;
  std::vector<CoordinateCoupling> couplings_;
  std::vector<PrescribedCoordinate> prescribed_;
  int num_joint_rows_ = 0;
  std::vector<CoordinateDynamics> coordinate_dynamics_;
  std::vector<JointCoordinate> joints_;
  std::vector<BodyMotion> motions_;
  std::vector<ServoDrive> servos_;
  std::vector<EffortDrive> efforts_;
  std::vector<WrenchDrive> wrenches_;
  Commands commands_;
  std::vector<TargetCommand> replaced_targets_;               // the scene's, of commanded servos
  std::vector<std::vector<PairProperties>> pair_properties_;  // by material, by material
  std::vector<int> shape_link_;                       // by shape: rigid link it rides on, -1: fixed
  std::vector<std::pair<int, int>> filtered_bodies_;  // sorted pairs that never collide
  double protective_layer_ = 0.0;
  State initial_state_;
};

}  // namespace amontons
