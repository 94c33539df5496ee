#include "amontons/io/mesh/polygon_cut.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <numeric>
#include <utility>

namespace amontons::io {
namespace {

using Eigen::Vector3d;

constexpr std::size_t kMostCorners = 5000;

/// Cuts one polygon. Its plane is that of its area vector.
class PolygonCut {
 public:
  PolygonCut(std::vector<int> loop, TriangleMesh& mesh)
      : loop_(std::move(loop)), left_(loop_.size()), in_the_way_(loop_.size(), 0), mesh_(mesh) {
    std::iota(left_.begin(), left_.end(), std::size_t{0});
    const Vector3d origin = corner(0);
    for (std::size_t i = 1; i + 1 < loop_.size(); ++i) {
      normal_ += (corner(i) - origin).cross(corner(i + 1) - origin);
    }
  }

  bool run() {
    bool convex = true;
    for (std::size_t i = 0; i < loop_.size(); ++i) convex = convex && turn(i) >= 0.0;
    if (convex) {
      for (std::size_t i = 1; i + 1 < loop_.size(); ++i) emit(0, i, i + 1);
      return true;
    }
    if (loop_.size() > kMostCorners) return false;
    while (left_.size() > 3) remove(find_ear());
    emit(0, 1, 2);
    return true;
  }

 private:
  const Vector3d& corner(std::size_t i) const {
    return mesh_.vertices[static_cast<std::size_t>(loop_[left_[i % left_.size()]])];
  }
  std::size_t before(std::size_t i) const { return (i + left_.size() - 1) % left_.size(); }

  /// Returns twice the area of the triangle at a corner, seen against the normal: negative where
  /// the corner points inwards.
  double turn(std::size_t i) const { return side_of(corner(before(i)), corner(i), corner(i + 1)); }
  double side_of(const Vector3d& a, const Vector3d& b, const Vector3d& c) const {
    return normal_.dot((b - a).cross(c - a));
  }

  /// Returns true if no other corner lies in the triangle of a corner. The search begins with the
  /// corner that lay there last, since none before it did.
  bool is_ear(std::size_t i) {
    const Vector3d &a = corner(before(i)), &b = corner(i), &c = corner(i + 1);
    if (turn(i) <= 0.0) return false;
    std::size_t& found = in_the_way_[left_[i]];
    const auto first = std::lower_bound(left_.begin(), left_.end(), found);
    for (auto k = static_cast<std::size_t>(first - left_.begin()); k < left_.size(); ++k) {
      const Vector3d& p = corner(k);
      if (p == a || p == b || p == c) continue;
      if (side_of(a, b, p) >= 0.0 && side_of(b, c, p) >= 0.0 && side_of(c, a, p) >= 0.0) {
        found = left_[k];
        return false;
      }
    }
    return true;
  }
  /// Returns the first ear, or 1 where a crossed outline has none.
  std::size_t find_ear() {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (is_ear(i)) return i;
    }
    return 1;
  }

  /// Cuts off a corner, which changes the triangles of its neighbors.
  void remove(std::size_t ear) {
    emit(before(ear), ear, (ear + 1) % left_.size());
    in_the_way_[left_[before(ear)]] = in_the_way_[left_[(ear + 1) % left_.size()]] = 0;
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(ear));
  }

  void emit(std::size_t a, std::size_t b, std::size_t c) {
    mesh_.triangles.push_back({loop_[left_[a]], loop_[left_[b]], loop_[left_[c]]});
  }

  std::vector<int> loop_;
  std::vector<std::size_t> left_;        // places of the corners that are left, ascending
  std::vector<std::size_t> in_the_way_;  // by place: that of the first corner in its triangle
  TriangleMesh& mesh_;
  Vector3d normal_ = Vector3d::Zero();  // twice the area vector [m^2]
};

}  // namespace

bool cut_polygon(std::vector<int> loop, TriangleMesh& mesh) {
  loop.erase(std::unique(loop.begin(), loop.end()), loop.end());
  while (loop.size() > 1 && loop.front() == loop.back()) loop.pop_back();
  if (loop.size() == 3) mesh.triangles.push_back({loop[0], loop[1], loop[2]});
  return loop.size() <= 3 || PolygonCut(std::move(loop), mesh).run();
}

}  // namespace amontons::io
