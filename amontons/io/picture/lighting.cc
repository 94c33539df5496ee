#include "amontons/io/picture/lighting.h"

#include "amontons/io/picture/color.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace amontons::io {
namespace {

constexpr int kMapSize = 2048, kTile = 16, kTiles = kMapSize / kTile;
constexpr int kBands = 16;
constexpr float kReach = 1.7f;     // half the side of the map, in radii
constexpr float kOffset = 0.008f;  // distance off the surface, in radii: no surface shades itself
constexpr float kPi = std::numbers::pi_v<float>;

}  // namespace

ShadowMap::ShadowMap()
    : buffer_(kMapSize, kMapSize), highest_(static_cast<std::size_t>(kTiles * kTiles)) {
  const Eigen::Matrix3f axes = contact_frame(Lighting::to_sun().cast<double>()).cast<float>();
  right_ = axes.col(0);
  up_ = axes.col(1);
  to_sun_ = Lighting::to_sun();
}

void ShadowMap::draw(const TriangleList& list, const Eigen::Vector3f& center, float radius,
                     ThreadPool& pool) {
  center_ = center;
  scale_ = 0.5f * kMapSize / (kReach * radius);
  offset_ = kOffset * radius;
  screen_.clear();
  for (const Eigen::Vector3f& point : list.points()) {
    const Eigen::Vector3f p = point - center_;
    screen_.push_back({0.5f * kMapSize + scale_ * p.dot(right_),
                       0.5f * kMapSize + scale_ * p.dot(up_), p.dot(to_sun_)});
  }
  pool.run(kBands, [&](int band, int) {
    const int first = band * kMapSize / kBands, end = (band + 1) * kMapSize / kBands;
    buffer_.clear(-std::numeric_limits<float>::infinity(), first, end);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto& [a, b, c] = list.triangle(k).corners;
      buffer_.draw({screen_[a], screen_[b], screen_[c]}, 1u, first, end);
    }
    for (int y = first; y < end; ++y) {
      float* row = highest_.data() + (y / kTile) * kTiles;
      if (y % kTile == 0) std::fill(row, row + kTiles, -std::numeric_limits<float>::infinity());
      for (int x = 0; x < kMapSize; ++x)
        row[x / kTile] = std::max(row[x / kTile], buffer_.nearness(x, y));
    }
  });
}

bool ShadowMap::is_clear_around(int x, int y, float nearness) const {
  for (const int row : {y / kTile, (y + 3) / kTile}) {
    for (const int column : {x / kTile, (x + 3) / kTile}) {
      if (highest_[static_cast<std::size_t>(row * kTiles + column)] > nearness) return false;
    }
  }
  return true;
}

float ShadowMap::sun_share(const Eigen::Vector3f& point, const Eigen::Vector3f& normal) const {
  const Eigen::Vector3f p = point + offset_ * normal - center_;
  const float nearness = p.dot(to_sun_);
  // Four by four samples, the outer ones in part: the edge of a shadow is three samples wide.
  const float u = 0.5f * kMapSize + scale_ * p.dot(right_) - 2.0f;
  const float v = 0.5f * kMapSize + scale_ * p.dot(up_) - 2.0f;
  if (!(u >= 0.0f && v >= 0.0f && u < kMapSize - 4 && v < kMapSize - 4)) return 1.0f;
  const int x = static_cast<int>(u), y = static_cast<int>(v);
  if (is_clear_around(x, y, nearness)) return 1.0f;
  const float fu = u - static_cast<float>(x), fv = v - static_cast<float>(y);
  float lit = 0.0f;
  for (int j = 0; j < 4; ++j) {
    float row = 0.0f;
    for (int i = 0; i < 4; ++i) {
      const float weight = i == 0 ? 1.0f - fu : i == 3 ? fu : 1.0f;
      if (buffer_.nearness(x + i, y + j) <= nearness) row += weight;
    }
    lit += row * (j == 0 ? 1.0f - fv : j == 3 ? fv : 1.0f);
  }
  return lit / 9.0f;
}

Eigen::Vector3f Lighting::to_sun() {
  static const Eigen::Vector3f direction = Eigen::Vector3f(0.35f, -0.45f, 0.95f).normalized();
  return direction;
}

Lighting::Lighting(bool is_dark) {
  const float sky = is_dark ? 1.35f : 1.9f;
  sky_ = Eigen::Vector3f::Constant(sky / kPi);
  ground_ = sky / kPi * linear_color(is_dark ? 0x3c4654 : 0xa9b2bd);
  sun_ = (is_dark ? 2.4f : 2.3f) / kPi * linear_color(0xfff4e2);
  fill_ = 0.7f / kPi * linear_color(0xbcd3ff);
}

Eigen::Vector3f Lighting::shade(const Eigen::Vector3f& albedo, const Eigen::Vector3f& normal,
                                const Eigen::Vector3f& to_camera, float gloss,
                                float sun_share) const {
  static const Eigen::Vector3f to_fill = Eigen::Vector3f(-3.0f, 2.0f, 1.5f).normalized();
  const Eigen::Vector3f to_sun = Lighting::to_sun();
  const float up = 0.5f * normal.z() + 0.5f;
  const float facing = sun_share * std::max(0.0f, normal.dot(to_sun));
  Eigen::Vector3f light = up * sky_ + (1.0f - up) * ground_ + facing * sun_ +
                          std::max(0.0f, normal.dot(to_fill)) * fill_;
  light = light.cwiseProduct(albedo);
  if (gloss <= 0.0f || facing <= 0.0f) return light;
  // The highlight of a rough dielectric of roughness 1/2, by the GGX distribution.
  constexpr float kAlpha2 = 0.0625f;
  const float half = std::max(0.0f, normal.dot((to_sun + to_camera).normalized()));
  const float width = half * half * (kAlpha2 - 1.0f) + 1.0f;
  return light + (gloss * facing * 0.01f * kAlpha2 / (width * width)) * sun_;
}

}  // namespace amontons::io
