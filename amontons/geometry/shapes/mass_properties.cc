#include "amontons/geometry/shapes/mass_properties.h"

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

constexpr double kPi = std::numbers::pi;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Throws std::invalid_argument if a triangle names a vertex that does not exist.
void check_indices(const TriangleMesh& mesh) {
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int v : mesh.triangles[t]) {
      if (v >= 0 && v < num_vertices) continue;
      throw std::invalid_argument("mesh: triangle " + std::to_string(t) + " names vertex " +
                                  std::to_string(v) + " of " + std::to_string(num_vertices));
    }
  }
}

/// Returns the center of the bounding box of points.
Eigen::Vector3d box_center(const std::vector<Eigen::Vector3d>& points) {
  if (points.empty()) return Eigen::Vector3d::Zero();
  return Aabb::around(points).center();
}

/// Returns the rotational inertia trace(M) I - M of the second moments M = integral of x x' dV.
Eigen::Matrix3d inertia_from_second_moments(const Eigen::Matrix3d& moments) {
  return moments.trace() * Eigen::Matrix3d::Identity() - moments;
}

/// Returns the properties of a solid that has three planes of symmetry, from its mean squares
/// <x^2>, <y^2>, <z^2> [m^2].
SolidProperties symmetric_solid(double volume, const Eigen::Vector3d& mean_squares) {
  const Eigen::Matrix3d moments = (volume * mean_squares).asDiagonal();
  return {volume, Eigen::Vector3d::Zero(), inertia_from_second_moments(moments)};
}

/// Returns the properties of the shape that std::visit() hands to it.
struct ShapeProperties {
  SolidProperties operator()(const Sphere& sphere) const {
    return (*this)(Ellipsoid{Eigen::Vector3d::Constant(sphere.radius)});
  }
  SolidProperties operator()(const Box& box) const {
    return symmetric_solid(box.size.prod(), box.size.cwiseAbs2() / 12.0);
  }
  SolidProperties operator()(const Capsule& capsule) const {
    const double r = capsule.radius, l = capsule.length;
    const double ends = 4.0 / 3.0 * kPi * r * r * r;
    const SolidProperties middle = (*this)(Cylinder{r, l});
    // A hemisphere's center lies 3 r / 8 from its disc: <z^2> = r^2 / 5 + l^2 / 4 + 3 l r / 8.
    const Eigen::Vector3d mean_squares(r * r / 5.0, r * r / 5.0,
                                       r * r / 5.0 + l * l / 4.0 + 3.0 * l * r / 8.0);
    return {middle.volume + ends, Eigen::Vector3d::Zero(),
            middle.inertia + symmetric_solid(ends, mean_squares).inertia};
  }
  SolidProperties operator()(const Cylinder& cylinder) const {
    const double r = cylinder.radius, l = cylinder.length;
    return symmetric_solid(kPi * r * r * l, {r * r / 4.0, r * r / 4.0, l * l / 12.0});
  }
  SolidProperties operator()(const Ellipsoid& ellipsoid) const {
    return symmetric_solid(4.0 / 3.0 * kPi * ellipsoid.semi_axes.prod(),
                           ellipsoid.semi_axes.cwiseAbs2() / 5.0);
  }
  SolidProperties operator()(const HalfSpace&) const {
    throw std::invalid_argument("a half-space has no mass");
  }
  SolidProperties operator()(const std::shared_ptr<const ConvexPolyhedron>& polyhedron) const {
    return mesh_properties(triangulate(*polyhedron));
  }
  SolidProperties operator()(const std::shared_ptr<const HeightField>&) const {
    throw std::invalid_argument("a height field has no mass");
  }
  SolidProperties operator()(const std::shared_ptr<const CollisionMesh>& mesh) const {
    if (mesh->is_closed()) return mesh_properties(mesh->mesh());
    if (!mesh->hull()) throw std::invalid_argument("a flat mesh has no mass");
    return (*this)(mesh->hull());
  }
};

}  // namespace

TriangleMesh triangulate(const ConvexPolyhedron& polyhedron) {
  TriangleMesh mesh{polyhedron.vertices(), {}};
  for (const ConvexPolyhedron::Face& face : polyhedron.faces()) {
    for (std::size_t k = 2; k < face.vertices.size(); ++k) {
      mesh.triangles.push_back({face.vertices[0], face.vertices[k - 1], face.vertices[k]});
    }
  }
  return mesh;
}

SolidProperties mesh_properties(const TriangleMesh& mesh) {
  check_indices(mesh);
  const Eigen::Vector3d origin = box_center(mesh.vertices);
  double volume = 0.0;
  Eigen::Vector3d first_moments = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second_moments = Eigen::Matrix3d::Zero();
  // Moments of the tetrahedron (0, a, b, c): V = a . (b x c) / 6, first V/4 s with s = a + b + c,
  // second V/20 (s s' + a a' + b b' + c c').
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const Eigen::Vector3d a = mesh.vertices[at(triangle[0])] - origin;
    const Eigen::Vector3d b = mesh.vertices[at(triangle[1])] - origin;
    const Eigen::Vector3d c = mesh.vertices[at(triangle[2])] - origin;
    const double six_volumes = a.dot(b.cross(c));
    const Eigen::Vector3d sum = a + b + c;
    volume += six_volumes / 6.0;
    first_moments += six_volumes / 24.0 * sum;
    second_moments +=
        six_volumes / 120.0 *
        (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (volume == 0.0) return {0.0, origin, Eigen::Matrix3d::Zero()};
  // Parallel axes: the moments about the center are those about the origin less V c c'.
  const Eigen::Vector3d center = first_moments / volume;
  return {volume, origin + center,
          inertia_from_second_moments(second_moments - volume * center * center.transpose())};
}

bool is_closed(const TriangleMesh& mesh) {
  // Each edge as (smaller vertex, larger vertex, direction): an edge must appear exactly twice in a
  // row, once in each direction.
  std::vector<std::array<int, 3>> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int tail = triangle[k], head = triangle[(k + 1) % 3];
      if (tail == head) return false;
      edges.push_back({std::min(tail, head), std::max(tail, head), tail < head ? 0 : 1});
    }
  }
  if (edges.empty() || edges.size() % 2 != 0) return false;
  std::sort(edges.begin(), edges.end());
  for (std::size_t e = 0; e < edges.size(); e += 2) {
    const auto& [tail, head, direction] = edges[e];
    if (direction != 0 || edges[e + 1] != std::array{tail, head, 1}) return false;
    if (e + 2 < edges.size() && edges[e + 2][0] == tail && edges[e + 2][1] == head) return false;
  }
  return true;
}

SolidProperties shape_properties(const Shape& shape) {
  return std::visit(ShapeProperties{}, shape);
}

SpatialInertia with_density(const SolidProperties& solid, double density) {
  if (!(density > 0.0) || !(solid.volume > 0.0) || !std::isfinite(density * solid.volume)) {
    throw std::invalid_argument("density and volume must be positive, are " +
                                std::to_string(density) + " kg/m^3 and " +
                                std::to_string(solid.volume) + " m^3");
  }
  return {density * solid.volume, solid.center, density * solid.inertia};
}

SpatialInertia with_mass(const SolidProperties& solid, double mass) {
  if (!(mass > 0.0) || !std::isfinite(mass) || solid.volume == 0.0) {
    throw std::invalid_argument("mass must be positive and volume not zero, are " +
                                std::to_string(mass) + " kg and " + std::to_string(solid.volume) +
                                " m^3");
  }
  return {mass, solid.center, mass / solid.volume * solid.inertia};
}

}  // namespace amontons
