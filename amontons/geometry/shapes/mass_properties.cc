#include "amontons/geometry/shapes/mass_properties.h"

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/math/elementary.h"
#include "amontons/math/stop.h"

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

/// Returns the properties of the parts that belong to the triangles of a mesh.
/// @param measure   of the part of a triangle (a, b, c).
/// @param divisors  by which the measure is more than the size of the part, its first moment over
///     s = a + b + c, and its second moment over s s' + a a' + b b' + c c'.
template <typename Measure>
SolidProperties sum_of_parts(const TriangleMesh& mesh, const Measure& measure,
                             const std::array<double, 3>& divisors) {
  check_indices(mesh);
  const Eigen::Vector3d origin = box_center(mesh.vertices);
  double size = 0.0;
  Eigen::Vector3d first_moments = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second_moments = Eigen::Matrix3d::Zero();
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const Eigen::Vector3d a = mesh.vertices[at(triangle[0])] - origin;
    const Eigen::Vector3d b = mesh.vertices[at(triangle[1])] - origin;
    const Eigen::Vector3d c = mesh.vertices[at(triangle[2])] - origin;
    const double own = measure(a, b, c);
    const Eigen::Vector3d sum = a + b + c;
    size += own / divisors[0];
    first_moments += own / divisors[1] * sum;
    second_moments +=
        own / divisors[2] *
        (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (size == 0.0) return {0.0, origin, Eigen::Matrix3d::Zero()};
  // Parallel axes: the moments about the center are those about the origin less size c c'.
  const Eigen::Vector3d center = first_moments / size;
  return {size, origin + center,
          inertia_from_second_moments(second_moments - size * center * center.transpose())};
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

/// Returns the properties of an ellipsoid's surface: by Simpson's rule along z, and the rectangle
/// rule, which is exact for smooth periodic functions, around it.
SolidProperties ellipsoid_surface(const Eigen::Vector3d& semi_axes) {
  constexpr int kLayers = 400, kAngles = 256;  // even
  const double a = semi_axes.x(), b = semi_axes.y(), c = semi_axes.z();
  double area = 0.0;
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();  // integrals of x^2, y^2, z^2 [m^4]
  for (int layer = 0; layer <= kLayers; ++layer) {
    const double u = -1.0 + 2.0 * layer / kLayers, ring = 1.0 - u * u;
    const double simpson = layer == 0 || layer == kLayers ? 1.0 : layer % 2 == 1 ? 4.0 : 2.0;
    for (int k = 0; k < kAngles; ++k) {
      const double angle = 2.0 * kPi * k / kAngles;
      const double cosine = elementary::cos(angle), sine = elementary::sin(angle);
      // Area of the patch du dangle of the unit sphere, stretched to the ellipsoid.
      const double across = b * b * cosine * cosine + a * a * sine * sine;
      const double patch = std::sqrt(ring * c * c * across + u * u * a * a * b * b);
      const double weight = simpson * 2.0 / (3.0 * kLayers) * 2.0 * kPi / kAngles * patch;
      area += weight;
      moments += weight * Eigen::Vector3d(a * a * ring * cosine * cosine,
                                          b * b * ring * sine * sine, c * c * u * u);
    }
  }
  return symmetric_solid(area, moments / area);
}

/// Returns the properties of the surface of the shape that std::visit() hands to it.
struct SurfaceProperties {
  SolidProperties operator()(const Sphere& sphere) const {
    const double r = sphere.radius;
    return symmetric_solid(4.0 * kPi * r * r, Eigen::Vector3d::Constant(r * r / 3.0));
  }
  SolidProperties operator()(const Box& box) const {
    // Areas of the pairs of faces across x, y and z.
    const Eigen::Vector3d s = box.size;
    const Eigen::Vector3d areas(2.0 * s.y() * s.z(), 2.0 * s.x() * s.z(), 2.0 * s.x() * s.y());
    const double area = areas.sum();
    // Faces across an axis lie at half the length, the others are spread along it.
    const Eigen::Vector3d shares = areas / area;
    const Eigen::Vector3d mean_squares =
        s.cwiseAbs2().cwiseProduct(shares / 4.0 + (Eigen::Vector3d::Ones() - shares) / 12.0);
    return symmetric_solid(area, mean_squares);
  }
  SolidProperties operator()(const Capsule& capsule) const {
    const double r = capsule.radius, l = capsule.length;
    // Heights on a hemisphere are spread evenly: <z^2> = l^2 / 4 + l r / 2 + r^2 / 3.
    const Eigen::Vector3d ends(r * r / 3.0, r * r / 3.0, l * l / 4.0 + l * r / 2.0 + r * r / 3.0);
    return sum(tube(r, l), symmetric_solid(4.0 * kPi * r * r, ends));
  }
  SolidProperties operator()(const Cylinder& cylinder) const {
    const double r = cylinder.radius, l = cylinder.length;
    const Eigen::Vector3d discs(r * r / 4.0, r * r / 4.0, l * l / 4.0);
    return sum(tube(r, l), symmetric_solid(2.0 * kPi * r * r, discs));
  }
  SolidProperties operator()(const Ellipsoid& ellipsoid) const {
    return ellipsoid_surface(ellipsoid.semi_axes);
  }
  SolidProperties operator()(const HalfSpace&) const {
    throw std::invalid_argument("a half-space has no mass");
  }
  SolidProperties operator()(const std::shared_ptr<const ConvexPolyhedron>& polyhedron) const {
    return surface_properties(triangulate(*polyhedron));
  }
  SolidProperties operator()(const std::shared_ptr<const HeightField>&) const {
    throw std::invalid_argument("a height field has no mass");
  }
  SolidProperties operator()(const std::shared_ptr<const CollisionMesh>& mesh) const {
    return surface_properties(mesh->mesh());
  }

 private:
  /// Returns the properties of the side of a cylinder.
  static SolidProperties tube(double r, double l) {
    return symmetric_solid(2.0 * kPi * r * l, {r * r / 2.0, r * r / 2.0, l * l / 12.0});
  }
  /// Returns the properties of two surfaces around one center.
  static SolidProperties sum(const SolidProperties& a, const SolidProperties& b) {
    return {a.volume + b.volume, Eigen::Vector3d::Zero(), a.inertia + b.inertia};
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
  // Tetrahedron (0, a, b, c): V = a . (b x c) / 6, first moment V/4 s, second one V/20 of the sum.
  const auto six_volumes = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                              const Eigen::Vector3d& c) { return a.dot(b.cross(c)); };
  return sum_of_parts(mesh, six_volumes, {6.0, 24.0, 120.0});
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
  std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    check_stop();
    return a < b;
  });
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

SolidProperties surface_properties(const TriangleMesh& mesh) {
  // Triangle (a, b, c): A = |(b - a) x (c - a)| / 2, first moment A/3 s, second one A/12 of the
  // sum.
  const auto two_areas = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                            const Eigen::Vector3d& c) { return (b - a).cross(c - a).norm(); };
  return sum_of_parts(mesh, two_areas, {2.0, 6.0, 24.0});
}

SolidProperties surface_properties(const Shape& shape) {
  return std::visit(SurfaceProperties{}, shape);
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
