#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/source_location.h"

#include <Eigen/Core>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace amontons {

/// Holds a named frame that is fixed to a link of a model, such as a site of an MJCF file.
struct ModelFrame {
  std::string name;             ///< unique among the frames of the model
  int link = -1;                ///< index of the link
  Pose X_LF;                    ///< pose of the frame in the link
  std::optional<Shape> extent;  ///< volume around it, in its own axes; it does not collide
  SourceLocation where;         ///< its place in the file
};

/// Weighs the coordinate of a joint in the length of a tendon.
struct TendonTerm {
  std::string joint;         ///< joint of one coordinate, by its name within the model
  double coefficient = 0.0;  ///< [m/rad] of a turning joint, [-] of a sliding one
};

/// Names the quantity that a sensor measures. Vectors are in the axes of the sensor's frame unless
/// the enumerator says otherwise.
enum class SensorKind {
  JointPosition,             ///< coordinate of a joint [rad or m]
  JointRate,                 ///< its rate [rad/s or m/s]
  TendonPosition,            ///< length of a tendon [m]
  TendonRate,                ///< its rate [m/s]
  ActuatorPosition,          ///< coordinate along which an actuator acts, times its gear [rad or m]
  ActuatorRate,              ///< its rate [rad/s or m/s]
  ActuatorForce,             ///< force of an actuator, before its gear [N or N m]
  JointActuatorForce,        ///< effort of all actuators along a joint [N m or N]
  TendonActuatorForce,       ///< force of all actuators along a tendon [N]
  Accelerometer,             ///< acceleration less gravity, g upwards at rest [m/s^2]
  Velocimeter,               ///< velocity of the frame's origin [m/s]
  Gyro,                      ///< angular velocity [rad/s]
  Force,                     ///< force on the body of the frame from its parent [N]
  Torque,                    ///< torque at the frame's origin on it from its parent [N m]
  Touch,                     ///< sum of the normal contact forces within a site [N]
  Rangefinder,               ///< distance along z to the nearest shape; -1: none [m]
  FramePosition,             ///< position in W, or in a reference frame [m]
  FrameOrientation,          ///< quaternion w x y z of the frame in W, or in a reference frame [-]
  FrameAxisX,                ///< x axis in W, or in a reference frame [-]
  FrameAxisY,                ///< y axis in W, or in a reference frame [-]
  FrameAxisZ,                ///< z axis in W, or in a reference frame [-]
  FrameVelocity,             ///< velocity of the origin in W, or in a reference frame [m/s]
  FrameAngularVelocity,      ///< angular velocity in W, or in a reference frame [rad/s]
  FrameAcceleration,         ///< acceleration of the origin less gravity, in W [m/s^2]
  FrameAngularAcceleration,  ///< angular acceleration in W [rad/s^2]
  BallOrientation,           ///< quaternion w x y z of a ball joint [-]
  BallAngularVelocity,       ///< its angular velocity, in the axes of the child [rad/s]
  SubtreeCenter,             ///< center of mass of a link and all that it carries, in W [m]
  SubtreeVelocity,           ///< its velocity [m/s]
  SubtreeAngularMomentum,    ///< angular momentum about that center, in W [kg m^2/s]
  Clock,                     ///< time [s]
  Magnetometer,              ///< magnetic field in the axes of the frame, in the unit of the file
  LimitDistance,             ///< way left to a limit of a joint or tendon, less its margin [rad, m]
  LimitRate,                 ///< rate away from that limit [rad/s or m/s]
  LimitForce,                ///< force of the limits of a joint or tendon [N m or N]
  CameraProjection,          ///< place of a frame's origin in a picture, from its corner [pixel]
  InsideVolume,              ///< 1 where the origin lies in the volume of a frame, else 0 [-]
  ShapeDistance,             ///< least signed distance of two sets of shapes [m]
  ShapeNormal,               ///< unit vector between their nearest points, in W [-]
  ShapeSegment,              ///< their nearest points, in W: six numbers [m]
  PotentialEnergy,           ///< that of gravity, zero at the origin of W, and of springs [J]
  KineticEnergy,             ///< that of all links, rotors included [J]
  Contacts                   ///< contacts that match, a few numbers of each (SensorContacts)
};

/// Holds how a camera makes a picture: it looks along -z of its frame, x to the right.
struct SensorCamera {
  Eigen::Vector2d focal = Eigen::Vector2d::Zero();  ///< focal lengths along x and y [pixel]
  Eigen::Vector2d size = Eigen::Vector2d::Zero();   ///< width and height of the picture [pixel]
};

/// Names shapes of one link that follow each other.
struct SensorShapes {
  std::string link;          ///< name within the model
  int first = 0, count = 0;  ///< index of the first one in the link, and their number
};

/// Says which contacts take the places of a sensor.
enum class ContactChoice {
  InOrder,    ///< the first ones
  Nearest,    ///< those with the least gap
  Strongest,  ///< those with the largest force
  Sum         ///< one place for all: the sum of their forces at its center
};

/// Says which contacts a sensor reports, and which numbers of each, in the order of the members.
struct SensorContacts {
  /// Shapes of which one must touch, on each side; without a value any shape may.
  std::array<std::optional<std::vector<SensorShapes>>, 2> sides = {};
  std::string volume;  ///< frame in whose volume the contact must lie; empty: anywhere
  ContactChoice choice = ContactChoice::InOrder;  ///< which ones, and in which order
  int places = 1;                                 ///< contacts that are reported at most
  bool found = true;                              ///< number of contacts that match [-]
  bool force = false;     ///< on the second side: along the normal and both tangents [N]
  bool torque = false;    ///< the same of the torque at the point [N m]
  bool distance = false;  ///< gap, negative where shapes overlap [m]
  bool position = false;  ///< point, in W [m]
  bool normal = false;    ///< from the first side to the second, in W [-]
  bool tangent = false;   ///< first tangent, in W [-]
};

/// Holds a sensor of a model, as written in its file.
struct ModelSensor {
  std::string name;                             ///< unique among the sensors of the model
  SensorKind kind = SensorKind::JointPosition;  ///< quantity that it measures
  std::string object;                           ///< joint, tendon, actuator, frame or link
  /// Names the frame in which it measures; empty: the world. Of an actuator it names the joint or
  /// tendon whose commanded effort counts as that of the actuator; empty: none.
  std::string reference;
  double cutoff = 0.0;   ///< largest absolute value; 0: none
  SourceLocation where;  ///< its place in the file
  double gear = 1.0;     ///< of an actuator along a joint or tendon
  /// Holds the force over time of an actuator that acts along no joint and no tendon [N or N m].
  std::optional<Trajectory> signal = {};
  Eigen::Vector3d field_W = Eigen::Vector3d::Zero();  ///< magnetic field in W, in the file's unit
  double margin = 0.0;       ///< way left to a limit below which it is measured [rad or m]
  SensorCamera camera = {};  ///< of a projection, whose reference is its frame
  std::array<SensorShapes, 2> shapes = {};  ///< whose distance is measured, up to the cutoff
  SensorContacts contacts = {};             ///< of a sensor of contacts
};

}  // namespace amontons
