#include "amontons/geometry/convex/half_space_contact.h"

#include "amontons/geometry/convex/convex_manifold.h"
#include "amontons/geometry/convex/manifold_reduction.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// A vertex this little higher than the deepest can replace it, relative to the size [-].
constexpr double kGapTolerance = 1e-9;

/// Collects points of the core, with their gaps above the plane.
class Ring {
 public:
  Ring(const Plane& plane, const ConvexCore& core, double horizon)
      : plane_(plane), core_(core), horizon_(horizon) {}

  bool is_full() const { return points_.count == FeatureOverlap::kMaxPoints; }

  /// Adds a vertex of the core without its ball, in F.
  void add_center(const Vector3d& center, int id) {
    add_surface(center - core_.radius * plane_.normal, id);
  }
  /// Adds a point of the surface, in F, if it is within the horizon.
  void add_surface(const Vector3d& point, int id) {
    const double gap = plane_.normal.dot(point) - plane_.offset;
    if (gap > horizon_ || is_full()) return;
    points_.points[static_cast<std::size_t>(points_.count++)] = {point - gap * plane_.normal, point,
                                                                 gap, vertex_of_B(id)};
  }
  FeatureOverlap& points() { return points_; }

 private:
  const Plane& plane_;
  const ConvexCore& core_;
  double horizon_;
  FeatureOverlap points_;
};

/// Adds the eight corners of a box.
void add_box_corners(const ConvexCore& core, Ring& ring) {
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3d sign((corner & 1) ? 1.0 : -1.0, (corner & 2) ? 1.0 : -1.0,
                        (corner & 4) ? 1.0 : -1.0);
    ring.add_center(core.R * core.half.cwiseProduct(sign) + core.p, corner);
  }
}

/// Adds the vertices of a polyhedron near the plane. Returns false if there are more than a
/// manifold holds.
bool add_few_vertices(const Plane& plane, const ConvexCore& core, double horizon, Ring& ring) {
  const std::vector<Vector3d>& vertices = core.polyhedron->vertices();
  const Vector3d n_G = core.R.transpose() * plane.normal;
  const double limit = horizon + plane.offset - plane.normal.dot(core.p);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (n_G.dot(vertices[v]) > limit) continue;
    if (ring.points().count == kMaxManifoldPoints) return false;
    ring.add_center(core.R * vertices[v] + core.p, static_cast<int>(v));
  }
  return true;
}

/// Adds the face, edge or vertex that faces the plane.
void add_feature(const Plane& plane, const ConvexCore& core, double slab, Ring& ring) {
  const SupportFeature feature =
      support_feature(core, -plane.normal, {kManifoldSine, std::max(slab, 0.0)});
  for (int k = 0; k < feature.count; ++k) {
    const SupportFeature::Vertex& vertex = feature.vertices[static_cast<std::size_t>(k)];
    ring.add_surface(vertex.position, vertex.id);
  }
}

/// Adds the deepest vertex if it is missing: the face that leans least need not have it.
void add_deepest_vertex(const Plane& plane, const ConvexCore& core, double least_gap, Ring& ring) {
  const FeatureOverlap& found = ring.points();
  for (int k = 0; k < found.count; ++k) {
    const double gap = found.points[static_cast<std::size_t>(k)].gap;
    if (gap <= least_gap + kGapTolerance * core.size) return;
  }
  reduce_ring(ring.points(), kMaxManifoldPoints - 1);
  const int deepest = core.polyhedron->support(-(core.R.transpose() * plane.normal));
  const Vector3d& vertex = core.polyhedron->vertices()[static_cast<std::size_t>(deepest)];
  ring.add_center(core.R * vertex + core.p, deepest);
}

/// Adds the deepest point of the cap that an upright cylinder turns away from the plane.
void add_upper_rim(const Plane& plane, const ConvexCore& core, Ring& ring) {
  const Vector3d axis = core.R.col(2);
  const double side = axis.dot(plane.normal) >= 0.0 ? 1.0 : -1.0;
  const Vector3d across = plane.normal - axis.dot(plane.normal) * axis;
  if (across.norm() < kParallelSine) return;
  ring.add_surface(core.p + side * core.half.z() * axis - core.half.x() * across.normalized(),
                   kUpperRimId);
}

}  // namespace

Plane make_plane(const HalfSpace& half_space, const Pose& X_WG, const Vector3d& origin_W) {
  const Vector3d normal = X_WG.rotation * half_space.normal;
  return {normal, half_space.offset + normal.dot(X_WG.translation - origin_W)};
}

Separation separation(const Plane& plane, const ConvexCore& core) {
  const Vector3d b = support(core, -plane.normal) - core.radius * plane.normal;
  const double distance = plane.normal.dot(b) - plane.offset;
  return {distance, plane.normal, b - distance * plane.normal, b};
}

void half_space_manifold(const Plane& plane, const ConvexCore& core, double horizon,
                         std::vector<ContactPoint>& contacts) {
  const Separation nearest = separation(plane, core);
  if (!(nearest.distance <= horizon)) return;
  // A point or ellipsoid touches in one point.
  if (!has_flat_features(core)) return append(nearest, vertex_of_B(0), contacts);
  Ring ring(plane, core, horizon);
  // All corners of a box, and all near vertices of a polyhedron if they are few, make the manifold.
  if (core.type == CoreType::Box) {
    add_box_corners(core, ring);
  } else if (core.type != CoreType::Polyhedron || !add_few_vertices(plane, core, horizon, ring)) {
    // Else the supporting face or edge makes it, reduced to eight points.
    ring.points().count = 0;
    add_feature(plane, core, horizon - nearest.distance, ring);
    if (core.type == CoreType::Cylinder) thin_cap(ring.points());
    reduce_ring(ring.points());
    if (core.type == CoreType::Polyhedron) {
      add_deepest_vertex(plane, core, nearest.distance, ring);
    }
    // The upper rim of an upright cylinder may be within the horizon as well.
    const bool is_upright = ring.points().count > 2;
    if (core.type == CoreType::Cylinder && is_upright) {
      add_upper_rim(plane, core, ring);
      reduce_ring(ring.points());
    }
  }
  append(ring.points(), plane.normal, contacts);
}

}  // namespace amontons::narrow_phase
