// SDF's attribute `optimization` of <mesh>: the mesh collides as its hull.
#include "amontons/geometry/shapes/shape.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace amontons;
using namespace amontons::test;

namespace {

std::string sdf(const std::string& attributes, const std::string& more = "",
                const std::string& rest = "") {
  return "<sdf version='1.11'><model name='m'><link name='palm'><collision name='skin'>"
         "<geometry>\n<mesh" +
         attributes + "><uri>notched.obj</uri>" + more + "</mesh></geometry></collision></link>" +
         rest + "</model></sdf>";
}

Scene load_model(const std::string& model, const std::string& keys = "") {
  io::MemoryFiles files;
  // A closed box with a notch.
  files.add("notched.obj",
            "v 0 0 0\nv 1 0 0\nv 1 0 1.5\nv 0.5 0 1.5\nv 0.5 0 3\nv 0 0 3\n"
            "v 0 2 0\nv 1 2 0\nv 1 2 1.5\nv 0.5 2 1.5\nv 0.5 2 3\nv 0 2 3\n"
            "f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\n"
            "f 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\nf 1 6 12 7\n");
  files.add("m.sdf", model);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
      "models:\n  - {name: r, file: m.sdf" +
          keys + "}\n",
      "scene.yaml", files);
}

std::string shape_of(const Scene& scene) {
  return shape_type_name(scene.models.at(0).links.at(0).shapes.at(0).shape);
}

/// Returns the findings that are about a mesh.
std::vector<LedgerEntry> findings_of_meshes(const Scene& scene) {
  std::vector<LedgerEntry> result;
  for (const LedgerEntry& entry : scene.ledger.findings()) {
    if (entry.element.find("mesh") != std::string::npos) result.push_back(entry);
  }
  return result;
}

}  // namespace

TEST_CASE("A mesh of SDF with the optimization convex_hull collides as its hull") {
  // A frame makes libsdformat read the model, which is read directly otherwise.
  for (const char* rest : {"", "<frame name='f'/>"}) {
    CAPTURE(rest);
    CHECK(shape_of(load_model(sdf("", "", rest))) == "mesh");
    CHECK(shape_of(load_model(sdf(" optimization=''", "", rest))) == "mesh");
    const Scene hull = load_model(sdf(" optimization='convex_hull'", "", rest));
    CHECK(shape_of(hull) == "polyhedron");
    CHECK(findings_of_meshes(hull).empty());
    CHECK_THAT(entry_of(hull, "link 'palm' collision 'skin': geometry mesh").reason,
               Catch::Contains("collides as its convex hull"));
    // The scene can replace the file's choice, or limit its hull.
    CHECK(shape_of(load_model(sdf(" optimization='convex_hull'", "", rest), ", collide: mesh")) ==
          "mesh");
    const Scene six =
        load_model(sdf(" optimization='convex_hull'", "", rest), ", max_hull_vertices: 6");
    CHECK(shape_of(six) == "polyhedron");
    CHECK_THAT(entry_of(six, "link 'palm' collision 'skin': geometry mesh").reason,
               Catch::Contains("6 of 10 vertices are left"));
  }
}

TEST_CASE("A convex decomposition that SDF asks for is a finding, and the mesh stays as it is") {
  const std::string more =
      "<convex_decomposition><max_convex_hulls>4</max_convex_hulls></convex_decomposition>";
  for (const std::string rest : {"", "<frame name='f'/>"}) {
    const Scene scene = load_model(sdf(" optimization='convex_decomposition'", more, rest));
    CHECK(shape_of(scene) == "mesh");
    const std::vector<LedgerEntry> findings = findings_of_meshes(scene);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].fate == ImportFate::Warning);
    CHECK_THAT(findings[0].reason, Catch::Contains("no mesh is decomposed"));
    CHECK(findings[0].where.line == 2);
    const Scene typo = load_model(sdf(" optimization='convexhull'", "", rest));
    REQUIRE(findings_of_meshes(typo).size() == 1);
    CHECK_THAT(findings_of_meshes(typo)[0].reason, Catch::Contains("'convexhull' is none of"));
  }
}
