#include "amontons/geometry/shapes/winding_tree.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Vector3d;

constexpr double kPi = 3.14159265358979323846;

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

/// Returns the solid angle of a triangle, positive seen from behind [van Oosterom, Strackee 1983].
double solid_angle(const TriangleMesh& mesh, int triangle, const Vector3d& x) {
  const Vector3d a = corner(mesh, triangle, 0) - x, b = corner(mesh, triangle, 1) - x,
                 c = corner(mesh, triangle, 2) - x;
  const double A = a.norm(), B = b.norm(), C = c.norm();
  return 2.0 * elementary::atan2(a.dot(b.cross(c)),
                                 A * B * C + a.dot(b) * C + b.dot(c) * A + c.dot(a) * B);
}

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
    const Aabb& box = tree.node_box(n);
    Moments& own = nodes_[n];
    own.center =
        own.area > 0.0 ? Vector3d(own.center / own.area) : Vector3d(0.5 * (box.lower + box.upper));
    own.radius = (own.center - box.lower).cwiseMax(box.upper - own.center).norm();
  }
}

double WindingTree::about(const TriangleMesh& mesh, const BoxTree& tree, const Vector3d& x,
                          double far) const {
  double sum = 0.0;
  tree.visit_below(
      [&](std::size_t node) {
        const Moments& own = nodes_[node];
        const Vector3d to = own.center - x;
        const double squared = to.squaredNorm(), reach = far * own.radius;
        if (!(squared > reach * reach)) return true;
        sum += own.vector.dot(to) / (squared * std::sqrt(squared));
        return false;
      },
      [&](int triangle) { sum += solid_angle(mesh, triangle, x); });
  return sum / (4.0 * kPi);
}

bool WindingTree::is_inside(const TriangleMesh& mesh, const BoxTree& tree,
                            const Vector3d& x) const {
  double winding = about(mesh, tree, x, kFar);
  // Infinite reach: no node is far.
  if (std::abs(winding - 0.5) < kDoubt) {
    winding = about(mesh, tree, x, std::numeric_limits<double>::infinity());
  }
  return winding > 0.5;
}

}  // namespace amontons
