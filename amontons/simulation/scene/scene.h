#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/impulse_cap.h"
#include "amontons/dynamics/joint.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/collision_rules.h"
#include "amontons/simulation/scene/coupling_curve.h"
#include "amontons/simulation/scene/effort_range.h"
#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/joint_muscle.h"
#include "amontons/simulation/scene/model_frames.h"
#include "amontons/simulation/scene/source_location.h"
#include "amontons/simulation/scene/tendon_path.h"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amontons {

// The content of a scene file, resolved and in SI: meshes loaded, robots parsed, repeats expanded.
// It is plain data, from which `System` builds a moving system. Default values are those of the
// format.

/// Holds the contact properties of a material.
struct Material {
  std::string name;               ///< shapes refer to it by this name
  double friction = 0.5;          ///< mu [-]
  double restitution = 0.0;       ///< e [-]
  double viscous_friction = 0.0;  ///< mu_v [N s/m]
};
/// Overrides the properties of two materials that meet. A property that is not given follows the
/// rule for unlisted pairs: friction sqrt(a b), others max(a, b).
struct MaterialPair {
  std::string first, second;                                      ///< names of materials
  std::optional<double> friction, restitution, viscous_friction;  ///< mu [-], e [-], mu_v [N s/m]
};

/// Holds a shape of a body.
struct SceneShape {
  Shape shape;                       ///< in its own frame
  Pose X_BG;                         ///< the shape's frame in its body
  std::string material = "default";  ///< name of a material
  CollisionFilter filter = {};       ///< shapes with which it may collide
  std::string name = {};             ///< as the file names it; empty: its index is its name
};

/// Names how a body or the root of a model is attached to the world.
enum class BaseType { Fixed, Free, Planar };

/// Holds a body, as written in the scene file.
struct SceneBody {
  std::string name;                                            ///< unique in the scene
  BaseType base = BaseType::Free;                              ///< attachment to the world
  std::vector<SceneShape> shapes;                              ///< collision shapes; may be empty
  Pose pose;                                                   ///< X_WB at the start
  Eigen::Vector3d linear_velocity = Eigen::Vector3d::Zero();   ///< velocity of B, in W [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in W [rad/s]
  SpatialInertia inertia;                                      ///< in B; unused when fixed
  SourceLocation where;                                        ///< its place in the file
};

/// Selects how joints enter: as coordinates of trees, or as rows of J between free bodies.
enum class Coordinates { Reduced, Maximal };

/// Describes limits, friction, spring and rotor along one coordinate of a joint. Units: N m, rad of
/// a turning coordinate, N, m of a sliding one.
struct JointDynamics {
  std::optional<std::array<double, 2>> limits;            ///< [lower, upper] [rad or m]
  double limit_restitution = 0.0;                         ///< e of the limits, in [0, 1]
  double coulomb_friction = 0.0, viscous_friction = 0.0;  ///< [N m or N], [N m s or N s/m]
  double stiffness = 0.0, rest_position = 0.0;            ///< spring -stiffness (q - rest_position)
  /// Widens the rest position of a tendon's spring: it is slack from rest_position to
  /// rest_position + slack [m], and pulls or pushes beyond.
  double slack = 0.0;
  double armature = 0.0;               ///< rotor inertia, added to the diagonal of M [kg m^2 or kg]
  std::optional<double> effort_limit;  ///< all actuators together, as stated
  std::optional<double> velocity_limit;  ///< as stated; nothing enforces it
};

/// Holds a named frame that is fixed to a body or to a link.
struct SceneFrame {
  std::string name;      ///< unique among the frames and bodies of the scene
  std::string body;      ///< a body, or model/link
  Pose X_BF;             ///< pose in the body
  SourceLocation where;  ///< its place in the file
};

/// Describes a gear, or a curve: position of `joint` = curve(position of `reference`).
struct JointCoupling {
  std::string name;              ///< unique in the scene
  std::string joint, reference;  ///< joints of one coordinate; without reference: joint = offset
  CouplingCurve curve;           ///< position of the joint [rad or m]
  SourceLocation where;          ///< its place in the file
};

/// Holds a joint between two bodies of the scene (or a link `model/link`), as written in the scene
/// file.
struct SceneJoint {
  std::string name;                                   ///< unique in the scene
  JointType type = JointType::Revolute;               ///< motion that it allows
  std::string parent, child;                          ///< body names; parent may be "world"
  Eigen::Vector3d axis_W = Eigen::Vector3d::UnitZ();  ///< unit, at the initial pose
  Eigen::Vector3d at_W = Eigen::Vector3d::Zero();     ///< joint center at the initial pose [m]
  /// Distance joints have this point on the child [m], at_W on the parent, and the length.
  Eigen::Vector3d child_at_W = Eigen::Vector3d::Zero();
  double length = 0.0;                                 ///< [m]
  Eigen::Vector3d axis2_W = Eigen::Vector3d::UnitY();  ///< universal: second axis, unit
  double pitch = 0.0;                                  ///< screw: travel along the axis [m/rad]
  JointDynamics dynamics, dynamics2;                   ///< as in a ModelJoint
  /// Places the child at the start of a joint of one coordinate [rad or m]; 0 if nothing is given.
  std::optional<double> position;
  double rate = 0.0;  ///< start rate of a joint of one coordinate [rad/s or m/s]
  /// Holds the start rates of a joint of several coordinates (JointType), in the order of its v
  /// [rad/s or m/s]; empty: zero.
  Eigen::VectorXd rates;
  Coordinates coordinates = Coordinates::Reduced;   ///< reduced: part of a tree; else rows of J
  Eigen::Vector3d error = Eigen::Vector3d::Zero();  ///< offset of the child's start, in W [m]
  SourceLocation where;                             ///< its place in the file
  /// False: rows of J that hold nothing until a program attaches them. It does not place the child.
  bool is_attached = true;
};

/// Holds one link of an imported robot; its frame is the link frame of the file.
struct ModelLink {
  std::string name;                ///< unique within the model
  SpatialInertia inertia;          ///< zero mass where the file gives none
  std::vector<SceneShape> shapes;  ///< in the link's frame
  bool gravity = true;             ///< false: gravity does not act on it
  SourceLocation where;            ///< its place in the file
  double weight_support = 0.0;     ///< share of its weight that a force at its center carries [-]
};
/// Holds the joint of a link to its parent.
struct ModelJoint {
  std::string name;                   ///< unique within the model
  JointType type = JointType::Fixed;  ///< motion that it allows
  int parent = -1, child = -1;        ///< indices of links
  Pose X_PJ;                          ///< joint frame F in the parent link
  Pose X_JC;                          ///< the child link's frame in the moved joint frame M
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< unit, in the joint frame
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< universal: second axis, unit, in M
  double pitch = 0.0;                                ///< screw: travel along the axis [m/rad]
  JointDynamics dynamics;                            ///< every coordinate; universal: the first one
  JointDynamics dynamics2;                           ///< universal: the second coordinate
  std::optional<double> start;  ///< start of a joint of one coordinate [rad or m]
  Pose start_pose;              ///< X_FM at the start of a free joint; spherical: its rotation
  SourceLocation where;         ///< its place in the file
  /// Holds the start rates (JointType) in the order of its v [rad/s or m/s]; empty: zero.
  Eigen::VectorXd start_rates = {};
};

/// Holds a tendon: a length that is a sum of joint coordinates, each times its coefficient, or that
/// of a path in space. Limits, dry friction, spring and damper act along it; it has no armature.
struct ModelTendon {
  std::string name;                      ///< unique among the joints, loops and couplings
  std::vector<TendonTerm> terms;         ///< joints whose coordinates it adds
  std::vector<TendonSegment> path = {};  ///< parts of its path; its bodies are links of the model
  JointDynamics dynamics;                ///< along its length [m], [N]
  SourceLocation where;                  ///< its place in the file
};

/// Holds a joint that closes a loop of one model: rows of J between two of its links.
struct ModelLoop {
  std::string name;                   ///< unique within the model
  JointType type = JointType::Fixed;  ///< Fixed: weld, Spherical: connect, or any other
  int link_a = -1, link_b = -1;       ///< indices of links; -1: the world
  Pose X_AF, X_BM;                    ///< frames that the joint holds together
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< unit, in F
  double length = 0.0;                               ///< distance joint: length [m]
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< universal: second axis, unit, in M
  double pitch = 0.0;                                ///< screw: travel along the axis [m/rad]
  JointDynamics dynamics;   ///< along a joint of one coordinate, no armature
  SourceLocation where;     ///< its place in the file
  bool is_attached = true;  ///< false: it holds nothing until a program attaches it
};

/// Describes an implicit PD servo of a joint of one coordinate.
struct JointServo {
  std::string joint;                       ///< name, or model/joint; also a tendon of the model
  double target = 0.0, target_rate = 0.0;  ///< position [rad or m] and rate [rad/s or m/s]
  double kp = 0.0, kd = 0.0;               ///< gains [N m/rad or N/m], [N m s or N s/m]
  EffortRange effort = {};                 ///< bounds the effort in the solved step [N m or N]
  SourceLocation where;                    ///< its place in the file
  /// Replaces the targets: positions of a servo with kp, rates of one without.
  std::optional<Trajectory> trajectory = {};
  std::string actuator = {};  ///< name of the actuator in its file; empty: none
};
/// Applies an effort to a joint of one coordinate.
struct JointEffort {
  std::string joint;                     ///< name, or model/joint; also a tendon of the model
  double effort = 0.0;                   ///< [N m or N]
  SourceLocation where;                  ///< its place in the file
  std::optional<Trajectory> table = {};  ///< efforts over time; replaces the constant one
  std::string actuator = {};             ///< name of the actuator in its file; empty: none
};
/// Prescribes the motion of a joint of one coordinate, whatever effort it takes. The motion is a
/// trajectory, or offset + amplitude sin(2 pi t/period).
struct JointMotion {
  std::string joint;                                   ///< name, or model/joint
  double offset = 0.0, amplitude = 0.0, period = 1.0;  ///< [rad or m], [rad or m], [s]
  std::optional<Trajectory> trajectory = {};  ///< positions over time; replaces the sinusoid
  SourceLocation where;                       ///< its place in the file

  double position(double time) const;  ///< [rad or m]
  double rate(double time) const;      ///< [rad/s or m/s]
};

/// Applies a wrench to a moving body.
struct BodyWrench {
  std::string body;  ///< a body, or model/link
  /// Holds the force [N] and the torque [N m], in W.
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero(), torque_W = Eigen::Vector3d::Zero();
  Eigen::Vector3d at_B = Eigen::Vector3d::Zero();  ///< point of application in the body [m]
  SourceLocation where;                            ///< its place in the file
  /// Tables over time replace the constant wrench: fx, fy, fz, tx, ty, tz; empty or six.
  std::vector<Trajectory> table = {};
  std::string axes = {};      ///< body, or model/link, whose axes hold force and torque; empty: W
  bool by_joint = false;      ///< the joint that carries the body, or one on it, exerts it
  std::string actuator = {};  ///< name of the actuator in its file; empty: none
};

/// Names two shapes of one model.
struct ModelShapePair {
  int link_a = 0, shape_a = 0;  ///< indices of a link, and of a shape of it
  int link_b = 0, shape_b = 0;  ///< the same
};

/// Selects the collisions among the links of one model.
enum class ModelCollisions { Default, All, None };

/// Holds a robot or world from a file.
struct SceneModel {
  std::string name, file;                                   ///< its own name, and that of its file
  Pose pose;                                                ///< start pose of the root link
  BaseType base = BaseType::Free;                           ///< attachment of the root link
  Coordinates coordinates = Coordinates::Reduced;           ///< form of its joints
  ModelCollisions self_collide = ModelCollisions::Default;  ///< collisions among its links
  std::map<std::string, double> joint_positions;            ///< start positions by name [rad or m]
  std::vector<ModelLink> links;    ///< depth first: a parent before its children
  std::vector<ModelJoint> joints;  ///< one per link but the root
  std::vector<ModelLoop> loops;    ///< joints that close loops
  std::vector<ModelFrame> frames;  ///< frames fixed to its links
  // Names of joints and tendons in these are the model's own, without its name as a prefix.
  std::vector<ModelTendon> tendons;      ///< sums of joint coordinates, and paths in space
  std::vector<ModelSensor> sensors;      ///< sensors of its file
  std::vector<JointCoupling> couplings;  ///< gears
  std::vector<JointServo> servos;        ///< servos of its joints
  std::vector<JointEffort> efforts;      ///< on its joints
  std::vector<JointMuscle> muscles;      ///< on its joints and tendons
  std::vector<BodyWrench> wrenches;      ///< on its links, which have their names in the model
  std::vector<std::pair<int, int>>
      excluded;  ///< pairs of links that do not collide, for any `self_collide`
  std::vector<ModelShapePair> included;  ///< pairs of shapes that collide in any case
  SourceLocation where;                  ///< place of its file's name in the scene
};

/// Prescribes the motion of a fixed body: amplitude sin(2 pi t/period) axis.
struct BodyMotion {
  std::string body;                                 ///< a fixed body
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< unit, in W
  double amplitude = 0.0, period = 1.0;             ///< [m], [s]
  SourceLocation where;                             ///< its place in the file
};
/// Selects how friction of joints is solved.
enum class JointFriction : std::uint8_t {
  Coupled,  ///< dry friction as rows of the contact problem, viscous friction implicitly in M
  /// both by a box QP of the joints without contact, as published [Drumwright, Shell 2010, sec. 5]
  BoxQp,
  Explicit,  ///< both as an effort at the start of the step, -(mu_v q' + mu_c sgn q')
};

/// Selects how an event-driven simulation moves between contacts.
enum class Integrator : std::uint8_t {
  SymplecticEuler,  ///< with the implicit gyroscopic term, as in time stepping
  RungeKutta4,      ///< the classical one, a step between output steps and events
  DormandPrince,    ///< adaptive, of fifth order
};

/// Selects the law of sustained contacts in event-driven simulation.
enum class SustainedContact : std::uint8_t {
  Velocity,             ///< simulation.model, between impulses and velocities, as in time stepping
  CoulombAcceleration,  ///< between forces and accelerations, by the integrator (force_motion.h)
  ViscousAcceleration,  ///< the same with viscous friction alone
};

/// Selects the answers that a scene accepts in place of the law that it asks for. Each includes
/// those before it; a step that misses its certificate is never accepted.
enum class AcceptedAnswers : std::uint8_t {
  Exact,        ///< the law asked for, Converged or Acceptable
  Convexified,  ///< also its convex relaxation
  Safe,         ///< also every other answer whose certificate is met
};

/// Holds the settings of the event-driven and the hybrid method alone.
struct EventSettings {
  Integrator integrator = Integrator::DormandPrince;  ///< between contacts
  double integrator_tolerance = 1e-10;  ///< error tolerance of a step of Dormand-Prince
  /// Names the model of impacts. If it is not given: `coulomb`, in the hybrid method `mirtich`.
  std::optional<std::string> impact_model;
  /// Gives the duration below which a bounce does not count [s]. The hybrid method uses it only
  /// where events accumulate. The default is a thousandth of the smallest step.
  std::optional<double> minimum_step;
  double contact_tolerance = 1e-9;  ///< largest gap at which shapes touch [m]
  SustainedContact sustained = SustainedContact::Velocity;  ///< event-driven only
};

/// Holds the key `simulation` of a scene.
struct SimulationSettings {
  std::vector<double> steps;             ///< step lengths, used in turn [s]
  double duration = 0.0;                 ///< [s]
  std::string method = "time-stepping";  ///< name of the stepper
  std::string model = "coulomb";         ///< name of the contact model
  /// Gives the share of an overlap that a step removes. If it is not given: the model's preset.
  std::optional<double> gamma;
  double tolerance = 1e-8;             ///< limit of the certificate's residuals [-]
  double acceptable_tolerance = 1e-4;  ///< limit for Acceptable steps (ModelSettings) [-]
  AcceptedAnswers accept = AcceptedAnswers::Exact;  ///< answers that count as success
  std::uint64_t seed = 0;                           ///< seed of repeats and noise
  std::optional<int> friction_directions;  ///< directions of the polygon; none: the model's own
  std::optional<int> max_iterations;  ///< limit for each law tried on an island (ModelSettings)
  /// Limit of the effort of one step's solves [equivalent factorizations] (math/effort.h).
  double max_effort = 2000.0;
  bool minimum_norm = false;  ///< least norm among reactions that give the same velocity
  StickingList sticking = StickingList::Loaded;  ///< list of contacts of `no-slip`
  bool literal_gamma = false;                    ///< true: gamma scales positive gaps, too
  bool literal_viscous_bound = false;            ///< maximum-dissipation: bound as printed
  ImpulseCap impulse_cap = ImpulseCap::Island;   ///< maximum-dissipation: contacts of one kappa
  bool projection = false;                ///< true: q moves onto the rows of J after each step
  int post_stabilization = 0;             ///< passes that move q out of overlaps after each step
  int position_iterations = 0;            ///< 0: none; else the largest number of relinearizations
  std::optional<double> v_max;            ///< [m/s]; gives every pair the horizon v_max h
  std::optional<double> contact_horizon;  ///< [m]; gives every pair this horizon, instead of v_max
  std::optional<double> rest_speed;       ///< [m/s]; default 2 g h
  /// Largest speed at which overlaps and open loops are closed [m/s]; none: by the size of the
  /// bodies (simulation/stepping/correction_limits.h, default_overlap_speed()).
  std::optional<double> overlap_speed;
  /// Selects the law of restitution. If it is not given: Newton's in steps, Stronge's in impacts by
  /// `mirtich`.
  std::optional<RestitutionLaw> restitution_law;
  JointFriction joint_friction = JointFriction::Coupled;  ///< form of joint friction
  double protective_layer = 0.0;  ///< length subtracted from every gap [m], >= 0
  EventSettings events;           ///< settings of the event-driven and the hybrid method
  /// A run ends with the step whose infeasibility reaches this [m].
  std::optional<double> stop_at_infeasibility;
};

/// Names the steps whose contacts a run records.
enum class RecordedContacts {
  Automatic,  ///< all, but of heaps those of frames and of steps that miss their law
  All,        ///< all
  None,       ///< none
};

/// Holds the key `output` of a scene.
struct OutputSettings {
  double every = 0.0;                                       ///< [s]; 0: every step
  RecordedContacts contacts = RecordedContacts::Automatic;  ///< steps whose contacts are recorded
};

/// Holds a file that the scene read, byte for byte, so that a run can be rebuilt from its log.
struct InputFile {
  std::string path;   ///< as the reader asked for it, relative to the scene
  std::string bytes;  ///< its content, unchanged
};

/// Holds a scene, resolved.
struct Scene {
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};    ///< in W [m/s^2]
  SimulationSettings simulation;               ///< steps, method, model
  std::vector<Material> materials;             ///< one at least, `default`
  std::vector<MaterialPair> material_pairs;    ///< overrides for two materials that meet
  std::vector<SceneBody> bodies;               ///< as written, repeats expanded
  std::vector<SceneModel> models;              ///< robots and worlds
  std::vector<SceneJoint> joints;              ///< between bodies
  std::vector<JointCoupling> couplings;        ///< gears
  std::vector<SceneFrame> frames;              ///< named frames of bodies and links
  std::vector<JointServo> servos;              ///< servos on joints of the scene and of models
  std::vector<JointEffort> efforts;            ///< on joints
  std::vector<JointMotion> joint_motions;      ///< prescribed motions of joints
  std::vector<BodyMotion> motions;             ///< prescribed motions of fixed bodies
  std::vector<BodyWrench> wrenches;            ///< on bodies
  std::vector<CollisionRule> collision_rules;  ///< a later one precedes those before it
  OutputSettings output;                       ///< content of runs
  ImportLedger ledger;                         ///< treatment of every element read
  std::string file, text;                      ///< name and text of the scene file
  /// Pairs path=value that replaced parts of the text (--set and the like).
  std::vector<std::pair<std::string, std::string>> overrides;
  std::vector<InputFile> inputs;  ///< all files that it read
};

}  // namespace amontons
