#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

// Elements of MJCF that are left out, their attributes, and what refers to them.

namespace amontons::test {
namespace {

/// Returns the first attribute of an element that is said to have an effect; empty if none has.
std::string acting_attribute(const Scene& scene, const std::string& element) {
  int count = 0;
  for (const LedgerEntry& entry : scene.ledger.entries) {
    if (!entry.element.starts_with(element + ": ")) continue;
    ++count;
    if (entry.fate != ImportFate::Ignored || !entry.reason.starts_with("without effect here")) {
      return entry.element + " " + to_string(entry.fate) + " " + entry.reason;
    }
  }
  return count > 0 ? "" : "no attribute of " + element;
}

constexpr const char* kArm = R"(<worldbody><site name='w'/><body name='arm' pos='0 0 1'>
    <joint name='h' axis='0 1 0' damping='0.2'/><site name='tip' pos='.4 0 0'/>
    <geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03'/></body></worldbody>)";

}  // namespace

TEST_CASE("Attributes of what exerts, measures or holds nothing are said to have no effect") {
  const Scene scene = scene_of_mjcf(std::string(kArm) + R"(
      <actuator><general name='beside' site='w' refsite='tip'
          gainprm='2' biastype='affine' biasprm='0 -1' ctrlrange='-1 1'/>
        <position name='twist' site='tip' refsite='w' gear='0 0 0 0 1 0' kp='2'/>
        <position name='away' joint='h' kp='-3' kv='1' forcerange='-2 2'/>
        <general name='odd' joint='h' dyntype='user' gaintype='user' dynprm='3'/>
        <adhesion name='stick' body='arm' ctrlrange='0 1' gain='3'/>
        <plugin name='pid' joint='h' plugin='mujoco.pid'/></actuator>
      <sensor><framequat name='turn' objtype='body' objname='arm'/>
        <user name='own' dim='2'/></sensor>
      <equality><distance name='far' geom1='a' geom2='b' distance='1'/></equality>)");
  for (const char* element :
       {"general 'beside'", "position 'twist'", "position 'away'", "general 'odd'",
        "adhesion 'stick'", "plugin 'pid'", "framequat 'turn'", "user 'own'", "distance 'far'"}) {
    CHECK(entry_of(scene, element).fate == ImportFate::Refused);
    CHECK(acting_attribute(scene, element) == "");
  }
}

TEST_CASE("A default is applied where one element that takes it acts, and not where none does") {
  const std::string text = std::string(kArm) + R"(
      <default><default class='pull'><general gainprm='3'/></default></default>
      <actuator><general name='beside' class='pull' site='w' refsite='tip'/>)";
  const Scene idle = scene_of_mjcf(text + "</actuator>");
  const Scene taken = scene_of_mjcf(text + "<general name='m' class='pull' joint='h'/></actuator>");
  const auto fate_of = [](const Scene& scene, const std::string& end) {
    for (const LedgerEntry& entry : scene.ledger.entries) {
      if (entry.element.ends_with(end)) return entry.fate;
    }
    return ImportFate::Warning;
  };
  CHECK(fate_of(idle, "general gainprm") == ImportFate::Ignored);
  CHECK(fate_of(taken, "general gainprm") == ImportFate::Applied);
}

TEST_CASE("What names a part of a cable is a finding, and all else moves as without the cable") {
  const std::string rest = R"(<tendon><fixed name='both'><joint joint='h' coef='1'/>
      <joint joint='J_last' coef='1'/></fixed></tendon>
    <equality><weld name='end' body1='B_last' body2='arm'/>
      <connect name='hook' site1='S_last' site2='tip'/>
      <tendon name='held' tendon1='both'/></equality>
    <contact><exclude body1='arm' body2='B_first'/><pair name='touch' geom1='G0' geom2='G3'/>
      </contact>
    <actuator><general name='slow' joint='J_first' dyntype='integrator'/>
      <motor name='pull' tendon='both'/><motor name='turn' joint='h'/></actuator>
    <sensor><framepos name='place' objtype='body' objname='B_4'/></sensor>)";
  const std::string arm(kArm);
  const std::string before = arm.substr(0, arm.find("</worldbody>"));
  const std::string cable = R"(<composite type='cable' curve='s' count='6 1 1' size='1'
      offset='0 0 2' initial='none'><joint kind='main' damping='.1'/>
      <geom type='capsule' size='.01'/></composite></worldbody>)";
  const Scene scene = scene_of_mjcf(before + cable + rest);
  for (const char* name : {"weld 'end'", "connect 'hook'", "tendon 'held'", "pair 'touch'",
                           "fixed 'both'", "general 'slow'", "motor 'pull'", "framepos 'place'"}) {
    CHECK(entry_of(scene, name).fate == ImportFate::Refused);
  }
  CHECK(entry_of(scene, "motor 'turn'").fate == ImportFate::Applied);
  Simulator with(scene), without(scene_of_mjcf(arm));
  for (int k = 0; k < 100; ++k) {
    with.step();
    without.step();
  }
  CHECK(with.state().q == without.state().q);
  // A name that no part of the cable can have is a fault.
  CHECK_THROWS_WITH(
      scene_of_mjcf(before + cable + "<equality><weld body1='B_lats' body2='arm'/></equality>"),
      Catch::Contains("body1 names no body: 'B_lats'"));
}

TEST_CASE("The ledger says which geoms and meshes the replay draws, and which are missing") {
  io::MemoryFiles files;
  files.add("m.xml", R"(<mujoco><asset><mesh name='seen' file='seen.obj'/>
      <mesh name='lost' file='lost.obj'/><mesh name='hidden' file='seen.obj'/></asset>
      <worldbody><body name='b'><freejoint/><geom size='.1'/>
      <geom name='look' type='mesh' mesh='seen' pos='1 0 0' contype='0' conaffinity='0' mass='0'/>
      <geom name='gone' type='mesh' mesh='lost' contype='0' conaffinity='0' mass='0'/>
      <geom name='third' type='mesh' mesh='hidden' contype='0' conaffinity='0' mass='0' group='3'/>
      </body></worldbody></mujoco>)");
  files.add("seen.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files);
  const auto reason_of = [&](const std::string& name) { return entry_of(scene, name).reason; };
  CHECK(reason_of("mesh 'seen'") == "moves nothing; the replay draws it");
  CHECK(reason_of("body 'b' geom 'look': mesh") == "moves nothing; the replay draws it");
  CHECK(reason_of("body 'b' geom 'look': pos") == "moves nothing; the replay draws it");
  CHECK_THAT(reason_of("body 'b' geom 'look'"), Catch::EndsWith("the replay draws it"));
  CHECK_THAT(reason_of("mesh 'lost'"), Catch::Contains("missing"));
  CHECK_THAT(reason_of("body 'b' geom 'gone': mesh"), Catch::Contains("'lost.obj' is missing"));
  CHECK_THAT(reason_of("mesh 'hidden'"), Catch::StartsWith("no geom that collides"));
}

}  // namespace amontons::test
