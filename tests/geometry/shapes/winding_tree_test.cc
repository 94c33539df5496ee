#include "amontons/geometry/shapes/winding_tree.h"

#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/geometry/shapes/winding_number.h"
#include "tests/geometry/mesh_zoo.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

/// Returns a tree over the boxes of the triangles of a mesh.
BoxTree tree_over(const TriangleMesh& mesh) {
  std::vector<Aabb> boxes;
  for (const auto& [a, b, c] : mesh.triangles) {
    Aabb box = Aabb::empty();
    for (const int v : {a, b, c}) box.include(mesh.vertices[static_cast<std::size_t>(v)]);
    boxes.push_back(box);
  }
  return BoxTree(boxes);
}

}  // namespace

// Shells in shells wind several times around a point, in either direction: half angles add up to
// more than a turn.
TEST_CASE("A tree of triangles winds around a point as often as the triangles do", "[mesh]") {
  Dice dice(109);
  std::vector<NamedMesh> meshes = mesh_zoo(dice);
  TriangleMesh shells = ball_mesh(5);
  for (const double scale : {0.9, 0.8, 0.7}) {
    shells = both(shells, moved(ball_mesh(5), Pose{}, scale));
    meshes.push_back({"shells", shells});
    meshes.push_back({"inverted shells", inverted(shells)});
  }
  for (const auto& [name, mesh] : meshes) {
    const BoxTree tree = tree_over(mesh);
    const WindingTree winding(mesh, tree);
    for (int n = 0; n < num_cases(20000); ++n) {
      const Vector3d x = dice.uniform(0.0, 1.5) * dice.direction();
      const double expected = winding_number(mesh.vertices, mesh.triangles, x);
      CAPTURE(name, n, expected);
      // The dipoles of a shell err by less than a hundredth.
      CHECK(std::abs(winding.about(mesh, tree, x) - expected) <= 0.04);
      CHECK(winding.is_inside(mesh, tree, x) == (expected > 0.5));
    }
  }
}
