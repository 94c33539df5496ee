#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/import/import_context.h"
#include "amontons/io/mjcf/mjcf_element.h"

#include <Eigen/Core>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the settings of <compiler>, which say how numbers and names of the file are meant.
struct MjcfCompiler {
  bool degrees = true, autolimits = true, strippath = false;
  std::string eulerseq = "xyz";
  std::string meshdir, assetdir;
  std::optional<bool> inertiafromgeom;  ///< empty: where there is no <inertial>
  int first_group = 0, last_group = 5;  ///< groups of the geoms that have mass
  bool balanceinertia = false;
  double boundmass = 0.0, boundinertia = 0.0;  ///< [kg], [kg m^2]
  double settotalmass = -1.0;                  ///< [kg]; <= 0: masses stay as they are

  double angle(double written) const;  ///< returns an angle [rad]
};

/// Holds <option><flag>: false for the effects that the file switches off.
struct MjcfFlags {
  bool contact = true, limit = true, frictionloss = true, passive = true, actuation = true,
       equality = true, filterparent = true;
};

/// Holds a geom's shape, its properties for unit density, and its place in the geom.
struct MjcfShape {
  std::vector<Shape> shapes;             ///< one, the parts of a mesh, or nothing to collide
  std::optional<SolidProperties> solid;  ///< none for planes, height fields and flat meshes
  Pose X_GS;                             ///< pose of the shape in the geom's frame
};

/// Holds the properties of a geom that decide its contacts.
struct MjcfGeom {
  std::string name;
  int body = 0;
  int index = -1;  ///< first index in the shapes of its link; -1: it can touch nothing
  int num_shapes = 0;
  std::uint32_t category = 1, mask = 1;
  double friction = 1.0;  // coefficient of sliding friction [-]
  int condim = 3, priority = 0;
};

/// Holds a body of the file.
struct MjcfBody {
  std::string name;
  int parent = -1;           ///< index of a body; -1: this is the world
  int link = 0;              ///< link of the model, with the frame of this body
  int first_rigid_body = 0;  ///< first of the bodies that are rigidly joined upwards from this one
  Pose X_WB;                 ///< pose at qpos0
  SourceLocation where;
};

/// Holds one joint in the order of qpos.
struct MjcfJoint {
  std::string name;
  int index = 0;     ///< into model.joints
  int q_offset = 0;  ///< into qpos
  double ref = 0.0;  ///< qpos0 of a joint of one coordinate
};

/// Holds an element of a body, in the <frame>s that it lies in.
struct MjcfItem {
  MjcfElement element;
  Pose X_BP;               ///< pose of the innermost <frame> in the body
  std::string childclass;  ///< default class of the elements inside this one
};

/// Holds the state that all parts of the MJCF reader share; each part reads one kind of element.
struct MjcfReader {
  MjcfFile& file;
  ImportContext& context;
  SceneModel& model;
  MjcfCompiler compiler = {};
  MjcfFlags flags = {};
  std::vector<MjcfBody> bodies = {};
  std::vector<MjcfGeom> geoms = {};
  std::vector<MjcfJoint> joints = {};
  int num_q = 0;  ///< entries of qpos
  std::map<std::string, const tinyxml2::XMLElement*> meshes = {}, hfields = {};  ///< by name
  std::set<std::string> paired = {};  ///< geoms that a <pair> names
  std::vector<double> ctrl = {};      ///< controls at the start

  /// Returns an element with its defaults; its tag counts as applied.
  MjcfElement element(const tinyxml2::XMLElement& xml, const std::string& name_of_class) {
    return {file, xml, name_of_class};
  }
  /// Returns the body or joint that an attribute names. @throws ParseError if there is none.
  int find_body(const MjcfElement& element, const std::string& attribute) const;
  const MjcfJoint& find_joint(const MjcfElement& element, const std::string& attribute) const;
  const ModelJoint& joint_of(const MjcfJoint& joint) const;
};

/// Reads <compiler> and <option>.
void read_mjcf_compiler(MjcfReader& reader);
void read_mjcf_options(MjcfReader& reader);
/// Lists the meshes and height fields by name; they are loaded where a geom needs them.
void list_mjcf_assets(MjcfReader& reader);

/// Reads pos, and the orientation in any of its five ways.
Pose read_mjcf_pose(const MjcfReader& reader, const MjcfElement& element);
Eigen::Matrix3d read_mjcf_orientation(const MjcfReader& reader, const MjcfElement& element);
/// Returns the least rotation that turns z into a direction (of any length but zero).
Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& direction);

/// Loads the asset that a geom names. @throws ParseError if it is missing or cannot be read.
/// @param link  "model/link", of which the scene may say how its meshes collide.
MjcfShape load_mjcf_mesh(MjcfReader& reader, const MjcfElement& geom, const std::string& link);
Shape load_mjcf_height_field(MjcfReader& reader, const MjcfElement& geom);

/// Reads a <geom> of a body: adds its shape to the link unless it can touch nothing.
/// @param has_mass  false where the body's mass does not come from its geoms.
/// @returns its mass distribution in the frame of the body, with zero mass where it has none.
SpatialInertia read_mjcf_geom(MjcfReader& reader, const MjcfItem& geom, int body, bool has_mass,
                              ModelLink& link);

/// Reads <worldbody>: bodies, joints, geoms, masses.
void read_mjcf_bodies(MjcfReader& reader);
SpatialInertia read_mjcf_inertial(const MjcfReader& reader, const MjcfElement& inertial);
/// Applies boundmass, boundinertia, balanceinertia and settotalmass.
void correct_mjcf_masses(MjcfReader& reader);

/// Attaches a body to its parent by its joints. Each makes a link; the last one is the body itself.
void read_mjcf_joints(MjcfReader& reader, const std::vector<MjcfItem>& joints, int body,
                      const Pose& X_PB, ModelLink link);

/// Reads materials and collision filters of the geoms, <exclude>, and which bodies do not collide.
void read_mjcf_contacts(MjcfReader& reader);
/// Reads <equality>: loops and couplings of joints.
void read_mjcf_equality(MjcfReader& reader);
/// Reads the keyframe `home`, if there is one: start positions and controls.
void read_mjcf_keyframe(MjcfReader& reader);
/// Reads <actuator>: servos and constant efforts.
void read_mjcf_actuators(MjcfReader& reader);

}  // namespace amontons::io
