#include "amontons/io/picture/grid_plane.h"

#include "amontons/io/picture/color.h"
#include "amontons/math/elementary.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <cmath>

namespace amontons::io {
namespace {

float smooth_step(float from, float to, float x) {
  const float share = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return share * share * (3.0f - 2.0f * share);
}

/// Returns how much of a place lines of a spacing cover, of a width in pixels; dense lines vanish.
float lines(const Eigen::Vector2f& place, const Eigen::Vector2f& pixel, float spacing,
            float width) {
  float most = 0.0f;
  for (int k = 0; k < 2; ++k) {
    const float cell = place[k] / spacing - 0.5f;
    const float slope = std::max(pixel[k] / spacing, 1e-9f);
    const float distance = std::abs(cell - std::floor(cell) - 0.5f);
    if (distance >= slope * width) continue;
    const float line = 1.0f - smooth_step(0.0f, slope * width, distance);
    most = std::max(most, line * std::clamp(1.4f - 3.0f * slope, 0.0f, 1.0f));
  }
  return most;
}

}  // namespace

double round_spacing(double length) {
  double power = 1.0;
  // A double has a power of ten of at most 308.
  for (int k = 0; k < 400 && power * 10.0 <= length; ++k) power *= 10.0;
  for (int k = 0; k < 400 && power > length; ++k) power /= 10.0;
  const double ratio = length / power;
  return power * (ratio < 1.5 ? 1.0 : ratio < 3.5 ? 2.0 : ratio < 7.5 ? 5.0 : 10.0);
}

GridPlane::GridPlane(const Eigen::Vector3d& normal, double offset, const Eigen::Vector3d& near,
                     double spacing, double radius, double fill)
    : spacing_(static_cast<float>(spacing)),
      radius_(static_cast<float>(radius)),
      fill_(static_cast<float>(fill)) {
  X_BP_.rotation = contact_frame(normal.normalized());
  // The lines go through the multiples of the spacing.
  const double step = 5.0 * spacing;
  const Eigen::Vector3d middle = X_BP_.rotation.transpose() * near;
  X_BP_.translation = X_BP_.rotation * Eigen::Vector3d(step * std::round(middle.x() / step),
                                                       step * std::round(middle.y() / step),
                                                       offset / normal.norm());
}

void GridPlane::set_pose(const Pose& X_WB, const Lighting& lighting, bool is_dark) {
  const Pose X_WP = X_WB * X_BP_;
  middle_ = X_WP.translation.cast<float>();
  t1_ = X_WP.rotation.col(0).cast<float>();
  t2_ = X_WP.rotation.col(1).cast<float>();
  normal_ = X_WP.rotation.col(2).cast<float>();
  ink_ = linear_color(is_dark ? 0x5d6d82 : 0x9fadbd);
  const Eigen::Vector3f base = linear_color(is_dark ? 0x2c343f : 0xeef1f4);
  in_sun_ = lighting.shade(base, normal_, normal_, 0.0f, 1.0f);
  in_shade_ = lighting.shade(base, normal_, normal_, 0.0f, 0.0f);
  stored_in_sun_ = stored_from_linear(tone_mapped(in_sun_));
}

void GridPlane::set_view(const Eigen::Vector3f& from, const Eigen::Vector3f& pixel_x,
                         const Eigen::Vector3f& pixel_y) {
  Eigen::Matrix3f axes;
  axes << t1_.transpose(), t2_.transpose(), normal_.transpose();
  from_W_ = from;
  from_ = axes * (from - middle_);
  pixel_x_ = axes * pixel_x;
  pixel_y_ = axes * pixel_y;
  inverse_height_ = from_.z() > 0.0f ? 1.0f / from_.z() : 0.0f;
}

GridPlane::Look GridPlane::look(const Eigen::Vector3f& ray, const ShadowMap& shadows) const {
  Look look;
  const Eigen::Vector3f r(ray.dot(t1_), ray.dot(t2_), ray.dot(normal_));
  const float length = -from_.z() / r.z();
  const Eigen::Vector2f place = from_.head<2>() + length * r.head<2>();
  const float fade = 1.0f - smooth_step(0.25f, 1.0f, place.norm() / radius_);
  if (fade <= 0.0f) return look;
  // The change of the place from this pixel to the next ones.
  const auto change = [&](const Eigen::Vector3f& step) -> Eigen::Vector2f {
    return length * (step.head<2>() - (step.z() / r.z()) * r.head<2>());
  };
  const Eigen::Vector2f pixel = change(pixel_x_).cwiseAbs() + change(pixel_y_).cwiseAbs();
  const float grid = std::max(0.3f * lines(place, pixel, spacing_, 1.1f),
                              0.7f * lines(place, pixel, 5.0f * spacing_, 1.4f));
  look.opacity = fade * std::max(fill_, grid);
  if (look.opacity <= 0.0f) return look;
  const float sun = fill_ > 0.0f ? shadows.sun_share(from_W_ + length * ray, normal_) : 1.0f;
  look.color = stored_in_sun_;
  if (sun == 1.0f && grid == 0.0f) return look;
  // Light without gloss is linear in the share of the sun.
  const Eigen::Vector3f lit = sun * in_sun_ + (1.0f - sun) * in_shade_;
  look.color = stored_from_linear(tone_mapped((1.0f - grid) * lit + grid * ink_));
  return look;
}

}  // namespace amontons::io
