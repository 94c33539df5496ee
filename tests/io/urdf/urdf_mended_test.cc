#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"

#include <catch2/catch.hpp>

#include <string>

// What other programs read of a URDF although its format has no such form.

namespace amontons::test {
namespace {

Scene load_urdf(const std::string& content) {
  io::MemoryFiles files;
  files.add("r.urdf", "<robot name='r'>" + content + "</robot>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf}]\n",
      "scene.yaml", files, {});
}

/// Returns the reason of the finding about an element; empty if there is none.
std::string finding(const Scene& scene, const std::string& element) {
  for (const LedgerEntry& entry : scene.ledger.findings()) {
    if (entry.element == element) return entry.reason;
  }
  return "";
}

/// Returns a robot of two links whose joint has an origin, a limit and more.
std::string slide(const std::string& origin, const std::string& limit, const std::string& rest = "",
                  const std::string& type = "prismatic") {
  return "<link name='a'/><link name='b'><inertial><mass value='2'/><inertia ixx='1' ixy='0' "
         "ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><joint name='j' type='" +
         type + "'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><origin " + origin +
         "/><limit effort='3' velocity='1' " + limit + "/>" + rest + "</joint>";
}

}  // namespace

TEST_CASE("Vectors with commas, or a fourth number, are read as in Bullet, as findings") {
  for (const char* xyz : {"0.07, 0, -0.69", "0.07,0,-0.69", " 0.07 0 -0.69 5 ", "0.07 0 -0.69;"}) {
    CAPTURE(xyz);
    const Scene scene = load_urdf(slide("xyz='" + std::string(xyz) + "'", "lower='-1' upper='2'"));
    CHECK(scene.models[0].joints[0].X_PJ.translation == Eigen::Vector3d(0.07, 0.0, -0.69));
    CHECK_THAT(finding(scene, "joint 'j': origin xyz"), Catch::Contains("0.07 0 -0.69"));
  }
  const Scene plain = load_urdf(slide("xyz=' 0.07  0\n-0.69 '", "lower='-1' upper='2'"));
  CHECK(finding(plain, "joint 'j': origin xyz").empty());
  for (const char* xyz : {"0.07, 0", "0 0 x", "1..2 0 0", "0 0 0 x"}) {
    CAPTURE(xyz);
    CHECK_THROWS_AS(load_urdf(slide("xyz='" + std::string(xyz) + "'", "lower='-1' upper='2'")),
                    io::ParseError);
  }
}

TEST_CASE("A stray character behind a number does not count, as a finding") {
  const Scene scene = load_urdf(slide("", "lower='-1.57.' upper='2&quot;'"));
  REQUIRE(scene.models[0].joints[0].dynamics.limits);
  CHECK(scene.models[0].joints[0].dynamics.limits->at(0) == -1.57);
  CHECK(scene.models[0].joints[0].dynamics.limits->at(1) == 2.0);
  CHECK(!finding(scene, "joint 'j': limit lower").empty());
  // A comma within a number may be a decimal one.
  CHECK_THROWS_AS(load_urdf(slide("", "lower='-1,57' upper='2'")), io::ParseError);
}

TEST_CASE("Limits that are infinite, or the largest number of a machine, are none") {
  for (const char* limit :
       {"lower='-1.79769e+308' upper='1.79769e+308'", "lower='-inf' upper='inf'"}) {
    CAPTURE(limit);
    for (const char* type : {"prismatic", "revolute"}) {
      const Scene scene = load_urdf(slide("", limit, "", type));
      CHECK(!scene.models[0].joints[0].dynamics.limits);
      CHECK(finding(scene, "joint 'j': limit lower").empty());
    }
  }
  CHECK_THROWS_AS(load_urdf(slide("", "lower='nan' upper='1'")), io::ParseError);
}

TEST_CASE("A mass without an inertia has that of its shapes, or is a point, as a finding") {
  const auto body = [](const std::string& shape) {
    return "<link name='a'/><link name='b'><inertial><origin xyz='0 0 1'/><mass value='3'/>"
           "</inertial>" +
           shape +
           "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
           "<axis xyz='1 0 0'/></joint>";
  };
  const Scene box =
      load_urdf(body("<collision><geometry><box size='0.3 0.2 0.1'/></geometry></collision>"));
  const SpatialInertia& inertia = box.models[0].links[1].inertia;
  CHECK(inertia.mass == 3.0);
  CHECK(inertia.center_of_mass == Eigen::Vector3d(0.0, 0.0, 1.0));
  // I = m / 12 (b^2 + c^2).
  CHECK(inertia.inertia(0, 0) == Approx(3.0 / 12.0 * 0.05).epsilon(1e-14));
  CHECK(inertia.inertia(1, 1) == Approx(3.0 / 12.0 * 0.10).epsilon(1e-14));
  CHECK_THAT(finding(box, "link 'b': inertial"), Catch::Contains("that of its shapes"));
  const Scene point = load_urdf(body(""));
  CHECK(point.models[0].links[1].inertia.inertia.isZero());
  CHECK_THAT(finding(point, "link 'b': inertial"), Catch::Contains("in one point"));
}

TEST_CASE("A joint that mimics one that does not exist moves by itself, as a finding") {
  const Scene scene = load_urdf(slide("", "lower='-1' upper='2'", "<mimic joint='i'/>"));
  CHECK(scene.models[0].couplings.empty());
  CHECK_THAT(finding(scene, "joint 'j': mimic"), Catch::Contains("'i', which does not exist"));
}

TEST_CASE("Of several dampings of one joint the first counts, as a finding") {
  const Scene scene = load_urdf(
      slide("", "lower='-1' upper='2'", "<dynamics damping='0.1 0.2 0.3' friction='0'/>"));
  CHECK(scene.models[0].joints[0].dynamics.viscous_friction == 0.1);
  CHECK(!finding(scene, "joint 'j': dynamics damping").empty());
}

TEST_CASE("Calls of xacro that nothing in the file defines are left out, as findings") {
  const std::string robot = slide("", "lower='-1' upper='2'", "<xacro:grey_joint/>");
  const Scene scene = load_urdf(robot + "<xacro:sensors name='s'><origin/></xacro:sensors>" +
                                "<xacro:property name='pi' value='3.14'/>");
  for (const char* element :
       {"joint 'j': xacro:grey_joint", "xacro:sensors 's'", "xacro:property 'pi'"}) {
    CHECK_THAT(finding(scene, element), Catch::StartsWith("a rest of xacro"));
  }
  CHECK(scene.models[0].links.size() == 2);
  // Looks move nothing.
  const std::size_t findings = scene.ledger.findings().size();
  const Scene colored = load_urdf(robot + "<xacro:sensors name='s'><origin/></xacro:sensors>" +
                                  "<xacro:property name='pi' value='3.14'/>"
                                  "<gazebo><xacro:grey/></gazebo>");
  CHECK(colored.ledger.findings().size() == findings);
  // What defines a macro, or a value that is used, must be expanded.
  for (const char* rest :
       {"<xacro:macro name='grey'/>", "<xacro:include filename='x.xacro'/>",
        "<xacro:if value='1'/>", "<xacro:property name='m' value='1'/><gazebo v='${m}'/>"}) {
    CAPTURE(rest);
    CHECK_THROWS_WITH(load_urdf(robot + rest), Catch::Contains("expand them first"));
  }
}

}  // namespace amontons::test
