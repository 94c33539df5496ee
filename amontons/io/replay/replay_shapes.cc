#include "amontons/io/replay/replay_shapes.h"

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <variant>

namespace amontons::io {
namespace {

/// Appends a vertex in single precision.
void add_vertex(const Eigen::Vector3d& p, ReplayShape& shape) {
  for (const double component : p) shape.vertices.push_back(static_cast<float>(component));
}

/// Appends a triangle, counterclockwise seen from outside.
void add_triangle(int a, int b, int c, ReplayShape& shape) {
  shape.triangles.insert(shape.triangles.end(), {a, b, c});
}

/// Visitor that fills in sizes or mesh of a collision shape.
struct Drawing {
  ReplayShape& shape;

  void operator()(const Sphere& s) { shape.size = {s.radius}; }
  void operator()(const Box& s) { shape.size = {s.size.x(), s.size.y(), s.size.z()}; }
  void operator()(const Capsule& s) { shape.size = {s.radius, s.length}; }
  void operator()(const Cylinder& s) { shape.size = {s.radius, s.length}; }
  void operator()(const Ellipsoid& s) {
    shape.size = {s.semi_axes.x(), s.semi_axes.y(), s.semi_axes.z()};
  }
  void operator()(const HalfSpace& s) {
    shape.size = {s.normal.x(), s.normal.y(), s.normal.z(), s.offset};
  }
  void operator()(const std::shared_ptr<const ConvexPolyhedron>& s) {
    // A convex face is a fan of triangles around its first vertex.
    shape.type = "mesh";
    for (const Eigen::Vector3d& vertex : s->vertices()) add_vertex(vertex, shape);
    for (const ConvexPolyhedron::Face& face : s->faces()) {
      for (std::size_t i = 2; i < face.vertices.size(); ++i) {
        add_triangle(face.vertices[0], face.vertices[i - 1], face.vertices[i], shape);
      }
    }
  }
  void operator()(const std::shared_ptr<const CollisionMesh>& s) {
    for (const Eigen::Vector3d& vertex : s->vertices()) add_vertex(vertex, shape);
    for (const std::array<int, 3>& t : s->triangles()) add_triangle(t[0], t[1], t[2], shape);
  }
  void operator()(const std::shared_ptr<const HeightField>& s) {
    // Each cell of the grid is two triangles, as collision detection cuts it.
    shape.type = "mesh";
    shape.is_terrain = true;
    const Eigen::Index nx = s->heights().rows(), ny = s->heights().cols();
    const auto index = [ny](Eigen::Index i, Eigen::Index j) {
      return static_cast<int>(i * ny + j);
    };
    for (Eigen::Index i = 0; i < nx; ++i) {
      for (Eigen::Index j = 0; j < ny; ++j) add_vertex(s->vertex(i, j), shape);
    }
    for (Eigen::Index i = 0; i + 1 < nx; ++i) {
      for (Eigen::Index j = 0; j + 1 < ny; ++j) {
        add_triangle(index(i, j), index(i + 1, j), index(i + 1, j + 1), shape);
        add_triangle(index(i, j), index(i + 1, j + 1), index(i, j + 1), shape);
      }
    }
  }
};

/// Returns the homogeneous ellipsoid with that inertia, thick enough to be seen.
///
/// Its moments are I_a = m (b^2 + c^2) / 5 and so on, hence a^2 = 5/2 (I_b + I_c - I_a) / m.
ReplayShape inertia_ellipsoid(const SpatialInertia& inertia) {
  // Principal moments [kg m^2] and axes.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia.inertia);
  const Eigen::Vector3d moments = principal.eigenvalues();
  const Eigen::Vector3d squares =
      2.5 / inertia.mass * (Eigen::Vector3d::Constant(moments.sum()) - 2.0 * moments);
  const Eigen::Vector3d semi_axes = squares.cwiseMax(0.0).cwiseSqrt();
  // A rod or a point mass would be invisible: a tenth of the longest axis, and 1 cm at least.
  const double thinnest = std::max(0.1 * semi_axes.maxCoeff(), 0.01);
  ReplayShape drawn;
  drawn.type = "ellipsoid";
  // Eigenvectors may be a reflection; a rotation is needed.
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  drawn.X_BG = {axes, inertia.center_of_mass};
  for (const double semi_axis : semi_axes) drawn.size.push_back(std::max(semi_axis, thinnest));
  return drawn;
}

/// Draws links without collision shapes by their inertia, since they would be invisible.
void draw_links_without_shapes(const System& system, std::vector<ReplayBody>& bodies) {
  std::map<std::pair<int, int>, bool> is_drawn;  // by articulation and link
  // Several bodies may be fixed to one link: one with a shape is enough.
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = system.bodies()[b];
    is_drawn[{body.articulation, body.link}] |= !bodies[b].shapes.empty();
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = system.bodies()[b];
    // Fixed bodies, and links without mass, have no inertia to draw.
    bool& drawn = is_drawn[{body.articulation, body.link}];
    if (drawn || body.articulation < 0) continue;
    const Articulation& tree = system.articulations()[static_cast<std::size_t>(body.articulation)];
    const SpatialInertia& inertia = tree.links()[static_cast<std::size_t>(body.link)].inertia;
    if (inertia.mass <= 0.0) continue;
    bodies[b].shapes.push_back(inertia_ellipsoid(transform(body.X_LB.inverse(), inertia)));
    drawn = true;
  }
}

}  // namespace

ReplayShape replay_shape(const Shape& shape, const Pose& X_BG) {
  ReplayShape drawn;
  drawn.type = shape_type_name(shape);
  drawn.X_BG = X_BG;
  std::visit(Drawing{drawn}, shape);
  return drawn;
}

std::vector<ReplayBody> replay_bodies(const System& system) {
  std::vector<ReplayBody> bodies;
  for (const Body& body : system.bodies()) {
    bodies.push_back({.name = body.name, .fixed = body.articulation < 0, .shapes = {}});
  }
  for (const CollisionShape& shape : system.shapes()) {
    bodies[static_cast<std::size_t>(shape.body)].shapes.push_back(
        replay_shape(shape.shape, shape.X_BG));
  }
  draw_links_without_shapes(system, bodies);
  return bodies;
}

}  // namespace amontons::io
