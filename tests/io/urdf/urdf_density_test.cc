#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <string>
#include <variant>

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

/// Returns true if an element has a finding.
bool warns(const Scene& scene, const std::string& element) {
  for (const LedgerEntry& entry : scene.ledger.findings()) {
    if (entry.element == element) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("A free link whose inertia is singular has that of its shapes, as a finding") {
  const auto robot = [](const std::string& izz, const std::string& shape) {
    return "<robot name='r'><link name='a'><inertial><origin xyz='0.1 0 0'/><mass value='0.2'/>"
           "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='" +
           izz + "'/></inertial>" + shape + "</link></robot>";
  };
  const std::string box = "<collision><geometry><box size='0.3 0.2 0.1'/></geometry></collision>";
  const std::string ball = "<collision><geometry><sphere radius='0.5'/></geometry></collision>";
  // I = m / 12 (b^2 + c^2) of a box and 2/5 m r^2 of a ball, with the file's center of mass.
  const Scene scene = load("", robot("0", box));
  const SpatialInertia& inertia = scene.models[0].links[0].inertia;
  CHECK(inertia.mass == 0.2);
  CHECK(inertia.center_of_mass == Eigen::Vector3d(0.1, 0, 0));
  CHECK(inertia.inertia(0, 0) == Approx(0.2 / 12.0 * 0.05).epsilon(1e-14));
  CHECK(inertia.inertia(2, 2) == Approx(0.2 / 12.0 * 0.13).epsilon(1e-14));
  CHECK(warns(scene, "link 'a': inertial"));
  const Scene of_ball = load("", robot("0", ball));
  CHECK(of_ball.models[0].links[0].inertia.inertia(1, 1) ==
        Approx(0.4 * 0.2 * 0.25).epsilon(1e-14));
  // One that is not singular stays, and so does a point of mass that a joint carries.
  CHECK(load("", robot("0.5", box)).models[0].links[0].inertia.inertia(0, 0) == 1.0);
  const std::string pendulum =
      "<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='0 0 -1'/>"
      "<mass value='2'/><inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial>" +
      ball +
      "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
      "<axis xyz='0 1 0'/></joint></robot>";
  CHECK(load("", pendulum).models[0].links[1].inertia.inertia.isZero());
  CHECK_THROWS_WITH(load("", robot("0", "")), Catch::Contains("not positive definite"));
}

TEST_CASE("Limits in the wrong order are none, as a finding") {
  for (const char* type : {"revolute", "prismatic"}) {
    CAPTURE(type);
    const Scene scene =
        load("",
             "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='2'/>"
             "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
             "<joint name='j' type='" +
                 std::string(type) +
                 "'><parent link='a'/><child link='b'/>"
                 "<limit lower='0' upper='-1' effort='3' velocity='1'/></joint></robot>");
    CHECK(!scene.models[0].joints[0].dynamics.limits);
    CHECK(scene.models[0].joints[0].dynamics.effort_limit == 3.0);
    CHECK(warns(scene, "joint 'j': limit"));
  }
}

TEST_CASE("A revolute joint without limits turns without limits, as a finding") {
  const Scene scene =
      load("",
           "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='2'/>"
           "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
           "<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint></robot>");
  CHECK(scene.models[0].joints[0].type == JointType::Continuous);
  CHECK(!scene.models[0].joints[0].dynamics.limits);
  CHECK(warns(scene, "joint 'j': type"));
}

TEST_CASE("Products of inertia that a file leaves out are zero, as a finding") {
  const auto robot = [](const std::string& products) {
    return "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='2' "
           "izz='2.5' " +
           products + "/></inertial></link></robot>";
  };
  const Scene scene = load("", robot("ixz='0.3'"));
  Eigen::Matrix3d inertia;
  inertia << 1, 0, 0.3, 0, 2, 0, 0.3, 0, 2.5;
  CHECK(scene.models[0].links[0].inertia.inertia == inertia);
  CHECK(entry_of(scene, "link 'a': inertia").reason.find("no ixy, iyz,") != std::string::npos);
  CHECK(!warns(load("", robot("ixy='0' ixz='0' iyz='0'")), "link 'a': inertia"));
}

TEST_CASE("A joint to a world that is no link fixes the robot to the world, as a finding") {
  const auto robot = [](const std::string& world) {
    return "<robot name='r'>" + world +
           "<link name='a'><inertial><mass value='2'/>"
           "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
           "<joint name='j' type='continuous'><parent link='world'/><child link='a'/>"
           "<origin xyz='0 0 3'/><axis xyz='1 0 0'/></joint></robot>";
  };
  const Scene without = load("", robot("")), with = load("", robot("<link name='world'/>"));
  CHECK(warns(without, "joint 'j': parent"));
  CHECK(with.ledger.findings().empty());
  for (const Scene* scene : {&without, &with}) {
    const SceneModel& model = scene->models[0];
    CHECK(model.base == BaseType::Fixed);
    REQUIRE(model.links.size() == 2);
    CHECK(model.links[0].name == "world");
    CHECK(model.joints[0].X_PJ.translation == Eigen::Vector3d(0, 0, 3));
  }
}

TEST_CASE("A capsule of a URDF, as Bullet, Drake and MuJoCo read it, has its length without caps") {
  const Scene scene =
      load("",
           "<robot name='r'><link name='a'><inertial><mass value='600'/>"
           "<inertia ixx='60' ixy='0' ixz='0' iyy='60' iyz='0' izz='60'/></inertial>"
           "<collision><geometry><sphere radius='0.5'/></geometry></collision>"
           "<collision><geometry><capsule radius='0.1' length='0.6'/></geometry></collision>"
           "<collision><geometry><cylinder radius='0.2' length='0.7'/></geometry></collision>"
           "</link></robot>");
  const auto& shapes = scene.models[0].links[0].shapes;
  REQUIRE(shapes.size() == 3);
  CHECK(std::get<Capsule>(shapes[1].shape).radius == 0.1);
  CHECK(std::get<Capsule>(shapes[1].shape).length == 0.6);
  CHECK(std::get<Cylinder>(shapes[2].shape).length == 0.7);
  CHECK(scene.ledger.findings().empty());
}

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

TEST_CASE("A density gives masses and frees no base that holds a robot") {
  const Scene arm = load(", density: 2700");
  CHECK(arm.models[0].base == BaseType::Fixed);
  CHECK_THAT(entry_of(arm, "model 'r': base").reason, Catch::Contains("--set models.r.base=free"));
  CHECK(load(", density: 2700, base: free").models[0].base == BaseType::Free);
  // A single body without a joint is there to move.
  const Scene crate = load(", density: 500",
                           "<robot name='r'><link name='a'><collision><geometry><box size='1 1 1'/>"
                           "</geometry></collision></link></robot>");
  CHECK(crate.models[0].base == BaseType::Free);
  CHECK_THAT(entry_of(crate, "model 'r': base").reason,
             Catch::Contains("--set models.r.base=fixed"));
}

TEST_CASE("A density leaves the inertia alone that a file gives") {
  const std::string given = R"(<robot name="r"><link name="a"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>)";
  CHECK(load(", density: 1000", given).models[0].links[0].inertia.mass == 3.0);
}

TEST_CASE("A link that moves without mass has that of its shapes at 1000 kg/m^3, as a finding") {
  const Scene scene = load(", base: fixed");
  const double cylinder = 1000.0 * std::numbers::pi * 0.01,
               ball = 1000.0 * 4.0 / 3.0 * std::numbers::pi * 0.008;
  CHECK(scene.models[0].links[1].inertia.mass == Approx(cylinder + ball));
  CHECK(warns(scene, "link 'upper': inertial"));
  // A link between two joints needs no mass, and a base that is fixed has none.
  CHECK(scene.models[0].links[0].inertia.mass == 0.0);
  const std::string carried = R"(<robot name="r"><link name="a"/><link name="b"><collision>
    <geometry><box size="1 1 1"/></geometry></collision></link><link name="c"><inertial>
    <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>
    <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
    </robot>)";
  CHECK(load("", carried).models[0].links[1].inertia.mass == 0.0);
}

TEST_CASE("A joint of a link without mass and shapes is held, as a finding, with its couplings") {
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
      "</inertial>";
  const auto joint = [](const std::string& name, const std::string& links,
                        const std::string& more) {
    return "<joint name='" + name + "' type='prismatic'>" + links +
           "<axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>" + more +
           "</joint>";
  };
  const Scene scene = load(
      "", "<robot name='r'><link name='a'>" + inertial + "</link><link name='b'>" + inertial +
              "</link><link name='finger'/><link name='nail'/>" +
              joint("arm", "<parent link='a'/><child link='b'/>", "") +
              joint("grip", "<parent link='b'/><child link='finger'/>", "<mimic joint='arm'/>") +
              joint("tip", "<parent link='finger'/><child link='nail'/>", "") + "</robot>");
  const SceneModel& model = scene.models[0];
  CHECK(model.joints[0].type == JointType::Prismatic);
  CHECK(model.joints[1].type == JointType::Fixed);
  CHECK(model.joints[2].type == JointType::Fixed);
  CHECK(!model.joints[1].dynamics.limits);
  CHECK(model.couplings.empty());
  CHECK(warns(scene, "joint 'grip'"));
  CHECK(warns(scene, "joint 'tip'"));
  CHECK(warns(scene, "coupling 'grip mimics arm'"));
  CHECK(!warns(scene, "joint 'arm'"));
}

TEST_CASE("A free root without mass is an error that offers a fixed base") {
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
    twice += entry.fate == ImportFate::Warning &&
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

TEST_CASE("An inertial without a mass has that of its shapes by its density, or is left out") {
  const std::string shapes =
      "<collision><origin xyz='0 0 0.4'/><geometry><sphere radius='0.3'/></geometry></collision>"
      "<collision><geometry><box size='0.2 0.4 0.5'/></geometry></collision>";
  const auto robot = [&](const std::string& inertial) {
    return "<robot name='r'><link name='a'><inertial>" + inertial + "</inertial>" + shapes +
           "</link></robot>";
  };
  const Scene scene = load("", robot("<density value='250'/>"));
  CHECK(warns(scene, "link 'a': inertial"));
  const SpatialInertia& inertia = scene.models.at(0).links.at(0).inertia;
  const double ball = 250.0 * 4.0 / 3.0 * std::numbers::pi * 0.027, box = 250.0 * 0.04;
  CHECK(inertia.mass == Approx(ball + box));
  CHECK(inertia.center_of_mass.z() == Approx(0.4 * ball / (ball + box)));
  // Without a density the link has no mass, as without <inertial>.
  const std::string origin = "<origin xyz='0 0 1'/>";
  CHECK(load("", robot(origin)).models.at(0).links.at(0).inertia.mass == 0.0);
  CHECK(warns(load(", density: 100", robot(origin)), "link 'a': inertial"));
}

}  // namespace amontons::test
