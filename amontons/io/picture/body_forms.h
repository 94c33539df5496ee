#pragma once

#include "amontons/io/picture/extent.h"
#include "amontons/io/picture/grid_plane.h"
#include "amontons/io/picture/triangle_list.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace amontons::io {

/// Holds the forms and planes of the bodies of one run.
class BodyForms {
 public:
  /// @param spacing  between the lines of planes [m].
  BodyForms(const ReplayRun& run, const Extent& extent, double spacing);

  /// Adds the forms of a frame to a list. @param ghost  linear color in place of their own.
  void add_to(TriangleList& list, const ReplayFrame& frame,
              const std::optional<Eigen::Vector3f>& ghost) const;

  /// Returns the planes, which the caller places.
  std::vector<GridPlane>& planes() { return planes_; }
  /// Returns the body of a plane.
  std::size_t body_of_plane(std::size_t k) const { return plane_bodies_[k]; }

  bool has_planes() const { return !planes_.empty(); }
  /// Returns the lowest point [m] of fixed meshes at the first frame, such as terrain.
  double lowest_terrain() const { return lowest_terrain_; }

 private:
  struct Form {
    std::size_t body;
    std::shared_ptr<const SurfaceMesh> mesh;
    Eigen::Matrix3d linear;  // from the mesh to the body
    Eigen::Vector3d origin;
    SurfaceLook look;
  };
  void add_shape(const ReplayShape& shape, std::size_t body, const Eigen::Vector3f& color);
  void add_mesh(const ReplayShape& shape, Form form);
  void add_plane(const ReplayShape& shape, std::size_t body, const Pose& X_WB, const Extent& extent,
                 double spacing);

  std::vector<Form> forms_;
  std::vector<GridPlane> planes_;
  std::vector<std::size_t> plane_bodies_;
  std::shared_ptr<const SurfaceMesh> ball_, dome_, cylinder_, tube_, cube_;
  double lowest_terrain_;
};

}  // namespace amontons::io
