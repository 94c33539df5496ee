#include "amontons/geometry/convex/growing_polytope.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A tetrahedron whose volume is below this, relative to the product of three edges, is flat [-].
constexpr double kFlatVolume = 1e-9;

}  // namespace

/// Sets the plane of a face. A triangle without area has no plane: it is never grown and never
/// seen.
void GrowingPolytope::set_plane(int index) {
  Face& face = at(index);
  const Vector3d& a = w(face.vertex[0]);
  const Vector3d ab = w(face.vertex[1]) - a;
  const Vector3d ac = w(face.vertex[2]) - a;
  const Vector3d bc = ac - ab;
  // The cross product of the two shorter edges loses the fewest digits.
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), bc.squaredNorm()});
  Vector3d normal = ab.cross(ac);
  if (ab.squaredNorm() == longest) normal = ac.cross(bc);
  if (ac.squaredNorm() == longest) normal = ab.cross(bc);
  const double area = normal.norm();
  if (area <= 1e-15 * longest) {
    face.normal = Vector3d::Zero();
    face.distance = kInfinity;
    open_distance_[static_cast<std::size_t>(index)] = kInfinity;
    return;
  }
  face.normal = normal / area;
  face.distance = face.normal.dot(a);
  // A face that a cone covers is settled from the beginning.
  const bool excluded = std::any_of(cones_.begin(), cones_.begin() + num_cones_,
                                    [&](const Cone& cone) { return is_covered(face, cone); });
  open_distance_[static_cast<std::size_t>(index)] = excluded ? kInfinity : face.distance;
}

/// Compares the face with the cone. The normal is at an angle s to the axis of a cone of half angle
/// t. The face's points outside of the cone lie at least t - s from the normal. Their distance is
/// at least that of the plane over cos(t - s).
bool GrowingPolytope::is_covered(const Face& face, const Cone& cone) {
  const double cosine = face.normal.dot(cone.outward);
  if (cosine <= cone.cosine) return false;
  const double sine = std::sqrt(std::max(0.0, 1.0 - cosine * cosine));
  return face.distance >= cone.depth * (cone.cosine * cosine + cone.sine * sine);
}

bool GrowingPolytope::begin(const std::array<Vector3d, 4>& points) {
  std::copy(points.begin(), points.end(), vertices_.begin());
  const Vector3d ab = points[1] - points[0];
  const Vector3d ac = points[2] - points[0];
  const Vector3d ad = points[3] - points[0];
  const double volume = ab.cross(ac).dot(ad);
  const double edges = ab.norm() * ac.norm() * ad.norm();
  if (std::abs(volume) <= kFlatVolume * edges) return false;
  // Faces must run counterclockwise seen from outside, which needs a negative volume.
  if (volume > 0.0) std::swap(vertices_[0], vertices_[1]);
  num_vertices_ = 4;
  num_faces_ = 4;
  num_free_ = 0;
  constexpr std::array<std::array<int, 3>, 4> kVertices = {
      {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
  constexpr std::array<std::array<int, 3>, 4> kNeighbors = {
      {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}}};
  for (int f = 0; f < 4; ++f) {
    Face& face = at(f);
    face.vertex = kVertices[static_cast<std::size_t>(f)];
    face.neighbor = kNeighbors[static_cast<std::size_t>(f)];
    face.alive = true;
    face.visible = false;
    set_plane(f);
  }
  return true;
}

bool GrowingPolytope::exclude_cone(const Vector3d& outward, double cosine, double depth) {
  if (num_cones_ == static_cast<int>(cones_.size())) return false;
  const double sine = std::sqrt(std::max(0.0, 1.0 - cosine * cosine));
  const Cone cone{outward, cosine, sine, depth};
  cones_[static_cast<std::size_t>(num_cones_++)] = cone;
  for (int f = 0; f < num_faces_; ++f) {
    if (face(f).alive && is_covered(face(f), cone)) settle_face(f);
  }
  return true;
}

void GrowingPolytope::settle_face(int index) {
  open_distance_[static_cast<std::size_t>(index)] = kInfinity;
}

bool GrowingPolytope::is_settled(const Vector3d& outward) const {
  for (int k = 0; k < num_cones_; ++k) {
    const Cone& cone = cones_[static_cast<std::size_t>(k)];
    if (cone.outward.dot(outward) > cone.cosine) return true;
  }
  return false;
}

bool GrowingPolytope::is_settled(const Vector3d& outward, double cosine) const {
  for (int k = 0; k < num_cones_; ++k) {
    if (cones_[static_cast<std::size_t>(k)].outward.dot(outward) > cosine) return true;
  }
  return false;
}

bool GrowingPolytope::holds_foot(int index) const {
  const Face& own = face(index);
  const Vector3d foot = own.distance * own.normal;
  bool is_within = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d& tail = w(own.vertex[k]);
    const Vector3d along = w(own.vertex[(k + 1) % 3]) - tail;
    is_within = is_within && own.normal.dot(along.cross(foot - tail)) >= 0.0;
  }
  return is_within;
}

int GrowingPolytope::nearest_face() const {
  int nearest = -1;
  double least = kInfinity;
  for (int f = 0; f < num_faces_; ++f) {
    const double distance = open_distance_[static_cast<std::size_t>(f)];
    if (distance < least) {
      least = distance;
      nearest = f;
    }
  }
  return nearest;
}

bool GrowingPolytope::is_visible_from(const Vector3d& point, const Face& face,
                                      double rounding) const {
  return face.normal.dot(point) - face.distance > rounding;
}

int GrowingPolytope::most_visible_face(const Vector3d& point) const {
  int best = -1;
  double height = -kInfinity;
  for (int f = 0; f < num_faces_; ++f) {
    if (!face(f).alive) continue;
    const double above = face(f).normal.dot(point) - face(f).distance;
    if (above > height) {
      height = above;
      best = f;
    }
  }
  return best;
}

void GrowingPolytope::collect_visible_faces(int start, const Vector3d& point, double rounding) {
  num_seen_ = 0;
  // Breadth-first search over neighbors, from the first face.
  at(start).visible = true;
  seen_[static_cast<std::size_t>(num_seen_++)] = start;
  for (int next = 0; next < num_seen_; ++next) {
    const Face& current = face(seen_[static_cast<std::size_t>(next)]);
    for (const int neighbor : current.neighbor) {
      if (face(neighbor).visible || !is_visible_from(point, face(neighbor), rounding)) continue;
      at(neighbor).visible = true;
      seen_[static_cast<std::size_t>(num_seen_++)] = neighbor;
    }
  }
}

/// Fails if the horizon touches itself: a fan over it would not be a surface.
bool GrowingPolytope::collect_horizon() {
  num_horizon_ = 0;
  std::fill_n(fan_.begin(), num_vertices_, -1);
  for (int s = 0; s < num_seen_; ++s) {
    const Face& inner = face(seen_[static_cast<std::size_t>(s)]);
    // An edge from a seen face to one that is not seen belongs to the horizon.
    for (std::size_t k = 0; k < 3; ++k) {
      if (face(inner.neighbor[k]).visible) continue;
      const int tail = inner.vertex[k];
      if (fan_[static_cast<std::size_t>(tail)] >= 0) return false;
      fan_[static_cast<std::size_t>(tail)] = num_horizon_;
      horizon_[static_cast<std::size_t>(num_horizon_++)] = {tail, inner.vertex[(k + 1) % 3],
                                                            inner.neighbor[k]};
    }
  }
  return num_horizon_ >= 3;
}

int GrowingPolytope::take_face() {
  return num_free_ > 0 ? free_[static_cast<std::size_t>(--num_free_)] : num_faces_++;
}

void GrowingPolytope::replace_seen_faces(const Vector3d& point) {
  const int apex = num_vertices_++;
  vertices_[static_cast<std::size_t>(apex)] = point;
  // The faces seen are freed for reuse.
  for (int s = 0; s < num_seen_; ++s) {
    const int index = seen_[static_cast<std::size_t>(s)];
    at(index).alive = false;
    at(index).visible = false;
    settle_face(index);
    free_[static_cast<std::size_t>(num_free_++)] = index;
  }
  // Each edge of the horizon gets a triangle to the new point, joined to its outer neighbor.
  for (int h = 0; h < num_horizon_; ++h) {
    const HorizonEdge& edge = horizon_[static_cast<std::size_t>(h)];
    const int index = take_face();
    Face& fresh = at(index);
    fresh.vertex = {edge.tail, edge.head, apex};
    fresh.neighbor = {edge.outer, -1, -1};
    fresh.alive = true;
    fresh.visible = false;
    set_plane(index);
    fan_[static_cast<std::size_t>(edge.tail)] = index;
    Face& outer = at(edge.outer);
    for (std::size_t k = 0; k < 3; ++k) {
      if (outer.vertex[k] == edge.head && outer.vertex[(k + 1) % 3] == edge.tail) {
        outer.neighbor[k] = index;
      }
    }
  }
  // Triangles of the fan that share an edge to the new point become neighbors.
  for (int h = 0; h < num_horizon_; ++h) {
    const HorizonEdge& edge = horizon_[static_cast<std::size_t>(h)];
    const int index = fan_[static_cast<std::size_t>(edge.tail)];
    const int next = fan_[static_cast<std::size_t>(edge.head)];
    at(index).neighbor[1] = next;
    at(next).neighbor[2] = index;
  }
}

bool GrowingPolytope::add(const Vector3d& point, double rounding, int first) {
  if (num_vertices_ == kMaxVertices) return false;
  const int start = first >= 0 ? first : most_visible_face(point);
  if (start < 0 || !is_visible_from(point, face(start), rounding)) return false;
  collect_visible_faces(start, point, rounding);
  // A closed triangulated surface with one more vertex has two more faces.
  const bool fits = num_faces_ - num_free_ + 2 <= kMaxFaces;
  // Failure leaves the polytope as it was.
  if (!fits || !collect_horizon()) {
    for (int s = 0; s < num_seen_; ++s) at(seen_[static_cast<std::size_t>(s)]).visible = false;
    return false;
  }
  replace_seen_faces(point);
  return true;
}

}  // namespace amontons::narrow_phase
