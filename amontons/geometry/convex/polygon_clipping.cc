#include "amontons/geometry/convex/polygon_clipping.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Edges closer to parallel than this share a segment instead of a crossing: sine [-].
constexpr double kParallelEdgeSine = 1e-3;

/// Says which features a contact's name holds; merged corners keep the first of them in this order.
enum class Label : std::uint32_t { VertexOfA = 1, VertexOfB = 2, Crossing = 3 };

/// Returns a name: four bits of the label, 14 of each id.
std::uint32_t encode(Label label, int id_a, int id_b) {
  return static_cast<std::uint32_t>(label) << 28 | static_cast<std::uint32_t>(id_a) << 14 |
         static_cast<std::uint32_t>(id_b);
}

/// Returns the component normal to the plane of u x v.
double cross(const Vector2d& u, const Vector2d& v) { return u.x() * v.y() - u.y() * v.x(); }

/// Holds a feature seen along n: counterclockwise corners. Edge k leaves corner k and has its id.
struct Outline {
  std::array<Vector2d, SupportFeature::kMaxVertices> x;
  std::array<int, SupportFeature::kMaxVertices> id{};
  int count = 0;

  const Vector2d& corner(int k) const { return x[static_cast<std::size_t>(k % count)]; }
  int corner_id(int k) const { return id[static_cast<std::size_t>(k % count)]; }
};

/// Holds a corner of the common part. The edge that leaves it belongs to A or to B.
struct Corner {
  Vector2d x;
  std::uint32_t feature = 0;
  bool edge_of_B = false;
  int edge = 0;  // index of the leaving edge in its outline
};

using CornerList = std::array<Corner, FeatureOverlap::kMaxPoints>;

/// Defines the plane of view: t1, t2, n right-handed, about a point near both features.
class View {
 public:
  View(const Vector3d& n, const Vector3d& origin) : n_(n), origin_(origin) {
    Eigen::Index smallest = 0;
    n.cwiseAbs().minCoeff(&smallest);
    t1_ = (Vector3d::Unit(smallest) - n[smallest] * n).normalized();
    t2_ = n.cross(t1_);
  }

  /// Returns a feature in the plane; the corners of B run the other way, so they are reversed.
  Outline outline(const SupportFeature& feature, bool reversed) const {
    Outline result;
    result.count = feature.count;
    for (int k = 0; k < feature.count; ++k) {
      const int from = reversed ? feature.count - 1 - k : k;
      const SupportFeature::Vertex& vertex = feature.vertices[static_cast<std::size_t>(from)];
      const Vector3d offset = vertex.position - origin_;
      result.x[static_cast<std::size_t>(k)] = {t1_.dot(offset), t2_.dot(offset)};
      result.id[static_cast<std::size_t>(k)] = vertex.id;
    }
    return result;
  }

  /// Returns the point of the feature's plane seen at x.
  Vector3d lift(const Vector2d& x, const SupportFeature& feature) const {
    const Vector3d base = x.x() * t1_ + x.y() * t2_;
    const Vector3d& m = feature.plane_normal;
    const double height = m.dot(feature.vertices[0].position - origin_ - base) / m.dot(n_);
    return origin_ + base + height * n_;
  }

 private:
  Vector3d n_, origin_, t1_, t2_;
};

/// Returns the name of the point where the edge that leaves a corner crosses an edge of B.
std::uint32_t crossing_feature(const Outline& A, const Outline& B, const Corner& subject,
                               int edge) {
  if (!subject.edge_of_B) {
    return encode(Label::Crossing, A.corner_id(subject.edge), B.corner_id(edge));
  }
  // Two edges of B meet in a vertex of B, that between them.
  const bool subject_follows = (edge + 1) % B.count == subject.edge;
  return encode(Label::VertexOfB, 0, B.corner_id(subject_follows ? subject.edge : edge));
}

/// Runs one pass of Sutherland and Hodgman: keeps the part left of one edge of B.
int clip_by_edge(const Outline& A, const Outline& B, int edge, double slack, const CornerList& in,
                 int count, CornerList& out) {
  const Vector2d tail = B.corner(edge);
  const Vector2d along = B.corner(edge + 1) - tail;
  const double length = along.norm();
  int kept = 0;
  const auto put = [&](const Corner& corner) {
    if (kept < FeatureOverlap::kMaxPoints) out[static_cast<std::size_t>(kept++)] = corner;
  };
  for (int k = 0; k < count; ++k) {
    const Corner& current = in[static_cast<std::size_t>(k)];
    const Corner& next = in[static_cast<std::size_t>((k + 1) % count)];
    const double side = length > 0.0 ? cross(along, current.x - tail) / length : 0.0;
    const double next_side = length > 0.0 ? cross(along, next.x - tail) / length : 0.0;
    const bool inside = side >= -slack;
    const bool next_inside = next_side >= -slack;
    if (inside) put(current);
    if (inside == next_inside) continue;
    // The border is crossed; a corner that begins outside keeps its edge, one inside takes B's.
    const double s = std::clamp(side / (side - next_side), 0.0, 1.0);
    Corner crossing{current.x + s * (next.x - current.x), crossing_feature(A, B, current, edge),
                    current.edge_of_B, current.edge};
    if (inside) {
      crossing.edge_of_B = true;
      crossing.edge = edge;
    }
    put(crossing);
  }
  return kept;
}

/// Merges corners nearer than twice the slack. A vertex of A is kept rather than one of B, and that
/// rather than a crossing.
int merge_neighbors(CornerList& corners, int count, double slack) {
  const double slack_squared = 4.0 * slack * slack;
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const Corner& corner = corners[static_cast<std::size_t>(k)];
    int twin = -1;
    for (int j = 0; j < kept && twin < 0; ++j) {
      const Vector2d offset = corners[static_cast<std::size_t>(j)].x - corner.x;
      if (offset.squaredNorm() <= slack_squared) twin = j;
    }
    if (twin < 0) {
      corners[static_cast<std::size_t>(kept++)] = corner;
    } else if (corner.feature < corners[static_cast<std::size_t>(twin)].feature) {
      corners[static_cast<std::size_t>(twin)] = corner;
    }
  }
  return kept;
}

/// Clips the polygon A by all edges of the polygon B.
int clip_polygons(const Outline& A, const Outline& B, double slack, CornerList& corners) {
  CornerList buffer;
  int count = A.count;
  for (int k = 0; k < count; ++k) {
    corners[static_cast<std::size_t>(k)] = {A.corner(k),
                                            encode(Label::VertexOfA, A.corner_id(k), 0), false, k};
  }
  for (int edge = 0; edge < B.count && count > 0; ++edge) {
    count = clip_by_edge(A, B, edge, slack, corners, count, buffer);
    std::copy_n(buffer.begin(), count, corners.begin());
  }
  return merge_neighbors(corners, count, slack);
}

/// Finds the part of a segment within a polygon, or nothing (Cyrus and Beck).
int clip_segment(const Outline& segment, const Outline& polygon, bool segment_of_B, double slack,
                 CornerList& corners) {
  const Vector2d tail = segment.corner(0);
  const Vector2d along = segment.corner(1) - tail;
  const Label own = segment_of_B ? Label::VertexOfB : Label::VertexOfA;
  const auto end_feature = [&](int k) {
    const int id = segment.corner_id(k);
    return segment_of_B ? encode(own, 0, id) : encode(own, id, 0);
  };
  const auto crossing = [&](int edge) {
    const int id = polygon.corner_id(edge);
    return segment_of_B ? encode(Label::Crossing, id, segment.corner_id(0))
                        : encode(Label::Crossing, segment.corner_id(0), id);
  };
  // The part [enter, leave] of the parameter shrinks with every edge that the segment crosses.
  double enter = 0.0;
  double leave = 1.0;
  Corner first{tail, end_feature(0), segment_of_B, 0};
  Corner last{segment.corner(1), end_feature(1), segment_of_B, 0};
  // Distances of both ends from the edge's line: positive inside.
  for (int edge = 0; edge < polygon.count; ++edge) {
    const Vector2d side = polygon.corner(edge + 1) - polygon.corner(edge);
    const double length = side.norm();
    if (length == 0.0) continue;
    const double from = cross(side, tail - polygon.corner(edge)) / length;
    const double slope = cross(side, along) / length;
    const double to = from + slope;
    if (from < -slack && to < -slack) return 0;
    if (from >= -slack && to >= -slack) continue;
    const double s = std::clamp(-from / slope, 0.0, 1.0);
    if (from < -slack && s > enter) {
      enter = s;
      first = {tail + s * along, crossing(edge), segment_of_B, 0};
    } else if (to < -slack && s < leave) {
      leave = s;
      last = {tail + s * along, crossing(edge), segment_of_B, 0};
    }
  }
  if (enter > leave) return 0;
  corners[0] = first;
  corners[1] = last;
  return merge_neighbors(corners, 2, slack);
}

/// Finds the point where two segments cross, if they do.
int cross_segments(const Outline& A, const Outline& B, double slack, CornerList& corners) {
  const Vector2d along_A = A.corner(1) - A.corner(0);
  const Vector2d along_B = B.corner(1) - B.corner(0);
  const Vector2d offset = B.corner(0) - A.corner(0);
  // A(s) = B(t) gives s and t as ratios of cross products.
  const double sine = cross(along_A, along_B);
  const double s = cross(offset, along_B) / sine;
  const double t = cross(offset, along_A) / sine;
  const double inside_A = slack / along_A.norm();
  const double inside_B = slack / along_B.norm();
  if (!(s >= -inside_A && s <= 1.0 + inside_A && t >= -inside_B && t <= 1.0 + inside_B)) return 0;
  corners[0] = {A.corner(0) + std::clamp(s, 0.0, 1.0) * along_A,
                encode(Label::Crossing, A.corner_id(0), B.corner_id(0)), false, 0};
  return 1;
}

/// Finds the common part of two nearly parallel segments, on A, or their crossing.
int overlap_segments(const Outline& A, const Outline& B, double slack, CornerList& corners) {
  const double length = (A.corner(1) - A.corner(0)).norm();
  const double length_B = (B.corner(1) - B.corner(0)).norm();
  if (length <= slack || length_B <= slack) return 0;
  const Vector2d u = (A.corner(1) - A.corner(0)) / length;
  const Vector2d offset0 = B.corner(0) - A.corner(0);
  const Vector2d offset1 = B.corner(1) - A.corner(0);
  // Clearly not parallel: the crossing, if there is one.
  if (std::abs(cross(u, offset1 - offset0)) > kParallelEdgeSine * length_B) {
    return cross_segments(A, B, slack, corners);
  }
  // The interval of B along A, cut to the length of A.
  const double s0 = u.dot(offset0);
  const double s1 = u.dot(offset1);
  const int low_end = s0 <= s1 ? 0 : 1;
  const double low = std::min(s0, s1);
  const double high = std::max(s0, s1);
  const double from = std::max(0.0, low);
  const double to = std::min(length, high);
  if (from > to) return 0;
  // Parallel segments that lie side by side have no common part.
  const double lateral = cross(u, offset0 + (offset1 - offset0) * 0.5);
  if (std::abs(lateral) > slack + kParallelEdgeSine * (length + length_B)) return 0;
  // Each end is named by the vertex that bounds it.
  corners[0] = {A.corner(0) + from * u,
                low > 0.0 ? encode(Label::VertexOfB, 0, B.corner_id(low_end))
                          : encode(Label::VertexOfA, A.corner_id(0), 0),
                false, 0};
  corners[1] = {A.corner(0) + to * u,
                high < length ? encode(Label::VertexOfB, 0, B.corner_id(1 - low_end))
                              : encode(Label::VertexOfA, A.corner_id(1), 0),
                false, 0};
  return merge_neighbors(corners, 2, slack);
}

/// Finds a vertex within the other feature.
int clip_vertex(const Outline& vertex, const Outline& other, bool vertex_of_B, double slack,
                CornerList& corners) {
  const Vector2d& x = vertex.corner(0);
  // Within an edge or vertex: the nearest point of it is closer than the slack.
  if (other.count < 3) {
    const Vector2d along = other.corner(1) - other.corner(0);
    const double length_squared = along.squaredNorm();
    const double s = length_squared > 0.0 ? along.dot(x - other.corner(0)) / length_squared : 0.0;
    const Vector2d nearest = other.corner(0) + std::clamp(s, 0.0, 1.0) * along;
    if (!((x - nearest).norm() <= slack)) return 0;
  }
  for (int edge = 0; edge < other.count && other.count >= 3; ++edge) {
    const Vector2d side = other.corner(edge + 1) - other.corner(edge);
    if (cross(side, x - other.corner(edge)) < -slack * side.norm()) return 0;
  }
  const int id = vertex.corner_id(0);
  corners[0] = {x, vertex_of_B ? encode(Label::VertexOfB, 0, id) : encode(Label::VertexOfA, id, 0),
                vertex_of_B, 0};
  return 1;
}

/// Clips by the kinds of both features.
int clip(const Outline& A, const Outline& B, double slack, CornerList& corners) {
  if (A.count == 1) return clip_vertex(A, B, false, slack, corners);
  if (B.count == 1) return clip_vertex(B, A, true, slack, corners);
  if (A.count == 2 && B.count == 2) return overlap_segments(A, B, slack, corners);
  if (A.count == 2) return clip_segment(A, B, false, slack, corners);
  if (B.count == 2) return clip_segment(B, A, true, slack, corners);
  return clip_polygons(A, B, slack, corners);
}

}  // namespace

std::uint32_t vertex_of_B(int id) { return encode(Label::VertexOfB, 0, id & 0x3fff); }

FeatureOverlap overlap(const SupportFeature& A, const SupportFeature& B, const Vector3d& n,
                       double slack) {
  const View view(n, A.vertices[0].position);
  CornerList corners;
  FeatureOverlap result;
  result.count = clip(view.outline(A, false), view.outline(B, true), slack, corners);
  // Each corner is lifted to both features; the gap is the difference of heights along n.
  for (int k = 0; k < result.count; ++k) {
    const Corner& corner = corners[static_cast<std::size_t>(k)];
    FeatureOverlap::Point& point = result.points[static_cast<std::size_t>(k)];
    point.a = view.lift(corner.x, A);
    point.b = view.lift(corner.x, B);
    point.gap = n.dot(point.b - point.a);
    point.feature = corner.feature;
  }
  return result;
}

}  // namespace amontons::narrow_phase
