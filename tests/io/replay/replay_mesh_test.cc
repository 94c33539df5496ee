#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/io/replay/replay_html.h"
#include "tests/io/run/recorded_run.h"
#include "tests/support/replay_page_reader.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <variant>

using namespace amontons;
using namespace amontons::test;

namespace {

// A prism over an L, 1 m long: not convex, so that it collides as a mesh and not as its hull.
constexpr const char* kNotched =
    "v 0 0 0\nv 1 0 0\nv 1 0 1.5\nv 0.5 0 1.5\nv 0.5 0 3\nv 0 0 3\n"
    "v 0 2 0\nv 1 2 0\nv 1 2 1.5\nv 0.5 2 1.5\nv 0.5 2 3\nv 0 2 3\n"
    "f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\n"
    "f 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\nf 1 6 12 7\n";

constexpr const char* kScene = R"(amontons: 1
simulation: {step: 0.01, duration: 0.3}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: part, density: 100, shapes: [{mesh: {file: part.obj, scale: 0.2}}], pose: {position: [0, 0, 0.1]}}
  - {name: twin, density: 100, shapes: [{mesh: {file: part.obj, scale: 0.2}}], pose: {position: [1, 0, 0.1]}}
)";

}  // namespace

TEST_CASE(
    "A concave mesh of a run is in its replay: every triangle once, and where the run has it") {
  io::MemoryFiles files;
  files.add("part.obj", kNotched);
  const Scene scene = io::parse_scene(kScene, "scene.yaml", files);
  const auto& shape = scene.bodies[1].shapes[0].shape;
  REQUIRE(std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape));
  const CollisionMesh& mesh = *std::get<std::shared_ptr<const CollisionMesh>>(shape);
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  const io::ReplayRun run = io::replay_from_run(reader);
  const nlohmann::json data = page_data(io::make_replay_html({run}))["runs"][0];

  CHECK(data["meshes"].size() == 1);  // both bodies show it
  for (const int body : {1, 2}) {
    const nlohmann::json& drawn = data["bodies"][static_cast<std::size_t>(body)]["shapes"][0];
    CHECK(drawn["type"] == "mesh");
    CHECK(drawn["mesh"] == 0);
  }
  const PageRun page(data);
  const std::vector<double> vertices = page.reals("mesh_vertices");
  REQUIRE(vertices.size() == 3 * mesh.vertices().size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double expected = mesh.vertices()[i / 3][static_cast<Eigen::Index>(i % 3)];
    CHECK(std::abs(vertices[i] - expected) <= 1e-7);
  }
  const std::vector<std::uint64_t> corners = page.integers("mesh_triangles");
  REQUIRE(corners.size() == 3 * mesh.triangles().size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    CHECK(static_cast<int>(corners[i]) == mesh.triangles()[i / 3][i % 3]);
  }
  // The bodies fall 0.1 m and lie there: poses of the page are those of the run.
  const PagePoses poses(page, run.frames.size());
  REQUIRE(run.frames.size() == rows.size());
  for (std::size_t f = 0; f < rows.size(); ++f) {
    for (const std::size_t body : {1u, 2u}) {
      CHECK((poses.position(f, body) - rows[f].position_of(body)).norm() <= 1e-5);
    }
  }
  CHECK(rows.front().position_of(1).z() - rows.back().position_of(1).z() > 0.09);
  CHECK(std::any_of(run.frames.begin(), run.frames.end(),
                    [](const io::ReplayFrame& frame) { return frame.contacts.size() >= 4; }));
}
