#pragma once

#include "amontons/geometry/convex_core.h"

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

  /// Normals around which the polytope need not grow any more.
  struct Settled {
    static constexpr int kMax = 6;
    std::array<Eigen::Vector3d, kMax> outward;
    int count = 0;
    double cosine = 1.0;  ///< of the cones' half angle

    bool contains(const Eigen::Vector3d& normal) const {
      for (int k = 0; k < count; ++k) {
        if (outward[static_cast<std::size_t>(k)].dot(normal) > cosine) return true;
      }
      return false;
    }
  };

  /// The face nearest to the origin that is not settled, or -1 if none is left.
  int nearest_face(const Settled& settled) const;
  const Face& face(int index) const { return faces_[static_cast<std::size_t>(index)]; }

  /// Adds a point outside. The faces that see it and are connected with the one it is farthest from
  /// are replaced by a fan: a connected region has a single closed horizon.
  /// @returns false if no face sees the point by more than `rounding`, or the memory is used up.
  bool add(const Eigen::Vector3d& point, double rounding);

 private:
  struct HorizonEdge {
    int tail, head, outer;
  };

  void set_plane(Face& face) const;
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
  std::array<int, kMaxFaces> free_;
  std::array<int, kMaxFaces> seen_;
  std::array<HorizonEdge, kMaxFaces> horizon_;
  std::array<int, kMaxVertices> fan_;  // by vertex: the new face whose outer edge begins there
  int num_vertices_ = 0, num_faces_ = 0, num_free_ = 0, num_seen_ = 0, num_horizon_ = 0;
};

}  // namespace amontons::narrow_phase
