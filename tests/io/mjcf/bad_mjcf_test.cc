#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/system.h"
#include "tests/io/marked_fault.h"

#include <catch2/catch.hpp>

#include <exception>
#include <string>
#include <vector>

using namespace amontons;

namespace {

constexpr const char* kMass = "<geom size='0.1'/>";

std::string model(const std::string& content) { return "<mujoco>\n" + content + "</mujoco>\n"; }

std::string world(const std::string& content) {
  return model("<worldbody>\n" + content + "\n</worldbody>\n");
}

std::string body(const std::string& content) {
  return world("<body name='a'>\n" + content + "\n</body>");
}

/// Returns a model with bodies a and b on the hinges ja and jb, and further elements.
std::string two(const std::string& rest) {
  const std::string first = std::string("<body name='a'><joint name='ja'/>") + kMass + "</body>\n";
  const std::string second = std::string("<body name='b'><joint name='jb'/>") + kMass + "</body>\n";
  return model("<worldbody>\n" + first + second + "</worldbody>\n" + rest);
}

/// Returns a model with a site s, a box g and a ball on a body, and a tendon.
std::string site(const std::string& tendon) {
  return model(
      "<worldbody><body name='a'><joint/><geom name='g' type='box' size='1 1 1'/>"
      "<geom name='ball' size='1'/><site name='s'/></body></worldbody>\n<tendon>\n" +
      tendon + "\n</tendon>\n");
}

const std::vector<test::MarkedFault>& structure_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"not closed", "<mujoco>\n<worldbody>@\n", "not valid XML"},
      {"no world", "@<mujoco/>\n", "needs a <worldbody>"},
      {"a body twice", world("<body name='a'/>\n@<body name='a'/>"), "already a body of that name"},
      {"a joint twice", body("<joint name='j'/>\n@<joint name='j'/>" + std::string(kMass)),
       "already a joint of that name"},
      {"a joint of the world", world("@<joint/>"), "the world has no joints"},
      {"an inertia of the world", world("@<inertial mass='1' pos='0 0 0'/>"), "the world has no"},
      {"free below another body", body("<body>\n@<freejoint/>" + std::string(kMass) + "</body>"),
       "a free joint is the only joint"},
      {"free and another", body("@<freejoint/><joint/>" + std::string(kMass)),
       "a free joint is the only joint"},
      {"two inertias", body("<inertial mass='1'/>\n@<inertial mass='2'/>"), "one <inertial>"},
      {"a composite of an unknown type", body("@<composite type='knot' count='3 1 1'/>"), "knot"},
      {"a composite without a spacing", body("@<composite type='grid' count='3 3 1'/>"), "spacing"},
      {"a composite without a geom", body("@<composite type='grid' count='3 1 1' spacing='1'/>"),
       "needs a <geom>"},
      {"a grid in space",
       body("@<composite type='grid' count='3 3 2' spacing='1'><geom size='1'/></composite>"),
       "count must be 1"},
      {"a rope whose body is none of it",
       body("@<composite type='rope' count='3 1 1' spacing='1'><geom size='1'/></composite>"),
       "from 'B0' to 'B2'"},
      {"a moving body without mass", world("@<body name='a'><joint/></body>"), "no mass"},
      {"a class that is not there", world("@<geom class='whel' size='1'/>"), "no default class"},
      {"a class twice",
       model("<default>\n<default class='c'/>\n@<default class='c'/>\n</default>\n<worldbody/>\n"),
       "is given twice"},
      {"a class with an empty name",
       model("<default>\n@<default class=''/>\n</default>\n<worldbody/>\n"), "attribute 'class'"},
      {"a class without a name", model("<default>\n@<default/>\n</default>\n<worldbody/>\n"),
       "needs the attribute 'class'"},
      {"an include of nothing", model("@<include/>\n<worldbody/>\n"), "'file'"},
      {"an include that is not there", model("@<include file='no.xml'/>\n<worldbody/>\n"),
       "cannot read"},
      {"an include of itself", model("@<include file='loop.xml'/>\n<worldbody/>\n"),
       "included twice"},
      {"unknown coordinates", model("@<compiler coordinate='polar'/>\n<worldbody/>\n"),
       "must be one of local, global"},
      {"a frame in global coordinates",
       model("<compiler coordinate='global'/>\n<worldbody>\n@<frame/>\n</worldbody>\n"),
       "local coordinates only"},
      {"a body of global coordinates that is nowhere",
       model("<compiler coordinate='global'/>\n<worldbody>\n@<body/>\n</worldbody>\n"),
       "needs the attribute 'pos'"},
      {"an unknown unit of angles", model("@<compiler angle='grad'/>\n<worldbody/>\n"),
       "must be one of degree, radian"},
      {"an Euler sequence of two", model("@<compiler eulerseq='xy'/>\n<worldbody/>\n"),
       "three of the letters"},
      {"a step of zero", model("@<option timestep='0'/>\n<worldbody/>\n"), "must be positive"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& value_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"a word for a number", world("@<geom size='big'/>"), "must be a number"},
      {"a word among numbers", world("@<geom size=' 1  big '/>"),
       "must be a number, not 'big': it is ' 1  big '"},
      {"not a number", world("@<geom size='nan'/>"), "number"},
      {"too many numbers", body("@<geom size='1' pos='0 0 0 0'/>"), "must be 3 number(s)"},
      {"no size", world("@<geom/>"), "it is not given"},
      {"a box of two sizes", world("@<geom type='box' size='1 1'/>"), "must be 3 number(s)"},
      {"a negative size", world("@<geom size='-1'/>"), "must not be negative"},
      {"an unknown shape", world("@<geom type='cone' size='1'/>"), "must be one of plane"},
      {"a negative mass", body("@<geom size='1' mass='-1'/>"), "must not be negative"},
      {"ends that are one", world("@<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/>"),
       "two ends that are one"},
      {"two places", world("@<geom type='capsule' size='1' pos='1 0 0' fromto='0 0 0 1 1 1'/>"),
       "give one"},
      {"two orientations", world("@<geom size='1' euler='0 0 0' quat='1 0 0 0'/>"), "give one"},
      {"axes that are one", world("@<geom size='1' xyaxes='1 0 0 1 0 0'/>"), "not parallel"},
      {"an axis without length", body("@<joint axis='0 0 0'/>" + std::string(kMass)), "no length"},
      {"limits upside down", body("@<joint range='3 -3' limited='true'/>" + std::string(kMass)),
       "the smaller one first"},
      {"a limit without a range", body("@<joint limited='true'/>" + std::string(kMass)),
       "the smaller one first"},
      {"an inertia said twice",
       body("@<inertial mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"), "give one"},
      {"an inertia without mass", body("@<inertial diaginertia='1 1 1'/>"), "'mass'"},
      {"friction below zero", world("@<geom size='1' friction='-1'/>"), "must not be negative"},
      {"a contact of two dimensions", world("@<geom size='1' condim='2'/>"),
       "must be 1, 3, 4 or 6"},
      {"a plane that moves",
       world("@<body><joint/><inertial mass='1' diaginertia='1 1 1'/>"
             "<geom type='plane' size='1 1 1'/></body>"),
       "half-space"}};
  return kFaults;
}

/// Returns a fault of an actuator on the joint ja whose control is 1 at the start.
test::MarkedFault actuator_fault(const char* title, const std::string& actuator,
                                 const char* message) {
  return {title,
          two("<keyframe><key name='home' ctrl='1'/></keyframe>\n<actuator>\n@" + actuator +
              "\n</actuator>\n"),
          message};
}

/// Returns numbers that are finite, and lead to others that are not, or to more work or memory than
/// a file of a few lines may cost.
const std::vector<test::MarkedFault>& extreme_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      actuator_fault("a filter without time", "<position joint='ja' timeconst='1e-323'/>",
                     "time constant must be at least"),
      actuator_fault("a muscle without time", "<muscle joint='ja' timeconst='0.1 1e-322'/>",
                     "time constant must be at least"),
      actuator_fault("a spring of nothing", "<position joint='ja' kp='1e-320' timeconst='1'/>",
                     "beyond the range"),
      actuator_fault("a gear of nothing", "<position joint='ja' dampratio='1' gear='1e-160'/>",
                     "beyond the range"),
      {"a terrain of many heights",
       model("<asset>\n@<hfield name='h' nrow='30000' ncol='30000' size='1 1 1 1'/>\n</asset>\n"
             "<worldbody>\n<geom type='hfield' hfield='h'/></worldbody>\n"),
       "30000000 is the limit"},
      {"a mesh of many triangles",
       model("<asset>\n@<mesh name='m' builtin='supertorus' params='1000 1 1 1'/>\n</asset>\n"
             "<worldbody>\n<geom type='mesh' mesh='m'/></worldbody>\n"),
       "has 1000 where 3 to 300 may be"}};
  return kFaults;
}

const std::vector<test::MarkedFault>& reference_faults() {
  static const std::vector<test::MarkedFault> kFaults{
      {"a mesh that is not there", world("@<geom type='mesh' mesh='rock'/>"), "names no mesh"},
      {"the mass of a shape without volume", body("@<geom size='1e-200' mass='1'/>"), "no volume"},
      {"the mass of a flat mesh",
       model("<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2 1 3 2'/>\n"
             "</asset>\n<worldbody>\n<body><joint/>\n"
             "@<geom type='mesh' mesh='m' mass='1'/></body></worldbody>\n"),
       "no volume"},
      {"a flat mesh",
       model("<asset>\n@<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/>\n</asset>\n"
             "<worldbody>\n<geom type='mesh' mesh='m'/></worldbody>\n"),
       "mesh 'sample.xml:m'"},
      {"a shape fitted to a mesh",
       model("<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2 1 3 2'/>\n"
             "</asset>\n<worldbody>\n@<geom type='box' mesh='m'/></worldbody>\n"),
       "encloses no volume"},
      {"a picture of a terrain",
       model("<asset>\n@<hfield name='h' file='h.png' size='1 1 1 1'/>\n</asset>\n"
             "<worldbody>\n<geom type='hfield' hfield='h'/></worldbody>\n"),
       "damaged image"},
      {"a motor of no tendon", two("<actuator>\n@<motor tendon='t'/>\n</actuator>\n"),
       "names no tendon"},
      {"a motor of no site", two("<actuator>\n@<motor site='s'/>\n</actuator>\n"), "names no site"},
      {"a tendon of no joint", two("<tendon>\n@<fixed name='t'/>\n</tendon>\n"), "<joint>"},
      {"a tendon of one site", site("@<spatial name='t'><site site='s'/></spatial>"), "two sites"},
      {"a pulley without a divisor",
       site("<spatial><site site='s'/><site site='s'/>\n@<pulley/></spatial>"), "'divisor'"},
      {"a tendon around nothing",
       site("<spatial><site site='s'/>\n@<geom geom='no'/><site site='s'/></spatial>"),
       "names no geom"},
      {"a tendon around a box",
       site("<spatial><site site='s'/>\n@<geom geom='g'/><site site='s'/></spatial>"),
       "must name a sphere or a cylinder"},
      {"a tendon that ends at a geom",
       site("@<spatial><site site='s'/><site site='s'/><geom geom='ball'/></spatial>"),
       "between two sites"},
      {"a muscle without a way", two("<actuator>\n@<muscle joint='ja' lmin='1.2'/>\n</actuator>\n"),
       "lmin < 1"},
      {"a tendon without a coefficient",
       two("<tendon>\n<fixed name='t'>\n@<joint joint='ja'/></fixed>\n</tendon>\n"), "'coef'"},
      {"activations of no actuator",
       two("<actuator>\n<intvelocity joint='ja'/>\n</actuator>\n<keyframe>\n"
           "@<key name='home' act='1 2'/>\n</keyframe>\n"),
       "act must be 1 number(s)"},
      {"a motor of no joint", two("<actuator>\n@<motor joint='jc'/>\n</actuator>\n"),
       "did you mean 'ja'?"},
      {"a motor of a joint and a tendon",
       two("<actuator>\n@<motor joint='ja' tendon='t'/>\n</actuator>\n"),
       "tendon and joint both say what it acts on"},
      {"a motor of nothing", two("<actuator>\n@<motor/>\n</actuator>\n"), "needs the attribute"},
      {"a weld of no body", two("<equality>\n@<weld body1='c'/>\n</equality>\n"), "names no body"},
      {"a weld of one body", two("<equality>\n@<weld body1='a' body2='a'/>\n</equality>\n"),
       "another body"},
      {"a connection nowhere", two("<equality>\n@<connect body1='a'/>\n</equality>\n"), "'anchor'"},
      {"a gear of no joint", two("<equality>\n@<joint joint1='ja' joint2='x'/>\n</equality>\n"),
       "names no joint"},
      {"an exclusion of no body", two("<contact>\n@<exclude body1='a' body2='c'/>\n</contact>\n"),
       "names no body"},
      {"a pair of no geom", two("<contact>\n@<pair geom1='g' geom2='h'/>\n</contact>\n"),
       "names no geom"},
      {"a spring whose rest is that of a joint that moves no mass",
       model("@<worldbody><body name='a'><joint/>" + std::string(kMass) +
             "<body name='b'><joint name='jb' type='slide'/></body></body></worldbody>\n"
             "<tendon><fixed stiffness='1'><joint joint='jb' coef='1'/></fixed></tendon>\n"),
       "not positive definite"},
      {"a start of another model", two("<keyframe>\n@<key name='home' qpos='0'/>\n</keyframe>\n"),
       "must be 2 number(s)"}};
  return kFaults;
}

Scene load(const std::string& text) {
  io::MemoryFiles files;
  files.add("sample.xml", text);
  files.add("h.png", "\x89PNG\r\n\x1a\n and no more");
  files.add("loop.xml", "<mujocoinclude>\n<include file='loop.xml'/></mujocoinclude>\n");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: sample.xml}]\n",
      "scene.yaml", files);
}

void check_fault(const test::MarkedFault& bad) {
  CAPTURE(bad.title);
  std::string text = bad.text;
  const int line = test::take_marker(text).line;
  std::string message;
  try {
    const System system(load(text));
  } catch (const std::exception& error) {
    message = error.what();
  }
  const bool in_include = bad.title == std::string("an include of itself");
  const std::string place =
      in_include ? "loop.xml:2: " : "sample.xml:" + std::to_string(line) + ": ";
  CHECK_THAT(message, Catch::StartsWith(place) && Catch::Contains(bad.message));
}

}  // namespace

TEST_CASE("An MJCF file whose structure means nothing is refused at its line") {
  for (const test::MarkedFault& bad : structure_faults()) check_fault(bad);
}

TEST_CASE("A value of an MJCF file that is malformed or out of range is refused at its line") {
  for (const test::MarkedFault& bad : value_faults()) check_fault(bad);
}

TEST_CASE("An MJCF file whose numbers lead beyond those of a computer is refused at its line") {
  for (const test::MarkedFault& bad : extreme_faults()) check_fault(bad);
}

TEST_CASE("An MJCF file that refers to what is not there is refused at the line that does") {
  for (const test::MarkedFault& bad : reference_faults()) check_fault(bad);
}
