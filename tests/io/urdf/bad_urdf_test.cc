#include "amontons/io/common/parse_error.h"
#include "tests/io/marked_fault.h"
#include "tests/io/urdf/urdf_sample.h"

#include <catch2/catch.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace amontons;

namespace {

constexpr const char* kInertial =
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
    "</inertial>";

std::string link(const std::string& content, const std::string& name = "a") {
  return "<link name='" + name + "'>" + content + "</link>\n";
}

std::string robot(const std::string& content) {
  return "<robot name='r'>\n" + content + "</robot>\n";
}

/// Returns links a and b, and what joins them.
std::string pair(const std::string& joints) {
  return robot(link(kInertial, "a") + link(kInertial, "b") + joints);
}

std::string shape(const std::string& geometry) {
  return robot("<link name='a'>" + std::string(kInertial) + "\n<collision><geometry>\n" + geometry +
               "\n</geometry></collision></link>\n");
}

std::string hinge(const std::string& content, const std::string& type = "revolute") {
  return pair("<joint name='j' type='" + type + "'><parent link='a'/><child link='b'/>\n" +
              content + "\n</joint>\n");
}

const std::vector<test::MarkedFault>& syntax_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"empty file", "@", "not valid XML"},
      {"not closed", "<robot name='r'>\n<link name='a'>@\n", "not valid XML"},
      {"another root", "\n@<machine/>\n", "no model: URDF has <robot>, SDF has <sdf>"},
      {"no links", "@<robot name='r'/>\n", "no links"},
      {"xacro", robot("<link name='a'/>\n@<xacro:macro name='leg'/>\n"),
       "expand them first with 'xacro "},
      {"version of the future", "@<robot name='r' version='3.0'><link name='a'/></robot>\n",
       "version '3.0' of URDF is not known"},
      {"link without a name", robot("@<link/>\n"), "'name'"},
      {"link twice", robot(link(kInertial) + "@" + link(kInertial)), "already a link 'a'"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& number_faults() {
  const auto mass = [](const std::string& value) {
    return robot("<link name='a'><inertial>\n@<mass value='" + value +
                 "'/>\n<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
                 "</link>\n");
  };
  static const std::vector<test::MarkedFault> kFaults{
      {"mass nan", mass("nan"), "finite"},
      {"mass infinite", mass("inf"), "finite"},
      {"mass 1e300", mass("1e300"), "absurdly large"},
      {"mass 1e999", mass("1e999"), "range"},
      {"mass negative", mass("-1"), "must not be negative"},
      {"mass as text", mass("heavy"), "must be a number"},
      {"mass with a decimal comma", mass("1,5"), "must be a number"},
      {"mass empty", mass(""), "1 number"},
      {"mass zero",
       robot("@<link name='a'><inertial><mass value='0'/><inertia ixx='1' ixy='0' "
             "ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n"),
       "no mass"},
      {"no inertia at all", robot("@<link name='a'/>\n"), "no mass"},
      {"no mass value",
       robot("<link name='a'><inertial>\n@<mass/>\n<inertia ixx='1' ixy='0' ixz='0' "
             "iyy='1' iyz='0' izz='1'/></inertial></link>\n"),
       "'value'"},
      {"inertia of five numbers",
       robot("<link name='a'><inertial><mass value='1'/>\n@<inertia ixx='1' ixy='0' ixz='0' "
             "iyy='1' iyz='0'/></inertial></link>\n"),
       "'izz'"},
      {"origin of two numbers",
       robot("<link name='a'>" + std::string(kInertial) +
             "<collision>\n@<origin xyz='1 2'/><geometry><sphere radius='1'/></geometry>"
             "</collision></link>\n"),
       "3 number"},
      {"origin not finite", hinge("<axis xyz='0 0 1'/>\n@<origin rpy='0 nan 0'/>", "continuous"),
       "finite"},
      {"radius negative", shape("@<sphere radius='-1'/>"), "must be positive"},
      {"box with a negative side", shape("@<box size='1 0 -1'/>"), "must be positive"},
      {"cylinder without a length", shape("@<cylinder radius='1'/>"), "'length'"},
      {"scale not finite",
       shape("@<mesh filename='package://sample_description/tip.obj' scale='1 1 nan'/>"),
       "finite"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& substitution_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"mass as an argument",
       robot("<link name='a'><inertial>\n@<mass value=' $(arg mass) '/>\n<inertia ixx='1' ixy='0' "
             "ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n"),
       "link 'a': value of <mass> is ' $(arg mass) ', which xacro or roslaunch replaces"},
      {"origin of several", hinge("@<origin xyz='$(arg x) 0 ${2 * z}'/>", "continuous"),
       "joint 'j': xyz of <origin> is '$(arg x) 0 ${2 * z}', which"},
      {"limit", hinge("@<limit lower='-1' upper='${pi / 2}' effort='1' velocity='1'/>"),
       "upper of <limit> is '${pi / 2}', which"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& file_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"unknown shape", shape("@<torus radius='1' length='1'/>"), "no shape of the format"},
      {"no shape", robot("<link name='a'><collision>\n@<geometry/></collision></link>\n"),
       "holds no shape"},
      {"collision without geometry", robot("<link name='a'>\n@<collision/></link>\n"),
       "needs a <geometry>"},
      {"mesh that is not there", shape("@<mesh filename='gone.stl'/>"), "scenes/robots/gone.stl"},
      {"package that is not there", shape("@<mesh filename='package://nowhere/gone.stl'/>"),
       "--package nowhere=DIR"},
      {"unknown scheme", shape("@<mesh filename='ftp://nowhere/gone.stl'/>"), "package://"},
      {"mesh without a file", shape("@<mesh filename=''/>"), "must not be empty"},
      {"mesh that is none", shape("@<mesh filename='sample.urdf'/>"), "sample.urdf"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& tree_faults() {
  const std::string hinge_ab =
      "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n";
  static const std::vector<test::MarkedFault> kFaults{
      {"two roots", robot(link(kInertial, "a") + "@" + link(kInertial, "b")), "two roots"},
      {"a loop without a root",
       robot(link(kInertial, "a") + link(kInertial, "b") +
             "@<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
             "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>\n"),
       "loop"},
      {"a loop beside the root",
       robot(link(kInertial, "c") + "@" + link(kInertial, "a") + link(kInertial, "b") +
             "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
             "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>\n"),
       "loop"},
      {"a link with two parents",
       robot(link(kInertial, "a") + link(kInertial, "b") + link(kInertial, "c") +
             "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
             "<joint name='l' type='fixed'><parent link='a'/><child link='c'/></joint>\n"
             "<joint name='k' type='fixed'><parent link='c'/>\n@<child link='b'/></joint>\n"),
       "child of two joints"},
      {"joint twice", pair(hinge_ab + "@" + hinge_ab), "already a joint 'j'"},
      {"unknown link",
       pair("<joint name='j' type='fixed'><parent link='a'/>\n@<child link='bb'/></joint>\n"),
       "did you mean 'b'?"},
      {"joint without a child", pair("@<joint name='j' type='fixed'><parent link='a'/></joint>\n"),
       "needs a <child>"},
      {"joint without a type",
       pair("@<joint name='j'><parent link='a'/><child link='b'/></joint>\n"), "'type'"},
      {"unknown type",
       pair("@<joint name='j' type='revolut'><parent link='a'/><child link='b'/>"
            "</joint>\n"),
       "did you mean 'revolute'?"},
      {"limit with a bad effort", hinge("@<limit lower='-1' upper='1' effort='x' velocity='1'/>"),
       "must be a number"},
      {"mimic of itself", hinge("@<mimic joint='j'/>", "continuous"), "mimics itself"},
      {"mimic without a joint", hinge("@<mimic multiplier='2'/>", "continuous"), "'joint'"},
      {"mimic with a bad number", hinge("@<mimic joint='j' offset='x'/>", "continuous"),
       "must be a number"},
      {"axis zero", hinge("@<axis xyz='0 0 0'/>", "continuous"), "must not be zero"},
      {"damping negative", hinge("@<dynamics damping='-1'/>", "continuous"),
       "must not be negative"}};
  return kFaults;
}

void check_fault(const test::MarkedFault& bad) {
  std::string text = bad.text;
  CAPTURE(bad.title, text);
  const int line = test::take_marker(text).line;
  try {
    test::load_robot(text, ", base: free");
    FAIL_CHECK("the fault was not found");
  } catch (const io::ParseError& error) {
    CAPTURE(error.what());
    CHECK(error.file() == "scenes/robots/sample.urdf");
    CHECK(error.line() == line);
    CHECK_THAT(error.what(), Catch::Contains(bad.message));
  }
}

}  // namespace

TEST_CASE("A file that is no URDF robot is refused at its line") {
  for (const test::MarkedFault& bad : syntax_faults()) check_fault(bad);
}

TEST_CASE("A number of a robot that is malformed or out of range is refused at its line") {
  for (const test::MarkedFault& bad : number_faults()) check_fault(bad);
}

TEST_CASE("A number of a robot that xacro was to replace is refused with its whole text") {
  for (const test::MarkedFault& bad : substitution_faults()) check_fault(bad);
  // What is not read may hold such texts.
  CHECK_NOTHROW(test::load_robot(
      robot(link(kInertial + std::string("<visual><origin xyz='$(arg x) 0 0'/></visual>")) +
            "<arg name='x' default='$(arg y)'/>\n"),
      ", base: free"));
}

TEST_CASE("A file that a robot names and that cannot be used is refused at its line") {
  for (const test::MarkedFault& bad : file_faults()) check_fault(bad);
}

TEST_CASE("Joints that do not form a tree are refused at their line") {
  for (const test::MarkedFault& bad : tree_faults()) check_fault(bad);
}

TEST_CASE("Keys of a model that do not fit it are refused") {
  const auto message = [](const std::string& keys) {
    try {
      test::load_robot(test::sample_urdf(), keys);
    } catch (const io::ParseError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(message(", joint_positions: {elbo: 1}"), Catch::Contains("did you mean 'elbow'?"));
  CHECK_THAT(message(", joint_positions: {weld: 1}"), Catch::Contains("no joint 'weld' of one"));
  CHECK_THAT(message(", joint_positions: {elbow: nan}"), Catch::Contains("finite"));
  CHECK_THAT(message(", joint_positions: {elbow: 1, elbow: 2}"), Catch::Contains("given twice"));
  CHECK_THAT(message(", base: fix"), Catch::Contains("did you mean 'fixed'?"));
  CHECK_THAT(message(", collide: some"), Catch::Contains("mesh, hull, parts, none"));
  CHECK_THAT(message(", self_collide: some"), Catch::Contains("default, all, none"));
  CHECK_THAT(message(", fil: x"), Catch::Contains("did you mean 'file'?"));
}

TEST_CASE("What urdfdom says goes into the error and not to the console") {
  std::ostringstream console;
  std::streambuf* const old_out = std::cout.rdbuf(console.rdbuf());
  std::streambuf* const old_err = std::cerr.rdbuf(console.rdbuf());
  std::string message;
  try {
    test::load_robot(hinge("<dynamics/>", "continuous"));
  } catch (const io::ParseError& error) {
    message = error.what();
  }
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_err);
  CHECK(console.str().empty());
  CHECK_THAT(message, Catch::Contains("no damping and no friction"));
}
