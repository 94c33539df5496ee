#pragma once

#include "amontons/io/picture/triangle_list.h"
#include "amontons/math/thread_pool.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::io {

/// Holds what hides the sun: a picture of the scene as the sun sees it.
class ShadowMap {
 public:
  ShadowMap();

  /// Draws the shadows of triangles around a center. @param radius  of the region with shadows [m].
  void draw(const TriangleList& list, const Eigen::Vector3f& center, float radius,
            ThreadPool& pool);

  /// Returns the share of the sun, in [0, 1], at a point of a surface.
  float sun_share(const Eigen::Vector3f& point, const Eigen::Vector3f& normal) const;

 private:
  bool is_clear_around(int x, int y, float nearness) const;

  SampleBuffer buffer_;
  std::vector<float> highest_;  // nearness of the nearest sample of each tile
  std::vector<ScreenPoint> screen_;
  Eigen::Vector3f center_, right_, up_, to_sun_;
  float scale_ = 1.0f, offset_ = 0.0f;  // samples a meter; distance off the surface [m]
};

/// Lights surfaces by a sky, a sun with shadows and a fill light, as the replay page does.
class Lighting {
 public:
  explicit Lighting(bool is_dark);

  /// Returns the light [-] from a matte surface that shines a little, towards the camera.
  /// @param albedo     linear color.
  /// @param to_camera  unit.
  /// @param sun_share  share of the sun that reaches it, in [0, 1].
  Eigen::Vector3f shade(const Eigen::Vector3f& albedo, const Eigen::Vector3f& normal,
                        const Eigen::Vector3f& to_camera, float gloss, float sun_share) const;

  /// Returns the unit vector to the sun.
  static Eigen::Vector3f to_sun();

 private:
  Eigen::Vector3f sky_, ground_, sun_, fill_;  // irradiance over pi
};

}  // namespace amontons::io
