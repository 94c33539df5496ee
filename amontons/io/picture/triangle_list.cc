#include "amontons/io/picture/triangle_list.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace amontons::io {
namespace {

constexpr double kNearShare = 1e-3;  // near plane, of the distance of the target

}  // namespace

void TriangleList::clear() {
  points_.clear();
  normals_.clear();
  triangles_.clear();
  looks_.clear();
}

void TriangleList::add(const SurfaceMesh& mesh, const Eigen::Matrix3f& linear,
                       const Eigen::Vector3f& origin, const SurfaceLook& look) {
  // Normals turn with the inverse transpose; a form without volume has none.
  const Eigen::Vector3f sizes = linear.colwise().norm();
  if (!(sizes.minCoeff() > 0.0f) || !origin.allFinite()) return;
  const Eigen::Matrix3f turn = linear * sizes.cwiseAbs2().cwiseInverse().asDiagonal();
  const auto first = static_cast<std::uint32_t>(points_.size());
  const auto place = static_cast<std::uint32_t>(looks_.size());
  looks_.push_back(look);
  for (const Eigen::Vector3f& p : mesh.points) points_.emplace_back(linear * p + origin);
  for (const Eigen::Vector3f& n : mesh.normals) normals_.emplace_back((turn * n).normalized());
  for (std::size_t t = 0; t < mesh.corners.size(); ++t) {
    const auto& [a, b, c] = mesh.corners[t];
    triangles_.push_back({{first + a, first + b, first + c}, place, mesh.tones[t]});
  }
}

Eigen::Vector3f TriangleList::face_normal(const Triangle& t) const {
  const Eigen::Vector3f& a = points_[t.corners[0]];
  return (points_[t.corners[1]] - a).cross(points_[t.corners[2]] - a).stableNormalized();
}

Eigen::Vector3f TriangleList::normal_at(const Triangle& t, const Eigen::Vector3f& point) const {
  const Eigen::Vector3f& a = points_[t.corners[0]];
  const Eigen::Vector3f u = points_[t.corners[1]] - a, v = points_[t.corners[2]] - a, w = point - a;
  const float uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), wu = w.dot(u), wv = w.dot(v);
  const float area = uu * vv - uv * uv;
  if (!(area > 0.0f)) return normals_[t.corners[0]];
  const float b = std::clamp((vv * wu - uv * wv) / area, 0.0f, 1.0f);
  const float c = std::clamp((uu * wv - uv * wu) / area, 0.0f, 1.0f - b);
  const Eigen::Vector3f normal = (1.0f - b - c) * normals_[t.corners[0]] +
                                 b * normals_[t.corners[1]] + c * normals_[t.corners[2]];
  return normal.isZero() ? normals_[t.corners[0]] : normal.normalized().eval();
}

Lens::Lens(const Camera& camera, int width, int height)
    : position_(camera.position.cast<float>()),
      right_(camera.right.cast<float>()),
      up_(camera.up.cast<float>()),
      forwards_(-camera.back.cast<float>()),
      middle_x_(static_cast<float>(width)),
      middle_y_(static_cast<float>(height)),
      scale_(static_cast<float>(height / camera.slope)),
      near_(static_cast<float>(kNearShare * (camera.position - camera.target).norm())) {}

ScreenPoint Lens::on_screen(const Eigen::Vector3f& seen) const {
  const float nearness = 1.0f / seen.z();
  return {middle_x_ + scale_ * seen.x() * nearness, middle_y_ - scale_ * seen.y() * nearness,
          nearness};
}

void Lens::project(const TriangleList& list) {
  seen_.clear();
  screen_.clear();
  for (const Eigen::Vector3f& point : list.points()) {
    const Eigen::Vector3f offset = point - position_;
    seen_.emplace_back(offset.dot(right_), offset.dot(up_), offset.dot(forwards_));
    screen_.push_back(seen_.back().z() > near_ ? on_screen(seen_.back()) : ScreenPoint{});
  }
}

void Lens::draw(const TriangleList& list, bool both_sides, SampleBuffer& buffer, int first,
                int end) const {
  const auto low = static_cast<float>(first), high = static_cast<float>(end);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto& [a, b, c] = list.triangle(k).corners;
    const auto id = static_cast<std::uint32_t>(k + 1);
    const int num_near =
        (seen_[a].z() <= near_) + (seen_[b].z() <= near_) + (seen_[c].z() <= near_);
    if (num_near == 3) continue;
    if (num_near > 0) {
      draw_cut({seen_[a], seen_[b], seen_[c]}, both_sides, id, buffer, first, end);
      continue;
    }
    const std::array<ScreenPoint, 3> corners = {screen_[a], screen_[b], screen_[c]};
    if (std::max({corners[0].y, corners[1].y, corners[2].y}) < low) continue;
    if (std::min({corners[0].y, corners[1].y, corners[2].y}) > high) continue;
    if (both_sides || is_front(corners)) buffer.draw(corners, id, first, end);
  }
}

void Lens::draw_cut(const std::array<Eigen::Vector3f, 3>& seen, bool both_sides, std::uint32_t id,
                    SampleBuffer& buffer, int first, int end) const {
  // The part beyond the near plane has three or four corners, in the same order.
  std::vector<ScreenPoint> corners;
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Vector3f &p = seen[k], &q = seen[(k + 1) % 3];
    if (p.z() > near_) corners.push_back(on_screen(p));
    if ((p.z() > near_) != (q.z() > near_)) {
      Eigen::Vector3f cut = p + ((near_ - p.z()) / (q.z() - p.z())) * (q - p);
      cut.z() = near_;
      corners.push_back(on_screen(cut));
    }
  }
  for (std::size_t k = 2; k < corners.size(); ++k) {
    const std::array<ScreenPoint, 3> part = {corners[0], corners[k - 1], corners[k]};
    if (both_sides || is_front(part)) buffer.draw(part, id, first, end);
  }
}

}  // namespace amontons::io
