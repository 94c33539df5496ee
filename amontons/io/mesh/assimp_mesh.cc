#include "amontons/io/common/parse_error.h"
#include "amontons/io/mesh/assimp_file.h"
#include "amontons/io/mesh/assimp_limits.h"
#include "amontons/io/mesh/file_mesh.h"
#include "amontons/math/nearest_name.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <assimp/Importer.hpp>
#include <assimp/scene.h>

#include <utility>
#include <vector>

namespace amontons::io {
namespace {

/// Returns the transform from a node's frame to that of its parent.
Eigen::Affine3d transform_of(const aiNode& node) {
  const aiMatrix4x4& m = node.mTransformation;
  Eigen::Affine3d transform = Eigen::Affine3d::Identity();
  transform.matrix().topRows<3>() << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2,
      m.c3, m.c4;
  return transform;
}

/// Appends a mesh of the file, transformed to the root frame.
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

/// Collects the triangles of a file, or of a part of it.
struct Collected {
  const aiScene& scene;
  std::string part;  // empty: all parts
  TriangleMesh mesh;
  std::vector<std::string> names;  // of all parts that have triangles
};

/// Appends the meshes of a node and of all nodes below it.
void add_node(const aiNode& node, const Eigen::Affine3d& parent, Collected& result) {
  const Eigen::Affine3d transform = parent * transform_of(node);
  const std::string name = node.mName.C_Str();
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& mesh = *result.scene.mMeshes[node.mMeshes[i]];
    result.names.push_back(name);
    const bool is_part =
        result.part.empty() || result.part == name || result.part == mesh.mName.C_Str();
    if (is_part) add_mesh(mesh, transform, result.mesh);
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) {
    add_node(*node.mChildren[i], transform, result);
  }
}

}  // namespace

FileMesh read_with_assimp(const std::string& bytes, const std::string& name,
                          const std::string& part) {
  check_before_assimp(bytes, name);
  Assimp::Importer importer;
  // Materials and buffers in other files do not matter here.
  const aiScene& scene = read_assimp_file(name, {{name, bytes}}, importer);
  check_after_assimp(scene, name);
  Collected collected{scene, part, {}, {}};
  add_node(*scene.mRootNode, Eigen::Affine3d::Identity(), collected);
  if (!part.empty() && collected.mesh.triangles.empty()) {
    throw ParseError(name, 0, 0,
                     "has no part '" + part + "'" + did_you_mean(part, collected.names));
  }
  FileMesh result;
  result.mesh = std::move(collected.mesh);
  return result;
}

}  // namespace amontons::io
