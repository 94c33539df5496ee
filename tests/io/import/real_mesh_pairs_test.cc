// The meshes of real robots against an answer by brute force.
#include "amontons/io/import/mesh_file.h"
#include "tests/geometry/mesh_pair_check.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace amontons;
using namespace amontons::test;
namespace fs = std::filesystem;

namespace {

// Brute force is for meshes of at most this many triangles.
constexpr std::size_t kMostTriangles = 1000;

/// Returns a mesh of radius one about the origin.
TriangleMesh of_radius_one(TriangleMesh mesh) {
  const Eigen::Vector3d center = Aabb::around(mesh.vertices).center();
  double radius = 0.0;
  for (Eigen::Vector3d& v : mesh.vertices) {
    v -= center;
    radius = std::max(radius, v.norm());
  }
  return moved(mesh, Pose{}, 1.0 / radius);
}

/// Returns the closed meshes of robots, and the same small.
Drawn robot_meshes(const fs::path& data) {
  Drawn drawn;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".stl" && ending != ".STL" && ending != ".dae" && ending != ".obj") continue;
    TriangleMesh mesh = io::load_mesh(entry.path(), {1.0, 1.0, 1.0});
    const io::MeshReport report = io::inspect_mesh(mesh);
    if (mesh.triangles.size() > kMostTriangles || !report.closed || report.inverted) continue;
    mesh = of_radius_one(mesh);
    const TriangleMesh small = moved(mesh, Pose{}, 0.15);
    drawn.add({entry.path().filename().string(), mesh}, mesh_shape(mesh));
    drawn.add({"small " + entry.path().filename().string(), small}, mesh_shape(small));
  }
  return drawn;
}

}  // namespace

TEST_CASE("Meshes of real robots overlap where surfaces cross or one is inside, nowhere else",
          "[mesh]") {
  const fs::path data = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data";
  if (!fs::exists(data)) {
    WARN("skipped: no robot meshes at " << data.string());
    return;
  }
  Dice dice(101);
  const Drawn meshes = robot_meshes(data);
  REQUIRE(meshes.shapes.size() >= 10);
  check_pairs(meshes, meshes, num_cases(3000), dice);
}
