#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <string>

// What URDF files of factories leave out: masses, and where their packages are.

namespace amontons::test {
namespace {

const std::string kArm = R"(<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="upper">
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="tool"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="1 0 0"/></joint>
  <joint name="flange" type="fixed"><parent link="upper"/><child link="tool"/></joint>
</robot>)";

Scene load(const std::string& keys, const std::string& text = kArm,
           const std::map<std::string, std::filesystem::path>& packages = {}) {
  io::MemoryFiles files;
  files.add("r.urdf", text);
  io::LoadOptions options;
  options.packages = packages;
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf" + keys +
          "}]\n",
      "scene.yaml", files, options);
}

std::string error_of(const std::string& keys, const std::string& text = kArm) {
  try {
    load(keys, text);
  } catch (const io::ParseError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Links without an inertia have that of their shapes at the density of the scene") {
  const Scene scene = load(", base: fixed, density: 2700");
  const SpatialInertia& upper = scene.models[0].links[1].inertia;
  // Cylinder and sphere, both whole where they overlap.
  const double cylinder = 2700.0 * std::numbers::pi * 0.01,
               ball = 2700.0 * 4.0 / 3.0 * std::numbers::pi * 0.008;
  CHECK(upper.mass == Approx(cylinder + ball));
  CHECK(upper.center_of_mass.z() == Approx((0.5 * cylinder + ball) / (cylinder + ball)));
  CHECK(scene.models[0].links[2].inertia.mass == 0.0);
  CHECK(entry_of(scene, "link 'upper': inertial").reason.find("at 2700 kg/m^3") !=
        std::string::npos);
}

TEST_CASE("A density leaves the inertia alone that a file gives") {
  const std::string given = R"(<robot name="r"><link name="a"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>)";
  CHECK(load(", density: 1000", given).models[0].links[0].inertia.mass == 3.0);
}

TEST_CASE("The error of a link without mass offers a density and a fixed base") {
  const std::string link = error_of(", base: fixed");
  CAPTURE(link);
  CHECK(link.find("--set models.r.density=1000") != std::string::npos);
  const std::string moving = R"(<robot name="r"><link name="a"/><link name="b"><inertial>
    <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)";
  const std::string root = error_of(", base: free", moving);
  CAPTURE(root);
  CHECK(root.find("--set models.r.base=fixed") != std::string::npos);
  CHECK(error_of(", density: 0").find("must be positive") != std::string::npos);
}

TEST_CASE("Of an element that is given twice the first counts, and the ledger says so") {
  const Scene scene = load("", R"(<robot name="r"><link name="a">
    <inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <inertial><mass value="5"/><inertia ixx="2" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial>
  </link></robot>)");
  CHECK(scene.models[0].links[0].inertia.mass == 3.0);
  int twice = 0;
  for (const LedgerEntry& entry : scene.ledger.entries) {
    twice += entry.fate == ImportFate::Ignored &&
             entry.reason == "given twice: the first one counts, in line 2";
  }
  CHECK(twice == 1);
}

TEST_CASE("package:/// names the package after it, or a file of the folder given without a name") {
  const std::string text = R"(<robot name="r"><link name="a"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry>
    <mesh filename="package:///parts/wedge.obj"/></geometry></collision></link></robot>)";
  const std::filesystem::path meshes =
      std::filesystem::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf/meshes";
  const auto on_disk = [&](const std::map<std::string, std::filesystem::path>& packages) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "amontons-urdf-packages";
    std::filesystem::create_directories(folder / "parts");
    std::filesystem::copy_file(meshes / "wedge.obj", folder / "parts/wedge.obj",
                               std::filesystem::copy_options::overwrite_existing);
    std::ofstream(folder / "r.urdf") << text;
    io::LoadOptions options;
    options.packages = packages;
    return io::parse_scene(
               "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, "
               "file: r.urdf}]\n",
               (folder / "scene.yaml").string(), io::DiskFiles(folder), options)
        .models[0]
        .links[0]
        .shapes.size();
  };
  CHECK(on_disk({}) == 1);
  CHECK(on_disk({{"parts", meshes}}) == 1);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "amontons-urdf-packages";
  CHECK(on_disk({{"", folder}}) == 1);
  CHECK_THROWS_AS(on_disk({{"", folder / "no"}}), io::ParseError);
}

}  // namespace amontons::test
