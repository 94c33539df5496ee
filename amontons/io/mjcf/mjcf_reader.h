#pragma once

#include "amontons/io/common/fault_list.h"
#include "amontons/io/import/import_context.h"
#include "amontons/io/mjcf/mjcf_name_index.h"
#include "amontons/io/mjcf/mjcf_records.h"

#include <Eigen/Core>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the state that all parts of the MJCF reader share; each part reads one kind of element.
struct MjcfReader {
  MjcfFile& file;
  ImportContext& context;
  SceneModel& model;
  std::vector<MjcfCompiler> compilers = {};  ///< of each model of the document
  MjcfFlags flags = {};
  std::vector<MjcfBody> bodies = {};
  std::vector<MjcfGeom> geoms = {};
  std::vector<MjcfJoint> joints = {};
  std::vector<MjcfTendon> tendons = {};
  int num_q = 0;  ///< entries of qpos
  std::map<std::string, const tinyxml2::XMLElement*> meshes = {}, hfields = {};  ///< by name
  std::map<std::string, MjcfLegacySolid> legacy_solids = {};  ///< by the name of the mesh
  std::set<std::string> paired = {}, wrapped = {};  ///< geoms of a <pair>; of tendons around them
  MjcfLeftOut left_out = {};                        ///< soft bodies
  MjcfMeasured measured = {};                       ///< geoms and cameras that sensors name
  MjcfGivenNames given = {};
  std::map<std::string, MjcfActuator> actuators = {};  ///< those that exert something, by name
  std::vector<int> mocap_bodies = {};  ///< bodies that a program moves, in the order of the file
  std::vector<double> ctrl = {}, act = {};  ///< controls, activations at the start; empty: zero
  SourceLocation act_place = {};            ///< their place in the file
  std::optional<double> friction_override = {};   ///< of all contacts [-], if the file sets one
  std::vector<int> disabled_groups = {};          ///< of actuators that exert nothing
  Eigen::Vector3d magnetic_W = {0.0, -0.5, 0.0};  ///< magnetic field, in the unit of the file
  FaultList faults = {};                          ///< of elements that do not depend on each other
  mutable MjcfNameIndices places = {};            ///< of what is read, by name

  /// Returns the settings of the model whose files contain an element.
  const MjcfCompiler& compiler_of(const MjcfElement& element) const {
    return compilers[static_cast<std::size_t>(file.document.model_of(element.xml()))];
  }
  /// Returns an element with its defaults; its tag counts as applied.
  MjcfElement element(const tinyxml2::XMLElement& xml, const std::string& name_of_class) {
    return {file, xml, name_of_class};
  }
  /// Returns the body, joint or geom that an attribute names. @throws ParseError if there is none.
  int find_body(const MjcfElement& element, const std::string& attribute) const;
  const MjcfJoint& find_joint(const MjcfElement& element, const std::string& attribute) const;
  const MjcfGeom& find_geom(const MjcfElement& element, const std::string& attribute) const;
  /// Leaves out an element that names a part of a soft body. @returns false for any other.
  bool leaves_out(const MjcfElement& element, ImportFate fate) const;
  /// Returns the tendon that an attribute names. @throws ParseError if there is none.
  const MjcfTendon& find_tendon(const MjcfElement& element, const std::string& attribute) const;
  /// Returns the site that an attribute names. @throws ParseError if there is none.
  const ModelFrame& find_site(const MjcfElement& element, const std::string& attribute) const;
  const ModelJoint& joint_of(const MjcfJoint& joint) const;
  int body_of_link(int link) const;  ///< index of the body with this link; -1: there is none
  /// Returns true if the file gives the name to an element of a kind.
  bool gives(const std::string& tag, const std::string& name) const;
  /// Returns the name of a tendon or constraint in the model, where joints, tendons and constraints
  /// share their names: an ending is added, and noted, where the name is taken.
  std::string name_in_model(const MjcfElement& element, const std::string& name,
                            const std::string& ending) const;
};

/// Reads the <compiler>s of all models of the document whose settings are not known yet.
void read_mjcf_compilers(MjcfReader& reader);
/// Reads <option>.
void read_mjcf_options(MjcfReader& reader);
/// Reads pos, and the orientation in any of its five ways.
Pose read_mjcf_pose(const MjcfReader& reader, const MjcfElement& element);
Eigen::Matrix3d read_mjcf_orientation(const MjcfReader& reader, const MjcfElement& element);
/// Reads `fromto`. @throws ParseError where both ends are one, or pos is given, too.
MjcfSegment read_mjcf_segment(const MjcfElement& element);
/// Returns the rotation by Euler angles, as the file writes them.
Eigen::Matrix3d mjcf_rotation_from_euler(const MjcfCompiler& compiler,
                                         const Eigen::Vector3d& angles);
/// Returns the least rotation that turns z into a direction (of any length but zero).
Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& direction);

/// Reads shape and pose of a geom; X_PG is its pose in the innermost frame.
/// @param link  "model/link".
MjcfShape read_mjcf_shape(MjcfReader& reader, const MjcfElement& geom, const std::string& type,
                          const std::string& link, Pose& X_PG);

/// Adds what a geom looks like to the visuals of the scene, where somebody asks for them.
void add_mjcf_visual(MjcfReader& reader, const MjcfItem& geom, const std::string& link);

/// Reads a <geom> of a body: adds its shape to the link unless it can touch nothing.
/// @param has_mass  false where the body's mass does not come from its geoms.
/// @returns its mass distribution in the frame of the body, with zero mass where it has none.
SpatialInertia read_mjcf_geom(MjcfReader& reader, const MjcfItem& geom, int body, bool has_mass,
                              ModelLink& link);

/// Reads a <site> of a body as a frame of its link.
void read_mjcf_site(MjcfReader& reader, const MjcfItem& site, int body);
/// Reads the frame of a geom or camera of a body that a sensor names.
void read_mjcf_measured_frame(MjcfReader& reader, const MjcfItem& item, int body);
/// Notes a <flexcomp> or <flex>, which is a finding.
void note_mjcf_soft_body(MjcfReader& reader, const MjcfElement& element);
/// Reads <worldbody>: bodies, joints, geoms, masses.
void read_mjcf_bodies(MjcfReader& reader);
/// Returns the pose in the world of a body of a file with global coordinates that gives no `pos`:
/// that of its inertia.
/// @param index  of the body.
/// @param inertial  the <inertial> that counts, or null where the geoms give the inertia.
Pose infer_mjcf_body_pose(MjcfReader& reader, const MjcfElement& body, int index,
                          const std::vector<MjcfItem>& geoms, const MjcfElement* inertial);
SpatialInertia read_mjcf_inertial(const MjcfReader& reader, const MjcfElement& inertial);
/// Applies boundmass, boundinertia, balanceinertia and settotalmass.
void correct_mjcf_masses(MjcfReader& reader);

/// Attaches a body to its parent by its joints. Each makes a link; the last one is the body itself.
void read_mjcf_joints(MjcfReader& reader, const std::vector<MjcfItem>& joints, int body,
                      const Pose& X_PB, ModelLink link);

/// Returns a range of two numbers of an actuator, joint or tendon, `what`range, or nothing if it
/// does not limit.
std::optional<std::array<double, 2>> mjcf_range(const MjcfReader& reader,
                                                const MjcfElement& element,
                                                const std::string& what);
/// Reads the bounds of the effort of all actuators of a joint or tendon, actuatorfrcrange.
std::optional<EffortRange> read_mjcf_effort_range(const MjcfReader& reader,
                                                  const MjcfElement& element);
/// Reads materials and collision filters of the geoms, <exclude>, and which bodies do not collide.
void read_mjcf_contacts(MjcfReader& reader);
/// Reads <tendon>: sums of joint coordinates, and paths in space.
void read_mjcf_tendons(MjcfReader& reader);
/// Reads the path of a <spatial> tendon.
std::vector<TendonSegment> read_mjcf_tendon_path(MjcfReader& reader, const MjcfElement& tendon);
/// Returns true if all bodies of a path are joined rigidly.
bool has_constant_length(const MjcfReader& reader, const std::vector<TendonSegment>& path);
/// Reads <equality>: loops and couplings of joints.
void read_mjcf_equality(MjcfReader& reader);
/// Reads <sensor>: those that are evaluated.
void read_mjcf_sensors(MjcfReader& reader);
/// Reads the keyframe that the scene names, else `home` if there is one: the start.
void read_mjcf_keyframe(MjcfReader& reader);
/// Reads <actuator>: servos, efforts and wrenches.
void read_mjcf_actuators(MjcfReader& reader);

}  // namespace amontons::io
