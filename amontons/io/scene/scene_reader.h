#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/input_files.h"
#include "amontons/io/import/import_context.h"
#include "amontons/io/import/mesh_shape.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/io/scene/scene_format.h"
#include "amontons/io/yaml/yaml_map_reader.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// What the parts of the scene reader share. One part per file: each reads one top-level key into
/// the scene.
struct SceneReader {
  Scene scene;
  InputFiles inputs;
  MeshShapes meshes;
  WorldSettings world = {};  ///< what the models' files say of the whole

  void note(ImportFate fate, const std::string& element, const std::string& reason,
            const SourceLocation& where) {
    scene.ledger.add(fate, element, reason, where);
  }
};

/// A shape and, where it has one, its mass distribution for unit density in its own frame.
struct ReadShape {
  SceneShape scene_shape;
  std::vector<Shape> more_parts;         ///< of a mesh that is given as parts, all but the first
  std::optional<SolidProperties> solid;  ///< of all parts
  SourceLocation where;
};

void read_simulation(SceneReader& reader, const YamlValue& value);
void read_output(SceneReader& reader, const YamlValue& value);
void read_materials(SceneReader& reader, const YamlValue& value);
void read_bodies(SceneReader& reader, const YamlValue& value);
/// Replaces each repeated body by its copies NAME/0, NAME/1, ..., x fastest, then y, then z. The
/// original position is a corner of the grid, which extends along +spacing. Every copy, the first
/// included, is displaced by up to +-jitter along x, y and z, drawn from simulation.seed.
void read_repeats(SceneReader& reader, const YamlValue& value);
void read_models(SceneReader& reader, const YamlValue& value);
void read_joints(SceneReader& reader, const YamlValue& value);
void read_couplings(SceneReader& reader, const YamlValue& value);
void read_actuators(SceneReader& reader, const YamlValue& value);
/// {body, motion | force, torque, at | table, at, interpolation}.
void read_body_actuator(SceneReader& reader, const YamlValue& value);

/// The file behind a key, with the map's keys `column` (by default that of the joint's name, or the
/// only one) and `interpolation`.
Trajectory read_trajectory(SceneReader& reader, const MapReader& map, const std::string& key,
                           const std::string& joint, Interpolation usual);
/// The six columns of the map's `table`, as in BodyWrench.
std::vector<Trajectory> read_wrench_table(SceneReader& reader, const MapReader& map);
/// `column` and `interpolation` without the key of their file are slips.
void refuse_keys_of_file(const MapReader& map, const std::string& key);

/// {position, rpy_deg | quat_wxyz}.
Pose read_pose(const YamlValue& value, const std::string& what);

ReadShape read_shape(SceneReader& reader, const YamlValue& value, const std::string& what);

/// {file, scale, collide, parts}: the shapes of a mesh, and the mass distribution of the mesh of
/// `file` where it is closed, else of its hull.
void read_mesh_of_shape(SceneReader& reader, const YamlValue& value, const std::string& what,
                        ReadShape& result);

/// {file, size, scale}, or {noise: {amplitude, cells, wavelength, seed}, size}.
Shape read_height_field(SceneReader& reader, const YamlValue& value, const std::string& what);

/// Mass distribution of a moving body from its keys mass or density, inertia, center_of_mass, and
/// from its shapes for what is not given.
SpatialInertia read_inertia(SceneReader& reader, const MapReader& body,
                            const std::vector<ReadShape>& shapes);

/// Name of a joint of one coordinate, of the scene or as model/joint, in reduced coordinates.
std::string read_scalar_joint(const SceneReader& reader, const YamlValue& value,
                              const std::string& what);

/// One of the names; `also` is allowed too, but not suggested where empty.
std::string read_name(const YamlValue& value, const std::string& what,
                      std::vector<std::string> names, const std::string& also = "");

/// All bodies, and the links of models as model/link.
std::vector<std::string> body_names(const Scene& scene);
std::vector<std::string> material_names(const Scene& scene);

}  // namespace amontons::io
