#include "amontons/io/common/parse_error.h"
#include "tests/io/file_tree.h"
#include "tests/io/urdf/urdf_sample.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

using namespace amontons;
namespace fs = std::filesystem;

namespace {

std::string urdf_with_mesh(const std::string& uri) {
  return "<robot name='r'><link name='a'><inertial><mass value='1'/>"
         "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
         "<collision><geometry><mesh filename='" +
         uri + "'/></geometry></collision></link></robot>";
}

std::string scene_of(const std::string& urdf) {
  return "amontons: 1\nsimulation: {step: 1, duration: 1}\nmodels: [{name: r, file: " + urdf +
         "}]\n";
}

}  // namespace

TEST_CASE("A package is found in a parent folder of its name, or beside a parent") {
  const test::FileTree folder("package_test");
  folder.write("ws/arm_description/urdf/arm.urdf",
               urdf_with_mesh("package://arm_description/a.obj"));
  folder.write("ws/arm_description/a.obj", test::tetrahedron_mesh());
  folder.write("ws/arm_description/urdf/tool.urdf", urdf_with_mesh("package://tools/b.obj"));
  folder.write("ws/tools/b.obj", test::tetrahedron_mesh());
  folder.write("scene.yaml", scene_of("ws/arm_description/urdf/arm.urdf"));
  folder.write("tool.yaml", scene_of("ws/arm_description/urdf/tool.urdf"));
  const Scene arm = io::load_scene(folder.path() / "scene.yaml");
  REQUIRE(arm.inputs.size() == 2);
  CHECK(arm.inputs[0].path == "ws/arm_description/urdf/arm.urdf");
  CHECK(arm.inputs[1].path == "package://arm_description/a.obj");
  CHECK(arm.inputs[1].bytes == test::tetrahedron_mesh());
  CHECK_NOTHROW(io::load_scene(folder.path() / "tool.yaml"));
}

TEST_CASE("A package in a folder of another name is found by its package.xml, or by its file") {
  const test::FileTree folder("package_test");
  folder.write("arm-master/urdf/arm.urdf", urdf_with_mesh("package://arm_description/a.obj"));
  folder.write("arm-master/package.xml", "<package><name> arm_description </name></package>");
  folder.write("arm-master/a.obj", test::tetrahedron_mesh());
  folder.write("copy/robots/leg/leg.urdf", urdf_with_mesh("package://data/robots/leg/l/a.obj"));
  folder.write("copy/robots/leg/l/a.obj", test::tetrahedron_mesh());
  folder.write("copy/robots/leg/far.urdf", urdf_with_mesh("package://data/models/old/leg/l/a.obj"));
  folder.write("copy/robots/leg/flat.urdf", urdf_with_mesh("package://data/meshes/b.obj"));
  folder.write("copy/robots/b.obj", test::tetrahedron_mesh());
  folder.write("copy/robots/leg/bare.urdf", urdf_with_mesh("package://data/b.obj"));
  folder.write("other/urdf/arm.urdf", urdf_with_mesh("model://arm/a.obj"));
  folder.write("other/a.obj", test::tetrahedron_mesh());
  folder.write("worlds/w.urdf", urdf_with_mesh("model://crate/a.obj"));
  folder.write("models/crate/a.obj", test::tetrahedron_mesh());
  const auto load = [&](const std::string& urdf) {
    folder.write("scene.yaml", scene_of(urdf));
    return io::load_scene(folder.path() / "scene.yaml");
  };
  CHECK(load("arm-master/urdf/arm.urdf").inputs.at(1).path == "package://arm_description/a.obj");
  CHECK_NOTHROW(load("copy/robots/leg/leg.urdf"));
  CHECK_NOTHROW(load("copy/robots/leg/far.urdf"));
  CHECK_NOTHROW(load("worlds/w.urdf"));
  CHECK_NOTHROW(load("copy/robots/leg/bare.urdf"));
  // The end without any folder says too little to be searched in other folders than the model's.
  CHECK_THROWS_WITH(load("copy/robots/leg/flat.urdf"), Catch::Contains("--package data=DIR"));
  folder.write("copy/robots/leg/b.obj", test::tetrahedron_mesh());
  CHECK_NOTHROW(load("copy/robots/leg/flat.urdf"));
  folder.write("copy/robots/leg/none.urdf", urdf_with_mesh("package:///meshes/none.obj"));
  CHECK_THROWS_WITH(load("copy/robots/leg/none.urdf"),
                    Catch::Contains("--package =DIR") && Catch::Contains("--package meshes=DIR"));
  // Files of models have the same names, so that only packages are guessed by their files.
  CHECK_THROWS_WITH(load("other/urdf/arm.urdf"), Catch::Contains("--package arm=DIR"));
}

TEST_CASE("A relative name may have backslashes, or count from a folder above the model") {
  const test::FileTree folder("package_test");
  folder.write("robots/arm/urdf/arm.urdf", urdf_with_mesh("..\\meshes\\a.obj"));
  folder.write("robots/arm/urdf/tool.urdf", urdf_with_mesh("arm/meshes/a.obj"));
  folder.write("robots/arm/meshes/a.obj", test::tetrahedron_mesh());
  for (const char* urdf : {"robots/arm/urdf/arm.urdf", "robots/arm/urdf/tool.urdf"}) {
    CAPTURE(urdf);
    folder.write("scene.yaml", scene_of(urdf));
    const Scene scene = io::load_scene(folder.path() / "scene.yaml");
    // The recorded inputs alone give the same scene.
    const Scene again = io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs));
    CHECK(again.models.at(0).links.at(0).shapes.size() == 1);
  }
}

TEST_CASE("A package given by name is looked for there alone") {
  const test::FileTree folder("package_test");
  folder.write("elsewhere/meshes/a.obj", test::tetrahedron_mesh());
  folder.write("robot.urdf", urdf_with_mesh("package://arm/meshes/a.obj"));
  folder.write("scene.yaml", scene_of("robot.urdf"));
  const fs::path scene = folder.path() / "scene.yaml";
  CHECK_THROWS_WITH(io::load_scene(scene), Catch::Contains("--package arm=DIR"));
  io::LoadOptions options;
  options.packages["arm"] = folder.path() / "elsewhere";
  CHECK(io::load_scene(scene, options).inputs.at(1).path == "package://arm/meshes/a.obj");
  options.packages["arm"] = folder.path();
  CHECK_THROWS_WITH(io::load_scene(scene, options), Catch::Contains("there is no"));
}

TEST_CASE("Relative and file:// names lead to meshes too") {
  const test::FileTree folder("package_test");
  folder.write("meshes/a.obj", test::tetrahedron_mesh());
  folder.write("urdf/near.urdf", urdf_with_mesh("../meshes/a.obj"));
  folder.write("urdf/far.urdf",
               urdf_with_mesh("file://" + (folder.path() / "meshes/a.obj").string()));
  folder.write("near.yaml", scene_of("urdf/near.urdf"));
  folder.write("far.yaml", scene_of("urdf/far.urdf"));
  CHECK(io::load_scene(folder.path() / "near.yaml").inputs.at(1).path == "meshes/a.obj");
  CHECK_NOTHROW(io::load_scene(folder.path() / "far.yaml"));
}

TEST_CASE("A robot read from packages can be read again from its recorded inputs alone") {
  const test::FileTree folder("package_test");
  folder.write("ws/arm/urdf/arm.urdf", urdf_with_mesh("package://arm/a.obj"));
  folder.write("ws/arm/a.obj", test::tetrahedron_mesh());
  folder.write("scene.yaml", scene_of("ws/arm/urdf/arm.urdf"));
  const Scene scene = io::load_scene(folder.path() / "scene.yaml");
  fs::remove_all(folder.path() / "ws");
  const Scene again = io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs));
  CHECK(again.models.at(0).links.at(0).shapes.size() == 1);
}

TEST_CASE("A scene that is missing or a folder is an error that starts with its name") {
  const test::FileTree folder("package_test");
  const std::string missing = (folder.path() / "no.yaml").string();
  CHECK_THROWS_WITH(io::load_scene(missing), Catch::StartsWith(missing + ": "));
  CHECK_THROWS_AS(io::load_scene(folder.path()), io::ParseError);
}
