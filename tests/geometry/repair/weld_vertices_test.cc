#include "amontons/geometry/repair/weld_vertices.h"

#include <catch2/catch.hpp>

#include <random>

using namespace amontons;

namespace {

// Makes a tetrahedron whose four triangles own their corners, each off by up to `noise`.
TriangleMesh triangle_soup(std::mt19937_64& random, double noise, const Eigen::Vector3d& place) {
  const Eigen::Vector3d corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::array<int, 3> faces[] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::uniform_real_distribution<double> offset(-0.5 * noise, 0.5 * noise);
  TriangleMesh mesh;
  for (const std::array<int, 3>& face : faces) {
    const int first = static_cast<int>(mesh.vertices.size());
    for (int corner : face) {
      mesh.vertices.push_back(place + corners[corner] +
                              Eigen::Vector3d(offset(random), offset(random), offset(random)));
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

}  // namespace

TEST_CASE("Triangles whose corners agree within the tolerance become a closed surface") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 200; ++i) {
    // Places of every kind with respect to the cells of a grid, zero among them.
    const Eigen::Vector3d place =
        i == 0 ? Eigen::Vector3d::Zero().eval()
               : Eigen::Vector3d(normal(random), normal(random), normal(random));
    const TriangleMesh soup = triangle_soup(random, 1e-6, place);
    REQUIRE(!is_closed(soup));
    const TriangleMesh welded = weld_vertices(soup, 1.01e-6);
    CHECK(welded.vertices.size() == 4);
    CHECK(welded.triangles.size() == 4);
    CHECK(is_closed(welded));
    CHECK(mesh_properties(welded).volume == Approx(1.0 / 6.0).epsilon(1e-5));
    // The counterexample: a tolerance below the noise leaves the surface open.
    CHECK(!is_closed(weld_vertices(soup, 1e-9)));
  }
}

TEST_CASE("Welding drops triangles that collapse and vertices that no triangle uses") {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1e-9, 0}, {7, 7, 7}}, {}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {2, 2, 1}};
  const TriangleMesh welded = weld_vertices(mesh, 1e-6);
  REQUIRE(welded.triangles.size() == 1);
  CHECK(welded.triangles[0] == std::array{0, 1, 2});
  CHECK(welded.vertices == std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
}

TEST_CASE("Signed zeros are one place") {
  TriangleMesh mesh{{{0.0, 0.0, 0.0}, {-0.0, 1.0, -0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, {}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  CHECK(weld_vertices(mesh, 1e-300).vertices.size() == 3);
}
