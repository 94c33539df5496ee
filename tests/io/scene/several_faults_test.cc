#include "amontons/io/common/fault_list.h"
#include "amontons/io/scene/scene_file.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// Several faults of a file at once.

using namespace amontons;

namespace {

/// Returns the faults of a scene as "line:column message", or "line message" where there is no
/// column.
std::vector<std::string> faults_of(const std::string& text, const io::MemoryFiles& files = {}) {
  std::vector<io::ParseError> faults;
  try {
    io::parse_scene(text, "scene.yaml", files);
  } catch (const io::ParseErrors& errors) {
    faults = errors.faults();
    for (const io::ParseError& fault : faults) {
      CHECK_THAT(errors.what(), Catch::Contains(fault.what()));
    }
  } catch (const io::ParseError& error) {
    faults.push_back(error);
  }
  std::vector<std::string> result;
  for (const io::ParseError& fault : faults) {
    const std::string column = fault.column() > 0 ? ":" + std::to_string(fault.column()) : "";
    result.push_back(std::to_string(fault.line()) + column + " " + fault.message());
  }
  return result;
}

std::vector<std::string> faults_of_model(const std::string& name, const std::string& text) {
  io::MemoryFiles files;
  files.add(name, text);
  return faults_of("amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: " +
                       name + "}]\n",
                   files);
}

/// Checks the beginnings of faults, in their order.
void check_faults(const std::vector<std::string>& faults,
                  const std::vector<std::string>& expected) {
  std::string all;
  for (const std::string& fault : faults) all += fault + "\n";
  CAPTURE(all);
  REQUIRE(faults.size() == expected.size());
  for (std::size_t i = 0; i < faults.size(); ++i) {
    CHECK_THAT(faults[i], Catch::StartsWith(expected[i]));
  }
}

constexpr const char* kScene = R"(amontons: 1
simulation: {step: fast, duration: 1, modell: coulomb}
gravity: [0, 0]
materials:
  - {name: rubber, friction: high}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: box, mass: 1, densitty: 3, shapes: [{box: [1, 1, x]}]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1, material: ruber}], pose: {position: 3}}
joints:
  - {name: j, type: revolute, parent: box, child: bal, axis: [0, 0, 1], at: [0, 0, 0]}
)";

}  // namespace

TEST_CASE("All faults of a scene that do not depend on each other are reported at once") {
  const std::vector<std::string> faults = faults_of(kScene);
  std::string all;
  for (const std::string& fault : faults) all += fault + "\n";
  CAPTURE(all);
  CHECK(faults.size() == 9);
  for (const char* part :
       {"2:39 unknown key 'modell'", "2:20 step of", "3:10 gravity", "5:30 friction of material",
        "8:26 unknown key 'densitty'", "8:61 ", "9:60 ", "9:86 ", "11:51 "}) {
    CAPTURE(part);
    CHECK_THAT(all, Catch::Contains(part));
  }
}

TEST_CASE("What only follows from a fault is no fault") {
  // The body is gone with its shape, and the joint with the body.
  check_faults(faults_of(R"(amontons: 1
simulation: {step: 0.01, duration: 1}
bodies:
  - {name: box, mass: 1, shapes: [{spere: 1}]}
  - {name: ball, mass: 1, shapes: [{sphere: 1}]}
joints:
  - {name: j, type: revolute, parent: box, child: ball, axis: [0, 0, 1], at: [0, 0, 0]}
couplings:
  - {name: c, joint: j, reference: j, multiplier: 2}
)"),
               {"4:36 unknown key 'spere'"});
  // A key that is missing because it is written otherwise.
  check_faults(faults_of("amontons: 1\nsimulation: {step: 0.01, duratoin: 1}\nbodies: []\n"),
               {"2:26 unknown key 'duratoin'"});
}

TEST_CASE("A fault alone keeps its place and its one line") {
  const std::vector<std::string> faults =
      faults_of("amontons: 1\nsimulation: {step: 0.01}\nbodies: []\n");
  check_faults(faults, {"2:13 simulation needs the key 'duration'"});
}

TEST_CASE("At most 20 faults are reported") {
  std::string text = "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nbodies:\n";
  for (int i = 0; i < 50; ++i) {
    text += "  - {name: b" + std::to_string(i) + ", mass: x, shapes: [{sphere: 1}]}\n";
  }
  CHECK(faults_of(text).size() == 20);
}

TEST_CASE("Faults of a model's file are reported with those of the scene") {
  io::MemoryFiles files;
  files.add("r.urdf",
            "<robot name='r'>\n<link name='a'/>\n<link name='b'><inertial><mass/>\n"
            "<inertia/></inertial></link></robot>");
  const std::vector<std::string> faults = faults_of(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: r.urdf}]\n"
      "bodies:\n  - {name: b, mass: x, shapes: []}\n",
      files);
  std::string all;
  for (const std::string& fault : faults) all += fault + "\n";
  CHECK_THAT(all, Catch::Contains("mass of body 'b'"));
  CHECK_THAT(all, Catch::Contains("<mass> needs the attribute 'value'"));
  CHECK_THAT(all, Catch::Contains("<inertia> needs the attribute 'ixx'"));
}

TEST_CASE("Meshes that are not there are reported with the other faults of a URDF or SDF") {
  check_faults(faults_of_model("r.urdf", R"(<robot name="r">
<link name="a"><inertial><mass value="x"/></inertial>
<visual><geometry><mesh filename="look.stl"/></geometry></visual>
<collision><geometry><mesh filename="lost.stl"/></geometry></collision></link></robot>)"),
               {"2 link 'a': value of <mass>", "4 cannot read 'lost.stl'"});
  check_faults(faults_of_model("m.sdf", R"(<sdf version="1.9"><model name="m"><link name="a">
<inertial><mass>x</mass></inertial>
<visual name="v"><geometry><mesh><uri>look.stl</uri></mesh></geometry></visual>
<collision name="c"><geometry><mesh><uri>lost.stl</uri></mesh></geometry></collision></link>
</model></sdf>)"),
               {"2 model 'm' link 'a': <mass>", "4 cannot read 'lost.stl'"});
  // Several meshes, too.
  check_faults(faults_of_model("m.sdf", R"(<sdf version="1.9"><model name="m"><link name="a">
<collision name="c"><geometry><mesh><uri>one.stl</uri></mesh></geometry></collision>
<collision name="d"><geometry><mesh><uri>two.stl</uri></mesh></geometry></collision></link>
</model></sdf>)"),
               {"2 cannot read 'one.stl'", "3 cannot read 'two.stl'"});
}

TEST_CASE("Wrong values and unknown names of a URDF are reported at once") {
  check_faults(faults_of_model("r.urdf", R"(<robot name="r">
<link name="a">
<inertial><mass value="x"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><box size="1 1"/></geometry></collision></link>
<link name="b"/>
<joint name="j" type="revolut"><parent link="a"/><child link="bb"/></joint>
<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>)"),
               {"3 link 'a': value of <mass> must be a number",
                "4 link 'a': size of <box> must be 3 number(s)",
                "6 joint 'j' has an unknown type 'revolut'", "6 joint 'j': there is no link 'bb'"});
  // A joint without its child is one fault, and no second root.
  check_faults(faults_of_model("r.urdf", R"(<robot name="r"><link name="a"/><link name="b"/>
<joint name="k" type="fixed"><parent link="a"/></joint></robot>)"),
               {"2 joint 'k': <joint> needs a <child>"});
}

TEST_CASE("Wrong values and unknown names of an SDF file are reported at once") {
  check_faults(faults_of_model("m.sdf", R"(<sdf version="1.9"><model name="m">
<link name="a"><inertial><mass>heavy</mass></inertial></link>
<link name="b"><collision name="c"><geometry><sphere><radius>-1</radius></sphere></geometry>
</collision></link>
<joint name="j" type="hinge"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="k" type="fixed"><parent>a</parent><child>d</child></joint>
</model></sdf>)"),
               {"2 model 'm' link 'a': <mass> must be a number",
                "3 model 'm' link 'b' collision 'c': <radius> must be positive",
                "5 model 'm' joint 'j' has an unknown type 'hinge'",
                "6 model 'm' joint 'k': there is no link or frame 'd'"});
}

TEST_CASE("Faults of a scene and of a model's file are told together, in the order of finding") {
  io::MemoryFiles files;
  files.add("r.urdf", "<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n</robot>\n");
  const std::vector<std::string> faults = faults_of(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
      "models: [{name: m, file: r.urdf, pose: 3}, {name: n, file: r.urdf}]\ngravity: [0]\n",
      files);
  check_faults(faults, {"4:10 gravity", "3:40 ", "3 there is already a link 'a'"});
}

TEST_CASE("Wrong values and unknown names of an MJCF file are reported at once") {
  check_faults(faults_of_model("m.xml", R"(<mujoco><worldbody>
<geom type="plane" size="1 1 1" condim="2"/>
<body name="a"><joint name="h"/><geom type="box" size="1 x 1"/>
<geom size="0.1" friction="-1"/></body></worldbody>
<actuator><motor joint="hh"/><position joint="h" kp="a"/></actuator>
<equality><connect body1="a" body2="c" anchor="0 0 0"/></equality></mujoco>)"),
               {"2 ", "3 ", "4 ", "6 ", "5 ", "5 "});
}
