#include "amontons/geometry/convex/nearby_features.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace amontons::narrow_phase {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Normals of edges are rounded by less [rad].
constexpr double kRounding = 1e-5;

/// Returns a vertex as a smooth piece: its support function is linear.
SmoothPiece vertex_piece(const Vector3d& position) {
  SmoothPiece piece;
  piece.center = position;
  return piece;
}

/// Returns the circle of a cylinder at a height on its axis [m].
SmoothPiece circle_piece(const ConvexCore& cylinder, double height) {
  SmoothPiece piece;
  piece.kind = SmoothPiece::Kind::Circle;
  piece.axis = cylinder.R.col(2);
  piece.center = cylinder.p + height * piece.axis;
  piece.radius = cylinder.half.x();
  return piece;
}

/// Returns the sign of a number; zero counts as positive.
double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

/// Finds the faces and edges of a box near the direction g in its frame.
void find_box_features(const ConvexCore& core, const Vector3d& g, double window,
                       NearbyFeatures& found) {
  for (int i = 0; i < 3; ++i) {
    const double lean = elementary::hypot(g[(i + 1) % 3], g[(i + 2) % 3]);
    if (lean < window) found.add_face(sign_of(g[i]) * core.R.col(i));
    // The edge along axis i touches if g is normal to it; its middle represents it.
    if (std::abs(g[i]) < window) {
      Vector3d middle = support_G(core, g);
      middle[i] = 0.0;
      found.add_straight(core.R.col(i), vertex_piece(core.R * middle + core.p));
    }
  }
}

/// Finds the caps and the side of a cylinder near the direction g in its frame.
void find_cylinder_features(const ConvexCore& core, const Vector3d& g, double window,
                            NearbyFeatures& found) {
  if (elementary::hypot(g.x(), g.y()) < window) found.add_face(sign_of(g.z()) * core.R.col(2));
  if (std::abs(g.z()) < window) found.add_straight(core.R.col(2), circle_piece(core, 0.0));
}

/// Finds the faces and edges of a polyhedron near the direction g in its frame.
void find_polyhedron_features(const ConvexCore& core, const Vector3d& g, double window,
                              NearbyFeatures& found) {
  const ConvexPolyhedron& polyhedron = *core.polyhedron;
  // The chord of an angle of this sine is at most sqrt(2) of it.
  const double chord = 1.5 * window + kRounding;
  const double least_cosine = std::sqrt(std::max(0.0, 1.0 - window * window));
  std::vector<int> near;
  polyhedron.find_faces_towards(g, chord, near);
  for (const int f : near) {
    const Vector3d& normal = polyhedron.faces()[static_cast<std::size_t>(f)].normal;
    if (normal.dot(g) > least_cosine - 1e-12) found.add_face(core.R * normal);
  }
  const auto position = [&](int v) -> const Vector3d& {
    return polyhedron.vertices()[static_cast<std::size_t>(v)];
  };
  // An edge far below the top cannot touch, however flat it lies.
  const double top = position(polyhedron.support(g)).dot(g);
  const double floor = top - window * core.size;
  polyhedron.find_edges_towards(g, chord, near);
  for (const int e : near) {
    const ConvexPolyhedron::Edge& edge = polyhedron.edges()[static_cast<std::size_t>(e)];
    const Vector3d& tail = position(edge.tail);
    if (tail.dot(g) < floor) continue;
    const Vector3d along = position(edge.head) - tail;
    const double length = along.norm();
    const double lean = std::abs(along.dot(g)) / length;
    if (lean > window) continue;
    // Its distance from touching adds the lean of the edge to its depth below the top.
    found.add_straight(core.R * (along / length), vertex_piece(core.R * tail + core.p),
                       lean + (top - tail.dot(g)) / core.size);
  }
}

}  // namespace

Vector3d SmoothPiece::point(const Vector3d& n) const {
  switch (kind) {
    case Kind::Vertex:
      return center;
    case Kind::Circle: {
      const Vector3d across = n - n.dot(axis) * axis;
      return center + radius * across.normalized();
    }
    case Kind::Ellipsoid:
      break;
  }
  return support(*ellipsoid, n);
}

Matrix3d SmoothPiece::curvature(const Vector3d& n) const {
  switch (kind) {
    case Kind::Vertex:
      return Matrix3d::Zero();
    case Kind::Circle: {
      // h(n) = r |n - (n . e) e| for the axis e: h'' = r t t' / sin^3 with the tangent t = e x n.
      const Vector3d tangent = axis.cross(n);
      const double sine_squared = tangent.squaredNorm();
      return radius / (sine_squared * std::sqrt(sine_squared)) * tangent * tangent.transpose();
    }
    case Kind::Ellipsoid:
      break;
  }
  // h(n) = |E' n| with E = R diag(semi-axes): h'' = (E E' - x x') / h, x = E E' n / h.
  const Matrix3d scaled = ellipsoid->R * ellipsoid->half.asDiagonal();
  const Vector3d root = scaled.transpose() * n;
  const double h = root.norm();
  const Vector3d point = scaled * root / h;
  return (scaled * scaled.transpose() - point * point.transpose()) / h;
}

void NearbyFeatures::add_face(const Vector3d& normal) {
  if (num_faces < kMax) face_normals[static_cast<std::size_t>(num_faces++)] = normal;
}

void NearbyFeatures::add_straight(const Vector3d& direction, const SmoothPiece& across,
                                  double how_far) {
  int slot = num_straight;
  if (num_straight < kMax) {
    ++num_straight;
    // The new piece replaces the one that leans most, if it leans less.
  } else {
    slot = static_cast<int>(std::max_element(lean.begin(), lean.end()) - lean.begin());
    if (lean[static_cast<std::size_t>(slot)] <= how_far) return;
  }
  straight[static_cast<std::size_t>(slot)] = {direction, across};
  lean[static_cast<std::size_t>(slot)] = how_far;
}

NearbyFeatures find_nearby(const ConvexCore& core, const Vector3d& n, double window) {
  NearbyFeatures found;
  // Points have no faces or edges, and an ellipsoid is one smooth piece.
  const Vector3d g = core.R.transpose() * n;
  switch (core.type) {
    case CoreType::Segment:
      if (std::abs(g.z()) < window) found.add_straight(core.R.col(2), vertex_piece(core.p));
      break;
    case CoreType::Box:
      find_box_features(core, g, window, found);
      break;
    case CoreType::Cylinder:
      find_cylinder_features(core, g, window, found);
      break;
    case CoreType::Polyhedron:
      find_polyhedron_features(core, g, window, found);
      break;
    case CoreType::Point:
    case CoreType::Ellipsoid:
      break;
  }
  return found;
}

SmoothPiece smooth_piece(const ConvexCore& core, const Vector3d& n) {
  if (core.type == CoreType::Cylinder) {
    return circle_piece(core, n.dot(core.R.col(2)) < 0.0 ? -core.half.z() : core.half.z());
  }
  if (core.type == CoreType::Ellipsoid) {
    SmoothPiece piece;
    piece.kind = SmoothPiece::Kind::Ellipsoid;
    piece.ellipsoid = &core;
    return piece;
  }
  return vertex_piece(support(core, n));
}

}  // namespace amontons::narrow_phase
