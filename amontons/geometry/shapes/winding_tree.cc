#include "amontons/geometry/shapes/winding_tree.h"

#include "amontons/geometry/shapes/winding_number.h"
#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Distance from which the triangles of a node are a dipole, in radii of the node: its error is
// below a hundredth.
constexpr double kFar = 2.5;
// Distance of the sum from a half below which it is computed without dipoles [-].
constexpr double kDoubt = 0.25;

/// Returns corner k of a triangle.
const Vector3d& corner(const TriangleMesh& mesh, int triangle, std::size_t k) {
  const int v = mesh.triangles[static_cast<std::size_t>(triangle)][k];
  return mesh.vertices[static_cast<std::size_t>(v)];
}

/// Adds up half solid angles as the argument of a product of complex numbers, which takes one
/// inverse tangent for all of them.
class AngleSum {
 public:
  void add(const HalfAngle& angle) {
    if (angle.sine == 0.0) return;
    const double sine = sine_ * angle.cosine + cosine_ * angle.sine;
    const double cosine = cosine_ * angle.cosine - sine_ * angle.sine;
    // The sum leaves (-pi, pi] where both are of one sign and the argument is of the other.
    if ((sine_ >= 0.0) == (angle.sine >= 0.0) && (sine >= 0.0) != (sine_ >= 0.0)) {
      half_turns_ += sine_ >= 0.0 ? 2 : -2;
    }
    const double scale = 1.0 / (std::abs(sine) + std::abs(cosine));
    sine_ = scale * sine + 0.0;  // no negative zero
    cosine_ = scale * cosine;
  }
  /// Returns the sum [rad].
  double value() const {
    return half_turns_ * std::numbers::pi + elementary::atan2(sine_, cosine_);
  }

 private:
  double sine_ = 0.0, cosine_ = 1.0;
  int half_turns_ = 0;
};

}  // namespace

WindingTree::WindingTree(const TriangleMesh& mesh, const BoxTree& tree) {
  nodes_ = tree.sum_per_node<Moments>(
      [&](int t) {
        const Vector3d &a = corner(mesh, t, 0), &b = corner(mesh, t, 1), &c = corner(mesh, t, 2);
        const Vector3d vector = 0.5 * (b - a).cross(c - a);
        const double area = vector.norm();
        return Moments{area, vector, area / 3.0 * (a + b + c), 0.0};
      },
      [](Moments& sum, const Moments& other) {
        sum.area += other.area;
        sum.vector += other.vector;
        sum.center += other.center;
      });
  // The ball of a node holds the box around its triangles.
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Aabb& box = tree.node(n).box;
    Moments& own = nodes_[n];
    own.center =
        own.area > 0.0 ? Vector3d(own.center / own.area) : Vector3d(0.5 * (box.lower + box.upper));
    own.radius = (own.center - box.lower).cwiseMax(box.upper - own.center).norm();
  }
}

double WindingTree::about(const TriangleMesh& mesh, const BoxTree& tree, const Vector3d& x) const {
  double sum = 0.0;
  AngleSum near;
  tree.visit_below(
      [&](std::size_t node) {
        const Moments& own = nodes_[node];
        const Vector3d to = own.center - x;
        const double squared = to.squaredNorm(), reach = kFar * own.radius;
        if (!(squared > reach * reach)) return true;
        sum += own.vector.dot(to) / (squared * std::sqrt(squared));
        return false;
      },
      [&](int t) {
        near.add(
            HalfAngle::of(corner(mesh, t, 0) - x, corner(mesh, t, 1) - x, corner(mesh, t, 2) - x));
      });
  return (sum + 2.0 * near.value()) / (4.0 * std::numbers::pi);
}

bool WindingTree::is_inside(const TriangleMesh& mesh, const BoxTree& tree,
                            const Vector3d& x) const {
  double winding = about(mesh, tree, x);
  if (std::abs(winding - 0.5) < kDoubt) winding = winding_number(mesh.vertices, mesh.triangles, x);
  return winding > 0.5;
}

}  // namespace amontons
