#include "amontons/io/mesh_file.h"

#include "amontons/geometry/point_extent.h"
#include "amontons/io/parse_error.h"
#include "amontons/io/read_file.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

// Coordinates in files are single precision at best, and often six decimal digits.
constexpr double kFileResolution = 1e-6;

double file_resolution(const TriangleMesh& mesh) {
  double largest = 0.0;
  for (const Eigen::Vector3d& v : mesh.vertices) {
    largest = std::max(largest, v.cwiseAbs().maxCoeff());
  }
  return kFileResolution * largest;
}

void check_scale(const Eigen::Vector3d& scale) {
  if (scale.allFinite() && (scale.array() != 0.0).all()) return;
  throw std::invalid_argument("mesh scale must be finite and not zero, is (" +
                              std::to_string(scale.x()) + ", " + std::to_string(scale.y()) + ", " +
                              std::to_string(scale.z()) + ")");
}

// From memory even for a file on disk, so that a mesh kept in a log is read in the same way.
const aiScene& read_scene(const std::string& bytes, const std::string& name,
                          Assimp::Importer& importer) {
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
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

Eigen::Affine3d transform_of(const aiNode& node) {
  const aiMatrix4x4& m = node.mTransformation;
  Eigen::Affine3d transform = Eigen::Affine3d::Identity();
  transform.matrix().topRows<3>() << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2,
      m.c3, m.c4;
  return transform;
}

// Collects triangles and joins equal vertices.
class MeshBuilder {
 public:
  MeshBuilder(const aiScene& scene, std::string file) : scene_(scene), file_(std::move(file)) {}

  void add(const aiNode& node, const Eigen::Affine3d& parent) {
    const Eigen::Affine3d transform = parent * transform_of(node);
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      add(*scene_.mMeshes[node.mMeshes[i]], transform);
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i) add(*node.mChildren[i], transform);
  }

  TriangleMesh take() { return std::move(mesh_); }

 private:
  void add(const aiMesh& mesh, const Eigen::Affine3d& transform) {
    const bool mirrored = transform.linear().determinant() < 0.0;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<int, 3> triangle{};
      for (unsigned k = 0; k < 3; ++k) {
        const aiVector3D& v = mesh.mVertices[face.mIndices[k]];
        triangle[k] = vertex_index(transform * Eigen::Vector3d(v.x, v.y, v.z));
      }
      if (mirrored) std::swap(triangle[1], triangle[2]);
      const auto [a, b, c] = triangle;
      if (a != b && b != c && c != a) mesh_.triangles.push_back(triangle);
    }
  }

  int vertex_index(const Eigen::Vector3d& position) {
    if (!position.allFinite()) {
      throw ParseError(file_, 0, 0, "the mesh has a coordinate that is not finite");
    }
    const int next = static_cast<int>(mesh_.vertices.size());
    const auto [entry, is_new] =
        indices_.try_emplace({position.x(), position.y(), position.z()}, next);
    if (is_new) mesh_.vertices.push_back(position);
    return entry->second;
  }

  const aiScene& scene_;
  std::string file_;
  TriangleMesh mesh_;
  std::map<std::array<double, 3>, int> indices_;
};

}  // namespace

TriangleMesh load_mesh(const std::filesystem::path& file, const Eigen::Vector3d& scale) {
  return parse_mesh(read_file(file), file.string(), scale);
}

TriangleMesh parse_mesh(const std::string& bytes, const std::string& name,
                        const Eigen::Vector3d& scale) {
  check_scale(scale);
  Assimp::Importer importer;
  const aiScene& scene = read_scene(bytes, name, importer);
  MeshBuilder builder(scene, name);
  builder.add(*scene.mRootNode, Eigen::Affine3d(scale.asDiagonal()));
  TriangleMesh mesh = builder.take();
  if (mesh.vertices.empty()) throw ParseError(name, 0, 0, "the mesh has no triangles");
  try {
    measure_extent(mesh.vertices, file_resolution(mesh));
  } catch (const std::invalid_argument& error) {
    throw ParseError(name, 0, 0, std::string("the mesh is no solid: ") + error.what());
  }
  return mesh;
}

MeshReport inspect_mesh(const TriangleMesh& mesh) {
  const double volume = mesh_properties(mesh).volume;
  return {volume, shape_properties(hull_of_mesh(mesh)).volume, is_closed(mesh), volume < 0.0};
}

std::shared_ptr<const ConvexPolyhedron> hull_of_mesh(const TriangleMesh& mesh) {
  return std::make_shared<const ConvexPolyhedron>(
      ConvexPolyhedron::hull_of(mesh.vertices, file_resolution(mesh)));
}

}  // namespace amontons::io
