#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/dynamics/joint.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/source_location.h"

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

/// Everything a scene file says, resolved and in SI: meshes loaded, robots parsed, repeats
/// expanded. Plain data; `System` turns it into something that moves. Default values are those of
/// the format.

struct Material {
  std::string name;               ///< by which shapes ask for it
  double friction = 0.5;          ///< mu [-]
  double restitution = 0.0;       ///< e [-]
  double viscous_friction = 0.0;  ///< mu_v [N s/m]
};
/// Overrides for two materials that meet; what is not given follows the rule for unlisted pairs
/// (friction sqrt(a b), others max(a, b)).
struct MaterialPair {
  std::string first, second;                                      ///< names of materials
  std::optional<double> friction, restitution, viscous_friction;  ///< mu [-], e [-], mu_v [N s/m]
};

/// Two shapes may collide if the category of one and the mask of the other share a bit, either way.
struct CollisionFilter {
  std::uint32_t category = 1, mask = 1;  ///< bits

  /// Whether shapes with these filters may collide.
  bool admits(const CollisionFilter& other) const {
    return (category & other.mask) != 0 || (other.category & mask) != 0;
  }
};

/// A shape of a body.
struct SceneShape {
  Shape shape;                       ///< in its own frame
  Pose X_BG;                         ///< the shape's frame in its body
  std::string material = "default";  ///< name of a material
  CollisionFilter filter = {};       ///< what it may collide with
};

enum class BaseType { Fixed, Free, Planar };

/// A body, as written in the scene file.
struct SceneBody {
  std::string name;                ///< of its own
  BaseType base = BaseType::Free;  ///< how it is held
  std::vector<SceneShape> shapes;  ///< what collides; none for a body without
  Pose pose;                       ///< X_WB at the start
  Eigen::Vector3d linear_velocity = Eigen::Vector3d::Zero();   ///< of B's origin, in W [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in W [rad/s]
  SpatialInertia inertia;                                      ///< in B; unused when fixed
  SourceLocation where;                                        ///< its place in the file
};

enum class Coordinates { Reduced, Maximal };

/// What acts along one coordinate of a joint, besides actuators. Units: N m, rad of a turning
/// coordinate, N, m of a sliding one.
struct JointDynamics {
  std::optional<std::array<double, 2>> limits;            ///< [lower, upper]
  double limit_restitution = 0.0;                         ///< e of the limits, in [0, 1]
  double coulomb_friction = 0.0, viscous_friction = 0.0;  ///< [N m or N], [N m s or N s/m]
  double stiffness = 0.0, rest_position = 0.0;            ///< spring -stiffness (q - rest_position)
  double armature = 0.0;               ///< rotor inertia, added to the diagonal of M [kg m^2 or kg]
  std::optional<double> effort_limit;  ///< of all actuators of the coordinate together, as stated
  std::optional<double> velocity_limit;  ///< as stated; nothing enforces it
};

/// A gear: position of `joint` = multiplier * position of `reference` + offset.
struct JointCoupling {
  std::string name;              ///< of its own
  std::string joint, reference;  ///< of one coordinate each; without reference: joint = offset
  double multiplier = 1.0, offset = 0.0;  ///< [-], [rad or m]
  SourceLocation where;                   ///< its place in the file
};

/// A joint between two bodies of the scene (or a link `model/link`), as written in the scene file.
struct SceneJoint {
  std::string name;                                   ///< of its own
  JointType type = JointType::Revolute;               ///< what it lets move
  std::string parent, child;                          ///< body names; parent may be "world"
  Eigen::Vector3d axis_W = Eigen::Vector3d::UnitZ();  ///< unit, at the initial pose
  Eigen::Vector3d at_W = Eigen::Vector3d::Zero();     ///< joint center at the initial pose [m]
  /// Distance joints: the point on the child (at_W is the one on the parent) and the length.
  Eigen::Vector3d child_at_W = Eigen::Vector3d::Zero();
  double length = 0.0;                                 ///< [m]
  Eigen::Vector3d axis2_W = Eigen::Vector3d::UnitY();  ///< of a universal joint, unit
  double pitch = 0.0;                                  ///< of a screw joint [m/rad]
  JointDynamics dynamics, dynamics2;                   ///< as of a ModelJoint
  /// Start of a joint of one coordinate: the child is moved there; at 0 where nothing is given.
  std::optional<double> position;
  double rate = 0.0;  ///< of a joint of one coordinate, at the start [rad/s or m/s]
  Coordinates coordinates = Coordinates::Reduced;   ///< of the tree, or rows of J
  Eigen::Vector3d error = Eigen::Vector3d::Zero();  ///< offset of the child's start, in W [m]
  SourceLocation where;                             ///< its place in the file
};

/// One link of an imported robot; its frame is the link frame of the file.
struct ModelLink {
  std::string name;                ///< of its own within the model
  SpatialInertia inertia;          ///< zero mass where the file gives none
  std::vector<SceneShape> shapes;  ///< in the link's frame
  bool gravity = true;             ///< false: gravity does not act on it
  SourceLocation where;            ///< its place in the file
};
/// The joint of a link to its parent.
struct ModelJoint {
  std::string name;                   ///< of its own within the model
  JointType type = JointType::Fixed;  ///< what it lets move
  int parent = -1, child = -1;        ///< indices of links
  Pose X_PJ;                          ///< joint frame F in the parent link
  Pose X_JC;                          ///< the child link's frame in the moved joint frame M
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< unit, in the joint frame
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< of a universal joint, in the joint frame
  double pitch = 0.0;                                ///< of a screw joint [m/rad]
  JointDynamics dynamics;       ///< of every coordinate of the joint; universal: of the first
  JointDynamics dynamics2;      ///< of a universal joint's second coordinate
  std::optional<double> start;  ///< of a joint of one coordinate
  Pose start_pose;              ///< X_FM at the start of a free joint; spherical: its rotation
  SourceLocation where;         ///< its place in the file
};

/// A joint that closes a loop of one model: rows of J between two of its links.
struct ModelLoop {
  std::string name;                   ///< of its own within the model
  JointType type = JointType::Fixed;  ///< Fixed: weld, Spherical: connect, or any other
  int link_a = -1, link_b = -1;       ///< indices of links; -1: the world
  Pose X_AF, X_BM;                    ///< frames that the joint holds together
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< unit, in F
  double length = 0.0;                               ///< of a distance joint
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< of a universal joint, unit, in M
  double pitch = 0.0;                                ///< of a screw joint [m/rad]
  JointDynamics dynamics;  ///< along a joint of one coordinate, no armature
  SourceLocation where;    ///< its place in the file
};

/// Implicit PD servo of a joint of one coordinate.
struct JointServo {
  std::string joint;                       ///< name, or model/joint
  double target = 0.0, target_rate = 0.0;  ///< of position [rad, m] and of rate [rad/s, m/s]
  double kp = 0.0, kd = 0.0;               ///< gains [N m/rad or N/m], [N m s or N s/m]
  /// Of what it gives in the solved step [N m or N].
  double effort_limit = std::numeric_limits<double>::infinity();
  SourceLocation where;  ///< its place in the file
  /// In place of the targets: positions of a servo with kp, rates of one without.
  std::optional<Trajectory> trajectory = {};
};
/// Effort on a joint of one coordinate.
struct JointEffort {
  std::string joint;                     ///< name, or model/joint
  double effort = 0.0;                   ///< [N m or N]
  SourceLocation where;                  ///< its place in the file
  std::optional<Trajectory> table = {};  ///< over time, in place of the constant one
};
/// Prescribed motion of a joint of one coordinate, whatever effort it takes: a trajectory, or
/// offset + amplitude sin(2 pi t/period).
struct JointMotion {
  std::string joint;                                   ///< name, or model/joint
  double offset = 0.0, amplitude = 0.0, period = 1.0;  ///< [rad or m], [rad or m], [s]
  std::optional<Trajectory> trajectory = {};  ///< of positions over time, in place of the sinusoid
  SourceLocation where;                       ///< its place in the file

  double position(double time) const;  ///< [rad or m]
  double rate(double time) const;      ///< [rad/s or m/s]
};

enum class ModelCollisions { Default, All, None };  ///< among the links of one model

/// A robot or world from a file.
struct SceneModel {
  std::string name, file;                              ///< its own name, and the file's
  Pose pose;                                           ///< of the root link, at the start
  BaseType base = BaseType::Free;                      ///< how the root link is held
  Coordinates coordinates = Coordinates::Reduced;      ///< of its joints
  ModelCollisions collide = ModelCollisions::Default;  ///< among its links
  std::map<std::string, double> joint_positions;       ///< at the start, by name [rad or m]
  std::vector<ModelLink> links;    ///< depth first: a parent before its children
  std::vector<ModelJoint> joints;  ///< one per link but the root
  std::vector<ModelLoop> loops;    ///< joints that close loops
  // Names of joints in these are the model's own, without its name before them.
  std::vector<JointCoupling> couplings;  ///< gears
  std::vector<JointServo> servos;        ///< of its joints
  std::vector<JointEffort> efforts;      ///< on its joints
  std::vector<std::pair<int, int>>
      excluded;          ///< pairs of links that never collide, for any `collide`
  SourceLocation where;  ///< of its file's name in the scene
};

/// Prescribed motion of a fixed body: amplitude sin(2 pi t/period) axis.
struct BodyMotion {
  std::string body;                                 ///< a fixed body
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< unit, in W
  double amplitude = 0.0, period = 1.0;             ///< [m], [s]
  SourceLocation where;                             ///< its place in the file
};
/// Wrench on a moving body.
struct BodyWrench {
  std::string body;  ///< a body, or model/link
  /// [N], [N m], in W.
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero(), torque_W = Eigen::Vector3d::Zero();
  Eigen::Vector3d at_B = Eigen::Vector3d::Zero();  ///< point of application in the body
  SourceLocation where;                            ///< its place in the file
  /// Over time, in place of the constant one: fx, fy, fz, tx, ty, tz; empty or six.
  std::vector<Trajectory> table = {};
};

/// How friction of joints is solved.
enum class JointFriction : std::uint8_t {
  Coupled,  ///< dry friction as rows of the contact problem, viscous friction implicitly in M
  /// both by a box QP of the joints without contact, as published [Drumwright, Shell 2010, sec. 5]
  BoxQp,
  Explicit,  ///< both as an effort at the start of the step, -(mu_v q' + mu_c sgn q')
};

/// How an event-driven simulation moves between contacts.
enum class Integrator : std::uint8_t {
  SymplecticEuler,  ///< with the implicit gyroscopic term, as in time stepping
  RungeKutta4,      ///< the classical one, a step between output steps and events
  DormandPrince,    ///< adaptive, of fifth order
};

/// By what law contacts go on that last, in event-driven simulation.
enum class SustainedContact : std::uint8_t {
  Velocity,             ///< simulation.model, between impulses and velocities, as in time stepping
  CoulombAcceleration,  ///< between forces and accelerations, by the integrator (force_motion.h)
  ViscousAcceleration,  ///< the same with viscous friction alone
};

/// What only the event-driven and the hybrid method read.
struct EventSettings {
  Integrator integrator = Integrator::DormandPrince;  ///< between contacts
  double integrator_tolerance = 1e-10;                ///< of a step of Dormand-Prince
  /// Where it is not given: `coulomb`, in the hybrid method `mirtich`.
  std::optional<std::string> impact_model;
  /// A bounce that would take less time is none, in the hybrid method only where events crowd [s];
  /// default: a thousandth of the smallest step.
  std::optional<double> minimum_step;
  double contact_tolerance = 1e-9;                          ///< shapes so near touch [m]
  SustainedContact sustained = SustainedContact::Velocity;  ///< of event-driven
};

/// What the key `simulation` of a scene says.
struct SimulationSettings {
  std::vector<double> steps;             ///< cycled [s]
  double duration = 0.0;                 ///< [s]
  std::string method = "time-stepping";  ///< how time goes on
  std::string model = "coulomb";         ///< of contacts
  /// Share of an overlap that a step removes; none: the model's preset.
  std::optional<double> gamma;
  double tolerance = 1e-8;                       ///< of the certificate's residuals, dimensionless
  std::uint64_t seed = 0;                        ///< of repeats and noise
  std::optional<int> friction_directions;        ///< of the polygon; none: the model's own
  std::optional<int> max_iterations;             ///< of each law tried on an island (ModelSettings)
  bool minimum_norm = false;                     ///< of the reactions that give the same velocity
  StickingList sticking = StickingList::Loaded;  ///< of no-slip
  bool literal_gamma = false;                    ///< gamma scales positive gaps, too
  bool literal_viscous_bound = false;  ///< of maximum-dissipation, as printed (ModelSettings)
  bool projection = false;             ///< onto the joints that are rows of J, after each step
  int position_iterations = 0;         ///< 0: none; else the largest number of relinearizations
  std::optional<double> v_max;         ///< [m/s]; horizon v_max h of every pair
  std::optional<double> rest_speed;    ///< [m/s]; default 2 g h
  double overlap_speed = 3.0;          ///< at which overlaps are removed at most [m/s]
  /// Where it is not given: Newton's in steps, Stronge's in impacts by `mirtich`.
  std::optional<RestitutionLaw> restitution_law;
  JointFriction joint_friction = JointFriction::Coupled;  ///< how friction of joints is solved
  double protective_layer = 0.0;  ///< every gap counts as smaller by this [m], >= 0
  EventSettings events;           ///< of the event-driven and the hybrid method
  /// A run ends with the step whose infeasibility reaches this [m].
  std::optional<double> stop_at_infeasibility;
};

/// What the key `output` of a scene says.
struct OutputSettings {
  double every = 0.0;    ///< [s]; 0: every step
  bool contacts = true;  ///< whether runs keep them
};

/// A file that the scene read, kept byte for byte so that a run can be rebuilt from its log.
struct InputFile {
  std::string path;   ///< as the reader asked for it, relative to the scene
  std::string bytes;  ///< as they were read
};

/// A scene, resolved.
struct Scene {
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  ///< in W [m/s^2]
  SimulationSettings simulation;             ///< steps, method, model
  std::vector<Material> materials;           ///< one at least, `default`
  std::vector<MaterialPair> material_pairs;  ///< where two materials meet
  std::vector<SceneBody> bodies;             ///< as written, repeats expanded
  std::vector<SceneModel> models;            ///< robots and worlds
  std::vector<SceneJoint> joints;            ///< between bodies
  std::vector<JointCoupling> couplings;      ///< gears
  std::vector<JointServo> servos;            ///< of joints of the scene and of models
  std::vector<JointEffort> efforts;          ///< on joints
  std::vector<JointMotion> joint_motions;    ///< of joints
  std::vector<BodyMotion> motions;           ///< of fixed bodies
  std::vector<BodyWrench> wrenches;          ///< on bodies
  OutputSettings output;                     ///< what runs keep
  ImportLedger ledger;                       ///< what became of every element read
  std::string file, text;                    ///< of the scene file
  /// path=value pairs that were applied to the text before it was read (--set and the like).
  std::vector<std::pair<std::string, std::string>> overrides;
  std::vector<InputFile> inputs;  ///< all files that it read
};

}  // namespace amontons
