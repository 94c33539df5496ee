#include "amontons/io/mesh/visual_mesh.h"

#include "amontons/io/common/file_ending.h"
#include "amontons/io/mesh/assimp_file.h"
#include "amontons/io/mesh/assimp_limits.h"
#include "amontons/io/mesh/file_mesh.h"

#include <assimp/Importer.hpp>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

/// Gathers triangles by color, each vertex once.
class MeshesByColor {
 public:
  using Vertex = std::array<float, 3>;
  using Color = std::optional<std::array<float, 4>>;

  /// Adds a triangle.
  void add(const Color& color, const std::array<Vertex, 3>& corners) {
    Part& part = parts_[color];
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const int next = static_cast<int>(part.mesh.vertices.size() / 3);
      const auto [place, is_new] = part.index.try_emplace(corners[k], next);
      if (is_new) {
        part.mesh.vertices.insert(part.mesh.vertices.end(), corners[k].begin(), corners[k].end());
      }
      triangle[k] = place->second;
    }
    part.mesh.triangles.insert(part.mesh.triangles.end(), triangle.begin(), triangle.end());
  }

  /// Returns the meshes, ordered by color.
  std::vector<VisualMesh> take() {
    std::vector<VisualMesh> meshes;
    for (auto& [color, part] : parts_) {
      part.mesh.color = color;
      meshes.push_back(std::move(part.mesh));
    }
    return meshes;
  }

 private:
  struct Part {
    VisualMesh mesh;
    std::map<Vertex, int> index;
  };
  std::map<Color, Part> parts_;
};

/// Adds the triangles of a format without colors.
void add_file_mesh(const FileMesh& file, MeshesByColor& meshes) {
  const auto vertex = [&](int index) {
    const Eigen::Vector3f v = file.mesh.vertices[static_cast<std::size_t>(index)].cast<float>();
    return MeshesByColor::Vertex{v.x(), v.y(), v.z()};
  };
  for (const auto& [a, b, c] : file.mesh.triangles) {
    meshes.add(std::nullopt, {vertex(a), vertex(b), vertex(c)});
  }
}

/// Returns the color of a material; none for the one that assimp makes where a file has none.
MeshesByColor::Color color_of(const aiMaterial& material) {
  aiString name;
  if (material.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS &&
      std::string_view(name.C_Str()) == AI_DEFAULT_MATERIAL_NAME) {
    return std::nullopt;
  }
  aiColor4D color;
  if (material.Get(AI_MATKEY_BASE_COLOR, color) != aiReturn_SUCCESS &&
      material.Get(AI_MATKEY_COLOR_DIFFUSE, color) != aiReturn_SUCCESS) {
    return std::nullopt;
  }
  const auto bounded = [](float value) { return std::clamp(value, 0.0F, 1.0F); };
  return std::array<float, 4>{bounded(color.r), bounded(color.g), bounded(color.b), 1.0F};
}

/// Adds the meshes of a node and of all nodes below it, in the frame of the root.
void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent,
              MeshesByColor& meshes) {
  const aiMatrix4x4 transform = parent * node.mTransformation;
  // A mirroring transform reverses the orientation of the triangles.
  const bool mirrored = aiMatrix3x3(transform).Determinant() < 0.0F;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[i]];
    const MeshesByColor::Color color = color_of(*scene.mMaterials[mesh.mMaterialIndex]);
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<MeshesByColor::Vertex, 3> corners{};
      for (unsigned k = 0; k < 3; ++k) {
        const aiVector3D v = transform * mesh.mVertices[face.mIndices[k]];
        corners[mirrored ? 2 - k : k] = {v.x, v.y, v.z};
      }
      meshes.add(color, corners);
    }
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) {
    add_node(scene, *node.mChildren[i], transform, meshes);
  }
}

/// Returns the names in the lines "mtllib NAME" of an OBJ file.
std::vector<std::string> material_files(const std::string& bytes) {
  std::vector<std::string> names;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("mtllib ")) continue;
    const std::size_t first = line.find_first_not_of(" \t", 7);
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (first != std::string::npos && last >= first) {
      names.push_back(line.substr(first, last - first + 1));
    }
  }
  return names;
}

/// Returns the names of the buffers of a glTF file that lie in files of their own.
std::vector<std::string> buffer_files(const std::string& bytes) {
  std::vector<std::string> names;
  const auto document = nlohmann::json::parse(bytes, nullptr, false);
  if (!document.is_object() || !document.contains("buffers")) return names;
  for (const nlohmann::json& buffer : document["buffers"]) {
    if (!buffer.is_object() || !buffer.contains("uri") || !buffer["uri"].is_string()) continue;
    const auto uri = buffer["uri"].get<std::string>();
    if (!uri.starts_with("data:")) names.push_back(uri);
  }
  return names;
}

}  // namespace

std::vector<std::string> files_of_mesh(const std::string& name, const std::string& bytes) {
  if (file_ending(name) == ".obj") return material_files(bytes);
  if (file_ending(name) == ".gltf") return buffer_files(bytes);
  return {};
}

std::vector<VisualMesh> read_visual_meshes(const std::string& name,
                                           const std::map<std::string, std::string>& files) {
  const std::string& bytes = files.at(name);
  const std::string format = file_ending(name);
  MeshesByColor meshes;
  // Formats without colors are read as those that collide.
  if (format == ".stl") {
    add_file_mesh(read_stl(bytes, name), meshes);
  } else if (format == ".ply") {
    add_file_mesh(read_ply(bytes, name), meshes);
  } else if (format == ".msh") {
    add_file_mesh(read_msh(bytes, name), meshes);
  } else {
    check_before_assimp(bytes, name);
    Assimp::Importer importer;
    const aiScene& scene = read_assimp_file(name, files, importer);
    check_after_assimp(scene, name);
    add_node(scene, *scene.mRootNode, aiMatrix4x4(), meshes);
  }
  return meshes.take();
}

}  // namespace amontons::io
