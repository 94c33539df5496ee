#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/geometry/shapes/value_noise.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/geometry/mesh_fixtures.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace amontons;

namespace {

// A box of 1 x 2 x 3 with a corner at the origin, as Wavefront text.
constexpr const char* kBoxVertices =
    "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n";
constexpr const char* kBoxFaces =
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

std::string box_mesh() { return std::string(kBoxVertices) + kBoxFaces; }

// The same box with a notch: its upper half is only half as wide. Not convex; volume 6 - 1.5.
constexpr const char* kNotched =
    "v 0 0 0\nv 1 0 0\nv 1 0 1.5\nv 0.5 0 1.5\nv 0.5 0 3\nv 0 0 3\n"
    "v 0 2 0\nv 1 2 0\nv 1 2 1.5\nv 0.5 2 1.5\nv 0.5 2 3\nv 0 2 3\n"
    "f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\n"
    "f 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\nf 1 6 12 7\n";

io::MemoryFiles files_with(const std::string& mesh) {
  io::MemoryFiles files;
  files.add("part.obj", mesh);
  return files;
}

std::string scene_with(const std::string& shape, const std::string& keys) {
  return "amontons: 1\n"
         "simulation: {step: 0.01, duration: 1, seed: 5}\n"
         "bodies:\n"
         "  - name: part\n"
         "    shapes:\n"
         "      - " +
         shape + "\n    " + keys + "\n";
}

Scene parse_mesh_scene(const std::string& mesh, const std::string& scale = "1") {
  return io::parse_scene(
      scene_with("mesh: {file: part.obj, scale: " + scale + "}", "density: 1000"),
      "scenes/scene.yaml", files_with(mesh));
}

const LedgerEntry& mesh_entry(const Scene& scene) {
  const auto& entries = scene.ledger.entries;
  const auto found = std::find_if(entries.begin(), entries.end(), [](const LedgerEntry& entry) {
    return entry.element.find("mesh") != std::string::npos;
  });
  REQUIRE(found != entries.end());
  return *found;
}

const ConvexPolyhedron& hull_of(const Scene& scene) {
  return *std::get<std::shared_ptr<const ConvexPolyhedron>>(scene.bodies.at(0).shapes.at(0).shape);
}

const CollisionMesh& mesh_of(const Scene& scene) {
  return *std::get<std::shared_ptr<const CollisionMesh>>(scene.bodies.at(0).shapes.at(0).shape);
}

}  // namespace

TEST_CASE("A convex mesh is applied as it is, with the mass of its solid") {
  const Scene scene = parse_mesh_scene(box_mesh());
  CHECK(hull_of(scene).faces().size() == 6);
  CHECK(mesh_entry(scene).fate == ImportFate::Applied);
  const SpatialInertia& inertia = scene.bodies[0].inertia;
  CHECK(inertia.mass == Approx(6000.0).epsilon(1e-14));
  CHECK((inertia.center_of_mass - Eigen::Vector3d(0.5, 1, 1.5)).norm() < 1e-14);
  const Eigen::Vector3d moments = 6000.0 / 12.0 * Eigen::Vector3d(13, 10, 5);
  CHECK((inertia.inertia - Eigen::Matrix3d(moments.asDiagonal())).norm() < 1e-13 * moments.norm());
}

TEST_CASE("A mesh that is not convex collides and weighs as itself") {
  const Scene scene = parse_mesh_scene(kNotched);
  CHECK(mesh_of(scene).is_closed());
  CHECK(mesh_of(scene).facets().size() == 8);
  CHECK(scene.bodies[0].inertia.mass == Approx(4500.0).epsilon(1e-14));
  // The hull cuts the notch of 0.5 x 2 x 1.5 in half: 4.5 + 0.75.
  CHECK(mesh_entry(scene).fate == ImportFate::Applied);
  CHECK_THAT(mesh_entry(scene).reason, Catch::Contains("as a mesh (hull/mesh volume 1.166667"));
  CHECK(mesh_entry(scene).where.line == 6);
}

TEST_CASE("Scale stretches a mesh along its axes, and a negative one mirrors it") {
  const Scene scene = parse_mesh_scene(box_mesh(), "[0.5, -1, 2]");
  const SpatialInertia& inertia = scene.bodies[0].inertia;
  CHECK(inertia.mass == Approx(6000.0).epsilon(1e-14));
  CHECK((inertia.center_of_mass - Eigen::Vector3d(0.25, -1, 3)).norm() < 1e-14);
  CHECK(parse_mesh_scene(box_mesh(), "0.1").bodies[0].inertia.mass == Approx(6.0).epsilon(1e-6));
}

TEST_CASE("A mesh is its hull only where that is asked for, and the ledger says so") {
  const Scene scene =
      io::parse_scene(scene_with("mesh: {file: part.obj, collide: hull}", "density: 1000"),
                      "scenes/scene.yaml", files_with(kNotched));
  CHECK(hull_of(scene).faces().size() == 7);
  CHECK(scene.bodies[0].inertia.mass == Approx(4500.0).epsilon(1e-14));
  CHECK(mesh_entry(scene).fate == ImportFate::Approximated);
  CHECK_THAT(mesh_entry(scene).reason, Catch::Contains("as asked (hull/mesh volume 1.166667"));
}

TEST_CASE("Each connected component of a mesh, or each file, can be a part that collides") {
  std::string two = box_mesh(), far;
  for (const char* v : {"5 0 0", "6 0 0", "6 2 0", "5 2 0", "5 0 3", "6 0 3", "6 2 3", "5 2 3"}) {
    far += std::string("v ") + v + "\n";
  }
  two += far +
         "f 12 11 10 9\nf 13 14 15 16\nf 9 10 14 13\nf 11 12 16 15\nf 10 11 15 14\nf 12 9 13 16\n";
  io::MemoryFiles files = files_with(two);
  files.add("left.obj", box_mesh());
  files.add("right.obj", far + kBoxFaces);
  for (const char* keys : {"collide: parts", "parts: [left.obj, right.obj]"}) {
    const Scene scene = io::parse_scene(
        scene_with(std::string("mesh: {file: part.obj, ") + keys + "}", "density: 1000"),
        "scenes/scene.yaml", files);
    CAPTURE(keys);
    REQUIRE(scene.bodies[0].shapes.size() == 2);
    for (const SceneShape& part : scene.bodies[0].shapes) {
      const auto& solid = *std::get<std::shared_ptr<const ConvexPolyhedron>>(part.shape);
      CHECK(solid.vertices().size() == 8);
    }
    CHECK(scene.bodies[0].inertia.mass == Approx(12000.0).epsilon(1e-14));
    CHECK(std::any_of(
        scene.ledger.entries.begin(), scene.ledger.entries.end(), [](const LedgerEntry& entry) {
          return entry.fate == ImportFate::Applied && entry.reason == "collides as 2 parts";
        }));
  }
}

TEST_CASE("A mesh with a hole is a sheet that weighs as its hull, and the ledger says so") {
  const std::string faces(kBoxFaces);
  const Scene scene =
      parse_mesh_scene(std::string(kBoxVertices) + faces.substr(faces.find('\n') + 1));
  CHECK(scene.bodies[0].inertia.mass == Approx(6000.0).epsilon(1e-14));
  CHECK(mesh_entry(scene).fate == ImportFate::Approximated);
  CHECK_THAT(mesh_entry(scene).reason, Catch::Contains("not closed"));
}

TEST_CASE("A mesh with a small hole weighs as the solid with a lid on it") {
  // A ring, of which a triangle is missing; the lid of a triangle is that triangle.
  TriangleMesh ring = test::torus(1.0, 0.3, 24, 12);
  const double volume = mesh_properties(ring).volume;
  std::string text;
  ring.triangles.pop_back();
  for (const Eigen::Vector3d& v : ring.vertices) {
    text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", v.x(), v.y(), v.z());
  }
  for (const auto& [a, b, c] : ring.triangles) {
    text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  }
  const Scene scene = parse_mesh_scene(text);
  CHECK(scene.bodies[0].inertia.mass == Approx(1000.0 * volume).epsilon(1e-12));
  CHECK(mesh_entry(scene).fate == ImportFate::Approximated);
  CHECK_THAT(mesh_entry(scene).reason, Catch::Contains("holes are small"));
}

TEST_CASE("A mesh that bounds no solid is one clear error at the line that names it") {
  struct Bad {
    std::string mesh, message;
  };
  const std::vector<Bad> meshes{{"", "part.obj"},
                                {"v 0 0 0\nv 1 0 0\n", "part.obj"},
                                {"v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", "no area"},
                                {"v 0 0 0\nv 1 0 0\nf 1 2 3\n", "line 3"},
                                {"this is no mesh at all", "part.obj"}};
  for (const Bad& bad : meshes) {
    CAPTURE(bad.mesh);
    try {
      parse_mesh_scene(bad.mesh);
      FAIL_CHECK("the fault was not found");
    } catch (const io::ParseError& error) {
      CAPTURE(error.what());
      CHECK(error.file() == "scenes/scene.yaml");
      CHECK(error.line() == 6);
      CHECK(error.column() == 22);
      CHECK_THAT(error.what(), Catch::Contains(bad.message));
      CHECK_THAT(error.what(), Catch::Contains("scenes/part.obj"));
    }
  }
}

TEST_CASE(
    "A mesh whose faces point inwards is the solid that they enclose, and the ledger says so") {
  const std::string inside_out =
      "f 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 7 8 4 3\nf 6 7 3 2\nf 8 5 1 4\n";
  const std::string one_flipped =
      "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";
  for (const auto& [faces, reason] :
       {std::pair(inside_out, "its faces point inwards and are turned"),
        std::pair(one_flipped, "2 of its 12 faces point inwards and are turned")}) {
    const Scene scene = parse_mesh_scene(kBoxVertices + faces);
    CHECK(scene.bodies[0].inertia.mass == Approx(6000.0).epsilon(1e-14));
    CHECK(std::get<std::shared_ptr<const ConvexPolyhedron>>(scene.bodies[0].shapes[0].shape)
              ->faces()
              .size() == 6);
    CHECK(mesh_entry(scene).fate == ImportFate::Approximated);
    CHECK_THAT(mesh_entry(scene).reason, Catch::Contains(reason));
  }
}

TEST_CASE("A flat mesh is terrain, and has no mass that could be asked of it") {
  // Two squares of one plane that do not touch.
  const std::string flat =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 3 0 0\nv 3 1 0\nv 2 1 0\n"
      "f 1 2 3 4\nf 5 6 7 8\n";
  const auto parse = [&](const std::string& keys) {
    return io::parse_scene(scene_with("mesh: {file: part.obj}", keys), "scene.yaml",
                           files_with(flat));
  };
  const Scene scene = parse("fixed: true");
  const auto& sheet =
      *std::get<std::shared_ptr<const CollisionMesh>>(scene.bodies[0].shapes[0].shape);
  CHECK(sheet.triangles().size() == 8);
  CHECK(sheet.facets().size() == 4);  // front and back of each square
  CHECK(!sheet.is_closed());
  CHECK(mesh_entry(scene).fate == ImportFate::Approximated);
  CHECK_THAT(mesh_entry(scene).reason, Catch::Contains("flat"));
  CHECK(parse("mass: 2\n    inertia: [1, 1, 1]").bodies.size() == 1);
  for (const char* asked : {"mass: 2", "density: 1000"}) {
    CHECK_THROWS_WITH(parse(asked),
                      Catch::Contains("scene.yaml:6") && Catch::Contains("no volume"));
  }
}

TEST_CASE("A terrain is read from a table, and generated from a seed") {
  io::MemoryFiles files;
  files.add("hills.csv", "0, 1, 2\n3, 4, 5\n");
  const Scene table = io::parse_scene(
      scene_with("heightfield: {file: hills.csv, size: [4, 6], scale: 0.1}", "fixed: true"),
      "scene.yaml", files);
  const HeightField& hills =
      *std::get<std::shared_ptr<const HeightField>>(table.bodies[0].shapes[0].shape);
  CHECK(hills.size_x() == 4.0);
  CHECK(hills.size_y() == 6.0);
  CHECK(hills.heights()(1, 2) == Approx(0.5).epsilon(1e-15));
  CHECK(table.inputs.at(0).path == "hills.csv");

  const std::string noise =
      "heightfield: {size: [2, 1], noise: {amplitude: 0.01, cells: [20, 10], "
      "wavelength: 0.2";
  const auto heights = [&](const std::string& end) {
    const Scene scene =
        io::parse_scene(scene_with(noise + end, "fixed: true"), "scene.yaml", io::MemoryFiles());
    return Eigen::MatrixXd(
        std::get<std::shared_ptr<const HeightField>>(scene.bodies[0].shapes[0].shape)->heights());
  };
  const ValueNoise expected{.amplitude = 0.01, .wavelength = 0.2, .seed = 9};
  CHECK(heights(", seed: 9}}") == value_noise_heights(expected, 20, 10, 2.0, 1.0));
  CHECK(heights("}}") == heights(", seed: 5}}"));  // the seed of the simulation
}

TEST_CASE("A faulty terrain is one clear error that names both lines") {
  io::MemoryFiles files;
  files.add("hills.csv", "0, 1\n0, x\n");
  CHECK_THROWS_WITH(
      io::parse_scene(scene_with("heightfield: {file: hills.csv, size: [1, 1]}", "fixed: true"),
                      "scene.yaml", files),
      Catch::StartsWith("scene.yaml:6:29: terrain hills.csv:2"));
}

TEST_CASE("The recorded inputs suffice to read a scene again") {
  const Scene scene = parse_mesh_scene(kNotched);
  REQUIRE(scene.inputs.size() == 1);
  CHECK(scene.inputs[0].path == "part.obj");
  CHECK(scene.inputs[0].bytes == kNotched);
  const Scene again = io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs));
  CHECK(mesh_of(again).vertices() == mesh_of(scene).vertices());
  CHECK(again.bodies[0].inertia.inertia == scene.bodies[0].inertia.inertia);
}
