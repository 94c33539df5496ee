#include "amontons/io/common/file_source.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/marked_fault.h"

#include <catch2/catch.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace amontons;

namespace {

std::string model(const std::string& content) {
  return "<sdf version='1.9'>\n<model name='m'>\n" + content + "</model>\n</sdf>\n";
}

std::string shape(const std::string& geometry) {
  return model("<link name='a'><collision name='c'>\n<geometry>\n" + geometry +
               "\n</geometry></collision></link>\n");
}

std::string joint(const std::string& content, const std::string& type = "revolute") {
  return model("<link name='a'/><link name='b'/>\n@<joint name='j' type='" + type + "'>\n" +
               content + "\n</joint>\n");
}

/// Returns the same with the mark inside the joint.
std::string in_joint(const std::string& content) {
  std::string text = joint("<parent>a</parent><child>b</child>\n" + content);
  text.erase(text.find('@'), 1);
  return text;
}

const std::vector<test::MarkedFault>& document_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"not closed", "<sdf version='1.9'>\n<model name='m'>@\n", "not valid XML"},
      {"no version", "\n@<sdf><model name='m'><link name='a'/></model></sdf>\n", "'version'"},
      {"version of the future", "\n@<sdf version='2.0'><model name='m'/></sdf>\n",
       "version '2.0' is not known"},
      {"nothing in it", "\n@<sdf version='1.9'/>\n", "holds no <model>"},
      {"a model without links", "<sdf version='1.9'>\n@<model name='m'/></sdf>\n",
       "at least one link"},
      {"a link twice", model("<link name='a'/>\n@<link name='a'/>\n"), "already a link 'a'"},
      {"a model twice within a model",
       model("<model name='i'><link name='a'/></model>\n@<model name='i'><link name='a'/></model>"),
       "already a model 'i'"},
      {"a joint twice",
       model(
           "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent>a</parent><child>b"
           "</child></joint>\n@<joint name='j' type='fixed'><parent>a</parent><child>b</child>"
           "</joint>\n"),
       "already a joint 'j'"},
      {"another root", "\n@<machine/>\n", "an SDF file starts with <sdf>"},
      {"a link without a name", model("@<link/>\n"), "'name'"},
      {"a joint between models without ends",
       "<sdf version='1.10'><world name='w'>\n@<joint name='j' type='fixed'/></world></sdf>\n",
       "needs a <parent>"},
      {"an include of nothing", "<sdf version='1.9'><world name='w'>\n@<include/></world></sdf>\n",
       "needs a <uri>"},
      {"an include that is not there",
       "<sdf version='1.9'><world name='w'>\n@<include><uri>gone</uri></include></world></sdf>\n",
       "--package gone=DIR"},
      {"a package that is not there",
       "<sdf version='1.9'><world name='w'>\n@<include><uri>model://gone</uri></include></world>"
       "</sdf>\n",
       "--package gone=DIR"},
      {"an include of itself",
       "<sdf version='1.9'><world "
       "name='w'>\n@<include><uri>bad.sdf</uri></include></world></sdf>\n",
       "includes itself"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& value_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"mass nan", model("<link name='a'><inertial>\n@<mass>nan</mass></inertial></link>\n"),
       "finite"},
      {"mass negative", model("<link name='a'><inertial>\n@<mass>-1</mass></inertial></link>\n"),
       "must not be negative"},
      {"mass with a decimal comma",
       model("<link name='a'><inertial>\n@<mass>1,5</mass></inertial></link>\n"),
       "must be a number"},
      {"pose of five numbers", model("<link name='a'>\n@<pose>0 0 0 0 0</pose></link>\n"),
       "6 number"},
      {"static that is neither", model("@<static>perhaps</static><link name='a'/>\n"),
       "true or false"},
      {"box with a negative side", shape("<box>\n@<size>1 0 -1</size></box>"), "must be positive"},
      {"unknown shape", shape("@<torus/>"), "no shape of the format"},
      {"no shape", model("<link name='a'><collision name='c'>\n@<geometry/></collision></link>\n"),
       "holds no shape"},
      {"extruded line without points", shape("@<polyline><height>1</height></polyline>"),
       "needs a <point>"},
      {"mesh that is not there", shape("@<mesh><uri>gone.stl</uri></mesh>"), "gone.stl"},
      {"part of a mesh without its name",
       shape("<mesh><uri>x.stl</uri>\n@<submesh><center>1</center></submesh></mesh>"),
       "needs a <name>"},
      {"half-space on a link that moves",
       model("@<link name='a'><collision name='c'><geometry><plane/></geometry></collision>"
             "</link>\n"),
       "half-space"},
      {"plane of no normal", shape("<plane>\n@<normal>0 0 0</normal></plane>"),
       "gives no direction"},
      {"plane of a tiny normal", shape("<plane>\n@<normal>0 1e-7 -1e-200</normal></plane>"),
       "gives no direction"},
      {"plane of no normal, read by libsdformat",
       model("<frame name='f'/><static>true</static><link name='a'><collision name='c'><geometry>"
             "<plane>\n@<normal>0 0 0</normal></plane></geometry></collision></link>\n"),
       "gives no direction"},
      {"quaternion of zeros",
       model("<link name='a'>\n@<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>\n"),
       "gives no orientation"},
      {"quaternion that is tiny",
       model("<link name='a'><inertial>\n@<pose rotation_format='quat_xyzw'>1 2 3 0 0 0 1e-9</pose>"
             "</inertial></link>\n"),
       "gives no orientation"},
      {"restitution above one",
       model("<link name='a'>\n<collision name='c'><geometry><sphere><radius>1</radius></sphere>"
             "</geometry><surface><bounce>\n@<restitution_coefficient>2</restitution_coefficient>"
             "</bounce></surface></collision></link>\n"),
       "in [0, 1]"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& joint_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"no child", joint("<parent>a</parent>"), "needs a <child>"},
      {"unknown type", joint("<parent>a</parent><child>b</child>", "revolut"),
       "did you mean 'revolute'?"},
      {"unknown link",
       in_joint("<axis><xyz>0 0 1</xyz></axis></joint><joint name='k' "
                "type='fixed'>\n@<parent>aa</parent>"
                "<child>b</child>"),
       "no link or frame 'aa'"},
      {"one link on itself",
       in_joint("<axis><xyz>0 0 1</xyz></axis></joint><joint name='k' "
                "type='fixed'><parent>a</parent>\n@<child>a</child>"),
       "both its parent and its child"},
      {"the world as child",
       in_joint("<axis><xyz>0 0 1</xyz></axis></joint><joint name='k' "
                "type='fixed'><parent>a</parent>\n@<child>world</child>"),
       "make it the parent"},
      {"axis of length zero", in_joint("<axis>\n@<xyz>0 0 0</xyz></axis>"), "length of its axis"},
      {"limits reversed",
       in_joint("<axis><xyz>0 0 1</xyz><limit>\n@<lower>1</lower><upper>-1</upper></limit></axis>"),
       "above"},
      {"damping negative",
       in_joint("<axis><xyz>0 0 1</xyz><dynamics>\n@<damping>-1</damping></dynamics></axis>"),
       "must not be negative"},
      {"frame that is not there",
       model("<link name='b'/>\n@<link name='a'>\n<pose relative_to='nowhere'>0 0 0 0 0 0</pose>"
             "</link>\n"),
       "nowhere"},
      {"frames in a ring",
       model("@<frame name='f'><pose relative_to='g'/></frame>\n"
             "<frame name='g'><pose relative_to='f'/></frame><link name='a'/>\n"),
       "cycle"},
      {"mimicked joint that is not there",
       model("<link name='a'/><link name='b'/>\n@<joint name='j' type='revolute'><parent>a</parent>"
             "<child>b</child><axis><xyz>0 0 1</xyz><mimic joint='k'/></axis></joint>\n"),
       "no joint 'k'"},
      {"gearbox without a housing",
       model("<link name='a'/><link name='b'/>\n@<joint name='j' type='gearbox'><parent>a</parent>"
             "<child>b</child><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
             "<gearbox_reference_body>c</gearbox_reference_body></joint>\n"),
       "gearbox"}};
  return kFaults;
}

void check_fault(const test::MarkedFault& bad) {
  std::string text = bad.text;
  CAPTURE(bad.title, text);
  const int line = test::take_marker(text).line;
  io::MemoryFiles files;
  files.add("bad.sdf", text);
  std::ostringstream console;
  std::streambuf* const old_out = std::cout.rdbuf(console.rdbuf());
  std::streambuf* const old_err = std::cerr.rdbuf(console.rdbuf());
  std::string place, message = "the fault was not found";
  try {
    io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
        "models: [{name: r, file: bad.sdf}]\n",
        "scene.yaml", files);
  } catch (const io::ParseError& error) {
    place = error.file() + ":" + std::to_string(error.line());
    message = error.what();
  }
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_err);
  CAPTURE(message);
  CHECK(place == "bad.sdf:" + std::to_string(line));
  CHECK_THAT(message, Catch::Contains(bad.message));
  CHECK(console.str().empty());
}

}  // namespace

TEST_CASE(
    "A file that is no SDF model or world is refused at its line, without a word on the console") {
  for (const test::MarkedFault& bad : document_faults()) check_fault(bad);
}

TEST_CASE("A value of an SDF file that is malformed or out of range is refused at its line") {
  for (const test::MarkedFault& bad : value_faults()) check_fault(bad);
}

TEST_CASE("Joints and frames of an SDF file that lead nowhere are refused at their line") {
  for (const test::MarkedFault& bad : joint_faults()) check_fault(bad);
}
