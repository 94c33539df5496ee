#pragma once

#include "amontons/io/picture/camera.h"
#include "amontons/io/picture/lighting.h"

#include <Eigen/Core>

#include <algorithm>

namespace amontons::io {

/// Returns a round length (1, 2 or 5 times a power of ten) near another one.
double round_spacing(double length);

/// Draws planes with lines that fade out: half-spaces, and the grid of scenes without one.
class GridPlane {
 public:
  /// Places the plane in its body: it bounds the half-space normal . x <= offset.
  /// @param near    point that the middle of the pattern is close to, in the body [m].
  /// @param radius  at which it has faded [m].
  /// @param fill    opacity between the lines, in [0, 1].
  GridPlane(const Eigen::Vector3d& normal, double offset, const Eigen::Vector3d& near,
            double spacing, double radius, double fill);

  /// Moves it with its body, lights it, and sets from where it is seen.
  /// @param pixel_x, pixel_y  changes of the ray from a pixel to the next one and the one below.
  void set_pose(const Pose& X_WB, const Lighting& lighting, bool is_dark);
  void set_view(const Eigen::Vector3f& from, const Eigen::Vector3f& pixel_x,
                const Eigen::Vector3f& pixel_y);
  /// Returns true if it hides what is behind it.
  bool is_opaque() const { return fill_ >= 1.0f; }

  /// Returns the nearness of the plane along a ray of length 1 along the view; 0 where it is not
  /// seen, behind the camera or from below.
  float nearness(const Eigen::Vector3f& ray) const {
    return std::max(0.0f, -ray.dot(normal_) * inverse_height_);
  }

  /// Holds the stored color of a place, and its opacity.
  struct Look {
    Eigen::Vector3f color;
    float opacity = 0.0f;
  };
  /// Returns the look where a ray meets the plane, which it sees.
  Look look(const Eigen::Vector3f& ray, const ShadowMap& shadows) const;

 private:
  Pose X_BP_;  // of the pattern: its z axis is the normal
  Eigen::Vector3f middle_, t1_, t2_, normal_;
  Eigen::Vector3f ink_, in_sun_, in_shade_;  // linear
  Eigen::Vector3f stored_in_sun_;
  // The camera's place, and the changes of the ray, along t1, t2 and the normal.
  Eigen::Vector3f from_, pixel_x_, pixel_y_, from_W_;
  float inverse_height_ = 0.0f;  // of the camera above the plane [1/m]; 0 below it
  float spacing_, radius_, fill_;
};

}  // namespace amontons::io
