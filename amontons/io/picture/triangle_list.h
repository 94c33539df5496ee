#pragma once

#include "amontons/io/picture/camera.h"
#include "amontons/io/picture/sample_buffer.h"
#include "amontons/io/picture/surface_mesh.h"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

namespace amontons::io {

/// Describes how a surface looks.
struct SurfaceLook {
  Eigen::Vector3f color = Eigen::Vector3f::Ones();  ///< linear where lit, else stored in [0, 255]
  bool is_terrain = false;                          ///< with lines of equal height
  Eigen::Vector3f up = Eigen::Vector3f::UnitZ();    ///< terrain: its z axis in the world
  float level = 0.0f;                               ///< terrain: least height along up [m]
  float range = 1.0f;                               ///< terrain: of its heights [m]
};

/// Holds triangles in the world. Its numbers are in single precision.
class TriangleList {
 public:
  struct Triangle {
    std::array<std::uint32_t, 3> corners;
    std::uint32_t look;
    float tone;
  };

  void clear();
  /// Adds a mesh whose points p lie at linear * p + origin [m].
  void add(const SurfaceMesh& mesh, const Eigen::Matrix3f& linear, const Eigen::Vector3f& origin,
           const SurfaceLook& look);

  bool is_empty() const { return triangles_.empty(); }
  std::size_t size() const { return triangles_.size(); }
  const Triangle& triangle(std::size_t k) const { return triangles_[k]; }
  const SurfaceLook& look_of(const Triangle& t) const { return looks_[t.look]; }
  const std::vector<Eigen::Vector3f>& points() const { return points_; }

  /// Returns the unit normal of the surface at a point of a triangle.
  Eigen::Vector3f normal_at(const Triangle& t, const Eigen::Vector3f& point) const;
  /// Returns the unit normal of the triangle itself.
  Eigen::Vector3f face_normal(const Triangle& t) const;

 private:
  std::vector<Eigen::Vector3f> points_, normals_;
  std::vector<Triangle> triangles_;
  std::vector<SurfaceLook> looks_;
};

/// Maps the world to the samples of a picture, four to a pixel. The nearness is 1 over the distance
/// along the view [1/m].
class Lens {
 public:
  /// @param width, height  of the picture [pixels].
  Lens(const Camera& camera, int width, int height);

  /// Projects the points of a list; call it before draw().
  void project(const TriangleList& list);
  /// Draws rows first to end - 1 of the list, cut at the near plane; triangle k has the number
  /// k + 1. @param both_sides  draws surfaces that are seen from inside, too.
  void draw(const TriangleList& list, bool both_sides, SampleBuffer& buffer, int first,
            int end) const;

  /// Returns the direction to a place in the picture [samples], of length 1 along the view.
  Eigen::Vector3f ray(float x, float y) const {
    return forwards_ + ((x - middle_x_) / scale_) * right_ - ((y - middle_y_) / scale_) * up_;
  }
  const Eigen::Vector3f& position() const { return position_; }

 private:
  ScreenPoint on_screen(const Eigen::Vector3f& seen) const;
  void draw_cut(const std::array<Eigen::Vector3f, 3>& seen, bool both_sides, std::uint32_t id,
                SampleBuffer& buffer, int first, int end) const;

  Eigen::Vector3f position_, right_, up_, forwards_;
  float middle_x_, middle_y_, scale_, near_;
  std::vector<Eigen::Vector3f> seen_;  // points along right, up and forwards [m]
  std::vector<ScreenPoint> screen_;
};

}  // namespace amontons::io
