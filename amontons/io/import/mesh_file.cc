#include "amontons/io/import/mesh_file.h"

#include "amontons/geometry/shapes/point_extent.h"
#include "amontons/geometry/shapes/weld_vertices.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/read_file.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

// Relative resolution of coordinates: files have single precision at best, and often six digits.
constexpr double kFileResolution = 1e-6;

// Relative distance within which vertices are joined: seams differ by rounding to single precision.
constexpr double kSingleRounding = 0x1p-22;

/// Returns the largest magnitude of a coordinate [m].
double largest_coordinate(const TriangleMesh& mesh) {
  double largest = 0.0;
  for (const Eigen::Vector3d& v : mesh.vertices) {
    largest = std::max(largest, v.cwiseAbs().maxCoeff());
  }
  return largest;
}

/// Refuses a scale that is not finite or zero.
void check_scale(const Eigen::Vector3d& scale) {
  if (scale.allFinite() && (scale.array() != 0.0).all()) return;
  throw std::invalid_argument("mesh scale must be finite and not zero, is (" +
                              std::to_string(scale.x()) + ", " + std::to_string(scale.y()) + ", " +
                              std::to_string(scale.z()) + ")");
}

/// Imports a mesh with assimp. It reads from memory even for a file on disk, so that a mesh kept in
/// a log is read in the same way.
const aiScene& read_scene(const std::string& bytes, const std::string& name,
                          Assimp::Importer& importer) {
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // Points and lines are removed, so that only polygons remain to be cut into triangles.
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  std::string format = std::filesystem::path(name).extension().string();
  if (!format.empty()) format.erase(0, 1);
  for (char& c : format) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const aiScene* scene = importer.ReadFileFromMemory(
      bytes.data(), bytes.size(), aiProcess_Triangulate | aiProcess_SortByPType, format.c_str());
  if (scene == nullptr || scene->mRootNode == nullptr) {
    throw ParseError(name, 0, 0,
                     std::string("cannot be read as a mesh: ") + importer.GetErrorString());
  }
  return *scene;
}

/// Returns the transform from a node's frame to that of its parent.
Eigen::Affine3d transform_of(const aiNode& node) {
  const aiMatrix4x4& m = node.mTransformation;
  Eigen::Affine3d transform = Eigen::Affine3d::Identity();
  transform.matrix().topRows<3>() << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2,
      m.c3, m.c4;
  return transform;
}

/// Appends a mesh of the file, transformed to the root frame and scaled.
void add_mesh(const aiMesh& mesh, const Eigen::Affine3d& transform, TriangleMesh& result) {
  const int first = static_cast<int>(result.vertices.size());
  for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
    const aiVector3D& v = mesh.mVertices[i];
    result.vertices.push_back(transform * Eigen::Vector3d(v.x, v.y, v.z));
  }
  // A mirroring transform reverses the orientation of the triangles.
  const bool mirrored = transform.linear().determinant() < 0.0;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;  // points and lines
    std::array<int, 3> triangle{};
    for (unsigned k = 0; k < 3; ++k) triangle[k] = first + static_cast<int>(face.mIndices[k]);
    if (mirrored) std::swap(triangle[1], triangle[2]);
    result.triangles.push_back(triangle);
  }
}

/// Appends the meshes of a node and of all nodes below it.
void add_node(const aiScene& scene, const aiNode& node, const Eigen::Affine3d& parent,
              TriangleMesh& result) {
  const Eigen::Affine3d transform = parent * transform_of(node);
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    add_mesh(*scene.mMeshes[node.mMeshes[i]], transform, result);
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) {
    add_node(scene, *node.mChildren[i], transform, result);
  }
}

}  // namespace

TriangleMesh load_mesh(const std::filesystem::path& file, const Eigen::Vector3d& scale) {
  return parse_mesh(read_file(file), file.string(), scale);
}

TriangleMesh parse_mesh(const std::string& bytes, const std::string& name,
                        const Eigen::Vector3d& scale) {
  check_scale(scale);
  Assimp::Importer importer;
  const aiScene& scene = read_scene(bytes, name, importer);
  TriangleMesh mesh;
  add_node(scene, *scene.mRootNode, Eigen::Affine3d(scale.asDiagonal()), mesh);
  if (mesh.triangles.empty()) throw ParseError(name, 0, 0, "the mesh has no triangles");
  // Flat or degenerate meshes have no hull and no mass.
  try {
    measure_extent(mesh.vertices, flatness_of_mesh(mesh));
  } catch (const std::invalid_argument& error) {
    throw ParseError(name, 0, 0, std::string("the mesh is no solid: ") + error.what());
  }
  // Joining vertices can drop the last triangles.
  mesh = weld_vertices(mesh, kSingleRounding * largest_coordinate(mesh));
  if (mesh.triangles.empty()) throw ParseError(name, 0, 0, "the mesh has no triangles");
  return mesh;
}

double flatness_of_mesh(const TriangleMesh& mesh) {
  return kFileResolution * largest_coordinate(mesh);
}

MeshReport inspect_mesh(const TriangleMesh& mesh) {
  const double volume = mesh_properties(mesh).volume;
  return {volume, shape_properties(hull_of_mesh(mesh)).volume, is_closed(mesh), volume < 0.0};
}

std::shared_ptr<const ConvexPolyhedron> hull_of_mesh(const TriangleMesh& mesh) {
  return std::make_shared<const ConvexPolyhedron>(
      ConvexPolyhedron::hull_of(mesh.vertices, flatness_of_mesh(mesh)));
}

}  // namespace amontons::io
