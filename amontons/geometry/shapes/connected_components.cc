#include "amontons/geometry/shapes/connected_components.h"

#include "amontons/math/disjoint_sets.h"

#include <stdexcept>

namespace amontons {

std::vector<TriangleMesh> connected_components(const TriangleMesh& mesh) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  // Vertices of one triangle belong to one part.
  DisjointSets sets(mesh.vertices.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    for (const int v : {a, b, c}) {
      if (v < 0 || v >= num_vertices) {
        throw std::invalid_argument("mesh: a triangle names a vertex that does not exist");
      }
    }
    sets.join(a, b);
    sets.join(b, c);
  }
  // Parts are numbered by their first triangles; a vertex of no triangle belongs to none.
  std::vector<TriangleMesh> parts;
  std::vector<int> part_of(mesh.vertices.size(), -1), new_index(mesh.vertices.size(), -1);
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    int& part = part_of[at(sets.root(triangle[0]))];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    for (const int v : triangle) new_index[at(v)] = 0;
  }
  // Each part gets its vertices in the order of the mesh, under new numbers.
  for (int v = 0; v < num_vertices; ++v) {
    if (new_index[at(v)] < 0) continue;
    TriangleMesh& part = parts[at(part_of[at(sets.root(v))])];
    new_index[at(v)] = static_cast<int>(part.vertices.size());
    part.vertices.push_back(mesh.vertices[at(v)]);
  }
  // The triangles follow, with the new numbers of their vertices.
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    TriangleMesh& part = parts[at(part_of[at(sets.root(triangle[0]))])];
    part.triangles.push_back(
        {new_index[at(triangle[0])], new_index[at(triangle[1])], new_index[at(triangle[2])]});
  }
  return parts;
}

}  // namespace amontons
