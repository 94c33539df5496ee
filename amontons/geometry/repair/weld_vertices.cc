#include "amontons/geometry/repair/weld_vertices.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace amontons {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Finds the vertices kept so far by the cell of a grid in which they lie.
class WeldGrid {
 public:
  /// Chooses cells so wide that a neighbor within the tolerance lies in one of at most eight of
  /// them.
  explicit WeldGrid(double tolerance) : tolerance_(tolerance), cell_size_(4.0 * tolerance) {}

  /// Returns the index of a vertex kept earlier within the tolerance of p, or -1.
  int find(const std::vector<Eigen::Vector3d>& vertices, const Eigen::Vector3d& p) const {
    // The eight corners around p name all cells in question; several corners may share a cell.
    int found = -1;
    for (int corner = 0; corner < 8; ++corner) {
      const Eigen::Array3d side(corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0,
                                corner & 4 ? 1.0 : -1.0);
      const auto [begin, end] = cells_.equal_range(key_of(cell_of(p.array() + tolerance_ * side)));
      for (auto entry = begin; entry != end; ++entry) {
        const int v = entry->second;
        const bool is_near = (vertices[at(v)] - p).cwiseAbs().maxCoeff() <= tolerance_;
        if (is_near && (found < 0 || v < found)) found = v;
      }
    }
    return found;
  }

  void insert(const Eigen::Vector3d& p, int index) {
    cells_.emplace(key_of(cell_of(p.array())), index);
  }

 private:
  Eigen::Array3d cell_of(const Eigen::Array3d& p) const { return (p / cell_size_).floor(); }
  // Two cells may share a key: that costs time, but the distance test keeps the result right.
  static std::size_t key_of(const Eigen::Array3d& cell) {
    const std::hash<double> hash;
    return (hash(cell.x()) * 31 + hash(cell.y())) * 31 + hash(cell.z());
  }

  double tolerance_, cell_size_;
  std::unordered_multimap<std::size_t, int> cells_;
};

}  // namespace

TriangleMesh weld_vertices(const TriangleMesh& mesh, double tolerance) {
  WeldGrid grid(tolerance);
  // The first vertex of a neighborhood stays in place of all that follow it.
  std::vector<int> kept(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    check_stop();
    const int earlier = grid.find(mesh.vertices, mesh.vertices[i]);
    kept[i] = earlier >= 0 ? earlier : static_cast<int>(i);
    if (earlier < 0) grid.insert(mesh.vertices[i], static_cast<int>(i));
  }
  TriangleMesh result;
  std::vector<int> new_index(mesh.vertices.size(), -1);
  // Triangles that collapse to an edge or point are dropped.
  for (std::array<int, 3> triangle : mesh.triangles) {
    for (int& v : triangle) v = kept[at(v)];
    const auto [a, b, c] = triangle;
    if (a == b || b == c || c == a) continue;
    for (int v : triangle) new_index[at(v)] = 0;
    result.triangles.push_back(triangle);
  }
  // The vertices in use move together, in their order.
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<int>(result.vertices.size());
    result.vertices.push_back(mesh.vertices[i]);
  }
  for (std::array<int, 3>& triangle : result.triangles) {
    for (int& v : triangle) v = new_index[at(v)];
  }
  return result;
}

}  // namespace amontons
