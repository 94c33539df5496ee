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

/// <compiler>: how the file is meant.
struct MjcfCompiler {
  bool degrees = true, autolimits = true, strippath = false;
  std::string eulerseq = "xyz";
  std::string meshdir, assetdir;
  std::optional<bool> inertiafromgeom;  ///< empty: where there is no <inertial>
  int first_group = 0, last_group = 5;  ///< of the geoms that have mass
  bool balanceinertia = false;
  double boundmass = 0.0, boundinertia = 0.0;  ///< [kg], [kg m^2]
  double settotalmass = -1.0;                  ///< [kg]; <= 0: as they are

  double angle(double written) const;  ///< in rad
};

/// <option><flag>: what is switched off.
struct MjcfFlags {
  bool contact = true, limit = true, frictionloss = true, passive = true, actuation = true,
       equality = true, filterparent = true;
};

/// The mass of a geom that is made of nothing else, for unit density, and its place in the geom.
struct MjcfShape {
  Shape shape;
  std::optional<SolidProperties> solid;  ///< none of planes and height fields
  Pose X_GS;                             ///< of the shape in the geom's frame
};

struct MjcfGeom {
  std::string name;
  int body = 0;
  int index = -1;  ///< among the shapes of its link; -1: it can touch nothing
  std::uint32_t category = 1, mask = 1;
  double friction = 1.0;
  int condim = 3, priority = 0;
};

struct MjcfBody {
  std::string name;
  int parent = -1;     ///< index of a body; -1: this is the world
  int link = 0;        ///< of the model, with the frame of this body
  int moves_with = 0;  ///< first of the bodies that are rigidly joined up from this one
  Pose X_WB;           ///< at qpos0
  SourceLocation where;
};

/// One joint in the order of qpos.
struct MjcfJoint {
  std::string name;
  int index = 0;     ///< into model.joints
  int q_offset = 0;  ///< into qpos
  double ref = 0.0;  ///< qpos0 of a joint of one coordinate
};

/// An element of a body, in the <frame>s that it lies in.
struct MjcfItem {
  MjcfElement element;
  Pose X_BP;               ///< of the innermost <frame>, in the body
  std::string childclass;  ///< of the elements inside this one
};

/// What the parts of the MJCF reader share; each part is a file that reads one kind of element.
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
  std::vector<double> ctrl = {};      ///< at the start

  MjcfElement element(const tinyxml2::XMLElement& xml, const std::string& name_of_class) {
    return {file, xml, name_of_class};
  }
  int find_body(const MjcfElement& element, const std::string& attribute) const;
  const MjcfJoint& find_joint(const MjcfElement& element, const std::string& attribute) const;
  const ModelJoint& joint_of(const MjcfJoint& joint) const;
};

void read_mjcf_compiler(MjcfReader& reader);
void read_mjcf_options(MjcfReader& reader);
/// Lists the meshes and height fields by name; they are loaded where a geom needs them.
void list_mjcf_assets(MjcfReader& reader);

/// pos, and the orientation in any of its five ways.
Pose read_mjcf_pose(const MjcfReader& reader, const MjcfElement& element);
Eigen::Matrix3d read_mjcf_orientation(const MjcfReader& reader, const MjcfElement& element);
/// The least rotation that carries z to a direction (of any length but zero).
Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& direction);

MjcfShape load_mjcf_mesh(MjcfReader& reader, const MjcfElement& geom);
Shape load_mjcf_height_field(MjcfReader& reader, const MjcfElement& geom);

/// Reads a <geom> of a body: adds its shape to the link unless it can touch nothing.
/// @param has_mass  false where the body's mass does not come from its geoms.
/// @returns its mass distribution in the frame of the body; zero mass where it has none.
SpatialInertia read_mjcf_geom(MjcfReader& reader, const MjcfItem& geom, int body, bool has_mass,
                              ModelLink& link);

/// <worldbody>: bodies, joints, geoms, masses.
void read_mjcf_bodies(MjcfReader& reader);
SpatialInertia read_mjcf_inertial(const MjcfReader& reader, const MjcfElement& inertial);
/// boundmass, boundinertia, balanceinertia and settotalmass.
void correct_mjcf_masses(MjcfReader& reader);

/// Hangs a body on its parent by its joints. Each makes a link; the last one is the body itself.
void read_mjcf_joints(MjcfReader& reader, const std::vector<MjcfItem>& joints, int body,
                      const Pose& X_PB, ModelLink link);

/// Materials and collision filters of the geoms, <exclude>, and which bodies do not collide.
void read_mjcf_contacts(MjcfReader& reader);
void read_mjcf_equality(MjcfReader& reader);
/// The keyframe `home`, if there is one: start positions and controls.
void read_mjcf_keyframe(MjcfReader& reader);
void read_mjcf_actuators(MjcfReader& reader);

}  // namespace amontons::io
