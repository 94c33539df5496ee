#include "amontons/geometry/shapes/close_holes.h"

#include "amontons/geometry/shapes/collision_mesh.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <array>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Adds a square [0, 1]^2 of n x n cells, turned into its place.
/// @param corner, a, b  its corner and sides; a x b points outwards.
void add_square(const Vector3d& corner, const Vector3d& a, const Vector3d& b, int n,
                TriangleMesh& mesh) {
  const auto vertex_at = [&](int i, int j) {
    const Vector3d place = corner + i * (a / n) + j * (b / n);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      if (mesh.vertices[v] == place) return static_cast<int>(v);
    }
    mesh.vertices.push_back(place);
    return static_cast<int>(mesh.vertices.size()) - 1;
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int p = vertex_at(i, j), q = vertex_at(i + 1, j);
      const int r = vertex_at(i + 1, j + 1), s = vertex_at(i, j + 1);
      mesh.triangles.push_back({p, q, r});
      mesh.triangles.push_back({p, r, s});
    }
  }
}

/// Returns a unit cube whose faces have cells of different sizes, so that no sides meet along its
/// edges: corners of one face lie within sides of another.
/// @param shift  of one corner of one face from that of its neighbors.
TriangleMesh cube_with_slits(double shift) {
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const Vector3d o = Vector3d::Zero();
  TriangleMesh mesh;
  add_square(o, y, x, 1, mesh);
  add_square(z, x, y, 2, mesh);
  add_square(o, x, z, 4, mesh);
  add_square(y, z, x, 8, mesh);
  add_square(o, z, y, 2, mesh);
  const std::size_t others = mesh.triangles.size();
  add_square(x, y, z, 4, mesh);
  if (shift == 0.0) return mesh;
  // The slits along three edges of the cube meet there.
  const int moved = static_cast<int>(mesh.vertices.size());
  mesh.vertices.push_back(Vector3d::Constant(1.0 - shift));
  for (std::size_t t = others; t < mesh.triangles.size(); ++t) {
    for (int& vertex : mesh.triangles[t]) {
      if (mesh.vertices[static_cast<std::size_t>(vertex)] == Vector3d::Ones()) vertex = moved;
    }
  }
  return mesh;
}

}  // namespace

TEST_CASE("Slits between triangles of different sizes are holes without area") {
  for (const double shift : {0.0, 1e-7, 1e-4}) {
    CAPTURE(shift);
    const TriangleMesh mesh = cube_with_slits(shift);
    REQUIRE(!is_closed(mesh));
    const std::optional<TriangleMesh> closed = close_holes(mesh);
    REQUIRE(closed);
    CHECK(is_closed(*closed));
    CHECK(mesh_properties(*closed).volume == Approx(1.0).epsilon(1e-9 + 10.0 * shift));
    CHECK(CollisionMesh(mesh, 1e-9).encloses());
  }
}

TEST_CASE(
    "Holes that meet in a corner have a lid each, and a box without a face encloses nothing") {
  // Two triangles that share a corner are left out of a cube of 8 x 8 cells on each face.
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  TriangleMesh mesh;
  for (const auto& [corner, a, b] :
       {std::array{Vector3d(Vector3d::Zero()), y, x}, std::array{z, x, y},
        std::array{Vector3d(Vector3d::Zero()), x, z}, std::array{y, z, x},
        std::array{Vector3d(Vector3d::Zero()), z, y}, std::array{x, y, z}}) {
    add_square(corner, a, b, 8, mesh);
  }
  REQUIRE(is_closed(mesh));
  TriangleMesh with_holes = mesh;
  with_holes.triangles.erase(with_holes.triangles.begin() + 20);
  with_holes.triangles.erase(with_holes.triangles.begin());
  const std::optional<TriangleMesh> closed = close_holes(with_holes);
  REQUIRE(closed);
  CHECK(mesh_properties(*closed).volume == Approx(1.0).epsilon(1e-12));
  TriangleMesh open = mesh;
  open.triangles.erase(open.triangles.begin(), open.triangles.begin() + 128);
  CHECK(!close_holes(open));
}

}  // namespace amontons
