// Shapes of size zero in the three formats of robots.
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace amontons;

namespace {

Scene load(const std::string& name, const std::string& text) {
  io::MemoryFiles files;
  files.add(name, text);
  files.add("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: " + name +
          "}]\n",
      "scene.yaml", files);
}

std::string urdf(const std::string& shape) {
  return "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
         "izz='1' ixy='0' ixz='0' iyz='0'/></inertial>\n<collision><geometry>" +
         shape +
         "</geometry></collision>\n<collision><geometry><sphere radius='0.5'/></geometry>"
         "</collision></link></robot>";
}

std::string sdf(const std::string& shape) {
  return "<sdf version='1.9'><model name='m'><link name='a'>\n<collision name='c'><geometry>" +
         shape +
         "</geometry></collision>\n<collision name='d'><geometry><sphere><radius>0.5</radius>"
         "</sphere></geometry></collision></link></model></sdf>";
}

std::string mjcf(const std::string& geom) {
  return "<mujoco><asset><mesh name='line' file='line.obj'/></asset><worldbody><body>"
         "<freejoint/>\n<geom " +
         geom + "/>\n<geom size='0.5' type='sphere'/></body></worldbody></mujoco>";
}

/// Checks that the last link has the sphere of radius 0.5 alone, and that the ledger says why.
void check_sphere_alone(const Scene& scene) {
  const std::vector<SceneShape>& shapes = scene.models.at(0).links.back().shapes;
  REQUIRE(shapes.size() == 1);
  REQUIRE(std::holds_alternative<Sphere>(shapes[0].shape));
  CHECK(std::get<Sphere>(shapes[0].shape).radius == 0.5);
  const auto& entries = scene.ledger.entries;
  const auto found = std::find_if(entries.begin(), entries.end(), [](const LedgerEntry& entry) {
    return entry.reason.starts_with("nothing there to collide");
  });
  REQUIRE(found != entries.end());
  CHECK(found->fate == ImportFate::Ignored);
  CHECK(found->where.line == 2);
}

}  // namespace

TEST_CASE("A shape of size zero is nothing to collide with, in every format of robots") {
  for (const char* shape :
       {"<sphere radius='0'/>", "<box size='0 0 0'/>", "<box size='1 0 1'/>",
        "<cylinder radius='0.0' length='1'/>", "<cylinder radius='1' length='0'/>",
        "<mesh filename='line.obj' scale='0 0 0'/>", "<mesh filename='line.obj'/>"}) {
    CAPTURE(shape);
    check_sphere_alone(load("r.urdf", urdf(shape)));
  }
  for (const char* shape : {"<sphere><radius>0</radius></sphere>", "<box><size>0 1 1</size></box>",
                            "<cylinder><radius>1</radius><length>0</length></cylinder>",
                            "<capsule><radius>0</radius><length>1</length></capsule>",
                            "<ellipsoid><radii>1 0 1</radii></ellipsoid>",
                            "<cone><radius>0</radius><length>1</length></cone>",
                            "<mesh><uri>line.obj</uri><scale>0 0 0</scale></mesh>",
                            "<mesh><uri>line.obj</uri></mesh>"}) {
    CAPTURE(shape);
    check_sphere_alone(load("r.sdf", sdf(shape)));
  }
  for (const char* geom :
       {"size='0'", "type='box' size='1 0 1'", "type='cylinder' size='0 1'",
        "type='capsule' size='0 1'", "type='ellipsoid' size='0 0 0'", "type='mesh' mesh='line'"}) {
    CAPTURE(geom);
    check_sphere_alone(load("r.xml", mjcf(geom)));
  }
}

TEST_CASE("A capsule of no length is a sphere") {
  const Scene from_sdf =
      load("r.sdf", sdf("<capsule><radius>0.25</radius><length>0</length></capsule>"));
  const Scene from_mjcf = load("r.xml", mjcf("type='capsule' size='0.25 0'"));
  for (const Scene* scene : {&from_sdf, &from_mjcf}) {
    const std::vector<SceneShape>& shapes = scene->models.at(0).links.back().shapes;
    REQUIRE(shapes.size() == 2);
    CHECK(std::get<Sphere>(shapes[0].shape).radius == 0.25);
  }
}

TEST_CASE("A flat mesh of a robot is a sheet") {
  io::MemoryFiles files;
  files.add("r.urdf", urdf("<mesh filename='flat.obj'/>"));
  files.add("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf}]\n",
      "scene.yaml", files);
  CHECK(scene.models.at(0).links.back().shapes.size() == 2);
  const LedgerEntry entry = test::entry_of(scene, "link 'a': collision geometry mesh");
  CHECK(entry.fate == ImportFate::Approximated);
  CHECK_THAT(entry.reason, Catch::Contains("flat"));
}
