#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>

namespace amontons::narrow_phase {

/// The inner polytope of epa(): triangles around the origin, with adjacency, in fixed memory.
class GrowingPolytope {
 public:
  static constexpr int kMaxVertices = 160;
  static constexpr int kMaxFaces = 2 * kMaxVertices;

  struct Face {
    std::array<int, 3> vertex;    ///< counterclockwise seen from outside
    std::array<int, 3> neighbor;  ///< across the edge from vertex k to vertex k + 1
    Eigen::Vector3d normal;       ///< unit, outward
    double distance;              ///< of its plane from the origin [m]
    bool alive;
    bool seen;  ///< by the point that is being added
  };

  /// Begins with a tetrahedron of any orientation. False if it is flat.
  bool begin(const std::array<Eigen::Vector3d, 4>& points);

  /// Nothing is looked for in a cone any more: a face with its normal in the cone need not grow
  /// once none of its points outside of the cone is nearer to the origin than `depth`.
  /// @param cosine  of the cone's half angle.
  /// @param depth   points as far as this do not count as nearer [m].
  /// @returns false if there are too many cones already.
  bool settle(const Eigen::Vector3d& outward, double cosine, double depth);
  /// This face need not grow any more.
  void settle_face(int index);
  /// True if a direction is in a cone.
  bool is_settled(const Eigen::Vector3d& outward) const;
  /// True if a cone's axis is nearer than the angle of this cosine.
  bool is_settled(const Eigen::Vector3d& outward, double cosine) const;

  /// The face nearest to the origin that is not settled, or -1 if none is left.
  int nearest_face() const;
  const Face& face(int index) const { return faces_[static_cast<std::size_t>(index)]; }

  /// Adds a point outside. The faces that see it and are connected with the first one are replaced
  /// by a fan: a connected region has a single closed horizon.
  /// @param first  a face that may see the point; without it, the one that it is farthest from.
  /// @returns false if that face does not see the point by more than `rounding`, or the memory is
  ///     used up.
  bool add(const Eigen::Vector3d& point, double rounding, int first = -1);

 private:
  struct Cone {
    Eigen::Vector3d outward;
    double cosine, sine, depth;
  };
  struct HorizonEdge {
    int tail, head, outer;
  };

  void set_plane(int index);
  static bool is_covered(const Face& face, const Cone& cone);
  bool sees(const Eigen::Vector3d& point, const Face& face, double rounding) const;
  int most_visible_face(const Eigen::Vector3d& point) const;
  void flood(int start, const Eigen::Vector3d& point, double rounding);
  bool collect_horizon();
  void replace_seen_faces(const Eigen::Vector3d& point);
  int take_face();
  Face& at(int index) { return faces_[static_cast<std::size_t>(index)]; }
  const Eigen::Vector3d& w(int vertex) const { return vertices_[static_cast<std::size_t>(vertex)]; }

  // Left uninitialized on purpose: only the first num_* entries are ever read.
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
