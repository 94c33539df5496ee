#include "amontons/geometry/surface/way_out.h"

#include "amontons/geometry/surface/opening_translation.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <numeric>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kNone = std::numeric_limits<double>::infinity();
// Depth up to which what contacts ask for is not tried out, over the smaller radius [-]: it opens
// within a few steps.
constexpr double kShallow = 1e-3;
// Depth from which an overlap is deep, over that radius [-], and one whose contacts contradict each
// other: gears and press fits, which open by a rotation or not at all, are less deep.
constexpr double kDeep = 0.01, kLocked = 0.05;
// Translation over the depth of the contacts from which these nearly contradict each other [-].
constexpr double kFarLonger = 3.0;
// Slacks up to which a depth is none [-].
constexpr double kTouching = 10.0;
// Part of a way out below which another one is much shorter [-].
constexpr double kMuchShorter = 0.99;
// Part of the translation that is asked for to which its error is added [-].
constexpr double kBeyond = 1.002;
// Growth of an overlap by which contacts lead deeper into it [-].
constexpr double kMuchDeeper = 2.0;

// Directions that are tried, and the cosine beyond which two count as one [-].
constexpr std::size_t kMaxDirections = 16;
constexpr double kSameDirection = 0.966;
// Turns of a direction to the normal in which both touch at its end, and the cosine of the angle
// below which it does not turn [-].
constexpr int kMaxTurns = 6;
constexpr double kStraight = 1.0 - 1e-6;
// Moves along one direction until the shapes are free.
constexpr int kMaxMoves = 24;

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

/// Describes a way out, and how both shapes touch at its end.
struct Exit {
  WayOut way;
  Vector3d touch;  // unit normal, from A into B; zero if unknown
};

/// Returns the way out along a direction, if it is below a bound [m].
std::optional<Exit> exit_along(const Parting& parting, const Vector3d& n, double bound) {
  double way = 0.0, overlapping = 0.0;
  for (int move = 0; move < kMaxMoves; ++move) {
    const double next = parting.next_move(n, way);
    if (next == 0.0) {
      // The last move may have been too long: both touch in between.
      Vector3d touch = Vector3d::Zero();
      if (const auto back = parting.way_back(n, way, way - overlapping)) {
        way -= back->way;
        touch = back->normal;
      }
      return way < bound ? std::optional(Exit{{n, way}, touch}) : std::nullopt;
    }
    overlapping = way;
    if (overlapping >= bound) return std::nullopt;
    way += next + parting.slack;
  }
  return std::nullopt;
}

/// Returns the shortest way out along the directions, if there is one below a bound [m].
std::optional<WayOut> shortest_way_out(const Parting& parting, double bound) {
  std::optional<WayOut> best;
  const auto limit = [&] { return best ? std::min(bound, best->length - parting.slack) : bound; };
  for (const Vector3d& direction : parting.directions()) {
    std::optional<Exit> found = exit_along(parting, direction, limit());
    // Where both touch at its end, B slides on: the same gap along their normal is shorter.
    for (int turn = 0; found && turn < kMaxTurns; ++turn) {
      best = found->way;
      const bool is_known = !found->touch.isZero(0.0);
      if (!is_known || !(found->touch.dot(best->normal) < kStraight)) break;
      found = exit_along(parting, found->touch, limit());
    }
  }
  return best;
}

}  // namespace

std::optional<WayOut> better_way_out(const Parting& parting,
                                     const std::vector<ContactPoint>& contacts) {
  double deepest = 0.0;
  for (const ContactPoint& contact : contacts) deepest = std::max(deepest, -contact.gap);
  if (deepest <= kShallow * parting.radius) return std::nullopt;
  const double deep = kDeep * parting.radius;
  double bound = kNone;
  const std::optional<Vector3d> asked = opening_translation(contacts, parting.slack);
  const bool is_clear = asked && asked->norm() <= kFarLonger * deepest;
  if (!is_clear && parting.may_lock && deepest < kLocked * parting.radius) return std::nullopt;
  if (asked) {
    const double left = parting.depth_after(kBeyond * *asked);
    const bool parts = left <= kTouching * parting.slack;
    if (asked->norm() < deep && (parts || left < kMuchDeeper * deepest)) return std::nullopt;
    if (parts) bound = kMuchShorter * asked->norm();
  }
  return shortest_way_out(parting, bound);
}

void drop_replaced(const WayOut& way, double slack, std::vector<ContactPoint>& contacts) {
  std::erase_if(contacts, [&](const ContactPoint& contact) {
    const bool holds_back = contact.gap <= slack && contact.normal_W.dot(way.normal) < 0.0;
    return contact.gap < -slack || holds_back;
  });
}

void offer_direction(const Vector3d& direction, std::vector<Vector3d>& directions) {
  if (directions.size() >= kMaxDirections || !(direction.squaredNorm() > 0.5)) return;
  const bool known = std::any_of(
      directions.begin(), directions.end(),
      [&direction](const Vector3d& other) { return other.dot(direction) > kSameDirection; });
  if (!known) directions.push_back(direction);
}

void offer_facets(const CollisionMesh& mesh, const Eigen::Matrix3d& turn,
                  std::vector<Vector3d>& directions) {
  for (const std::size_t f : facets_by_area(mesh)) {
    offer_direction(turn * mesh.facets()[f].normal, directions);
  }
}

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

}  // namespace amontons::narrow_phase
