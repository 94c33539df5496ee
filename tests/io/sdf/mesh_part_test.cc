// SDF's <submesh>: a part of a mesh file collides.
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/scene/scene_file.h"

#include <catch2/catch.hpp>

#include <string>
#include <variant>

using namespace amontons;

namespace {

/// Returns a tetrahedron with the given right-angled corner and legs as an object of an OBJ file.
std::string tetrahedron(const std::string& name, double x, double leg, int first) {
  const auto vertex = [&](double dx, double dy, double dz) {
    return "v " + std::to_string(x + dx) + " " + std::to_string(dy) + " " + std::to_string(dz) +
           "\n";
  };
  const auto face = [&](int a, int b, int c) {
    return "f " + std::to_string(first + a) + " " + std::to_string(first + b) + " " +
           std::to_string(first + c) + "\n";
  };
  return "o " + name + "\n" + vertex(0, 0, 0) + vertex(leg, 0, 0) + vertex(0, leg, 0) +
         vertex(0, 0, leg) + face(0, 2, 1) + face(0, 1, 3) + face(0, 3, 2) + face(1, 2, 3);
}

/// Returns a Collada node with a tetrahedron of geometry `shape`, moved along x.
std::string node(const std::string& id, const std::string& name, double x) {
  return "<node id='" + id + "' name='" + name + "'><translate>" + std::to_string(x) +
         " 0 0</translate><instance_geometry url='#shape'/></node>";
}

std::string collada() {
  return R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
    version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset><library_geometries>
    <geometry id="shape" name="shape"><mesh><source id="p"><float_array id="pa" count="12">
    0 0 0 3 0 0 0 3 0 0 0 3</float_array><technique_common><accessor source="#pa" count="4"
    stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
    <param name="Z" type="float"/></accessor></technique_common></source><vertices id="v">
    <input semantic="POSITION" source="#p"/></vertices><triangles count="4">
    <input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
    </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s">)" +
         node("n1", "hull", 5.0) + node("n2", "rudder", 20.0) +
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>"
         "</COLLADA>";
}

Scene load(const std::string& uri, const std::string& submesh) {
  io::MemoryFiles files;
  files.add("two.obj", tetrahedron("bow", 10.0, 1.0, 1) + tetrahedron("stern", -10.0, 2.0, 5));
  files.add("two.dae", collada());
  files.add("m.sdf",
            "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry>"
            "<mesh><uri>" +
                uri + "</uri><scale>1 1 2</scale>" + submesh +
                "</mesh></geometry></collision></link></model></sdf>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: m.sdf}]\n",
      "scene.yaml", files);
}

SolidProperties solid_of(const Scene& scene) {
  const auto& shapes = scene.models.at(0).links.at(0).shapes;
  REQUIRE(shapes.size() == 1);
  return shape_properties(shapes[0].shape);
}

std::string part(const std::string& name, const std::string& more = "") {
  return "<submesh><name>" + name + "</name>" + more + "</submesh>";
}

}  // namespace

TEST_CASE("A part of a mesh has the place and volume that it has in its file") {
  // A right-angled corner has the volume leg^3 / 6, twice of it by the scale, and its center of
  // mass at a quarter of each leg.
  const SolidProperties stern = solid_of(load("two.obj", part("stern")));
  CHECK(stern.volume == Approx(16.0 / 6.0));
  CHECK((stern.center - Eigen::Vector3d(-9.5, 0.5, 1.0)).norm() < 1e-6);
  const SolidProperties hull = solid_of(load("two.dae", part("hull", "<center>false</center>")));
  CHECK(hull.volume == Approx(9.0));
  CHECK((hull.center - Eigen::Vector3d(5.75, 0.75, 1.5)).norm() < 1e-6);
}

TEST_CASE("A centered part of a mesh has the middle of its box at the origin") {
  const SolidProperties rudder = solid_of(load("two.dae", part("rudder", "<center>1</center>")));
  CHECK((rudder.center - Eigen::Vector3d(-0.75, -0.75, -1.5)).norm() < 1e-6);
}

TEST_CASE("A part that a mesh file does not have is an error with the nearest name") {
  CHECK_THROWS_WITH(load("two.dae", part("ruder")),
                    Catch::Contains("has no part 'ruder'") && Catch::Contains("rudder"));
}
