#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"

#include <catch2/catch.hpp>

#include <string>

// Worlds of SDF that include URDF files.

namespace amontons {
namespace {

constexpr const char* kRobot = R"(<robot name="arm">
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="tip"><inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="tip"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint></robot>)";

Scene load(const std::string& world) {
  io::MemoryFiles files;
  files.add("w.sdf", "<sdf version='1.9'>" + world + "</sdf>");
  files.add("arm.urdf", kRobot);
  files.add("packed/model.config", "<model><sdf version='1.5'>robot.xml</sdf></model>");
  files.add("packed/robot.xml", kRobot);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: w.sdf, pose: "
      "{position: [0, 0, 10]}}]\n",
      "scene.yaml", files);
}

constexpr const char* kBox = "<model name='box'><pose>5 0 0 0 0 0</pose><link name='l'/></model>";

}  // namespace

TEST_CASE("A world includes URDF files with their name, pose and base") {
  const Scene scene = load("<world name='w'>" + std::string(kBox) +
                           "<include><uri>arm.urdf</uri><pose>1 2 3 0 0 0</pose></include>"
                           "<include><uri>packed</uri><name>second</name><static>true</static>"
                           "</include></world>");
  REQUIRE(scene.models.size() == 3);
  CHECK(scene.models[0].name == "w/box");
  const SceneModel& arm = scene.models[1];
  CHECK(arm.name == "w/arm");
  CHECK(arm.pose.translation == Eigen::Vector3d(1, 2, 13));
  CHECK(arm.base == BaseType::Free);
  CHECK(arm.links[1].inertia.mass == 3.0);
  CHECK(arm.joints[0].type == JointType::Continuous);
  CHECK(scene.models[2].name == "w/second");
  CHECK(scene.models[2].base == BaseType::Fixed);
  CHECK(scene.ledger.findings().empty());
  Simulator simulator(scene);
  CHECK(simulator.system().find_body("w/arm/tip") >= 0);
  CHECK(simulator.step().certificate.holds);
}

TEST_CASE("A world may hold nothing but an included robot") {
  const Scene scene = load("<world name='w'><include><uri>arm.urdf</uri></include></world>");
  REQUIRE(scene.models.size() == 1);
  CHECK(scene.models[0].name == "w/arm");
}

TEST_CASE("Faults of included robots are reported at the include") {
  const std::string arm = "<include><uri>arm.urdf</uri>";
  using Catch::Contains;
  CHECK_THROWS_WITH(load("<world name='w'>" + arm + "</include>" + arm + "</include></world>"),
                    Contains("needs a <name> of its own"));
  CHECK_THROWS_WITH(load("<world name='w'><frame name='f'/>" + arm +
                         "<pose relative_to='f'>0 0 0 0 0 0</pose></include></world>"),
                    Contains("must be six numbers"));
  CHECK_THROWS_WITH(load("<model name='m'>" + arm + "</include></model>"),
                    Contains("which only a world includes"));
  CHECK_THROWS_WITH(load("<world name='w'><include><uri>gone.urdf</uri></include></world>"),
                    Contains("gone.urdf"));
}

}  // namespace amontons
