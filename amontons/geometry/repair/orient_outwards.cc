#include "amontons/geometry/repair/orient_outwards.h"

#include "amontons/geometry/repair/face_orientation.h"
#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/geometry/shapes/close_holes.h"
#include "amontons/geometry/shapes/winding_number.h"
#include "amontons/geometry/shapes/winding_tree.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;
using Corners = std::array<int, 3>;

// Smallest volume over (area)^(3/2) of a part that encloses a volume. A box of 1 x 1 x 1e-5 has
// 4e-6, a folded sheet only rounding.
constexpr double kThinnest = 1e-9;

// Number of points of a part that must lie inside another one.
constexpr std::size_t kNumProbes = 12;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns a triangle with its corners in reverse.
Corners reversed(const Corners& t) { return {t[0], t[2], t[1]}; }

/// Returns the corners in an order that is equal for equal triangles, whatever side they face.
Corners sorted_corners(Corners t) {
  std::sort(t.begin(), t.end());
  return t;
}

/// Returns true if an even permutation maps one triangle to another one of the same corners.
bool same_side(const Corners& s, const Corners& t) {
  return s == t || s == Corners{t[1], t[2], t[0]} || s == Corners{t[2], t[0], t[1]};
}

/// Holds triangles of which no two have the same corners, and those that face the other side.
struct UniqueTriangles {
  TriangleMesh mesh;
  std::vector<std::pair<int, Corners>> backs;  ///< triangle of the mesh, and its back
};

/// Returns true if two triangles have the same corners.
bool has_repeats(const TriangleMesh& mesh) {
  std::vector<Corners> sorted;
  sorted.reserve(mesh.triangles.size());
  for (const Corners& t : mesh.triangles) sorted.push_back(sorted_corners(t));
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    check_stop();
    return a < b;
  });
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

UniqueTriangles without_repeats(const TriangleMesh& mesh) {
  if (!has_repeats(mesh)) return {mesh, {}};
  UniqueTriangles result{{mesh.vertices, {}}, {}};
  std::map<Corners, int> first;
  std::map<int, bool> has_back;
  for (const Corners& t : mesh.triangles) {
    check_stop();
    const int next = static_cast<int>(result.mesh.triangles.size());
    const auto [entry, is_new] = first.emplace(sorted_corners(t), next);
    if (is_new) {
      result.mesh.triangles.push_back(t);
    } else if (!same_side(t, result.mesh.triangles[at(entry->second)]) &&
               !std::exchange(has_back[entry->second], true)) {
      result.backs.emplace_back(entry->second, t);
    }
  }
  return result;
}

/// Describes a part that encloses a volume.
struct Solid {
  int part = 0;
  std::vector<Corners> triangles;  ///< facing as the larger area of its part does
  Aabb box = Aabb::empty();
  double volume = 0.0;              ///< [m^3]; negative where its triangles face inwards
  std::vector<std::size_t> around;  ///< solids that hold it
  bool reversed = false;
};

/// Computes the winding number of a solid about points.
class Winding {
 public:
  Winding(const std::vector<Vector3d>& vertices, const Solid& solid)
      : mesh_{vertices, solid.triangles} {
    std::vector<Aabb> boxes;
    for (const Corners& corners : mesh_.triangles) {
      boxes.push_back(Aabb::empty());
      for (const int v : corners) boxes.back().include(mesh_.vertices[at(v)]);
    }
    boxes_ = BoxTree(boxes);
    tree_ = WindingTree(mesh_, boxes_);
  }

  /// Returns the magnitude about x [m]: to a hundredth near 0 and above 1, exactly between.
  double about(const Vector3d& x) const {
    constexpr double kDoubt = 0.1;
    const double winding = std::abs(tree_.about(mesh_, boxes_, x));
    if (winding < kDoubt || winding > 1.0 - kDoubt) return winding;
    return std::abs(winding_number(mesh_.vertices, mesh_.triangles, x));
  }

 private:
  TriangleMesh mesh_;
  BoxTree boxes_;
  WindingTree tree_;
};

/// Returns middles of triangles, spread over the list.
std::vector<Vector3d> probes_of(const std::vector<Vector3d>& vertices, const Solid& solid) {
  std::vector<Vector3d> probes;
  const std::size_t step = 1 + (solid.triangles.size() - 1) / kNumProbes;
  for (std::size_t t = 0; t < solid.triangles.size(); t += step) {
    const auto& [a, b, c] = solid.triangles[t];
    probes.push_back((vertices[at(a)] + vertices[at(b)] + vertices[at(c)]) / 3.0);
  }
  return probes;
}

/// Returns true if one solid lies in another one, which may touch it.
/// @param winding_of_outer  computed at its first use.
bool lies_in(const std::vector<Vector3d>& vertices, const Solid& inner, const Solid& outer,
             std::unique_ptr<Winding>& winding_of_outer) {
  if ((inner.box.lower.array() < outer.box.lower.array()).any() ||
      (inner.box.upper.array() > outer.box.upper.array()).any() ||
      std::abs(inner.volume) >= std::abs(outer.volume)) {
    return false;
  }
  if (winding_of_outer == nullptr) winding_of_outer = std::make_unique<Winding>(vertices, outer);
  double sum = 0.0;
  const std::vector<Vector3d> probes = probes_of(vertices, inner);
  for (const Vector3d& p : probes) {
    const double winding = winding_of_outer->about(p);
    if (winding < 0.25) return false;  // outside; 0.5 on a face of the other one
    sum += winding;
  }
  return sum > 0.5 * static_cast<double>(probes.size());
}

/// Returns the parts that enclose a volume.
std::vector<Solid> solids_of(const TriangleMesh& mesh, const FaceParts& faces) {
  std::vector<Solid> solids;
  for (std::size_t p = 0; p < faces.parts.size(); ++p) {
    const FaceParts::Part& part = faces.parts[p];
    const bool encloses = part.orientable && part.hole_area <= kHoleShare * part.area &&
                          std::abs(part.volume) > kThinnest * part.area * std::sqrt(part.area);
    if (!encloses) continue;
    Solid solid;
    solid.part = static_cast<int>(p);
    solid.volume = part.volume;
    for (const int t : part.triangles) {
      const Corners& corners = mesh.triangles[at(t)];
      solid.triangles.push_back(faces.turned[at(t)] != 0 ? reversed(corners) : corners);
      for (const int v : corners) solid.box.include(mesh.vertices[at(v)]);
    }
    solids.push_back(std::move(solid));
  }
  return solids;
}

/// Decides which solids are reversed, the largest first: those around one are decided before it.
void reverse_inward_solids(const std::vector<Vector3d>& vertices, const FaceParts& faces,
                           std::vector<Solid>& solids) {
  std::stable_sort(solids.begin(), solids.end(), [](const Solid& a, const Solid& b) {
    return std::abs(a.volume) > std::abs(b.volume);
  });
  std::vector<std::unique_ptr<Winding>> windings(solids.size());
  for (std::size_t i = 0; i < solids.size(); ++i) {
    Solid& solid = solids[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (lies_in(vertices, solid, solids[j], windings[j])) solid.around.push_back(j);
    }
    // The number of solids, less that of cavities, in which it lies.
    int depth = 0;
    for (const std::size_t j : solid.around) {
      depth += (solids[j].volume < 0.0) != solids[j].reversed ? -1 : 1;
    }
    const bool in_reversed = !solid.around.empty() && solids[solid.around.front()].reversed;
    const bool file_says_cavity = (solid.volume < 0.0) != in_reversed;
    // Where the file contradicts itself, here or around, what lies in a solid is a cavity.
    const auto is_mixed = [&](const Solid& s) { return faces.parts[at(s.part)].mixed; };
    const bool mixed =
        is_mixed(solid) || std::any_of(solid.around.begin(), solid.around.end(),
                                       [&](std::size_t j) { return is_mixed(solids[j]); });
    const bool cavity = depth > 0 && (file_says_cavity || mixed || solid.volume < 0.0);
    solid.reversed = cavity != (solid.volume < 0.0);
  }
}

/// Marks the triangles of the solids that are reversed.
void turn_inward_solids(const TriangleMesh& mesh, FaceParts& faces) {
  std::vector<Solid> solids = solids_of(mesh, faces);
  reverse_inward_solids(mesh.vertices, faces, solids);
  for (const Solid& solid : solids) {
    if (!solid.reversed) continue;
    for (const int t : faces.parts[at(solid.part)].triangles) {
      char& turned = faces.turned[at(t)];
      turned = static_cast<char>(turned == 0);
    }
  }
}

}  // namespace

OutwardMesh orient_outwards(const TriangleMesh& mesh) {
  const UniqueTriangles unique = without_repeats(mesh);
  FaceParts faces = find_face_parts(unique.mesh);
  OutwardMesh result;
  bool all_outwards = true;
  for (const FaceParts::Part& part : faces.parts) {
    result.one_sided = result.one_sided || !part.orientable;
    all_outwards = all_outwards && part.orientable && !part.mixed && part.volume >= 0.0;
  }
  // Solids are compared only where one faces inwards, or contradicts itself.
  if (!all_outwards) turn_inward_solids(unique.mesh, faces);
  // The triangles keep their order; backs of open parts follow.
  result.mesh.vertices = mesh.vertices;
  for (std::size_t t = 0; t < unique.mesh.triangles.size(); ++t) {
    const bool turned = faces.turned[t] != 0;
    const Corners& corners = unique.mesh.triangles[t];
    result.mesh.triangles.push_back(turned ? reversed(corners) : corners);
    result.num_turned += turned ? 1 : 0;
  }
  std::vector<char> in_closed(unique.mesh.triangles.size(), 0);
  for (const FaceParts::Part& part : faces.parts) {
    for (const int t : part.triangles) in_closed[at(t)] = static_cast<char>(part.closed);
  }
  for (const auto& [front, back] : unique.backs) {
    if (in_closed[at(front)] != 0) continue;
    result.mesh.triangles.push_back(faces.turned[at(front)] != 0 ? reversed(back) : back);
  }
  result.num_dropped =
      static_cast<int>(mesh.triangles.size()) - static_cast<int>(result.mesh.triangles.size());
  return result;
}

}  // namespace amontons
