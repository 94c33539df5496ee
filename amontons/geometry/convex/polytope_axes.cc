#include "amontons/geometry/convex/polytope_axes.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"

#include <Eigen/Geometry>

#include <limits>
#include <vector>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

/// Describes an edge in F. The arc between the normals of its faces is all normals that it supports
/// alone.
struct GaussArc {
  Vector3d direction;
  Vector3d from, to;
  bool whole_circle = false;  // no faces: every normal across the edge
};

/// Lists the features of a polytope that may prescribe a normal.
struct Axes {
  std::vector<Vector3d> face_normals;
  std::vector<GaussArc> arcs;
};

/// Adds the faces and edges of a box.
void add_box(const ConvexCore& core, Axes& axes) {
  for (int i = 0; i < 3; ++i) {
    const Vector3d e = core.R.col(i);
    const Vector3d f = core.R.col((i + 1) % 3);
    const Vector3d g = core.R.col((i + 2) % 3);
    axes.face_normals.push_back(e);
    axes.face_normals.push_back(-e);
    // The edge along e at a corner of f and g has the arc between both face normals.
    for (const double side_f : {-1.0, 1.0}) {
      for (const double side_g : {-1.0, 1.0}) {
        axes.arcs.push_back({e, side_f * f, side_g * g, false});
      }
    }
  }
}

/// Adds the faces and edges of a polyhedron.
void add_polyhedron(const ConvexCore& core, Axes& axes) {
  const ConvexPolyhedron& polyhedron = *core.polyhedron;
  for (const ConvexPolyhedron::Face& face : polyhedron.faces()) {
    axes.face_normals.push_back(core.R * face.normal);
  }
  for (const ConvexPolyhedron::Edge& edge : polyhedron.edges()) {
    const Vector3d along = polyhedron.vertices()[static_cast<std::size_t>(edge.head)] -
                           polyhedron.vertices()[static_cast<std::size_t>(edge.tail)];
    axes.arcs.push_back({core.R * along.normalized(),
                         axes.face_normals[static_cast<std::size_t>(edge.left)],
                         axes.face_normals[static_cast<std::size_t>(edge.right)], false});
  }
}

/// Returns the features of a core.
Axes axes_of(const ConvexCore& core) {
  Axes axes;
  if (core.type == CoreType::Box) add_box(core, axes);
  if (core.type == CoreType::Polyhedron) add_polyhedron(core, axes);
  if (core.type == CoreType::Segment) {
    axes.arcs.push_back({core.R.col(2), Vector3d::Zero(), Vector3d::Zero(), true});
  }
  return axes;
}

/// Returns true if n lies on the arc, up to rounding.
bool supports(const GaussArc& arc, const Vector3d& n) {
  if (arc.whole_circle) return true;
  // Rounding of unit normals, with a margin: an axis too many costs time only.
  constexpr double kArcRounding = 1e-9;
  const Vector3d pole = arc.from.cross(arc.to);
  return pole.dot(arc.from.cross(n)) >= -kArcRounding && pole.dot(n.cross(arc.to)) >= -kArcRounding;
}

}  // namespace

Separation find_polytope_axis(const CorePair& pair) {
  const Axes of_A = axes_of(pair.A);
  const Axes of_B = axes_of(pair.B);
  Separation best;
  best.distance = -std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vector3d& n) {
    const double gap = n.dot(nearest_along(pair, n).w);
    if (gap > best.distance) {
      best.distance = gap;
      best.normal = n;
    }
  };
  for (const Vector3d& normal : of_A.face_normals) offer(normal);
  for (const Vector3d& normal : of_B.face_normals) offer(-normal);
  // Edges touch along their cross product if it lies on the arcs of both.
  for (const GaussArc& arc_A : of_A.arcs) {
    for (const GaussArc& arc_B : of_B.arcs) {
      const Vector3d axis = arc_A.direction.cross(arc_B.direction);
      const double length = axis.norm();
      if (length < 1e-9) continue;
      const Vector3d n = axis / length;
      if (supports(arc_A, n) && supports(arc_B, -n)) offer(n);
      if (supports(arc_A, -n) && supports(arc_B, n)) offer(-n);
    }
  }
  return best;
}

}  // namespace amontons::narrow_phase
