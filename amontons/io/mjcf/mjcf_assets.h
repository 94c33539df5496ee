#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/mjcf/mjcf_reader.h"

#include <Eigen/Core>

#include <optional>
#include <string>

namespace amontons::io {

// Meshes and height fields of <asset>, and the shapes that geoms make of them.

/// Returns the name of an asset, or else that of its file without the extension.
std::string name_of_mjcf_asset(const tinyxml2::XMLElement& asset);
/// Lists the meshes and height fields by name; they are loaded where a geom needs them.
void list_mjcf_assets(MjcfReader& reader);

/// Loads the asset that a geom names. @throws ParseError if it is missing or cannot be read.
/// @param link  "model/link", of which the scene may say how its meshes collide.
/// @param forced  how it collides in any case, if given.
MjcfShape load_mjcf_mesh(MjcfReader& reader, const MjcfElement& geom, const std::string& link,
                         std::optional<MeshCollision> forced = {});
/// Loads the mesh of a geom of type `sdf`, which collides as the mesh itself. Where a plugin gives
/// the distances there is nothing to collide, which is a finding.
MjcfShape load_mjcf_sdf(MjcfReader& reader, const MjcfElement& geom, const std::string& link);
/// Returns the <mesh> that a geom names. @throws ParseError if there is none.
MjcfElement find_mjcf_mesh(MjcfReader& reader, const MjcfElement& geom);
/// Reads the triangles of a <mesh>, scaled, in the frame of its shape (MjcfShape::X_GS): that of
/// the file, or that of the geom where no rigid pose leads from one to the other. There are none of
/// a mesh that consists of points.
TriangleMesh read_mjcf_triangles(MjcfReader& reader, const MjcfElement& mesh,
                                 const Eigen::Vector3d& scale);
/// Gives the shape of a <mesh> the mass distribution that its attribute `inertia` asks for: that of
/// its hull, or of its surface.
void apply_mjcf_mesh_inertia(MjcfReader& reader, const MjcfElement& mesh,
                             const Eigen::Vector3d& scale, MjcfShape& shape);
/// Returns the solid that MuJoCo's legacy inertia makes of the mesh that a geom names, where the
/// file does not ask for another one.
std::optional<MjcfLegacySolid> legacy_mjcf_solid(MjcfReader& reader, const MjcfElement& geom);
/// Holds the volumes by which MuJoCo's legacy inertia weighs a geom [m^3].
struct MjcfLegacyVolume {
  double now = 0.0;     ///< concave meshes weigh too much
  double before = 0.0;  ///< before version 3.0.1: that of the box with its moments of inertia
};
/// Returns the volumes of a geom that has a mesh or is fitted to one; nothing where the legacy
/// inertia does not count.
std::optional<MjcfLegacyVolume> legacy_mjcf_volume(MjcfReader& reader, const MjcfElement& geom,
                                                   const std::string& type);
/// Fits a primitive shape to the mesh that a geom names: with the same moments of inertia, or
/// around its middle (compiler fitaabb). @throws ParseError for a mesh without volume.
MjcfShape fit_mjcf_shape(MjcfReader& reader, const MjcfElement& geom, const std::string& type);
/// Returns the center of mass with the principal axes of an inertia, the largest moment along x.
/// @param moment  about the center [kg m^2].
/// @param moments  receives the principal moments, the largest first.
Pose mjcf_principal_frame(const Eigen::Vector3d& center, const Eigen::Matrix3d& moment,
                          Eigen::Vector3d& moments);
Shape load_mjcf_height_field(MjcfReader& reader, const MjcfElement& geom);

/// Returns false for a <mesh> whose file is not there.
bool has_mjcf_mesh_file(const MjcfReader& reader, const MjcfElement& mesh);
/// Adds the mesh file of a geom to the visuals of the scene, in the frame X_BP.
void add_mjcf_mesh_visual(MjcfReader& reader, const MjcfElement& geom, const Pose& X_BP,
                          ModelVisual part);

}  // namespace amontons::io
