#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/mjcf/mjcf_element.h"
#include "amontons/math/pose.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/source_location.h"
#include "amontons/simulation/scene/tendon_path.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

// What the parts of the MJCF reader keep of the elements that they have read.

namespace amontons::io {

/// Holds the settings of <compiler>, which say how numbers and names of the file are meant.
struct MjcfCompiler {
  bool degrees = true, autolimits = true, strippath = false;
  bool global = false;  ///< poses, axes and anchors are those in the world at qpos0
  std::string eulerseq = "xyz";
  std::string meshdir, assetdir;
  std::optional<bool> inertiafromgeom;  ///< empty: where there is no <inertial>
  int first_group = 0, last_group = 5;  ///< groups of the geoms that have mass
  bool balanceinertia = false;
  bool exactmeshinertia = false;  ///< meshes weigh by their volume
  bool fitaabb = false;  ///< shapes are fitted around a mesh, not to its moments of inertia
  double boundmass = 0.0, boundinertia = 0.0;  ///< [kg], [kg m^2]
  double settotalmass = -1.0;                  ///< [kg]; <= 0: masses stay as they are

  double angle(double written) const;  ///< returns an angle [rad]
};

/// Holds <option><flag>: false for the effects that the file switches off.
struct MjcfFlags {
  bool contact = true, limit = true, frictionloss = true, passive = true, actuation = true,
       equality = true, filterparent = true, constraint = true, gravity = true, clampctrl = true,
       spring = true, damper = true, override = false;
};

/// Holds the axis of a long shape, given by its two ends.
struct MjcfSegment {
  Pose X_PG;                 ///< pose of its middle, z from the second end to the first
  double half_length = 0.0;  ///< [m]
};

/// Holds a geom's shape, its properties for unit density, and its place in the geom.
struct MjcfShape {
  std::vector<Shape> shapes;             ///< one, the parts of a mesh, or nothing to collide
  std::optional<SolidProperties> solid;  ///< none for planes, height fields and flat meshes
  Pose X_GS;                             ///< pose of the shape in the geom's frame
  bool is_shell = false;                 ///< its mass lies on its surface, by a density per area
  MjcfFates::Record collides_as = {};    ///< how a mesh collides, where it does
};

/// Holds a mesh as MuJoCo's legacy inertia has it, where pyramids that face inwards count as those
/// that face outwards.
struct MjcfLegacySolid {
  double volume = 0.0;           ///< of pyramids with their tip at the middle of the surface [m^3]
  SolidProperties about_center;  ///< of pyramids with their tip at its center
};

/// Holds the properties of a geom that decide its contacts.
struct MjcfGeom {
  std::string name;
  int body = 0;
  int index = -1;  ///< first index in the shapes of its link; -1: it can touch nothing
  int num_shapes = 0;
  std::uint32_t category = 1, mask = 1;
  double friction = 1.0;                     ///< coefficient of sliding friction [-]
  double torsion = 0.005, rolling = 0.0001;  ///< radii of friction against turning [m]
  int condim = 3, priority = 0;
  std::optional<TendonObstacle> obstacle = {};  ///< of a geom that a tendon wraps around
  std::optional<MjcfElement> element = {};      ///< its element
};

/// Holds a body of the file.
struct MjcfBody {
  std::string name;
  int parent = -1;           ///< index of a body; -1: this is the world
  int link = 0;              ///< link of the model, with the frame of this body
  int first_rigid_body = 0;  ///< first of the bodies that are rigidly joined upwards from this one
  Pose X_WB;                 ///< pose at qpos0
  SourceLocation where;
  int model = 0;  ///< index of its model in the document
};

/// Holds what makes the names of the parts of soft bodies, which are left out.
struct MjcfLeftOut {
  std::set<std::string> flexcomps;           ///< their names, which a number follows
  std::set<std::string> composite_prefixes;  ///< which a letter and a place in the composite follow
};

/// Holds one joint in the order of qpos.
struct MjcfJoint {
  std::string name;
  int index = 0;        ///< into model.joints
  int q_offset = 0;     ///< into qpos
  double ref = 0.0;     ///< qpos0 of a joint of one coordinate
  MjcfElement element;  ///< its element
  /// Holds time constant [s] and damping ratio of a spring and damper that fit the inertia.
  std::optional<std::pair<double, double>> springdamper = {};
};

/// Holds a tendon of the file.
struct MjcfTendon {
  std::string name;
  std::string model_name = {};  ///< its name in the model; empty: it is not modeled
  bool is_spatial = false;      ///< its length is that of a path in space
  double rest_length = 0.0;     ///< length at qpos0, of a sum of joint coordinates
  /// Its spring rests at the `springref` of the joints, since the file gives no length.
  bool rests_at_springref = false;
  std::optional<MjcfElement> element = {};  ///< its element
};

/// Holds an actuator that exerts something, for the sensors of the file.
struct MjcfActuator {
  std::string line;        ///< joint or tendon in the model; empty: it acts along none
  double gear = 1.0;       ///< along it
  bool is_first = false;   ///< no other actuator of the file acts along it before this one
  bool has_length = true;  ///< false: its length is zero, whatever its position along the line
  std::optional<Trajectory> signal = {};  ///< force over time of one that acts along no line
};

/// Holds the elements to which a file gives names, by kind and name; the names that the reader
/// makes for other elements differ from them.
using MjcfGivenNames = std::map<std::string, std::map<std::string, const tinyxml2::XMLElement*>>;

/// Holds what sensors measure of a geom or camera.
struct MjcfMeasuredFrame {
  std::string frame = {};                   ///< name of its frame in the model; empty: it has none
  const char* reason = nullptr;             ///< why it has none
  std::optional<MjcfElement> element = {};  ///< its element; none before it is read
};
/// Holds the geoms and cameras that sensors name, by kind and name.
using MjcfMeasured = std::map<std::pair<std::string, std::string>, MjcfMeasuredFrame>;

/// Holds an element of a body, in the <frame>s that it lies in.
struct MjcfItem {
  MjcfElement element;
  Pose X_BP;               ///< pose of the innermost <frame> in the body
  std::string childclass;  ///< default class of the elements inside this one
};

}  // namespace amontons::io
