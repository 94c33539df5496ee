#include "amontons/io/scene/start_check.h"

#include "amontons/io/common/file_source.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/stepping/initial_overlaps.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace amontons;

namespace {

constexpr const char* kRobot =
    "<robot name='r'>\n"
    "<link name='a'><inertial><mass value='1'/><inertia ixx='0.004' iyy='0.004' izz='0.004' "
    "ixy='0' "
    "ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision>"
    "</link>\n"
    "<link name='b'><inertial><mass value='1'/><inertia ixx='0.004' iyy='0.004' izz='0.004' "
    "ixy='0' "
    "ixz='0' iyz='0'/></inertial></link>\n"
    "<link name='c'><inertial><mass value='1'/><inertia ixx='0.004' iyy='0.004' izz='0.004' "
    "ixy='0' "
    "ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision>"
    "</link>\n"
    "<joint name='ab' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/>"
    "<origin xyz='0.3 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>\n"
    "<joint name='bc' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>\n"
    "</robot>\n";

Scene checked(const std::string& rest) {
  io::MemoryFiles files;
  files.add("robot.urdf", kRobot);
  Scene scene = io::parse_scene("amontons: 1\nsimulation: {step: 0.001, duration: 1}\n" + rest,
                                "scene.yaml", files);
  io::check_initial_state(System(scene), scene);
  return scene;
}

std::string ball(const std::string& name, double x, double z) {
  return "  - {name: " + name + ", mass: 1, shapes: [{sphere: 0.5}], pose: {position: [" +
         std::to_string(x) + ", 0, " + std::to_string(z) + "]}}\n";
}

constexpr const char* kGround =
    "  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n";

}  // namespace

TEST_CASE("Bodies inside each other at the start are found: which, how deep, at their line") {
  const Scene scene =
      checked("bodies:\n" + std::string(kGround) + ball("one", 0.0, 0.5) + ball("two", 0.75, 0.3));
  const auto findings = scene.ledger.findings();
  REQUIRE(findings.size() == 2);
  // One and two: 1 - |(0.75, 0, 0.2)|; two and the ground: 0.2.
  CHECK(findings[0].element == "'one' and 'two': start position");
  CHECK_THAT(findings[0].reason, Catch::Contains("overlap by 0.2238 m"));
  CHECK(findings[0].where.line == 6);
  CHECK(findings[1].element == "'ground' and 'two': start position");
  CHECK_THAT(findings[1].reason, Catch::Contains("overlap by 0.2 m"));
  const std::vector<StartOverlap> overlaps = start_overlaps(System(scene));
  REQUIRE(overlaps.size() == 2);
  CHECK(std::abs(overlaps[0].depth - (1.0 - std::hypot(0.75, 0.2))) <= 1e-12);
  CHECK(std::abs(overlaps[1].depth - 0.2) <= 1e-12);
}

TEST_CASE("Where a joint joins bodies that start inside each other, the finding names the remedy") {
  const std::string joints =
      "joints:\n  - {name: pin, type: spherical, parent: two, child: one, at: [0, 0, 1]}\n";
  const std::string bodies = "bodies:\n" + ball("one", 0.0, 1.5) + ball("two", 0.0, 0.7);
  const auto findings = checked(bodies + joints).ledger.findings();
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].reason, Catch::Contains("overlap by 0.2 m; joint 'pin' joins them"));
  // It is one: the scene with what it says has no finding.
  const std::string remedy = "collision_filters: [{exclude_joined: [pin]}]";
  CHECK_THAT(findings[0].reason, Catch::Contains(remedy));
  CHECK(checked(bodies + joints + remedy + "\n").ledger.findings().empty());
  CHECK_THAT(checked(bodies).ledger.findings().at(0).reason, !Catch::Contains("exclude_joined"));
}

TEST_CASE("What touches, rests or flies starts without a finding") {
  CHECK(checked("bodies:\n" + std::string(kGround) + ball("rests", 0.0, 0.5) +
                ball("touches", 1.0, 0.5) + ball("flies", 0.0, 2.0))
            .ledger.findings()
            .empty());
}

TEST_CASE("Links that the scene moves into each other are found at the line of the link") {
  const auto start = [](const std::string& positions) {
    return checked("models: [{name: r, file: robot.urdf, base: fixed, joint_positions: {" +
                   positions + "}}]\n")
        .ledger.findings();
  };
  CHECK(start("ab: 0.0").empty());
  const auto findings = start("ab: -0.25");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].element == "'r/a' and 'r/c': start position");
  CHECK_THAT(findings[0].reason, Catch::Contains("overlap by 0.15 m"));
  CHECK(findings[0].where.file == "robot.urdf");
  CHECK(findings[0].where.line == 4);
}

TEST_CASE("A loop that does not close at the start is found") {
  const auto findings = checked("bodies:\n" + ball("bob", 0.0, 0.5) +
                                "joints:\n  - {name: pin, type: spherical, parent: world, child: "
                                "bob, at: [0, 0, 2], coordinates: maximal, error: [0.01, 0, 0]}\n")
                            .ledger.findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].element == "joint 'pin': start position");
  CHECK_THAT(findings[0].reason, Catch::Contains("error of 0.01"));
}

namespace {

/// Returns a scene of a wrist whose hand turns about z, y and the last axis.
/// @param keys  what the scene says besides.
Scene scene_of_wrist(const std::string& last, const std::string& keys) {
  const auto joint = [](const std::string& name, const std::string& parent,
                        const std::string& child, const std::string& axis) {
    return "<joint name='" + name + "' type='continuous'><parent link='" + parent +
           "'/><child link='" + child + "'/><axis xyz='" + axis + "'/></joint>";
  };
  io::MemoryFiles files;
  files.add("wrist.urdf",
            "<robot name='wrist'><link name='base'/><link name='a'/><link name='b'/><link "
            "name='hand'><inertial><origin xyz='0.5 0 0'/><mass value='1'/><inertia ixx='1' "
            "iyy='1.2' izz='1.3' ixy='0' ixz='0' iyz='0'/></inertial></link>" +
                joint("z", "base", "a", "0 0 1") + joint("y", "a", "b", "0 1 0") +
                joint("last", "b", "hand", last) + "</robot>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: "
      "wrist.urdf}]\n" +
          keys,
      "scene.yaml", files);
}

}  // namespace

TEST_CASE("The mass matrix counts where a coupling or a motion lets a model start, not at zero") {
  const auto coupled = [](const std::string& offset) {
    return "couplings: [{name: c, joint: m/y, reference: m/z, multiplier: 1, offset: " + offset +
           "}]\n";
  };
  const auto moved = [](const std::string& offset) {
    return "actuators: [{joint: m/y, motion: {sinusoid: {amplitude: 0, period: 1, offset: " +
           offset + "}}}]\n";
  };
  const auto fault = Catch::Contains("some motion moves no mass");
  // Turns about z, y, z are singular at zero, those about z, y, x at a right angle.
  CHECK_THROWS_WITH(scene_of_wrist("0 0 1", ""), fault);
  CHECK_NOTHROW(scene_of_wrist("0 0 1", coupled("1")));
  CHECK_NOTHROW(scene_of_wrist("0 0 1", moved("1")));
  CHECK_NOTHROW(scene_of_wrist("1 0 0", ""));
  CHECK_THROWS_WITH(scene_of_wrist("1 0 0", coupled("1.5707963267948966")), fault);
  CHECK_THROWS_WITH(scene_of_wrist("1 0 0", moved("1.5707963267948966")), fault);
}

TEST_CASE("Of many bodies inside each other the deepest are named, and the others counted") {
  std::string bodies = "bodies:\n";
  for (int k = 0; k < 12; ++k) {
    bodies += ball("b" + std::to_string(k), 0.01 * k, 0.0);
  }
  const Scene scene = checked(bodies);
  const auto findings = scene.ledger.findings();
  REQUIRE(findings.size() == 51);
  CHECK(findings[0].reason.starts_with("they overlap by 0.99 m"));
  CHECK(findings[50].element == "16 more pairs of bodies: start position");
  // 11 pairs overlap by 0.99 m, 10 by 0.98 m and so on, 51 by 0.94 m or more.
  CHECK(findings[50].reason == "they overlap, too, by at most 0.94 m");
}

namespace {

/// Returns bodies on hinges: a chain that ends in a body of some inertia, or a star.
std::string linkage(int n, bool is_chain, const std::string& last_inertia) {
  std::string bodies = "bodies:\n  - {name: b0, mass: 1, inertia: [1, 1, 1]}\n",
              joints = "joints:\n";
  for (int i = 1; i <= n; ++i) {
    const std::string inertia = i == n ? last_inertia : "1";
    bodies += "  - {name: b" + std::to_string(i) + ", mass: 1, inertia: [" + inertia + ", " +
              inertia + ", " + inertia + "]}\n";
    joints += "  - {name: j" + std::to_string(i) + ", type: revolute, parent: b" +
              std::to_string(is_chain ? i - 1 : 0) + ", child: b" + std::to_string(i) +
              ", axis: [0, 0, 1], at: [0, 0, 0]}\n";
  }
  return bodies + joints;
}

/// Returns the error of a scene that cannot be assembled; empty: it can.
std::string refusal(const std::string& rest) {
  try {
    const Scene scene =
        io::parse_scene("amontons: 1\nsimulation: {step: 0.001, duration: 1}\n" + rest,
                        "scene.yaml", io::MemoryFiles());
    try {
      const System system(scene);
    } catch (const std::invalid_argument& error) {
      io::refuse_scene("scene.yaml", error);
    }
  } catch (const io::ParseError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A tree without mass is refused at the line of a body, be it small or large") {
  for (const int n : {2, 300}) {
    CAPTURE(n);
    CHECK(refusal(linkage(n, true, "1")).empty());
    CHECK_THAT(refusal(linkage(n, true, "1e-320")),
               Catch::StartsWith("scene.yaml:4:5: the mass matrix of 'b0, b1"));
  }
  CHECK_THAT(refusal("bodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1], "
                     "center_of_mass: [1e50, 0, 0]}\n"),
             Catch::StartsWith("scene.yaml:4:5: the mass matrix of 'b'"));
}

TEST_CASE("A tree whose mass matrix would be too large is refused before it is made") {
  CHECK_THAT(refusal(linkage(3995, false, "1")),
             Catch::StartsWith("scene.yaml:4:5: ") && Catch::Contains("4001 degrees of freedom"));
}
