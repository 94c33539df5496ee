#include "amontons/geometry/shapes/mass_properties.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/math/rotation.h"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <stdexcept>

using namespace amontons;

namespace {

constexpr double kPi = 3.14159265358979323846;
const double kGolden = 0.5 * (1.0 + std::sqrt(5.0));

Eigen::Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

Pose random_pose(std::mt19937_64& random) {
  return {rotation_from_vector(random_vector(random)), 3.0 * random_vector(random)};
}

TriangleMesh moved(TriangleMesh mesh, const Pose& X) {
  for (Eigen::Vector3d& v : mesh.vertices) v = X * v;
  return mesh;
}

SolidProperties moved(const SolidProperties& solid, const Pose& X) {
  return {solid.volume, X * solid.center, X.rotation * solid.inertia * X.rotation.transpose()};
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const int first = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (std::array<int, 3> triangle : other.triangles) {
    for (int& v : triangle) v += first;
    mesh.triangles.push_back(triangle);
  }
}

TriangleMesh reversed(TriangleMesh mesh) {
  for (std::array<int, 3>& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return mesh;
}

TriangleMesh hull_mesh(const std::vector<Eigen::Vector3d>& points) {
  return triangulate(ConvexPolyhedron::hull_of(points));
}

TriangleMesh box_mesh(const Eigen::Vector3d& size) {
  std::vector<Eigen::Vector3d> corners;
  for (int i = 0; i < 8; ++i) {
    const Eigen::Array3d sign(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    corners.emplace_back(sign * size.array());
  }
  return hull_mesh(corners);
}

// Returns the corners of a regular tetrahedron or icosahedron.
std::vector<Eigen::Vector3d> tetrahedron() {
  return {{1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
}
std::vector<Eigen::Vector3d> icosahedron() {
  std::vector<Eigen::Vector3d> corners;
  for (double a : {-1.0, 1.0}) {
    for (double b : {-kGolden, kGolden}) {
      corners.emplace_back(0.0, a, b);
      corners.emplace_back(a, b, 0.0);
      corners.emplace_back(b, 0.0, a);
    }
  }
  return corners;
}

// Makes a torus of radii R and r, cut into num_u x num_v cells of two triangles.
TriangleMesh torus(double R, double r, int num_u, int num_v) {
  TriangleMesh mesh;
  const auto index = [&](int u, int v) { return (u % num_u) * num_v + v % num_v; };
  for (int u = 0; u < num_u; ++u) {
    for (int v = 0; v < num_v; ++v) {
      const double a = 2.0 * kPi * u / num_u, b = 2.0 * kPi * v / num_v;
      const double rho = R + r * std::cos(b);
      mesh.vertices.emplace_back(rho * std::cos(a), rho * std::sin(a), r * std::sin(b));
      mesh.triangles.push_back({index(u, v), index(u + 1, v), index(u + 1, v + 1)});
      mesh.triangles.push_back({index(u, v), index(u + 1, v + 1), index(u, v + 1)});
    }
  }
  return mesh;
}

void check_equal(const SolidProperties& a, const SolidProperties& b, double tolerance) {
  const double size = std::cbrt(std::abs(b.volume));
  CHECK(std::abs(a.volume - b.volume) <= tolerance * std::abs(b.volume));
  CHECK((a.center - b.center).norm() <= tolerance * (size + b.center.norm()));
  CHECK((a.inertia - b.inertia).norm() <= tolerance * b.inertia.norm());
}

// Sums moments over the midpoints of n cells along each axis that lie inside, to compare closed
// forms.
template <typename IsInside>
SolidProperties sampled(const Eigen::Vector3d& half, int n, const IsInside& is_inside) {
  SolidProperties result;
  const Eigen::Vector3d step = 2.0 * half / n;
  Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
  for (int i = 0; i < n * n * n; ++i) {
    const Eigen::Array3d cell(i % n, i / n % n, i / n / n);
    const Eigen::Vector3d p = -half.array() + (cell + 0.5) * step.array();
    if (!is_inside(p)) continue;
    result.volume += step.prod();
    moments += step.prod() * p * p.transpose();
  }
  result.inertia = moments.trace() * Eigen::Matrix3d::Identity() - moments;
  return result;
}

}  // namespace

TEST_CASE("The surface of a mesh is that of its box, wherever it lies") {
  std::mt19937_64 random(17);
  const Eigen::Vector3d size(0.2, 0.3, 0.7);
  const SolidProperties box = surface_properties(Shape(Box{size}));
  for (int i = 0; i < 20; ++i) {
    const Pose X = random_pose(random);
    const SolidProperties found = surface_properties(moved(box_mesh(size), X));
    const SolidProperties expected = moved(box, X);
    CHECK(found.volume == Approx(expected.volume));
    CHECK((found.center - expected.center).norm() < 1e-12);
    CHECK((found.inertia - expected.inertia).norm() < 1e-12);
  }
}

TEST_CASE("Regular solids have their closed-form volume, center and inertia in any pose") {
  std::mt19937_64 random(1);
  // Second moments per volume about the center: a^2 / 12 (cube of side a), a^2 / 40 (tetrahedron),
  // phi^2 a^2 / 20 (icosahedron); by symmetry the inertia is twice that.
  const double tetrahedron_side = 2.0 * std::sqrt(2.0), icosahedron_side = 2.0;
  struct Solid {
    TriangleMesh mesh;
    double volume, second_moment;
  };
  const Solid solids[] = {
      {box_mesh({1.3, 1.3, 1.3}), std::pow(1.3, 3), 1.3 * 1.3 / 12.0},
      {hull_mesh(tetrahedron()), std::pow(tetrahedron_side, 3) / (6.0 * std::sqrt(2.0)),
       std::pow(tetrahedron_side, 2) / 40.0},
      {hull_mesh(icosahedron()),
       5.0 / 12.0 * (3.0 + std::sqrt(5.0)) * std::pow(icosahedron_side, 3),
       std::pow(kGolden * icosahedron_side, 2) / 20.0}};
  for (const Solid& solid : solids) {
    REQUIRE(is_closed(solid.mesh));
    const SolidProperties exact{
        solid.volume, Eigen::Vector3d::Zero(),
        2.0 * solid.second_moment * solid.volume * Eigen::Matrix3d::Identity()};
    for (int i = 0; i < 30; ++i) {
      const Pose X = random_pose(random);
      check_equal(mesh_properties(moved(solid.mesh, X)), moved(exact, X), 1e-12);
    }
  }
}

TEST_CASE("A box with a cavity, and a solid of two boxes, are sums of their parts") {
  std::mt19937_64 random(2);
  const auto moments_about = [](const SolidProperties& s, const Eigen::Vector3d& o) {
    const Eigen::Matrix3d c = skew(s.center - o);
    return Eigen::Matrix3d(s.inertia + s.volume * c * c.transpose());
  };
  for (int i = 0; i < 30; ++i) {
    const SolidProperties outer = shape_properties(Box{{2.0, 3.0, 1.5}});
    const Pose X_cavity{rotation_from_vector(random_vector(random)), {0.3, -0.4, 0.1}};
    const SolidProperties cavity = moved(shape_properties(Box{{0.3, 0.5, 0.2}}), X_cavity);
    const double sign = i % 2 == 0 ? -1.0 : 1.0;
    const TriangleMesh part = moved(box_mesh({0.3, 0.5, 0.2}), X_cavity);
    TriangleMesh mesh = box_mesh({2.0, 3.0, 1.5});
    append(mesh, sign > 0.0 ? part : reversed(part));

    SolidProperties exact;
    exact.volume = outer.volume + sign * cavity.volume;
    exact.center = sign * cavity.volume * cavity.center / exact.volume;
    exact.inertia = moments_about(outer, exact.center) + sign * moments_about(cavity, exact.center);
    const Pose X = random_pose(random);
    check_equal(mesh_properties(moved(mesh, X)), moved(exact, X), 1e-12);
  }
}

TEST_CASE("A mesh that is not convex has the volume and center of its parts: an L-shaped bar") {
  // The outline of an L, extruded; fanned from its inner corner, from which all of it is seen.
  const std::vector<Eigen::Vector2d> outline{{1.0, 1.0}, {1.0, 3.0}, {0.0, 3.0},
                                             {0.0, 0.0}, {2.0, 0.0}, {2.0, 1.0}};
  const int n = 6;
  TriangleMesh mesh;
  for (double z : {0.0, 0.5}) {
    for (const Eigen::Vector2d& p : outline) mesh.vertices.emplace_back(p.x(), p.y(), z);
  }
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    mesh.triangles.push_back({k, next, n + next});
    mesh.triangles.push_back({k, n + next, n + k});
    if (k == 0 || next == 0) continue;
    mesh.triangles.push_back({0, next, k});
    mesh.triangles.push_back({n, n + k, n + next});
  }
  REQUIRE(is_closed(mesh));
  const SolidProperties solid = mesh_properties(mesh);
  // A 1 x 3 and a 1 x 1 rectangle: area 4, center (3 (0.5, 1.5) + (1.5, 0.5)) / 4.
  CHECK(solid.volume == Approx(2.0).epsilon(1e-14));
  CHECK((solid.center - Eigen::Vector3d(0.75, 1.25, 0.25)).norm() <= 1e-14);
  // I_zz per area density 0.5: rectangles (a^2 + b^2) A / 12 + A d^2.
  const double izz = 0.5 * (3.0 * 10.0 / 12.0 + 3.0 * 0.125 + 2.0 / 12.0 + 1.125);
  CHECK(solid.inertia(2, 2) == Approx(izz).epsilon(1e-13));
}

TEST_CASE("A torus of 100,000 triangles keeps the exact sums of its cross-sections") {
  const double R = 2.0, r = 0.5;
  const int num_u = 250, num_v = 200;
  const TriangleMesh mesh = torus(R, r, num_u, num_v);
  REQUIRE(mesh.triangles.size() == 100000);
  REQUIRE(is_closed(mesh));
  const SolidProperties solid = mesh_properties(mesh);
  // Turned by one cell about its axis the mesh is the same mesh. So its center is on the axis, and
  // its inertia about x and y alike. Its cells are not mirrored in z, but turning it upside down
  // maps each diagonal on a diagonal, so the center is the origin.
  CHECK(solid.center.norm() <= 1e-10);
  CHECK(std::abs(solid.inertia(0, 0) - solid.inertia(1, 1)) <= 1e-10 * solid.inertia(0, 0));
  CHECK(std::abs(solid.inertia(0, 1)) <= 1e-10 * solid.inertia(0, 0));
  // Against the same sums in extended precision, straight from the triangles.
  long double volume = 0.0L, xx = 0.0L, yy = 0.0L;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Eigen::Matrix<long double, 3, 1> a =
        mesh.vertices[static_cast<std::size_t>(t[0])].cast<long double>();
    const Eigen::Matrix<long double, 3, 1> b =
        mesh.vertices[static_cast<std::size_t>(t[1])].cast<long double>();
    const Eigen::Matrix<long double, 3, 1> c =
        mesh.vertices[static_cast<std::size_t>(t[2])].cast<long double>();
    const long double det = a.dot(b.cross(c));
    const auto square = [&](Eigen::Index k) {
      return det / 60.0L *
             (a[k] * a[k] + b[k] * b[k] + c[k] * c[k] + a[k] * b[k] + b[k] * c[k] + c[k] * a[k]);
    };
    volume += det / 6.0L;
    xx += square(0);
    yy += square(1);
  }
  CHECK(solid.volume == Approx(static_cast<double>(volume)).epsilon(1e-10));
  CHECK(solid.inertia(2, 2) == Approx(static_cast<double>(xx + yy)).epsilon(1e-10));
  // And the smooth torus within the discretization, which is of second order in the angles.
  const double error = 2.0 * std::pow(2.0 * kPi / num_v, 2);
  CHECK(solid.volume == Approx(2.0 * kPi * kPi * R * r * r).epsilon(error));
  CHECK(solid.inertia(2, 2) == Approx(solid.volume * (R * R + 0.75 * r * r)).epsilon(error));
}

TEST_CASE("A mesh far from the origin loses no digits") {
  // Coordinates that are exact in binary, so that the moved mesh is the same solid.
  const Eigen::Vector3d far(1048576.0, -2097152.0, 524288.0);
  const TriangleMesh mesh = box_mesh({0.5, 1.25, 2.0});
  const SolidProperties near = mesh_properties(mesh);
  const SolidProperties moved_away =
      mesh_properties(moved(mesh, {Eigen::Matrix3d::Identity(), far}));
  CHECK(moved_away.volume == Approx(near.volume).epsilon(1e-14));
  CHECK((moved_away.center - far).norm() <= 1e-15 * far.norm());
  CHECK((moved_away.inertia - near.inertia).norm() <= 1e-14 * near.inertia.norm());
}

TEST_CASE("Primitives have the moments of the points inside them") {
  // Cells on the surface are right or wrong as a whole: the error is first order in 1 / n times the
  // share of the surface, and averages out well below one percent.
  const int n = 100;
  const double tolerance = 5e-3;
  check_equal(sampled({0.5, 0.5, 0.5}, n, [](const auto& p) { return p.norm() <= 0.5; }),
              shape_properties(Sphere{0.5}), tolerance);
  check_equal(sampled({0.2, 0.5, 0.7}, n, [](const auto&) { return true; }),
              shape_properties(Box{{0.4, 1.0, 1.4}}), tolerance);
  check_equal(sampled({0.5, 0.5, 1.25}, n,
                      [](const auto& p) {
                        const double beyond = std::max(0.0, std::abs(p.z()) - 0.75);
                        return std::hypot(p.x(), p.y(), beyond) <= 0.5;
                      }),
              shape_properties(Capsule{0.5, 1.5}), tolerance);
  check_equal(
      sampled({0.5, 0.5, 0.9}, n, [](const auto& p) { return std::hypot(p.x(), p.y()) <= 0.5; }),
      shape_properties(Cylinder{0.5, 1.8}), tolerance);
  const Eigen::Vector3d axes(0.3, 0.6, 1.1);
  check_equal(sampled(axes, n, [&](const auto& p) { return p.cwiseQuotient(axes).norm() <= 1.0; }),
              shape_properties(Ellipsoid{axes}), tolerance);
}

TEST_CASE("Known inertias of primitives, exactly") {
  const SolidProperties sphere = shape_properties(Sphere{2.0});
  CHECK(sphere.volume == Approx(32.0 / 3.0 * kPi).epsilon(1e-15));
  CHECK(sphere.inertia(0, 0) == Approx(0.4 * sphere.volume * 4.0).epsilon(1e-15));
  const SolidProperties cylinder = shape_properties(Cylinder{2.0, 3.0});
  CHECK(cylinder.inertia(2, 2) == Approx(0.5 * cylinder.volume * 4.0).epsilon(1e-15));
  CHECK(cylinder.inertia(0, 0) ==
        Approx(cylinder.volume * (3.0 * 4.0 + 9.0) / 12.0).epsilon(1e-15));
  // A capsule without a middle is a sphere; a long thin one is a rod.
  const SolidProperties ball = shape_properties(Capsule{2.0, 1e-14});
  CHECK((ball.inertia - sphere.inertia).norm() <= 1e-12 * sphere.inertia.norm());
  const SolidProperties rod = shape_properties(Capsule{1e-6, 1.0});
  CHECK(rod.inertia(0, 0) == Approx(rod.volume / 12.0).epsilon(1e-5));
}

TEST_CASE("A polyhedron's properties are those of its surface, and sums of its tetrahedra") {
  std::mt19937_64 random(3);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < 40; ++i) points.push_back(random_vector(random));
  const auto hull = std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
  const SolidProperties solid = shape_properties(hull);
  CHECK(is_closed(triangulate(*hull)));
  // Cones from an inner point to the faces: volume  sum of area x height / 3.
  double volume = 0.0;
  for (const ConvexPolyhedron::Face& face : hull->faces()) {
    Eigen::Vector3d twice_area = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < face.vertices.size(); ++k) {
      const std::size_t next = (k + 1) % face.vertices.size();
      twice_area += hull->vertices()[static_cast<std::size_t>(face.vertices[k])].cross(
          hull->vertices()[static_cast<std::size_t>(face.vertices[next])]);
    }
    volume += face.offset * 0.5 * face.normal.dot(twice_area) / 3.0;
  }
  CHECK(solid.volume == Approx(volume).epsilon(1e-13));
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(solid.inertia).eigenvalues();
  CHECK(moments[0] > 0.0);
  CHECK(moments[2] < moments[0] + moments[1]);
}

TEST_CASE("Faces that point inwards make the volume negative, and only that") {
  const TriangleMesh mesh =
      moved(box_mesh({1.0, 2.0, 3.0}), {Eigen::Matrix3d::Identity(), {5, 6, 7}});
  const SolidProperties solid = mesh_properties(mesh), inverted = mesh_properties(reversed(mesh));
  CHECK(inverted.volume == -solid.volume);
  CHECK((inverted.center - solid.center).norm() <= 1e-14);
  CHECK(is_closed(reversed(mesh)));
  // Given its mass, an inverted mesh is the same body; given a density it has none.
  CHECK((with_mass(inverted, 2.0).inertia - with_mass(solid, 2.0).inertia).norm() <= 1e-13);
  CHECK_THROWS_AS(with_density(inverted, 1000.0), std::invalid_argument);
}

TEST_CASE("A surface is closed if every edge joins two triangles that run against each other") {
  const TriangleMesh closed = box_mesh({1.0, 1.0, 1.0});
  CHECK(is_closed(closed));
  TriangleMesh open = closed;
  open.triangles.pop_back();
  CHECK(!is_closed(open));
  TriangleMesh turned = closed;
  std::swap(turned.triangles[3][0], turned.triangles[3][1]);
  CHECK(!is_closed(turned));
  TriangleMesh doubled = closed;
  append(doubled, closed);
  CHECK(is_closed(doubled));
  doubled = closed;
  doubled.triangles.insert(doubled.triangles.end(), closed.triangles.begin(),
                           closed.triangles.end());
  CHECK(!is_closed(doubled));
  TriangleMesh degenerate = closed;
  degenerate.triangles.push_back({0, 0, 1});
  CHECK(!is_closed(degenerate));
  CHECK(!is_closed(TriangleMesh{}));
}

TEST_CASE("Mass and density give the same body, about the same center") {
  const SolidProperties solid = moved(shape_properties(Box{{1.0, 2.0, 3.0}}),
                                      Pose{rotation_from_rpy(0.1, 0.2, 0.3), {1.0, 2.0, 3.0}});
  const SpatialInertia by_density = with_density(solid, 500.0), by_mass = with_mass(solid, 3000.0);
  CHECK(by_density.mass == Approx(3000.0).epsilon(1e-15));
  CHECK(by_density.center_of_mass == solid.center);
  CHECK((by_density.inertia - by_mass.inertia).norm() <= 1e-14 * by_mass.inertia.norm());
  CHECK(by_mass.inertia.trace() == Approx(3000.0 * 2.0 * 14.0 / 12.0).epsilon(1e-14));
}

TEST_CASE("Solids without mass or volume, and meshes with missing vertices, are refused") {
  const double nan = std::nan("");
  CHECK_THROWS_AS(shape_properties(HalfSpace{}), std::invalid_argument);
  CHECK_THROWS_AS(
      shape_properties(std::make_shared<const HeightField>(Eigen::Matrix2d::Zero(), 1.0, 1.0)),
      std::invalid_argument);
  const SolidProperties solid = shape_properties(Sphere{1.0});
  for (double bad : {0.0, -1.0, nan, HUGE_VAL}) {
    CHECK_THROWS_AS(with_density(solid, bad), std::invalid_argument);
    CHECK_THROWS_AS(with_mass(solid, bad), std::invalid_argument);
  }
  CHECK_THROWS_AS(with_mass(SolidProperties{}, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(mesh_properties({{{0, 0, 0}}, {{0, 0, 1}}}), std::invalid_argument);
  CHECK_THROWS_AS(mesh_properties({{{0, 0, 0}}, {{0, 0, -1}}}), std::invalid_argument);
  CHECK(mesh_properties(TriangleMesh{}).volume == 0.0);
}
