#include "amontons/io/picture/surface_mesh.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <map>
#include <numbers>

namespace amontons::io {
namespace {

constexpr float kDarkTone = 0.72f;
constexpr float kCosCrease = 0.80901699f;  // of 36 degrees
// Faces at one place beyond which it is not smoothed: comparing them grows with their square.
constexpr std::size_t kMostFaces = 200;

enum class Tones { One, Octants, Quadrants };

class MeshBuilder {
 public:
  explicit MeshBuilder(Tones tones) : tones_(tones) {}

  /// Adds a point with its normal, and returns its index.
  std::uint32_t add(const Eigen::Vector3f& point, const Eigen::Vector3f& normal) {
    mesh_.points.push_back(point);
    mesh_.normals.push_back(normal);
    return static_cast<std::uint32_t>(mesh_.points.size() - 1);
  }

  /// Adds a triangle unless it has no area.
  void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Eigen::Vector3f &A = mesh_.points[a], &B = mesh_.points[b], &C = mesh_.points[c];
    if (A == B || B == C || C == A) return;
    mesh_.corners.push_back({a, b, c});
    const Eigen::Vector3f center = A + B + C;
    bool is_dark = false;
    if (tones_ != Tones::One) is_dark = (center.x() > 0.0f) != (center.y() > 0.0f);
    if (tones_ == Tones::Octants) is_dark = is_dark != (center.z() > 0.0f);
    mesh_.tones.push_back(is_dark ? kDarkTone : 1.0f);
  }

  void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    add_triangle(a, b, c);
    add_triangle(a, c, d);
  }

  /// Adds a disc about the z axis, at a height and facing up (+1) or down (-1).
  void add_disc(float height, float facing, const std::vector<Eigen::Vector2f>& circle) {
    const Eigen::Vector3f normal(0.0f, 0.0f, facing);
    const std::uint32_t center = add({0.0f, 0.0f, height}, normal);
    for (std::size_t k = 0; k + 1 < circle.size(); ++k) {
      const std::uint32_t a = add({circle[k].x(), circle[k].y(), height}, normal);
      const std::uint32_t b = add({circle[k + 1].x(), circle[k + 1].y(), height}, normal);
      facing > 0.0f ? add_triangle(center, a, b) : add_triangle(center, b, a);
    }
  }

  SurfaceMesh take() { return std::move(mesh_); }

 private:
  Tones tones_;
  SurfaceMesh mesh_;
};

/// Returns points of an arc of the unit circle, both ends included.
std::vector<Eigen::Vector2f> arc(double first, double last, int num_steps) {
  std::vector<Eigen::Vector2f> points;
  for (int k = 0; k <= num_steps; ++k) {
    const double angle = first + (last - first) * k / num_steps;
    points.emplace_back(static_cast<float>(elementary::cos(angle)),
                        static_cast<float>(elementary::sin(angle)));
  }
  return points;
}

std::vector<Eigen::Vector2f> circle_of(int segments) {
  return arc(0.0, 2.0 * std::numbers::pi, segments);
}

/// Returns the ball between a least latitude and its upper pole.
SurfaceMesh cap_of_ball(double lowest, int num_rings, int segments, Tones tones) {
  MeshBuilder builder(tones);
  const auto circle = circle_of(segments);
  const auto meridian = arc(lowest, 0.5 * std::numbers::pi, num_rings);
  for (const Eigen::Vector2f& ring : meridian) {
    for (const Eigen::Vector2f& c : circle) {
      const Eigen::Vector3f p(ring.x() * c.x(), ring.x() * c.y(), ring.y());
      builder.add(p, p);
    }
  }
  const auto width = static_cast<std::uint32_t>(circle.size());
  for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(num_rings); ++r) {
    for (std::uint32_t s = 0; s + 1 < width; ++s) {
      const std::uint32_t a = r * width + s;
      builder.add_quad(a, a + 1, a + width + 1, a + width);
    }
  }
  return builder.take();
}

/// Returns the normal at a corner of a face: the mean of those faces around it that meet the face
/// at less than the angle of a crease.
Eigen::Vector3f smooth_normal(const Eigen::Vector3f& face,
                              const std::vector<Eigen::Vector3f>& around) {
  if (around.size() > kMostFaces) return face;
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  for (const Eigen::Vector3f& other : around) {
    if (other.dot(face) > kCosCrease) sum += other;
  }
  return sum.isZero() ? face : sum.normalized();
}

}  // namespace

SurfaceMesh ball_mesh(int segments) {
  return cap_of_ball(-0.5 * std::numbers::pi, segments / 2, segments, Tones::Octants);
}

SurfaceMesh dome_mesh(int segments) {
  return cap_of_ball(0.0, segments / 4, segments, Tones::Quadrants);
}

SurfaceMesh cylinder_mesh(int segments, bool is_capped) {
  MeshBuilder builder(Tones::Quadrants);
  const auto circle = circle_of(segments);
  for (const Eigen::Vector2f& c : circle) {
    const Eigen::Vector3f normal(c.x(), c.y(), 0.0f);
    builder.add({c.x(), c.y(), -0.5f}, normal);
    builder.add({c.x(), c.y(), 0.5f}, normal);
  }
  for (std::uint32_t s = 0; s + 1 < circle.size(); ++s) {
    builder.add_quad(2 * s, 2 * s + 2, 2 * s + 3, 2 * s + 1);
  }
  if (is_capped) {
    builder.add_disc(0.5f, 1.0f, circle);
    builder.add_disc(-0.5f, -1.0f, circle);
  }
  return builder.take();
}

SurfaceMesh cone_mesh(int segments, bool is_capped) {
  MeshBuilder builder(Tones::One);
  const auto circle = circle_of(segments);
  const float slope = 0.70710678f;
  for (const Eigen::Vector2f& c : circle) {
    const Eigen::Vector3f normal(slope * c.x(), slope * c.y(), slope);
    builder.add({c.x(), c.y(), 0.0f}, normal);
    builder.add({0.0f, 0.0f, 1.0f}, normal);
  }
  for (std::uint32_t s = 0; s + 1 < circle.size(); ++s) {
    builder.add_triangle(2 * s, 2 * s + 2, 2 * s + 1);
  }
  if (is_capped) builder.add_disc(0.0f, -1.0f, circle);
  return builder.take();
}

SurfaceMesh cube_mesh() {
  MeshBuilder builder(Tones::One);
  for (int axis = 0; axis < 3; ++axis) {
    for (const float side : {-1.0f, 1.0f}) {
      Eigen::Vector3f n = Eigen::Vector3f::Zero(), u = n, v = n;
      n[axis] = side;
      u[(axis + 1) % 3] = 0.5f;
      v[(axis + 2) % 3] = 0.5f * side;
      const std::uint32_t a = builder.add(0.5f * n - u - v, n);
      const std::uint32_t b = builder.add(0.5f * n + u - v, n);
      const std::uint32_t c = builder.add(0.5f * n + u + v, n);
      const std::uint32_t d = builder.add(0.5f * n - u + v, n);
      builder.add_quad(a, b, c, d);
    }
  }
  return builder.take();
}

SurfaceMesh creased_mesh(std::span<const float> vertices, std::span<const int> triangles) {
  const auto point = [&](std::size_t corner) {
    const auto v = 3 * static_cast<std::size_t>(triangles[corner]);
    return Eigen::Vector3f(vertices[v], vertices[v + 1], vertices[v + 2]);
  };
  // The normals of the faces around each place; vertices of files may repeat a place.
  std::map<std::array<float, 3>, std::vector<Eigen::Vector3f>> around;
  std::vector<Eigen::Vector3f> faces;
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    const Eigen::Vector3f a = point(t), b = point(t + 1), c = point(t + 2);
    faces.push_back((b - a).cross(c - a).stableNormalized());
    for (const Eigen::Vector3f& p : {a, b, c}) {
      around[{p.x(), p.y(), p.z()}].push_back(faces.back());
    }
  }
  MeshBuilder builder(Tones::One);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Vector3f p = point(3 * f + k);
      corners[k] = builder.add(p, smooth_normal(faces[f], around[{p.x(), p.y(), p.z()}]));
    }
    builder.add_triangle(corners[0], corners[1], corners[2]);
  }
  return builder.take();
}

}  // namespace amontons::io
