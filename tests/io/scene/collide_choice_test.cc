#include "amontons/io/common/name_pattern.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/system.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace amontons;
using namespace amontons::test;

namespace {

// A closed box with a notch, and two boxes apart in one file.
constexpr const char* kNotched =
    "v 0 0 0\nv 1 0 0\nv 1 0 1.5\nv 0.5 0 1.5\nv 0.5 0 3\nv 0 0 3\n"
    "v 0 2 0\nv 1 2 0\nv 1 2 1.5\nv 0.5 2 1.5\nv 0.5 2 3\nv 0 2 3\n"
    "f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\n"
    "f 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\nf 1 6 12 7\n";

std::string two_boxes() {
  std::string text;
  for (const char* x : {"0", "5"}) {
    for (const char* z : {"0", "1"}) {
      for (const char* y : {"0", "1"}) {
        text += std::string("v ") + x + " " + y + " " + z + "\nv " +
                std::to_string(std::stoi(x) + 1) + " " + y + " " + z + "\n";
      }
    }
  }
  for (const int first : {0, 8}) {
    for (const auto& face : {std::vector{1, 3, 4, 2},
                             {5, 6, 8, 7},
                             {1, 2, 6, 5},
                             {3, 7, 8, 4},
                             {1, 5, 7, 3},
                             {2, 4, 8, 6}}) {
      text += "f";
      for (const int vertex : face) text += " " + std::to_string(first + vertex);
      text += "\n";
    }
  }
  return text;
}

const char* kUrdf = R"(<robot name="r">
  <link name="palm"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="skin"><geometry><mesh filename="notched.obj"/></geometry></collision></link>
  <link name="finger_1"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="boxes.obj"/></geometry></collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="j" type="prismatic"><parent link="palm"/><child link="finger_1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>)";

const char* kSdf = R"(<sdf version="1.7"><model name="m">
  <link name="palm"><collision name="skin"><geometry><mesh><uri>notched.obj</uri></mesh></geometry>
  </collision></link>
  <link name="finger_1"><collision name="a"><geometry><mesh><uri>boxes.obj</uri></mesh></geometry>
  </collision><collision name="b"><geometry><sphere><radius>0.1</radius></sphere></geometry>
  </collision></link>
  <joint name="j" type="prismatic"><parent>palm</parent><child>finger_1</child>
  <axis><xyz>1 0 0</xyz></axis></joint></model></sdf>)";

const char* kMjcf = R"(<mujoco><asset><mesh name="n" file="notched.obj"/>
  <mesh name="b" file="boxes.obj"/></asset><worldbody>
  <body name="palm"><freejoint/><geom name="skin" type="mesh" mesh="n"/>
  <body name="finger_1"><joint name="j" type="slide"/><geom type="mesh" mesh="b"/>
  <geom size="0.1"/></body></body></worldbody></mujoco>)";

Scene load(const std::string& model, const std::string& keys, const std::string& rest = "",
           const std::vector<std::pair<std::string, std::string>>& overrides = {}) {
  io::MemoryFiles files;
  files.add("r.xml", model);
  files.add("notched.obj", kNotched);
  files.add("boxes.obj", two_boxes());
  return io::parse_scene("amontons: 1\nsimulation: {step: 0.01, duration: 1}\n" + rest +
                             "models: [{name: r, file: r.xml" + keys + "}]\n",
                         "scene.yaml", files, {.overrides = overrides});
}

/// Returns the types of a link's shapes, "-" after one that collides with nothing.
std::string shapes_of(const Scene& scene, const std::string& name) {
  std::string text;
  for (const ModelLink& link : scene.models.at(0).links) {
    if (link.name != name) continue;
    for (const SceneShape& shape : link.shapes) {
      text += (text.empty() ? "" : " ") + shape_type_name(shape.shape) +
              (shape.filter.is_none() ? "-" : "");
    }
  }
  return text;
}

}  // namespace

TEST_CASE("A star in a pattern is any text, and everything else is itself") {
  CHECK(io::matches_pattern("panda/hand", "panda/*"));
  CHECK(io::matches_pattern("panda/hand", "*"));
  CHECK(io::matches_pattern("panda/hand", "*hand"));
  CHECK(io::matches_pattern("panda/hand", "p*a/*n*"));
  CHECK(io::matches_pattern("aab", "*ab"));
  CHECK(io::matches_pattern("", "*"));
  CHECK_FALSE(io::matches_pattern("panda/hand", "panda"));
  CHECK_FALSE(io::matches_pattern("panda", "panda/*"));
  CHECK_FALSE(io::matches_pattern("panda/hand", "*hands"));
  CHECK_FALSE(io::matches_pattern("abc", "a*d"));
}

TEST_CASE("A model collides as its format says, or as the scene asks, link by link") {
  struct Case {
    const char* keys;
    const char* palm;
    const char* finger;
  };
  const Case cases[] = {
      {", collide: mesh", "mesh", "mesh sphere"},
      {", collide: hull", "polyhedron", "polyhedron sphere"},
      {", collide: none", "polyhedron-", "polyhedron- sphere-"},
      {", collide: {finger_1: parts}", nullptr, "polyhedron polyhedron sphere"},
      {", collide: {\"*\": hull, palm: mesh}", "mesh", "polyhedron sphere"},
      {", collide: {palm: mesh, \"*\": hull}", "polyhedron", "polyhedron sphere"},
      {", collide: {\"*\": mesh, finger_*: none}", "mesh", "polyhedron- sphere-"},
  };
  for (const char* model : {kUrdf, kSdf, kMjcf}) {
    for (const Case& c : cases) {
      CAPTURE(model, c.keys);
      const Scene scene = load(model, c.keys);
      const std::string usual = model == kMjcf ? "polyhedron" : "mesh";
      CHECK(shapes_of(scene, "palm") == (c.palm == nullptr ? usual : c.palm));
      CHECK(shapes_of(scene, "finger_1") == c.finger);
      const System system(scene);
      CHECK(system.num_velocities() == 7);
    }
  }
}

TEST_CASE("The scene's own choice holds where a model makes none, and can come from an override") {
  CHECK(shapes_of(load(kUrdf, "", "collide: hull\n"), "palm") == "polyhedron");
  CHECK(shapes_of(load(kUrdf, ", collide: mesh", "collide: hull\n"), "palm") == "mesh");
  CHECK(shapes_of(load(kUrdf, "", "collide: {r/palm: hull}\n"), "finger_1") == "mesh sphere");
  const Scene scene = load(kUrdf, "", "", {{"collide", "{\"*\": hull, r/finger_*: none}"}});
  CHECK(shapes_of(scene, "palm") == "polyhedron");
  CHECK(shapes_of(scene, "finger_1") == "polyhedron- sphere-");
  CHECK(shapes_of(load(kUrdf, "", "", {{"models.r.collide", "hull"}}), "palm") == "polyhedron");
  CHECK(shapes_of(load(kUrdf, "", "", {{"models.r.collide.palm", "hull"}}), "palm") ==
        "polyhedron");
}

TEST_CASE("The ledger says of each mesh how it collides, and of each link that it does not") {
  const Scene hull = load(kUrdf, ", collide: hull");
  const LedgerEntry mesh = entry_of(hull, "link 'palm': collision geometry mesh");
  CHECK(mesh.fate == ImportFate::Approximated);
  CHECK_THAT(mesh.reason, Catch::Contains("convex hull, as asked"));
  const Scene none = load(kUrdf, ", collide: {finger_1: none}");
  CHECK(entry_of(none, "shapes of link 'r/finger_1'").fate == ImportFate::Ignored);
  CHECK(find_entry(none, "shapes of link 'r/palm'") == nullptr);
  CHECK(none.ledger.findings().size() == load(kUrdf, "").ledger.findings().size());
}

TEST_CASE("Bodies collide by their own choice, that of their mesh, or that of the scene") {
  const auto shapes = [](const std::string& head, const std::string& body,
                         const std::string& mesh) {
    io::MemoryFiles files;
    files.add("notched.obj", kNotched);
    const Scene scene = io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n" + head + "bodies: [{name: b, " +
            body + "density: 1, shapes: [{mesh: {file: notched.obj" + mesh + "}}, {sphere: 1}]}]\n",
        "scene.yaml", files);
    // The mass does not depend on what collides: 4.5 m^3 and a ball.
    CHECK(scene.bodies.at(0).inertia.mass == Approx(4.5 + 4.0 / 3.0 * 3.14159265358979));
    std::string text;
    for (const SceneShape& shape : scene.bodies.at(0).shapes) {
      text += (text.empty() ? "" : " ") + shape_type_name(shape.shape) +
              (shape.filter.is_none() ? "-" : "");
    }
    return text;
  };
  CHECK(shapes("", "", "") == "mesh sphere");
  CHECK(shapes("", "collide: hull, ", "") == "polyhedron sphere");
  CHECK(shapes("", "collide: hull, ", ", collide: mesh") == "mesh sphere");
  CHECK(shapes("", "collide: none, ", "") == "polyhedron- sphere-");
  CHECK(shapes("", "collide: none, ", ", collide: mesh") == "polyhedron- sphere-");
  CHECK(shapes("", "", ", collide: none") == "polyhedron- sphere");
  CHECK(shapes("collide: hull\n", "", "") == "polyhedron sphere");
  CHECK(shapes("collide: {b: none}\n", "", "") == "polyhedron- sphere-");
  CHECK(shapes("collide: hull\n", "collide: mesh, ", "") == "mesh sphere");
}

TEST_CASE("Words of self_collide under collide are those of version 0.1") {
  CHECK(load(kUrdf, ", collide: all").models.at(0).self_collide == ModelCollisions::All);
  CHECK(load(kUrdf, ", collide: default").models.at(0).self_collide == ModelCollisions::Default);
  CHECK(load(kUrdf, ", self_collide: none").models.at(0).self_collide == ModelCollisions::None);
}

TEST_CASE("A wrong choice is refused at its place, with the nearest name") {
  struct Fault {
    const char* keys;
    const char* rest;
    const char* message;
  };
  const Fault faults[] = {
      {", collide: hulls", "", "did you mean 'hull'?"},
      {", collide: {plam: hull}", "", "called 'plam'; did you mean 'palm'?"},
      {", collide: {finger_9*: hull}", "", "no body or link is called 'finger_9*'"},
      {", collide: {palm: hull, palm: mesh}", "", "palm"},
      {", collide: {palm: all}", "", "mesh, hull, parts, none"},
      {", collide: [hull]", "", "must be a map"},
      {", collide: all, self_collide: none", "", "is a word of self_collide"},
      {", collide: {palm: parts, finger_1: [hull]}", "", "collide"},
      {"", "collide: {palm: hull}\n", "did you mean 'r/palm'?"},
      {"", "collide: 3\n", "collide of the scene"},
  };
  for (const Fault& fault : faults) {
    CAPTURE(fault.keys, fault.rest);
    try {
      load(kUrdf, fault.keys, fault.rest);
      FAIL_CHECK("the fault was not found");
    } catch (const io::ParseError& error) {
      CHECK_THAT(error.what(), Catch::Contains(fault.message));
      CHECK(error.file() == "scene.yaml");
      CHECK(error.line() == 3);
    }
  }
}
