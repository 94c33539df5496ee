#include "amontons/io/replay/thin_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace amontons::io {
namespace {

constexpr int kFinestGrid = 1024;

/// Returns the mesh on a grid of so many cells along its longest side.
VisualMesh on_grid(const VisualMesh& mesh, int num_cells) {
  // The box of the mesh decides the size of a cell.
  std::array<float, 3> low{}, high{};
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    low[i % 3] = i < 3 ? mesh.vertices[i] : std::min(low[i % 3], mesh.vertices[i]);
    high[i % 3] = i < 3 ? mesh.vertices[i] : std::max(high[i % 3], mesh.vertices[i]);
  }
  float side = 0.0F;
  for (std::size_t k = 0; k < 3; ++k) side = std::max(side, high[k] - low[k]);
  const float cell = side / static_cast<float>(num_cells);
  // Each cell with a vertex becomes one vertex, at the mean of those in it.
  std::map<std::array<int, 3>, int> index_of_cell;
  std::vector<int> index;
  std::vector<double> sums, counts;
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
    std::array<int, 3> key{};
    for (std::size_t k = 0; k < 3; ++k) {
      const float place = cell > 0.0F ? (mesh.vertices[v + k] - low[k]) / cell : 0.0F;
      key[k] = std::min(num_cells - 1, static_cast<int>(place));
    }
    const auto [found, is_new] = index_of_cell.try_emplace(key, static_cast<int>(counts.size()));
    if (is_new) {
      counts.push_back(0.0);
      sums.insert(sums.end(), {0.0, 0.0, 0.0});
    }
    const auto at = static_cast<std::size_t>(found->second);
    ++counts[at];
    for (std::size_t k = 0; k < 3; ++k)
      sums[3 * at + k] += static_cast<double>(mesh.vertices[v + k]);
    index.push_back(found->second);
  }
  VisualMesh result;
  result.color = mesh.color;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.vertices.push_back(static_cast<float>(sums[i] / counts[i / 3]));
  }
  // A triangle needs three cells, and counts once.
  std::set<std::array<int, 3>> seen;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    std::array<int, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      corners[k] = index[static_cast<std::size_t>(mesh.triangles[t + k])];
    }
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    std::array<int, 3> rotated = corners;
    std::rotate(rotated.begin(), std::min_element(rotated.begin(), rotated.end()), rotated.end());
    if (!seen.insert(rotated).second) continue;
    result.triangles.insert(result.triangles.end(), corners.begin(), corners.end());
  }
  return result;
}

}  // namespace

void thin_mesh(VisualMesh& mesh, std::size_t most_triangles) {
  if (mesh.triangles.size() / 3 <= most_triangles) return;
  // Bisection for the finest grid: ten halvings of 1 to 1024 cells.
  VisualMesh best = on_grid(mesh, 1);
  int coarse = 1, fine = kFinestGrid + 1;
  while (fine - coarse > 1) {
    const int middle = (coarse + fine) / 2;
    VisualMesh thinned = on_grid(mesh, middle);
    if (thinned.triangles.size() / 3 <= most_triangles) {
      coarse = middle;
      best = std::move(thinned);
    } else {
      fine = middle;
    }
  }
  mesh = std::move(best);
}

}  // namespace amontons::io
