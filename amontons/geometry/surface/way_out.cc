#include "amontons/geometry/surface/way_out.h"

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/surface/directional_gap.h"
#include "amontons/geometry/surface/mesh_crossing.h"
#include "amontons/geometry/surface/mesh_overlap.h"
#include "amontons/geometry/surface/overlap_region.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <numeric>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Directions that are tried, and the cosine beyond which two count as one [-].
constexpr std::size_t kMaxDirections = 16;
constexpr double kSameDirection = 0.966;
// Turns of a direction to the normal in which both touch at its end, and the cosine of the angle
// below which it does not turn [-].
constexpr int kMaxTurns = 6;
constexpr double kStraight = 1.0 - 1e-6;
// Moves along one direction until the meshes are free.
constexpr int kMaxMoves = 24;
// Vertices of a part inside the other mesh from which its way out is measured.
constexpr std::size_t kMaxVertices = 64;

/// Adds a direction unless a similar one is known.
void offer(const Vector3d& direction, std::vector<Vector3d>& directions) {
  if (directions.size() >= kMaxDirections || !(direction.squaredNorm() > 0.5)) return;
  const bool known = std::any_of(
      directions.begin(), directions.end(),
      [&direction](const Vector3d& other) { return other.dot(direction) > kSameDirection; });
  if (!known) directions.push_back(direction);
}

/// Returns the numbers of the facets of a mesh, the largest first.
std::vector<std::size_t> facets_by_area(const CollisionMesh& mesh) {
  std::vector<double> areas(mesh.facets().size(), 0.0);
  for (std::size_t t = 0; t < mesh.triangles().size(); ++t) {
    const Triangle own = mesh.triangle(static_cast<int>(t));
    areas[static_cast<std::size_t>(mesh.facet_of(static_cast<int>(t)))] +=
        0.5 * (own[1] - own[0]).cross(own[2] - own[0]).norm();
  }
  std::vector<std::size_t> order(areas.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&areas](std::size_t i, std::size_t j) { return areas[i] > areas[j]; });
  return order;
}

/// Returns the way of a point inside a mesh along a direction to the first facet by which it leaves
/// it [m]; 0 for none.
double exit_way(const CollisionMesh& mesh, const Vector3d& x, const Vector3d& direction,
                double slack) {
  const double reach = 2.0 * mesh.bounding_radius() + x.norm();
  double first = std::numeric_limits<double>::infinity();
  mesh.tree().visit_along(x, x + reach * direction, slack, [&](int t) {
    const auto& facet = mesh.facets()[static_cast<std::size_t>(mesh.facet_of(t))];
    const double speed = facet.normal.dot(direction);
    if (!(speed > 0.0)) return;
    const double way = (facet.offset - facet.normal.dot(x)) / speed;
    if (way <= slack || way >= first) return;
    const Vector3d hit = x + way * direction;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d tail = mesh.corner(t, k), along = mesh.corner(t, (k + 1) % 3) - tail;
      if (facet.normal.dot(along.cross(hit - tail)) < -slack * along.norm()) return;
    }
    first = way;
  });
  return first <= reach ? first : 0.0;
}

/// Returns the way along a direction in which the parts of the inner mesh inside the outer one meet
/// its surface with all their vertices [m]; 0 if none is inside.
/// @param direction  of the inner mesh against the outer, in the outer's frame.
double way_of_parts(const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI,
                    const Vector3d& direction, double slack) {
  double farthest = 0.0;
  for (const std::vector<int>* part : parts_inside(outer, inner, X_OI)) {
    const std::size_t count = std::min(part->size(), kMaxVertices);
    for (std::size_t k = 0; k < count; ++k) {
      const Vector3d x = X_OI * inner.vertex((*part)[k * part->size() / count]);
      farthest = std::max(farthest, exit_way(outer, x, direction, slack));
    }
    farthest = std::max(farthest, slack);
  }
  return farthest;
}

/// Returns how far B moves along n until what overlaps now has parted [m]; 0 if nothing overlaps.
double next_move(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                 const Vector3d& n, double slack) {
  double farthest = 0.0;
  std::vector<Crossing> crossings = find_crossings(A, B, X_AB);
  if (!crossings.empty() && coincide(A, B, X_AB)) crossings.clear();
  for (const OverlapRegion& region : find_overlap_regions(A, B, X_AB, crossings)) {
    if (!region.is_touch(slack)) farthest = std::max({farthest, slack, region.depth_along(n)});
  }
  if (farthest > 0.0) return farthest;
  const Pose X_BA = X_AB.inverse();
  return std::max(way_of_parts(A, B, X_AB, n, slack),
                  way_of_parts(B, A, X_BA, X_BA.rotation * -n, slack));
}

/// Describes a way out, and how both surfaces touch at its end.
struct Exit {
  WayOut way;
  Vector3d touch;  // unit normal, from A into B; zero if unknown
};

/// Returns the way out along a direction, if it is below a bound [m].
std::optional<Exit> exit_along(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                               const Vector3d& n, double bound, double slack) {
  double way = 0.0, overlapping = 0.0;
  for (int move = 0; move < kMaxMoves; ++move) {
    Pose moved = X_AB;
    moved.translation += way * n;
    const double next = next_move(A, B, moved, n, slack);
    if (next == 0.0) {
      // The last move may have been too long: both touch in between.
      const auto back = directional_gap(A, B, moved, n, way - overlapping);
      if (!back)
        return way < bound ? std::optional(Exit{{n, way}, Vector3d::Zero()}) : std::nullopt;
      way -= back->way;
      return way < bound ? std::optional(Exit{{n, way}, back->normal}) : std::nullopt;
    }
    overlapping = way;
    if (overlapping >= bound) return std::nullopt;
    way += next + slack;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Vector3d> exit_directions(const CollisionMesh& A, const CollisionMesh& B,
                                      const Pose& X_AB, const std::vector<Vector3d>& crossing) {
  std::vector<Vector3d> directions;
  if (A.hull() && B.hull()) {
    offer(separation({make_core(A.hull(), Pose{}, Vector3d::Zero()),
                      make_core(B.hull(), X_AB, Vector3d::Zero())})
              .normal,
          directions);
  }
  for (const Vector3d& normal : crossing) offer(normal, directions);
  if (!crossing.empty()) return directions;
  for (const std::size_t f : facets_by_area(A)) offer(A.facets()[f].normal, directions);
  for (const std::size_t f : facets_by_area(B)) {
    offer(-(X_AB.rotation * B.facets()[f].normal), directions);
  }
  return directions;
}

std::optional<WayOut> shortest_way_out(const CollisionMesh& A, const CollisionMesh& B,
                                       const Pose& X_AB, const std::vector<Vector3d>& directions,
                                       double bound, double slack) {
  std::optional<WayOut> best;
  const auto limit = [&] { return best ? std::min(bound, best->length - slack) : bound; };
  for (const Vector3d& direction : directions) {
    std::optional<Exit> found = exit_along(A, B, X_AB, direction, limit(), slack);
    // Where both touch at its end, B slides on: the same gap along their normal is shorter.
    for (int turn = 0; found && turn < kMaxTurns; ++turn) {
      best = found->way;
      if (!(found->touch.dot(best->normal) < kStraight)) break;
      found = exit_along(A, B, X_AB, found->touch, limit(), slack);
    }
  }
  return best;
}

}  // namespace amontons::narrow_phase
