#include "amontons/geometry/convex/support_feature.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>
#include <numbers>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// A full turn [rad].
constexpr double kTurn = 2.0 * std::numbers::pi;

/// Returns the sign of a number; zero counts as positive.
double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

/// Builds a feature from points in the core's own frame.
class FeatureBuilder {
 public:
  FeatureBuilder(const ConvexCore& core, const Vector3d& n)
      : core_(core), g_(core.R.transpose() * n), ball_(core.radius * n), n_(n) {}

  const Vector3d& direction_G() const { return g_; }

  /// Adds a point of the core, moved to the surface of the ball.
  void add(const Vector3d& point_G, int id) {
    feature_.add(core_.R * point_G + core_.p + ball_, id);
  }
  /// Returns the feature as a face.
  SupportFeature face(const Vector3d& normal_G) {
    feature_.plane_normal = core_.R * normal_G;
    return feature_;
  }
  /// Returns the feature as an edge; its plane contains the edge and leans least from n.
  SupportFeature edge() {
    const Vector3d u = (feature_.vertices[1].position - feature_.vertices[0].position).normalized();
    feature_.plane_normal = (n_ - n_.dot(u) * u).normalized();
    return feature_;
  }
  /// Returns the feature as a vertex.
  SupportFeature vertex() {
    feature_.plane_normal = n_;
    return feature_;
  }

 private:
  const ConvexCore& core_;
  Vector3d g_, ball_, n_;
  SupportFeature feature_;
};

// A face or edge that leans by more (sine of 70 degrees) is never taken whole [-]. Seen along the
// normal, an upright face has no area, so that it gives no height over a point.
constexpr double kSteepestSine = 0.94;

// A cap that leans by less lies flat: the direction of its deepest point is rounding, and the
// corners of its polygon differ in depth by no more [-].
constexpr double kFlatCapSine = 1e-12;

/// Returns true if a feature leans little enough to be taken whole.
bool is_flat(double sine, double depth, const FeatureTolerance& tolerance) {
  return sine <= tolerance.sine || (depth <= tolerance.depth && sine <= kSteepestSine);
}

/// Returns the segment or the end of it that is farther along n.
SupportFeature segment_feature(FeatureBuilder& builder, const ConvexCore& core,
                               const FeatureTolerance& tolerance) {
  const double sine = std::abs(builder.direction_G().z());
  const Vector3d tip(0.0, 0.0, core.half.z());
  if (is_flat(sine, 2.0 * core.half.z() * sine, tolerance)) {
    builder.add(-tip, 0);
    builder.add(tip, 1);
    return builder.edge();
  }
  const bool up = builder.direction_G().z() >= 0.0;
  builder.add(up ? tip : Vector3d(-tip), up ? 1 : 0);
  return builder.vertex();
}

/// Returns corner c of a box: bit k of c is set where coordinate k is positive.
Vector3d box_corner(const Vector3d& half, int corner) {
  return {(corner & 1) ? half.x() : -half.x(), (corner & 2) ? half.y() : -half.y(),
          (corner & 4) ? half.z() : -half.z()};
}

/// Returns the face, edge or corner of a box.
SupportFeature box_feature(FeatureBuilder& builder, const ConvexCore& core,
                           const FeatureTolerance& tolerance) {
  const Vector3d& g = builder.direction_G();
  // Height that an edge along each axis loses below the top corner.
  const Vector3d drop = 2.0 * core.half.cwiseProduct(g.cwiseAbs());
  Eigen::Index axis = 0;
  g.cwiseAbs().maxCoeff(&axis);
  const int i = static_cast<int>(axis);
  const int j = (i + 1) % 3;
  const int k = (i + 2) % 3;
  const bool up = g[i] >= 0.0;
  // The face of the largest component of g, if it lies flat enough.
  if (is_flat(elementary::hypot(g[j], g[k]), drop[j] + drop[k], tolerance)) {
    const int base = up ? 1 << i : 0;
    const int bit_j = 1 << (up ? j : k);  // counterclockwise seen from outside
    const int bit_k = 1 << (up ? k : j);
    for (const int corner : {base, base | bit_j, base | bit_j | bit_k, base | bit_k}) {
      builder.add(box_corner(core.half, corner), corner);
    }
    Vector3d normal_G = Vector3d::Zero();
    normal_G[i] = sign_of(g[i]);
    return builder.face(normal_G);
  }
  const int corner = (g.x() >= 0.0 ? 1 : 0) | (g.y() >= 0.0 ? 2 : 0) | (g.z() >= 0.0 ? 4 : 0);
  // Else the edge at the top corner along the smallest component.
  Eigen::Index along = 0;
  g.cwiseAbs().minCoeff(&along);
  if (is_flat(std::abs(g[along]), drop[along], tolerance)) {
    const int bit = 1 << along;
    builder.add(box_corner(core.half, corner & ~bit), corner & ~bit);
    builder.add(box_corner(core.half, corner | bit), corner | bit);
    return builder.edge();
  }
  builder.add(box_corner(core.half, corner), corner);
  return builder.vertex();
}

/// Returns a cap as a polygon with corners fixed to the cylinder. The even corner nearest to the
/// deepest point of a leaning rim is moved there. So the exact deepest point is always in the
/// polygon.
SupportFeature cap_feature(FeatureBuilder& builder, const ConvexCore& core) {
  const Vector3d& g = builder.direction_G();
  const double side = sign_of(g.z());
  const double lean = elementary::hypot(g.x(), g.y());
  const double step = kTurn / kCylinderRing;
  const double deepest = elementary::atan2(g.y(), g.x());
  constexpr int kNone = -1;
  const int half_turn = kCylinderRing / 2;
  // The slot of the moved corner; a cap that lies flat has no deepest point.
  const int moved =
      lean > kFlatCapSine
          ? 2 * ((static_cast<int>(std::lround(0.5 * deepest / step)) + half_turn) % half_turn)
          : kNone;
  const auto even_angle = [&](int slot) {
    return slot == moved ? moved * step + std::remainder(deepest - moved * step, kTurn)
                         : slot * step;
  };
  // Ids of the lower cap follow those of the upper one; both run counterclockwise from outside.
  const int base = side > 0.0 ? 0 : kCylinderRing;
  for (int corner = 0; corner < kCylinderRing; ++corner) {
    const int slot = side > 0.0 ? corner : (kCylinderRing - corner) % kCylinderRing;
    double angle = even_angle(slot);
    if (slot % 2 == 1) {  // odd corners halve the arcs between even ones
      const double next = slot + 1 == kCylinderRing ? even_angle(0) + kTurn : even_angle(slot + 1);
      angle = 0.5 * (even_angle(slot - 1) + next);
    }
    builder.add(Vector3d(core.half.x() * elementary::cos(angle),
                         core.half.x() * elementary::sin(angle), side * core.half.z()),
                base + slot);
  }
  return builder.face(Vector3d(0.0, 0.0, side));
}

/// Returns the cap, the line of the side, or the point of the rim that is farthest along n.
SupportFeature cylinder_feature(FeatureBuilder& builder, const ConvexCore& core,
                                const FeatureTolerance& tolerance) {
  const Vector3d& g = builder.direction_G();
  const double lean = elementary::hypot(g.x(), g.y());
  const double r = core.half.x();
  const double h = core.half.z();
  if (is_flat(lean, 2.0 * r * lean, tolerance)) return cap_feature(builder, core);
  // The rim's point farthest along n lies in the plane of n and the axis.
  const Vector3d rim(r * g.x() / lean, r * g.y() / lean, 0.0);
  const double sine = std::abs(g.z());
  constexpr int kLowerRim = 2 * kCylinderRing;
  if (is_flat(sine, 2.0 * h * sine, tolerance)) {
    builder.add(rim - Vector3d(0.0, 0.0, h), kLowerRim);
    builder.add(rim + Vector3d(0.0, 0.0, h), kLowerRim + 1);
    return builder.edge();
  }
  const bool up = g.z() >= 0.0;
  builder.add(rim + Vector3d(0.0, 0.0, up ? h : -h), up ? kLowerRim + 1 : kLowerRim);
  return builder.vertex();
}

/// Returns a face of a polyhedron.
SupportFeature polyhedron_face(FeatureBuilder& builder, const ConvexPolyhedron& polyhedron,
                               const ConvexPolyhedron::Face& face) {
  // A face with more corners than the buffer is thinned evenly; its deepest corner is kept.
  const int corners = static_cast<int>(face.vertices.size());
  int deepest = 0;
  double highest = -std::numeric_limits<double>::infinity();
  const auto vertex = [&](int k) { return face.vertices[static_cast<std::size_t>(k)]; };
  const auto position = [&](int k) {
    return polyhedron.vertices()[static_cast<std::size_t>(vertex(k))];
  };
  for (int k = 0; k < corners; ++k) {
    const double height = position(k).dot(builder.direction_G());
    if (height > highest) {
      highest = height;
      deepest = k;
    }
  }
  // Each range of successive corners gives one: the deepest if it is among them, else the first.
  const int kept = std::min(corners, SupportFeature::kMaxVertices);
  for (int k = 0; k < kept; ++k) {
    const int first = k * corners / kept;
    const int next = (k + 1) * corners / kept;
    const int chosen = deepest >= first && deepest < next ? deepest : first;
    builder.add(position(chosen), vertex(chosen));
  }
  return builder.face(face.normal);
}

/// Returns the face, edge or vertex of a polyhedron.
SupportFeature polyhedron_feature(FeatureBuilder& builder, const ConvexCore& core,
                                  const FeatureTolerance& tolerance) {
  const ConvexPolyhedron& polyhedron = *core.polyhedron;
  const Vector3d& g = builder.direction_G();
  const auto position = [&](int v) { return polyhedron.vertices()[static_cast<std::size_t>(v)]; };
  const int deepest = polyhedron.support(g);
  const double top = position(deepest).dot(g);

  // The face that leans least, if all its corners are near enough to the top.
  const ConvexPolyhedron::Face& best_face =
      polyhedron.faces()[static_cast<std::size_t>(polyhedron.face_towards(g))];
  double drop = 0.0;
  for (const int v : best_face.vertices) drop = std::max(drop, top - position(v).dot(g));
  if (is_flat(best_face.normal.cross(g).norm(), drop, tolerance)) {
    return polyhedron_face(builder, polyhedron, best_face);
  }
  // Else the flattest edge at the deepest vertex.
  const ConvexPolyhedron::Edge* best_edge = nullptr;
  double best_drop = std::numeric_limits<double>::infinity();
  for (const int e : polyhedron.edges_at(deepest)) {
    const ConvexPolyhedron::Edge& edge = polyhedron.edges()[static_cast<std::size_t>(e)];
    const Vector3d along = position(edge.head) - position(edge.tail);
    const double edge_drop = std::abs(along.dot(g));
    if (edge_drop < best_drop && is_flat(edge_drop / along.norm(), edge_drop, tolerance)) {
      best_drop = edge_drop;
      best_edge = &edge;
    }
  }
  if (best_edge != nullptr) {
    builder.add(position(best_edge->tail), best_edge->tail);
    builder.add(position(best_edge->head), best_edge->head);
    return builder.edge();
  }
  builder.add(position(deepest), deepest);
  return builder.vertex();
}

}  // namespace

void SupportFeature::add(const Vector3d& position, int id) {
  vertices[static_cast<std::size_t>(count++)] = {position, id & 0x3fff};
}

SupportFeature support_feature(const ConvexCore& core, const Vector3d& n,
                               const FeatureTolerance& tolerance) {
  FeatureBuilder builder(core, n);
  switch (core.type) {
    case CoreType::Segment:
      return segment_feature(builder, core, tolerance);
    case CoreType::Box:
      return box_feature(builder, core, tolerance);
    case CoreType::Cylinder:
      return cylinder_feature(builder, core, tolerance);
    case CoreType::Polyhedron:
      return polyhedron_feature(builder, core, tolerance);
    case CoreType::Point:
    case CoreType::Ellipsoid:
      break;
  }
  builder.add(support_G(core, builder.direction_G()), 0);
  return builder.vertex();
}

}  // namespace amontons::narrow_phase
