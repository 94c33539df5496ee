#include "amontons/geometry/surface/core_overlap.h"

#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/surface/inner_parts.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// The name of the contact, which is of no pair of features.
constexpr std::uint32_t kOverlapFeature = 0xffff0000u;
// Largest number of facets whose normals are tried.
constexpr std::size_t kMaxFacets = 32;

/// Returns the normals that are tried.
std::vector<Vector3d> candidates(const CollisionMesh& mesh, const ConvexCore& core,
                                 const std::vector<InnerPart>& parts) {
  const auto normal_of = [&](int facet) {
    return mesh.facets()[static_cast<std::size_t>(facet)].normal;
  };
  std::vector<std::pair<double, int>> facets;  // by area, the largest first
  Vector3d mean = Vector3d::Zero();
  for (const InnerPart& part : parts) {
    mean += part.area * normal_of(part.facet);
    facets.emplace_back(-part.area, part.facet);
  }
  std::sort(facets.begin(), facets.end());
  std::vector<Vector3d> normals;
  for (std::size_t k = 0; k < std::min(facets.size(), kMaxFacets); ++k) {
    normals.push_back(normal_of(facets[k].second));
  }
  if (mean.norm() > 0.0) normals.push_back(mean.normalized());
  if (mesh.hull()) {
    normals.push_back(separation({make_core(mesh.hull(), Pose{}, Vector3d::Zero()), core}).normal);
  }
  return normals;
}

}  // namespace

std::optional<ContactPoint> core_overlap(const CollisionMesh& mesh, const ConvexCore& core) {
  if (!mesh.encloses()) return std::nullopt;
  const std::vector<InnerPart> parts = inner_parts(mesh, core);
  if (parts.empty()) return std::nullopt;
  std::optional<ContactPoint> best;
  for (const Vector3d& n : candidates(mesh, core, parts)) {
    double highest = -std::numeric_limits<double>::infinity();
    for (const InnerPart& part : parts) {
      for (const Vector3d& x : part.polygon) highest = std::max(highest, n.dot(x));
    }
    const Vector3d lowest = support(core, -n) - core.radius * n;
    const double gap = std::min(n.dot(lowest) - highest, 0.0);
    if (best && best->gap >= gap) continue;
    best = ContactPoint{lowest - 0.5 * gap * n, n, gap, kOverlapFeature};
  }
  return best;
}

}  // namespace amontons::narrow_phase
