// Hulls with a limited number of vertices, from the keys of scenes and from MJCF files.
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace amontons;
using namespace amontons::test;

namespace {

constexpr const char* kHead = "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n";
// Vertices of ball_mesh(6), which is convex.
constexpr std::size_t kAll = 6 * 12 + 2;

std::string obj_of(const TriangleMesh& mesh, double shift) {
  std::string text;
  for (const Eigen::Vector3d& v : mesh.vertices) {
    text += "v " + std::to_string(v.x() + shift) + " " + std::to_string(v.y()) + " " +
            std::to_string(v.z()) + "\n";
  }
  const int first = shift > 0.0 ? static_cast<int>(mesh.vertices.size()) + 1 : 1;
  for (const auto& [a, b, c] : mesh.triangles) {
    text += "f " + std::to_string(a + first) + " " + std::to_string(b + first) + " " +
            std::to_string(c + first) + "\n";
  }
  return text;
}

io::MemoryFiles mesh_files() {
  io::MemoryFiles files;
  files.add("ball.obj", obj_of(ball_mesh(6), 0.0));
  files.add("balls.obj", obj_of(ball_mesh(6), 0.0) + obj_of(ball_mesh(6), 5.0));
  files.add("notched.obj",
            "v 0 0 0\nv 1 0 0\nv 1 0 1.5\nv 0.5 0 1.5\nv 0.5 0 3\nv 0 0 3\n"
            "v 0 2 0\nv 1 2 0\nv 1 2 1.5\nv 0.5 2 1.5\nv 0.5 2 3\nv 0 2 3\n"
            "f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\n"
            "f 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\nf 1 6 12 7\n");
  return files;
}

Scene load_body(const std::string& scene, const std::string& body, const std::string& mesh,
                const std::string& file = "ball.obj") {
  return io::parse_scene(kHead + scene + "bodies:\n  - {name: b, density: 1" + body +
                             ", shapes: [{mesh: {file: " + file + mesh + "}}]}\n",
                         "scene.yaml", mesh_files());
}

Scene load_model(const std::string& model, const std::string& keys = "",
                 const std::string& scene = "") {
  io::MemoryFiles files = mesh_files();
  files.add("r.xml", model);
  return io::parse_scene(kHead + scene + "models:\n  - {name: r, file: r.xml" + keys + "}\n",
                         "scene.yaml", files);
}

const ConvexPolyhedron& hull_in(const SceneShape& shape) {
  REQUIRE(std::holds_alternative<std::shared_ptr<const ConvexPolyhedron>>(shape.shape));
  return *std::get<std::shared_ptr<const ConvexPolyhedron>>(shape.shape);
}

/// Returns the number of vertices of the body's hull.
std::size_t vertices_of(const Scene& scene) {
  return hull_in(scene.bodies.at(0).shapes.at(0)).vertices().size();
}

/// Returns the numbers of vertices of all hulls of a model, link by link.
std::vector<std::size_t> vertices_of_links(const Scene& scene) {
  std::vector<std::size_t> counts;
  for (const ModelLink& link : scene.models.at(0).links) {
    for (const SceneShape& shape : link.shapes) counts.push_back(hull_in(shape).vertices().size());
  }
  return counts;
}

using Counts = std::vector<std::size_t>;

const std::string kUrdf = [] {
  std::string text = "<robot name='r'>";
  for (const char* name : {"palm", "finger"}) {
    text += std::string("<link name='") + name +
            "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
            "iyz='0'/></inertial><collision><geometry><mesh filename='ball.obj'/></geometry>"
            "</collision></link>\n";
  }
  return text +
         "<joint name='j' type='prismatic'><parent link='palm'/><child link='finger'/>"
         "<limit lower='0' upper='1' effort='1' velocity='1'/></joint></robot>";
}();

std::string mjcf(const std::string& attributes, const std::string& defaults = "") {
  return "<mujoco>" + defaults + "<asset>\n<mesh name='m' file='ball.obj' " + attributes +
         "/></asset>\n<worldbody><body name='palm'><freejoint/><geom name='g' type='mesh' "
         "mesh='m'/></body></worldbody></mujoco>";
}

}  // namespace

TEST_CASE("The innermost limit of vertices counts: that of the mesh, its body or the scene") {
  CHECK(vertices_of(load_body("", "", "")) == kAll);
  CHECK(vertices_of(load_body("max_hull_vertices: 20\n", "", "")) == 20);
  CHECK(vertices_of(load_body("max_hull_vertices: {b: 20}\n", "", "")) == 20);
  CHECK(vertices_of(load_body("max_hull_vertices: {b: 20, \"*\": 10}\n", "", "")) == 10);
  CHECK(vertices_of(load_body("", ", max_hull_vertices: 16", "")) == 16);
  CHECK(vertices_of(load_body("", "", ", max_hull_vertices: 4")) == 4);
  CHECK(vertices_of(load_body("max_hull_vertices: 20\n", ", max_hull_vertices: 16", "")) == 16);
  CHECK(vertices_of(load_body("max_hull_vertices: 20\n", ", max_hull_vertices: 16",
                              ", max_hull_vertices: 12")) == 12);
  CHECK(vertices_of(load_body("max_hull_vertices: 20\n", ", max_hull_vertices: -1", "")) == kAll);
  CHECK(vertices_of(load_body("max_hull_vertices: 20\n", ", collide: hull", "")) == 20);
  CHECK(vertices_of(load_body("max_hull_vertices: 1000\n", "", "")) == kAll);
}

TEST_CASE("Limits of vertices hold for links by name, those of the model before the scene's") {
  CHECK(vertices_of_links(load_model(kUrdf)) == Counts{kAll, kAll});
  CHECK(vertices_of_links(load_model(kUrdf, ", max_hull_vertices: 8")) == Counts{8, 8});
  CHECK(vertices_of_links(load_model(kUrdf, ", max_hull_vertices: {finger: 8}")) ==
        Counts{kAll, 8});
  CHECK(vertices_of_links(load_model(kUrdf, ", max_hull_vertices: {\"*\": 8, palm: 9}",
                                     "max_hull_vertices: 10\n")) == Counts{9, 8});
  CHECK(vertices_of_links(load_model(kUrdf, "", "max_hull_vertices: {r/f*: 10}\n")) ==
        Counts{kAll, 10});
}

TEST_CASE("The ledger says how many vertices are left, and how far outside the others lie") {
  const Scene scene = load_body("", "", ", max_hull_vertices: 16");
  const ConvexPolyhedron& simplified = hull_in(scene.bodies[0].shapes[0]);
  const Scene full = load_body("", "", "");
  const ConvexPolyhedron& whole = hull_in(full.bodies[0].shapes[0]);
  const LedgerEntry entry = entry_of(scene, "mesh of a shape of body 'b'");
  CHECK(entry.fate == ImportFate::Approximated);
  CHECK_THAT(entry.reason, Catch::Contains("16 of 74 vertices are left"));
  // The ledger has three digits of the distance.
  const std::string mark = "lie up to ";
  const double said = std::stod(entry.reason.substr(entry.reason.find(mark) + mark.size()));
  CHECK(said == Approx(largest_distance(whole, simplified)).epsilon(5e-3));
  CHECK(said > 0.0);
  CHECK(entry_of(full, "mesh of a shape of body 'b'").fate == ImportFate::Applied);
  // The mass is that of the whole mesh.
  CHECK(scene.bodies[0].inertia.mass == full.bodies[0].inertia.mass);
  CHECK(scene.bodies[0].inertia.inertia == full.bodies[0].inertia.inertia);
}

TEST_CASE("Each part of a mesh has the limit, and a mesh of triangles has none") {
  const Scene parts = load_body("", ", collide: parts, max_hull_vertices: 10", "", "balls.obj");
  REQUIRE(parts.bodies[0].shapes.size() == 2);
  for (const SceneShape& shape : parts.bodies[0].shapes) {
    CHECK(hull_in(shape).vertices().size() == 10);
  }
  CHECK_THAT(entry_of(parts, "mesh of a shape of body 'b'").reason,
             Catch::Contains("as 2 parts; 20 of 148 vertices are left"));
  const Scene notched = load_body("", ", max_hull_vertices: 5", "", "notched.obj");
  CHECK(shape_type_name(notched.bodies[0].shapes[0].shape) == "mesh");
  CHECK(vertices_of(load_body("", ", max_hull_vertices: 5, collide: hull", "", "notched.obj")) <=
        5);
}

TEST_CASE("A limit of vertices that means nothing is refused at its line") {
  struct Fault {
    std::string scene, body, mesh, message;
  };
  const std::string needed = "must be an integer of at least 4, or -1 for no limit, not ";
  const std::vector<Fault> faults = {
      {"max_hull_vertices: 3\n", "", "", "max_hull_vertices of the scene " + needed + "3"},
      {"max_hull_vertices: {b: 0}\n", "", "", needed + "0"},
      {"max_hull_vertices: -2\n", "", "", needed + "-2"},
      {"max_hull_vertices: 6.5\n", "", "", needed + "6.5"},
      {"max_hull_vertices: many\n", "", "", "must be a number"},
      {"max_hull_vertices: [64]\n", "", "", "must be a map"},
      {"max_hull_vertices: {c: 64}\n", "", "", "no body or link is called 'c'"},
      {"", ", max_hull_vertices: 2", "", "max_hull_vertices of body 'b' " + needed + "2"},
      {"", "", ", max_hull_vertices: 1e99", needed + "1e99"},
      {"", "", ", max_hull_vertice: 8", "did you mean 'max_hull_vertices'?"},
  };
  for (const Fault& fault : faults) {
    CAPTURE(fault.scene, fault.body, fault.mesh);
    try {
      load_body(fault.scene, fault.body, fault.mesh);
      FAIL_CHECK("the fault was not found");
    } catch (const io::ParseError& error) {
      CHECK_THAT(error.what(), Catch::Contains(fault.message));
      CHECK(error.file() == "scene.yaml");
      CHECK(error.line() == (fault.scene.empty() ? 4 : 3));
    }
  }
  CHECK_THROWS_WITH(load_model(kUrdf, ", max_hull_vertices: {plam: 8}"),
                    Catch::Contains("did you mean 'palm'?"));
}

TEST_CASE(
    "MJCF's maxhullvert limits the hull, also as a default, unless the scene says otherwise") {
  const std::string usual = "<default><mesh maxhullvert='12'/></default>";
  CHECK(vertices_of_links(load_model(mjcf(""))) == Counts{kAll});
  CHECK(vertices_of_links(load_model(mjcf("maxhullvert='-1'"))) == Counts{kAll});
  CHECK(vertices_of_links(load_model(mjcf("maxhullvert='4'"))) == Counts{4});
  CHECK(vertices_of_links(load_model(mjcf("maxhullvert='20'"))) == Counts{20});
  CHECK(vertices_of_links(load_model(mjcf("", usual))) == Counts{12});
  CHECK(vertices_of_links(load_model(mjcf("maxhullvert='20'", usual))) == Counts{20});
  const Scene applied = load_model(mjcf("maxhullvert='20'"));
  CHECK(entry_of(applied, "mesh 'm': maxhullvert").fate == ImportFate::Applied);
  CHECK(entry_of(applied, "body 'palm' geom 'g': mesh").fate == ImportFate::Approximated);
  CHECK_THAT(entry_of(applied, "body 'palm' geom 'g': mesh").reason,
             Catch::Contains("20 of 74 vertices are left"));
  // What the scene says replaces it, and the ledger says that.
  for (const char* keys : {", max_hull_vertices: 30", ", max_hull_vertices: {palm: 30}"}) {
    const Scene replaced = load_model(mjcf("maxhullvert='20'"), keys);
    CHECK(vertices_of_links(replaced) == Counts{30});
    CHECK(entry_of(replaced, "mesh 'm': maxhullvert").fate == ImportFate::Ignored);
  }
  CHECK(vertices_of_links(load_model(mjcf("maxhullvert='20'"), ", collide: mesh")) == Counts{kAll});
  for (const char* limit : {"3", "0", "-7"}) {
    try {
      load_model(mjcf("maxhullvert='" + std::string(limit) + "'"));
      FAIL_CHECK("the fault was not found");
    } catch (const io::ParseError& error) {
      CHECK_THAT(error.what(), Catch::Contains("must be at least 4, or -1 for no limit"));
      CHECK(error.file() == "r.xml");
      CHECK(error.line() == 2);
    }
  }
}
