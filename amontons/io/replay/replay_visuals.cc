#include "amontons/io/replay/replay_visuals.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/mesh/visual_mesh.h"
#include "amontons/io/replay/replay_shapes.h"
#include "amontons/io/replay/thin_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace amontons::io {
namespace {

/// Bounds the triangles of all visual meshes of a page.
constexpr std::size_t kMostTriangles = 150'000;

/// Returns red, green and blue of a color.
std::optional<std::array<float, 3>> opaque(const std::optional<Rgba>& color) {
  if (!color) return std::nullopt;
  return std::array<float, 3>{(*color)[0], (*color)[1], (*color)[2]};
}

/// Holds the meshes of all files, each read once.
class Meshes {
 public:
  explicit Meshes(const ModelVisuals& visuals) {
    for (const ModelVisual& part : visuals.parts) {
      if (part.shape || meshes_.count(part.mesh) > 0) continue;
      std::vector<VisualMesh>& read = meshes_[part.mesh];
      try {
        read = read_visual_meshes(part.mesh, visuals.files);
      } catch (const ParseError&) {
        unreadable_.insert(part.mesh);
      }
      for (const VisualMesh& mesh : read) total_ += mesh.triangles.size() / 3;
    }
    left_ = total_;
    if (total_ > kMostTriangles) thin_all();
  }

  const std::vector<VisualMesh>& of(const std::string& file) const { return meshes_.at(file); }
  const std::set<std::string>& unreadable() const { return unreadable_; }

  /// Returns what was left out for the size of the page, or nothing.
  std::string text() const {
    if (left_ == total_) return "";
    return "visual meshes have " + std::to_string(left_) + " of their " + std::to_string(total_) +
           " triangles";
  }

 private:
  /// Leaves each mesh the same share of its triangles.
  void thin_all() {
    const double share = static_cast<double>(kMostTriangles) / static_cast<double>(total_);
    left_ = 0;
    for (auto& [file, meshes] : meshes_) {
      for (VisualMesh& mesh : meshes) {
        const double count = static_cast<double>(mesh.triangles.size() / 3);
        thin_mesh(mesh, static_cast<std::size_t>(std::ceil(share * count)));
        left_ += mesh.triangles.size() / 3;
      }
    }
  }

  std::map<std::string, std::vector<VisualMesh>> meshes_;
  std::set<std::string> unreadable_;
  std::size_t total_ = 0, left_ = 0;
};

/// Adds the meshes of a file to a body, scaled.
void add_meshes(const ModelVisual& part, const std::vector<VisualMesh>& meshes, ReplayBody& body) {
  for (const VisualMesh& mesh : meshes) {
    if (mesh.triangles.empty()) continue;
    ReplayShape shape;
    shape.type = "mesh";
    shape.is_visual = true;
    shape.X_BG = part.X_LV;
    shape.color = opaque(part.color ? part.color : mesh.color);
    shape.vertices = mesh.vertices;
    for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
      shape.vertices[i] *= static_cast<float>(part.scale[static_cast<Eigen::Index>(i % 3)]);
    }
    shape.triangles = mesh.triangles;
    // A mirroring scale reverses the orientation of the triangles.
    for (std::size_t t = 0; part.scale.prod() < 0.0 && t < shape.triangles.size(); t += 3) {
      std::swap(shape.triangles[t + 1], shape.triangles[t + 2]);
    }
    const bool finite = std::all_of(shape.vertices.begin(), shape.vertices.end(),
                                    [](float x) { return std::isfinite(x); });
    if (finite) body.shapes.push_back(std::move(shape));
  }
}

}  // namespace

std::vector<std::string> add_visuals(const ModelVisuals& visuals, std::vector<ReplayBody>& bodies) {
  const Meshes meshes(visuals);
  std::map<std::string, std::size_t> index;
  for (std::size_t b = 0; b < bodies.size(); ++b) index.emplace(bodies[b].name, b);
  for (const ModelVisual& part : visuals.parts) {
    const auto found = index.find(part.link);
    if (found == index.end() || (part.color && part.color->back() == 0.0F)) continue;
    ReplayBody& body = bodies[found->second];
    if (!part.shape) {
      add_meshes(part, meshes.of(part.mesh), body);
      continue;
    }
    ReplayShape shape = replay_shape(*part.shape, part.X_LV);
    shape.is_visual = true;
    shape.color = opaque(part.color);
    body.shapes.push_back(std::move(shape));
  }
  // What the page does not show as its files do.
  std::vector<std::string> lines;
  const std::size_t num_missing = visuals.missing.size() + meshes.unreadable().size();
  if (num_missing > 0) {
    const std::string& first =
        visuals.missing.empty() ? *meshes.unreadable().begin() : visuals.missing.front();
    lines.push_back("visual meshes that cannot be read: " + std::to_string(num_missing) +
                    ", the first is " + first);
  }
  if (const std::string text = meshes.text(); !text.empty()) lines.push_back(text);
  return lines;
}

}  // namespace amontons::io
