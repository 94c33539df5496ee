#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/collision_filters.h"
#include "amontons/simulation/system/commands.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amontons {

/// Holds a body or link by name, and the frame that it has.
struct Body {
  std::string name;       ///< name in the scene; a link's is model/link
  int articulation = -1;  ///< -1: fixed to the world
  int link = -1;          ///< link of that articulation, after the merge of fixed joints
  Pose X_LB;              ///< body frame in that link (in the world if fixed)
  int motion = -1;        ///< prescribed motion of a fixed body, or -1
};

/// Holds a shape that collides.
struct CollisionShape {
  int body = -1;     ///< index of the body
  Shape shape;       ///< in its own frame
  Pose X_BG;         ///< shape frame in its body [m]
  int material = 0;  ///< index of the material
};

/// Locates a joint, coupling or prescribed motion by name, in q and v or in the rows of J.
struct JointCoordinate {
  std::string name;                   ///< name in the scene; a model's joint is model/joint
  JointType type = JointType::Fixed;  ///< Fixed for a coupling or a motion
  int q_offset = -1, v_offset = -1;   ///< -1: the joint is rows of J
  int num_q = 0, num_v = 0;           ///< numbers of its coordinates
  int first_row = -1, num_rows = 0;   ///< rows of J, where it is a loop joint
  int loop = -1;                      ///< index into System::loop_coordinates(), or -1
};

/// Holds a joint kept by rows of J: frame F on body A, frame M on body B.
struct LoopJoint {
  JointGeometry geometry;        ///< motion that it allows
  int body_a = -1, body_b = -1;  ///< -1: the world
  Pose X_AF, X_BM;               ///< its frames in A and in B
  bool is_attached = true;       ///< false: it is detached; its rows are zero
};

/// Holds a named frame that is fixed to a body.
struct SystemFrame {
  std::string name;             ///< name in the scene; that of a model's frame is model/frame
  int body = -1;                ///< index of the body
  Pose X_BF;                    ///< pose of the frame in the body
  std::optional<Shape> extent;  ///< volume around it, in its own axes; it does not collide
};

/// Holds a body of a subtree with its mass distribution, as the scene gives it.
struct SubtreePart {
  int body = -1;           ///< index of the body
  SpatialInertia inertia;  ///< in its frame
};

/// Holds a sensor of a model.
struct SystemSensor {
  std::string name, model;  ///< model/sensor, and the model alone
  ModelSensor sensor;       ///< as the file of the model gives it
  /// Holds the link of a subtree, then all that it carries; of an energy all of the model.
  std::vector<SubtreePart> subtree = {};
};

/// Locates a joint's coordinate: an entry of q and v, or one along a loop joint or tendon.
struct CoordinatePlace {
  int q_index = -1, v_index = -1;  ///< -1 along a loop joint
  int loop = -1;                   ///< index into System::loop_coordinates(), or -1

  bool operator==(const CoordinatePlace&) const = default;  ///< compares member by member
};

/// Weighs a coordinate in the length of a tendon.
struct WeighedCoordinate {
  CoordinatePlace place;     ///< the coordinate; along a loop joint one that is listed earlier
  double coefficient = 0.0;  ///< [m/rad] or [-]
};

/// Locates a coordinate that is not part of v: one along a loop joint of one freedom, or the length
/// of a tendon.
///
/// That of a loop joint is measured between two bodies (dynamics/loop_joint.h). A joint has one
/// only if a limit, a force, a coupling or a motion refers to it. Two poses give an angle up to
/// whole turns, which q counts.
struct LoopCoordinateSite {
  int loop_joint = -1;  ///< index of the joint; -1: a tendon
  /// Indexes the entry of q that counts the angle over whole turns [rad]; -1: a travel, which two
  /// poses determine, or a tendon.
  int q_index = -1;
  std::vector<WeighedCoordinate> terms = {};  ///< of a tendon, whose length is their sum
  std::vector<TendonSegment> path = {};       ///< of a tendon in space, whose length is their sum
};

/// Holds one row of J: a = curve(b).
struct CoordinateCoupling {
  CoordinatePlace a;                 ///< the dependent coordinate
  std::optional<CoordinatePlace> b;  ///< absent: a = curve.offset
  CouplingCurve curve;               ///< a [rad or m]
};

/// Holds one row of J that keeps the coordinate on its prescribed motion.
struct PrescribedCoordinate {
  CoordinatePlace place;  ///< place of the joint's coordinate
  JointMotion motion;     ///< the motion that it follows
};

/// Holds limits, friction and spring along one coordinate of a joint. Armature is part of the tree.
struct CoordinateDynamics {
  std::string joint;               ///< name, or model/joint
  int q_index = -1, v_index = -1;  ///< q_index is -1 where v is not the rate of one entry of q
  JointDynamics dynamics;          ///< its limits, friction and spring
  int loop = -1;  ///< index into System::loop_coordinates() if the joint is rows of J, else -1
};

/// Holds an implicit servo of one scalar joint coordinate.
struct ServoDrive {
  int q_index = -1, v_index = -1;  ///< indices into q and v
  /// Targets [rad or m], [rad/s or m/s]; gains [N m/rad or N/m], [N m s or N s/m].
  double target = 0.0, target_rate = 0.0, kp = 0.0, kd = 0.0;
  EffortRange effort;                         ///< bounds its effort
  std::optional<Trajectory> trajectory = {};  ///< trajectory of the target; without kp of its rate
  int loop = -1;                              ///< index into System::loop_coordinates(), or -1
  std::string actuator = {};                  ///< model/actuator of a model's file; else empty
};
/// Holds an effort along a coordinate.
struct EffortDrive {
  int v_index = -1;                      ///< index into v
  double effort = 0.0;                   ///< [N m or N]
  std::optional<Trajectory> table = {};  ///< efforts over time; replaces the constant one
  int loop = -1;                         ///< index into System::loop_coordinates(), or -1
  std::string actuator = {};             ///< model/actuator of a model's file; else empty
};
/// Holds a muscle along a coordinate (JointMuscle). Its force is that at the state in which a step
/// begins, with the mean activation over the step.
struct MuscleDrive {
  int q_index = -1, v_index = -1;               ///< indices into q and v
  JointMuscle law;                              ///< as in the scene; its name is model/name
  int loop = -1;                                ///< index into System::loop_coordinates(), or -1
  std::optional<MuscleControl> commanded = {};  ///< by a program, instead of the scene's

  double activation(double time) const;                  ///< at a time [s]
  double mean_activation(double from, double to) const;  ///< over [from, to], from < to [s]
};

/// Holds the contact properties of two shapes that meet.
struct PairProperties {
  double friction = 0.0;          ///< mu [-]
  double restitution = 0.0;       ///< e [-]
  double viscous_friction = 0.0;  ///< mu_v [N s/m]
};

struct SystemProperties;  // system_changes.cc

/// Holds the moving bodies and everything that they may touch. It is built once from a scene, and
/// then immutable except for commands, which include changes of its properties.
///
/// q and v are laid out articulation by articulation, in the order of each one's first declared
/// body. Links within it are as declared, parents first. Fixed bodies have no entries. At the end
/// of q are the angles of loop joints that are counted over whole turns (LoopCoordinateSite).
class System {
 public:
  /// Builds the system.
  /// @throws std::invalid_argument naming the element of the scene that is at fault (a loop without
  /// a free joint, a massless moving link, an unknown name).
  explicit System(const Scene& scene);

  const Eigen::Vector3d& gravity() const { return gravity_; }  ///< in W [m/s^2]
  const std::vector<Body>& bodies() const { return bodies_; }  ///< all, fixed ones included
  /// Returns the trees of moving bodies.
  const std::vector<Articulation>& articulations() const { return articulations_; }
  /// Returns the index of an articulation's first coordinate in q.
  int q_offset(int articulation) const { return q_offset_[static_cast<std::size_t>(articulation)]; }
  /// Returns the index of an articulation's first rate in v.
  int v_offset(int articulation) const { return v_offset_[static_cast<std::size_t>(articulation)]; }
  int articulation_of(int v_index) const;     ///< articulation that has this entry of v
  int num_positions() const { return nq_; }   ///< nq
  int num_velocities() const { return nv_; }  ///< nv
  /// Returns all shapes that collide.
  const std::vector<CollisionShape>& shapes() const { return shapes_; }
  /// Returns the joints that are rows of J.
  const std::vector<LoopJoint>& loop_joints() const { return loop_joints_; }
  /// Returns the coordinates along those joints that have one, and the lengths of tendons.
  const std::vector<LoopCoordinateSite>& loop_coordinates() const { return loop_coordinates_; }
  const std::vector<CoordinateCoupling>& couplings() const { return couplings_; }  ///< gears
  /// Returns the joints with a prescribed motion.
  const std::vector<PrescribedCoordinate>& prescribed() const { return prescribed_; }
  /// Returns the number of rows of J. Rows of the loop joints come first, then one per coupling,
  /// then one per prescribed motion.
  int num_joint_rows() const { return num_joint_rows_; }
  /// Returns all joints: coordinates first, then loop joints, tendons, couplings and motions in the
  /// order of their rows. Tendons have no rows.
  const std::vector<JointCoordinate>& joints() const { return joints_; }
  /// Returns one entry per joint coordinate, in the order of v; free and planar bases have none.
  /// Those of loop joints along which a force or limit acts follow.
  const std::vector<CoordinateDynamics>& coordinate_dynamics() const {
    return coordinate_dynamics_;
  }
  const std::vector<BodyMotion>& motions() const { return motions_; }   ///< motions of fixed bodies
  const std::vector<ServoDrive>& servos() const { return servos_; }     ///< servos of the scene
  const std::vector<EffortDrive>& efforts() const { return efforts_; }  ///< efforts of the scene
  const std::vector<MuscleDrive>& muscles() const { return muscles_; }  ///< muscles of the scene
  const std::vector<WrenchDrive>& wrenches() const { return wrenches_; }  ///< wrenches of the scene

  /// Returns true if the same q and v may move differently at another time. Every part of a system
  /// that reads the time must count here. Else bodies at rest would miss its changes.
  bool depends_on_time() const;

  const std::vector<SystemFrame>& frames() const { return frames_; }     ///< scene's, then models'
  const std::vector<SystemSensor>& sensors() const { return sensors_; }  ///< sensors of all models
  const std::vector<Material>& materials() const { return materials_; }  ///< in use now

  const Commands& commands() const { return commands_; }  ///< commands besides the scene's drives
  Commands no_commands() const;                           ///< the commands of a new system
  /// Replaces all commands; servos without a commanded target return to that of the scene.
  /// Views of the trees and of loop_joints() refer to other ones after changes of properties.
  /// @throws std::invalid_argument for sizes and indices that are not the system's.
  void set_commands(const Commands& commands);
  /// Replaces all changes of properties; others return to those of the scene.
  /// @throws std::invalid_argument for an index or a value that no such property has; nothing is
  /// changed then.
  void set_changes(const std::vector<PropertyChange>& changes);
  /// Returns true if a program has parked the tree of a body.
  bool is_parked(int body) const;
  /// Returns by what factor a program has changed the mass of the link that a body is part of.
  double mass_factor(int body) const;
  /// Gives a muscle a control from a time on; its activation continues from there.
  /// @param control  clamped to the muscle's range.
  /// @throws std::invalid_argument for a muscle that no control commands.
  void set_muscle_control(int muscle, double control, double time);
  /// Returns the commanded efforts [nv] for a change of single ones [N m or N].
  Eigen::VectorXd& commanded_effort() { return commands_.effort; }
  /// Returns the commanded efforts along loop coordinates, one each [N m or N].
  Eigen::VectorXd& commanded_loop_effort() { return commands_.loop_effort; }
  /// Returns the commanded wrenches for a change.
  std::vector<WrenchDrive>& commanded_wrenches() { return commands_.wrenches; }
  /// Commands the targets of a servo.
  /// @throws std::invalid_argument for an index that servos() does not have.
  void set_servo_target(int servo, double target, double target_rate);

  /// Returns the articulation of a shape's body; -1: it is fixed.
  int articulation_of_shape(int shape) const {
    return bodies_[static_cast<std::size_t>(shapes_[static_cast<std::size_t>(shape)].body)]
        .articulation;
  }
  /// Returns the contact properties of two shapes, by their materials.
  PairProperties pair_properties(int shape_a, int shape_b) const;
  /// Returns the contact properties of two materials, by their indices.
  PairProperties properties_of_materials(int a, int b) const {
    return pair_properties_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  }
  /// Returns the filters that decide which shapes collide.
  const CollisionFilters& collision_filters() const { return collision_filters_; }
  /// Returns true if the filters let two shapes collide.
  bool may_collide(int shape_a, int shape_b) const {
    return changes_collisions_ ? may_collide_changed(shape_a, shape_b)
                               : collision_filters_.admit(shape_a, shape_b);
  }
  /// Returns true if no shape may collide with this one (`collide: none`).
  bool collides_with_nothing(int shape) const {
    return !changes_collisions_ && collision_filters_.admits_nothing(shape);
  }
  /// Returns the length subtracted from every gap [m]: shapes touch at this distance.
  double protective_layer() const { return protective_layer_; }

  State initial_state() const { return initial_state_; }  ///< initial state of the scene
  int find_body(std::string_view name) const;             ///< -1 if there is none
  int find_muscle(std::string_view name) const;  ///< index into muscles(), -1 if there is none
  int find_joint(std::string_view name) const;   ///< index into joints(), -1 if there is none
  int find_frame(std::string_view name) const;   ///< index into frames(), -1 if there is none

 private:
  friend class SystemBuilder;

  /// Returns what set_changes() may change, as the scene gives it.
  SystemProperties properties() const;
  void check_change(const PropertyChange& change) const;
  void apply_change(const PropertyChange& change);
  void set_mass(const Body& body, double mass);
  void support_weight(int articulation);
  void set_welded_links();
  bool may_collide_changed(int shape_a, int shape_b) const;
  /// Holds the share of a body's mass whose weight one of wrenches_ carries.
  struct WeightSupport {
    std::size_t wrench = 0;
    double mass = 0.0;  // [kg]
  };
  /// Holds a pair of bodies, the first below the second, that a program lets collide or not.
  struct CollidingBodies {
    std::pair<int, int> bodies;
    bool collide = true;
  };

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
  std::vector<MuscleDrive> muscles_;
  std::vector<WrenchDrive> wrenches_;
  std::vector<WeightSupport> supports_;
  std::vector<SystemFrame> frames_;
  std::vector<SystemSensor> sensors_;
  std::vector<Material> materials_;
  std::vector<MaterialPair> material_pairs_;
  Commands commands_;
  std::shared_ptr<const SystemProperties> scene_properties_;  // null before the first change
  bool changes_collisions_ = false;              // true: one of the following two is not empty
  std::vector<CollidingBodies> colliding_;       // sorted by bodies
  std::vector<char> is_parked_;                  // [articulations], or empty: none is
  std::vector<TargetCommand> replaced_targets_;  // the scene's targets of commanded servos
  std::vector<std::vector<PairProperties>> pair_properties_;  // [materials x materials]
  CollisionFilters collision_filters_;
  double protective_layer_ = 0.0;
  State initial_state_;
};

}  // namespace amontons
