#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/input_files.h"
#include "amontons/io/import/import_context.h"
#include "amontons/io/import/mesh_shape.h"
#include "amontons/io/scene/model_readings.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/io/scene/scene_format.h"
#include "amontons/io/tables/timed_table.h"
#include "amontons/io/yaml/yaml_map_reader.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the data that the parts of the scene reader share. Each part is one source file and reads
/// one top-level key into the scene.
struct SceneReader {
  Scene scene;
  InputFiles inputs;
  MeshShapes& meshes;
  WorldSettings world = {};                   ///< settings of the models' files for the whole scene
  MeshChoices collide = {};                   ///< how meshes collide, by keys of the scene
  ModelVisuals* visuals = nullptr;            ///< receives what the models' files draw
  std::vector<std::string> bodies_read = {};  ///< names of bodies ahead of `repeat`, and of links
  ModelReadings readings = {};                ///< of the models' files

  /// Adds a line to the scene's ledger.
  void note(ImportFate fate, const std::string& element, const std::string& reason,
            const SourceLocation& where) {
    scene.ledger.add(fate, element, reason, where);
  }
};

/// Holds a shape and its mass distribution for unit density [kg/m^3] in its own frame, where it has
/// one.
struct ReadShape {
  SceneShape scene_shape;
  std::vector<Shape> more_parts;         ///< further parts of a mesh that is given as parts
  std::optional<SolidProperties> solid;  ///< mass distribution of all parts together
  SourceLocation where;
};

// Each of these reads one top-level key of the scene. They are called in the order in which the
// parts refer to each other (scene_file.cc).
void read_simulation(SceneReader& reader, const YamlValue& value);
void read_output(SceneReader& reader, const YamlValue& value);
void read_materials(SceneReader& reader, const YamlValue& value);
void read_bodies(SceneReader& reader, const YamlValue& value);
/// Replaces each repeated body by its copies NAME/0, NAME/1, ..., x fastest, then y, then z. The
/// original position is a corner of the grid, which extends along +spacing [m]. Every copy, the
/// first included, is displaced by up to +-jitter [m] along x, y and z, drawn from simulation.seed.
void read_repeats(SceneReader& reader, const YamlValue& value);
void read_models(SceneReader& reader, const YamlValue& value);
/// Reads `joints` and `links` of an item of `models`: numbers in place of those of its file. In a
/// file of several models the names are "model/joint" and "model/link".
/// @param name    the item's name.
/// @param models  those of its file, which change.
void read_model_parts(SceneReader& reader, const MapReader& map, const std::string& name,
                      std::vector<SceneModel>& models);
/// Reads `collide`: a word, or a map from names to words.
void read_collide(const YamlValue& value, const std::string& what,
                  ValuesByName<MeshCollision>& choices);
/// Reads `max_hull_vertices`: a number of vertices, or a map from names to numbers.
void read_vertex_limits(const YamlValue& value, const std::string& what, ValuesByName<int>& limits);
/// Reads `collision_filters`, when all bodies, models and joints are known.
void read_collision_filters(SceneReader& reader, const YamlValue& value);
void read_joints(SceneReader& reader, const YamlValue& value);
void read_couplings(SceneReader& reader, const YamlValue& value);
void read_frames(SceneReader& reader, const YamlValue& value);
void read_actuators(SceneReader& reader, const YamlValue& value);
/// Reads an actuator of a body: {body, motion | force, torque, at | table, at, interpolation}.
void read_body_actuator(SceneReader& reader, const YamlValue& value);

/// Reads the control of a muscle of a model: {muscle, control}.
void read_muscle_actuator(SceneReader& reader, const YamlValue& value);

/// Reads the column of the file behind a key that the map's key `column` chooses; by default it is
/// that of `name`, or the only one.
TimedColumn read_timed_column(SceneReader& reader, const MapReader& map, const std::string& key,
                              const std::string& name);
/// Reads the file behind a key as a trajectory. The map's key `column` chooses a column; by default
/// it is that of the joint's name, or the only one. The map's key `interpolation` overrides
/// `usual`.
Trajectory read_trajectory(SceneReader& reader, const MapReader& map, const std::string& key,
                           const std::string& joint, Interpolation usual);
/// Reads the six columns of the map's `table`, in the order of BodyWrench.
std::vector<Trajectory> read_wrench_table(SceneReader& reader, const MapReader& map);
/// Refuses `column` and `interpolation` without the key of the file to which they belong.
/// @throws ParseError at the superfluous key.
void refuse_keys_of_file(const MapReader& map, const std::string& key);

/// Reads a pose {position [m], rpy_deg [degrees] | quat_wxyz}.
Pose read_pose(const YamlValue& value, const std::string& what);

/// Reads one item of `shapes`: its kind and size, its material and its pose in the body.
/// @param collide  how meshes of the body collide.
ReadShape read_shape(SceneReader& reader, const YamlValue& value, const std::string& what,
                     const MeshChoice& collide);

/// Returns how the meshes of a body or shape collide, by its keys `collide` and
/// `max_hull_vertices`.
/// @param otherwise  how they collide without these keys.
MeshChoice read_mesh_choice(const MapReader& map, const MeshChoice& otherwise);

/// Reads {file, scale, collide, max_hull_vertices, parts}: the shapes of a mesh and its mass
/// distribution. The mass distribution is that of the mesh of `file` where it is closed, else of
/// its hull.
/// @param otherwise  how it collides without keys of its own.
void read_mesh_of_shape(SceneReader& reader, const YamlValue& value, const std::string& what,
                        const MeshChoice& otherwise, ReadShape& result);

/// Reads a height field: {file, size, scale}, or {noise: {amplitude, cells, wavelength, seed},
/// size}.
Shape read_height_field(SceneReader& reader, const YamlValue& value, const std::string& what);

/// Reads the key `inertia` about the center of mass [kg m^2]: three moments, or these and three
/// products. Of `otherwise` are the numbers beside single ones that overrides set.
/// @throws ParseError for an inertia that no body has.
Eigen::Matrix3d read_inertia_matrix(const MapReader& map, const Eigen::Matrix3d& otherwise);

/// Returns the mass distribution of a moving body from its keys mass or density, inertia,
/// center_of_mass. Whatever these keys do not give follows from the body's shapes.
SpatialInertia read_inertia(SceneReader& reader, const MapReader& body,
                            const std::vector<ReadShape>& shapes);

/// Reads the name of a joint of one coordinate, or of a tendon: of a model as model/joint.
/// @throws ParseError if there is no such joint, or if it has several coordinates or none.
std::string read_scalar_joint(const SceneReader& reader, const YamlValue& value,
                              const std::string& what);

/// Reads one of the names. The name `also` is allowed too, unless it is empty.
/// @throws ParseError with the nearest name for any other.
std::string read_name(const YamlValue& value, const std::string& what,
                      std::vector<std::string> names, const std::string& also = "");

/// Reads a body, a link, or a frame of a model, of which X_BF receives the pose in its link.
std::string read_body_or_frame(const SceneReader& reader, const YamlValue& value,
                               const std::string& what, const std::string& also, Pose& X_BF);
/// Returns the names of all bodies, and the links of models as model/link.
std::vector<std::string> body_names(const Scene& scene);
/// Returns the names of all materials.
std::vector<std::string> material_names(const Scene& scene);

}  // namespace amontons::io
