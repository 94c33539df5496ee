#include "amontons/io/mesh_shape.h"

#include "amontons/io/parse_error.h"
#include "amontons/io/parse_number.h"
#include "amontons/io/yaml_reader.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace amontons::io {
namespace {

/// True if the surface has no holes, but neighbors disagree which side is outside: some faces are
/// flipped.
bool has_flipped_faces(const TriangleMesh& mesh) {
  // By undirected edge: how many triangles run along it upwards, and how many downwards.
  std::map<std::pair<int, int>, std::array<int, 2>> edges;
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int tail = triangle[k], head = triangle[(k + 1) % 3];
      ++edges[std::minmax(tail, head)][tail < head ? 0 : 1];
    }
  }
  bool flipped = false;
  for (const auto& [edge, runs] : edges) {
    if (runs[0] + runs[1] != 2) return false;
    flipped = flipped || runs[0] != 1;
  }
  return flipped;
}

MeshShape to_mesh_shape(TriangleMesh mesh) {
  MeshShape shape;
  if (mesh.triangles.empty()) mesh = triangulate(*hull_of_mesh(mesh));
  shape.hull = hull_of_mesh(mesh);
  shape.report = inspect_mesh(mesh);
  if (shape.report.inverted) {
    throw std::invalid_argument(
        "its faces point inwards (negative volume); flip its normals, or mirror it with a negative "
        "scale");
  }
  if (!shape.report.closed && has_flipped_faces(mesh)) {
    throw std::invalid_argument(
        "some of its faces point inwards; make all normals point outwards in a mesh editor");
  }
  shape.solid = shape.report.closed ? mesh_properties(mesh) : shape_properties(shape.hull);
  return shape;
}

}  // namespace

template <typename Read>
const MeshShape& MeshShapes::make_once(const std::pair<std::string, std::string>& key, Read read,
                                       const SourceLocation& where) {
  const auto known = shapes_.find(key);
  if (known != shapes_.end()) return known->second;
  const std::string what = "mesh '" + key.first + "': ";
  try {
    return shapes_.emplace(key, to_mesh_shape(read())).first->second;
  } catch (const ParseError& error) {
    fail_at(where, what + error.message());
  } catch (const std::invalid_argument& error) {
    fail_at(where, what + error.what());
  }
}

const MeshShape& MeshShapes::make(const std::string& name, const std::string& bytes,
                                  const Eigen::Vector3d& scale, const SourceLocation& where) {
  const std::string scale_text =
      shortest_text(scale.x()) + " " + shortest_text(scale.y()) + " " + shortest_text(scale.z());
  return make_once(
      {name, scale_text}, [&] { return parse_mesh(bytes, name, scale); }, where);
}

const MeshShape& MeshShapes::make(const std::string& name, const TriangleMesh& mesh,
                                  const SourceLocation& where) {
  return make_once(
      {name, "as given"}, [&] { return mesh; }, where);
}

void note_mesh(ImportLedger& ledger, const MeshShape& shape, const std::string& element,
               const SourceLocation& where) {
  if (!shape.report.closed) {
    ledger.add(ImportFate::Approximated, element,
               "the mesh is not closed; its convex hull stands for it", where);
    return;
  }
  const double ratio = shape.report.hull_volume / shape.report.mesh_volume;
  if (std::abs(ratio - 1.0) <= 1e-6) {
    ledger.add(ImportFate::Applied, element, "", where);
    return;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.7g", ratio);
  ledger.add(ImportFate::Approximated, element,
             std::string("collides as its convex hull (hull/mesh volume ") + text.data() + ")",
             where);
}

}  // namespace amontons::io
