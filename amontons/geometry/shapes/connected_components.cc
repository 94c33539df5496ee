#include "amontons/geometry/shapes/connected_components.h"

#include "amontons/math/disjoint_sets.h"

#include <stdexcept>

namespace amontons {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<int> parts_of_vertices(const TriangleMesh& mesh) {
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
  // Parts are numbered by their first triangles.
  int num_parts = 0;
  std::vector<int> number_of(mesh.vertices.size(), -1), part_of(mesh.vertices.size(), -1);
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    int& number = number_of[at(sets.root(triangle[0]))];
    if (number < 0) number = num_parts++;
    for (const int v : triangle) part_of[at(v)] = number;
  }
  return part_of;
}

std::vector<TriangleMesh> connected_components(const TriangleMesh& mesh) {
  const std::vector<int> part_of = parts_of_vertices(mesh);
  std::vector<TriangleMesh> parts;
  for (const int part : part_of) {
    if (part >= static_cast<int>(parts.size())) parts.resize(at(part) + 1);
  }
  // Each part gets its vertices in the order of the mesh, under new numbers.
  std::vector<int> new_index(mesh.vertices.size(), -1);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (part_of[v] < 0) continue;
    TriangleMesh& part = parts[at(part_of[v])];
    new_index[v] = static_cast<int>(part.vertices.size());
    part.vertices.push_back(mesh.vertices[v]);
  }
  // The triangles follow, with the new numbers of their vertices.
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    parts[at(part_of[at(triangle[0])])].triangles.push_back(
        {new_index[at(triangle[0])], new_index[at(triangle[1])], new_index[at(triangle[2])]});
  }
  return parts;
}

}  // namespace amontons
