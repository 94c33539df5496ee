#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>

namespace amontons::narrow_phase {

/// Holds the inner polytope of epa(): triangles around the origin, with adjacency, in fixed memory.
class GrowingPolytope {
 public:
  // Limits the memory, which lies on the stack.
  static constexpr int kMaxVertices = 160;
  // A closed triangulated surface with V vertices has 2 V - 4 faces.
  static constexpr int kMaxFaces = 2 * kMaxVertices;

  /// Describes a triangle of the surface.
  struct Face {
    std::array<int, 3> vertex;    ///< counterclockwise seen from outside
    std::array<int, 3> neighbor;  ///< across the edge from vertex k to vertex k + 1
    Eigen::Vector3d normal;       ///< unit, outward
    double distance;              ///< distance of its plane from the origin [m]
    bool alive;                   ///< part of the surface; other entries are free
    bool visible;                 ///< visible from the point that is being added
  };

  /// Begins with a tetrahedron of any orientation. Returns false if it is flat.
  bool begin(const std::array<Eigen::Vector3d, 4>& points);

  /// Excludes a cone of directions from the search. A face with its normal in the cone need not
  /// grow if no point of it outside of the cone is nearer to the origin than `depth`.
  /// @param cosine  cosine of the cone's half angle.
  /// @param depth   points as far as this do not count as nearer [m].
  /// @returns false if there are too many cones already.
  bool exclude_cone(const Eigen::Vector3d& outward, double cosine, double depth);
  /// Excludes one face from growth.
  void settle_face(int index);
  /// Returns true if a direction is in a cone.
  bool is_settled(const Eigen::Vector3d& outward) const;
  /// Returns true if a cone's axis is nearer than the angle of this cosine.
  bool is_settled(const Eigen::Vector3d& outward, double cosine) const;

  /// Returns the face nearest to the origin that is not settled, or -1 if none is left.
  int nearest_face() const;
  const Face& face(int index) const { return faces_[static_cast<std::size_t>(index)]; }
  /// Returns true if the point of a face's plane nearest to the origin is within the face.
  bool holds_foot(int index) const;

  /// Adds a point outside. The faces that see it and are connected with the first one are replaced
  /// by a fan: a connected region has a single closed horizon.
  /// @param first  a face that may see the point; without it, the one that it is farthest from.
  /// @returns false if that face does not see the point by more than `rounding`, or the memory is
  ///     used up.
  bool add(const Eigen::Vector3d& point, double rounding, int first = -1);

 private:
  /// Describes a cone of directions about a stationary normal.
  struct Cone {
    Eigen::Vector3d outward;
    double cosine, sine, depth;
  };
  /// Describes an edge between a face that sees the new point and one that does not.
  struct HorizonEdge {
    int tail, head, outer;
  };

  /// Sets normal and distance of a face, and its entry in open_distance_.
  void set_plane(int index);
  /// Returns true if the cone excludes the face from growth.
  static bool is_covered(const Face& face, const Cone& cone);
  bool is_visible_from(const Eigen::Vector3d& point, const Face& face, double rounding) const;
  /// Returns the face of which the point lies farthest above, or -1.
  int most_visible_face(const Eigen::Vector3d& point) const;
  /// Collects the connected faces that see the point.
  void collect_visible_faces(int start, const Eigen::Vector3d& point, double rounding);
  /// Collects the border of the faces seen. Returns false if it is not one simple loop.
  bool collect_horizon();
  /// Replaces the faces seen by a fan from the border to the point.
  void replace_seen_faces(const Eigen::Vector3d& point);
  /// Returns a free entry of faces_.
  int take_face();
  Face& at(int index) { return faces_[static_cast<std::size_t>(index)]; }
  const Eigen::Vector3d& w(int vertex) const { return vertices_[static_cast<std::size_t>(vertex)]; }

  // Left uninitialized on purpose: only the first num_* entries are read.
  std::array<Eigen::Vector3d, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<double, kMaxFaces> open_distance_;  // by face; infinite if it need not grow
  std::array<int, kMaxFaces> free_;
  std::array<int, kMaxFaces> seen_;
  std::array<HorizonEdge, kMaxFaces> horizon_;
  std::array<Cone, 6> cones_;
  std::array<int, kMaxVertices> fan_;  // by vertex: the new face whose outer edge begins there
  int num_vertices_ = 0, num_faces_ = 0, num_free_ = 0, num_seen_ = 0, num_horizon_ = 0,
      num_cones_ = 0;
};

}  // namespace amontons::narrow_phase
