#include "amontons/io/mesh/polygon_cut.h"

#include <Eigen/Geometry>

#include <algorithm>

namespace amontons::io {
namespace {

using Eigen::Vector3d;

/// Cuts one polygon. Its plane is that of its area vector.
class PolygonCut {
 public:
  PolygonCut(std::vector<int> loop, TriangleMesh& mesh) : loop_(std::move(loop)), mesh_(mesh) {
    const Vector3d origin = corner(0);
    for (std::size_t i = 1; i + 1 < loop_.size(); ++i) {
      normal_ += (corner(i) - origin).cross(corner(i + 1) - origin);
    }
  }

  void run() {
    bool convex = true;
    for (std::size_t i = 0; i < loop_.size(); ++i) convex = convex && turn(i) >= 0.0;
    while (loop_.size() > 3) {
      // The fan takes away the second corner each time; no ear at all means a crossed outline.
      const std::size_t ear = convex ? 1 : find_ear();
      emit(ear);
      loop_.erase(loop_.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    emit(1);
  }

 private:
  const Vector3d& corner(std::size_t i) const {
    return mesh_.vertices[static_cast<std::size_t>(loop_[i % loop_.size()])];
  }
  std::size_t before(std::size_t i) const { return (i + loop_.size() - 1) % loop_.size(); }

  /// Returns twice the area of the triangle at a corner, seen against the normal: negative where
  /// the corner points inwards.
  double turn(std::size_t i) const { return side_of(corner(before(i)), corner(i), corner(i + 1)); }
  double side_of(const Vector3d& a, const Vector3d& b, const Vector3d& c) const {
    return normal_.dot((b - a).cross(c - a));
  }

  /// Returns true if no other corner lies in the triangle of a corner.
  bool is_ear(std::size_t i) const {
    const Vector3d &a = corner(before(i)), &b = corner(i), &c = corner(i + 1);
    if (turn(i) <= 0.0) return false;
    for (std::size_t k = 0; k < loop_.size(); ++k) {
      const Vector3d& p = corner(k);
      if (p == a || p == b || p == c) continue;
      if (side_of(a, b, p) >= 0.0 && side_of(b, c, p) >= 0.0 && side_of(c, a, p) >= 0.0) {
        return false;
      }
    }
    return true;
  }
  std::size_t find_ear() const {
    for (std::size_t i = 0; i < loop_.size(); ++i) {
      if (is_ear(i)) return i;
    }
    return 1;
  }

  /// Appends the triangle of a corner.
  void emit(std::size_t i) {
    mesh_.triangles.push_back({loop_[before(i)], loop_[i], loop_[(i + 1) % loop_.size()]});
  }

  std::vector<int> loop_;
  TriangleMesh& mesh_;
  Vector3d normal_ = Vector3d::Zero();  // twice the area vector [m^2]
};

}  // namespace

void cut_polygon(std::vector<int> loop, TriangleMesh& mesh) {
  loop.erase(std::unique(loop.begin(), loop.end()), loop.end());
  while (loop.size() > 1 && loop.front() == loop.back()) loop.pop_back();
  if (loop.size() == 3) mesh.triangles.push_back({loop[0], loop[1], loop[2]});
  if (loop.size() > 3) PolygonCut(std::move(loop), mesh).run();
}

}  // namespace amontons::io
