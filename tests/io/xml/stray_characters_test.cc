#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <string>

// Numbers of XML files that one character follows by mistake.

namespace amontons::test {
namespace {

Scene scene_of_robot(const std::string& file, const std::string& text) {
  io::MemoryFiles files;
  files.add(file, text);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: " + file +
          "}]\n",
      "scene.yaml", files);
}

/// Returns a model of SDF with one joint, and its axis and the lower limit [rad] as written.
std::string sdf_with_limit(const std::string& xyz, const std::string& lower) {
  return "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>\n"
         "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>\n<xyz>" +
         xyz + "</xyz>\n<limit><lower>" + lower + "</lower></limit></axis></joint></model></sdf>";
}

/// Returns a robot of URDF with one joint, and its axis and the lower limit [rad] as written.
std::string urdf_with_limit(const std::string& xyz, const std::string& lower) {
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
      "</inertial>";
  return "<robot name='m'><link name='a'>" + inertial + "</link><link name='b'>" + inertial +
         "</link>\n<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n"
         "<axis xyz='" +
         xyz + "'/>\n<limit lower='" + lower + "' upper='2' effort='1' velocity='1'/></joint>" +
         "</robot>";
}

/// Checks the limit and the axis that are read, and the finding that quotes the text.
void check_read(const Scene& scene, const Eigen::Vector3d& axis, const std::string& text) {
  CAPTURE(text);
  REQUIRE(scene.models[0].joints.size() == 1);
  const ModelJoint& joint = scene.models[0].joints[0];
  CHECK(joint.type == JointType::Revolute);
  REQUIRE(joint.dynamics.limits.has_value());
  CHECK(joint.dynamics.limits->at(0) == -1.5);
  CHECK(joint.axis == axis);
  REQUIRE(scene.ledger.findings().size() == 1);
  const LedgerEntry finding = scene.ledger.findings()[0];
  CHECK(finding.fate == ImportFate::Warning);
  CHECK_THAT(finding.reason, Catch::Contains("'" + text + "'"));
}

}  // namespace

TEST_CASE("A number of SDF or URDF that a stray character follows is read, as a finding") {
  for (const std::string stray : {"\"", ",", ";", "."}) {
    const std::string text = "-1.5" + stray;
    const Scene sdf = scene_of_robot("r.sdf", sdf_with_limit("0 1 0", text));
    check_read(sdf, {0.0, 1.0, 0.0}, text);
    CHECK(sdf.ledger.findings()[0].where.line == 4);
    CHECK(unaccounted(sdf_with_limit("0 1 0", text), "r.sdf", sdf.ledger) == "");
    const Scene urdf = scene_of_robot("r.urdf", urdf_with_limit("0 1 0", text));
    check_read(urdf, {0.0, 1.0, 0.0}, text);
    CHECK(unaccounted(urdf_with_limit("0 1 0", text), "r.urdf", urdf.ledger) == "");
  }
  check_read(scene_of_robot("r.sdf", sdf_with_limit("0 1 0", " -1.5' ")), {0.0, 1.0, 0.0}, "-1.5'");
}

TEST_CASE("Commas between the numbers of a vector are one finding") {
  const std::string axis = "0, 1., 0";
  check_read(scene_of_robot("r.sdf", sdf_with_limit(axis, "-1.5")), {0.0, 1.0, 0.0}, axis);
  check_read(scene_of_robot("r.urdf", urdf_with_limit(axis, "-1.5")), {0.0, 1.0, 0.0}, axis);
}

TEST_CASE("A full stop that ends a number is part of it") {
  for (const std::string lower : {"-1.", "-1"}) {
    const Scene scene = scene_of_robot("r.sdf", sdf_with_limit("0 1 0", lower));
    CHECK(scene.ledger.findings().empty());
  }
}

TEST_CASE("Anything else after a number is an error at its line") {
  for (const std::string lower :
       {"-1.5,,", "-1,5", "-1.5:", "-1.5m", "\"-1.5", "-1.5..", "1.2.3", ",", "-,", "1e999,"}) {
    CAPTURE(lower);
    CHECK_THROWS_AS(scene_of_robot("r.sdf", sdf_with_limit("0 1 0", lower)), io::ParseError);
    CHECK_THROWS_AS(scene_of_robot("r.urdf", urdf_with_limit("0 1 0", lower)), io::ParseError);
  }
}

}  // namespace amontons::test
