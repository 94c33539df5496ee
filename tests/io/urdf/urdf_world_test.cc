#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/system.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <string>

// Robots whose root is the world, and roots without mass.

namespace amontons::test {
namespace {

const std::string kWorldMass =
    "<inertial><mass value='2'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/>"
    "</inertial>";

Scene load_below(const std::string& root, const std::string& content, const std::string& keys = "",
                 const std::string& rest = "") {
  io::MemoryFiles files;
  files.add("r.urdf", "<robot name='r'>" + content + "<joint name='f' type='fixed'><parent link='" +
                          root + "'/><child link='base'/></joint><link name='base'>" + kWorldMass +
                          "</link><joint name='j' type='continuous'><parent link='base'/>"
                          "<child link='arm'/><axis xyz='0 1 0'/></joint><link name='arm'>" +
                          kWorldMass + "</link></robot>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf" + keys +
          "}]\n" + rest,
      "scene.yaml", files);
}

}  // namespace

TEST_CASE("A base that a fixed joint holds to the link 'world' does not move, whatever its mass") {
  for (const char* world : {"", "<link name='world'/>", "<link name=' world '/>",
                            "<link name='world'><collision><origin xyz='3 0 1'/><geometry>"
                            "<box size='1 1 1'/></geometry></collision></link>"}) {
    CAPTURE(world);
    const Scene scene = load_below("world", world);
    CHECK(scene.models.at(0).base == BaseType::Fixed);
    CHECK(System(scene).num_velocities() == 1);
    const LedgerEntry base = entry_of(scene, "model 'r': base");
    CHECK(base.fate == ImportFate::Applied);
    CHECK_THAT(base.reason, Catch::Contains("'world' is the world"));
    // That a link is missing is a finding of its own.
    CHECK(scene.ledger.findings().size() == (*world == '\0' ? 1 : 0));
  }
}

TEST_CASE("The world has no mass, and no scene frees it") {
  const Scene heavy = load_below("world", "<link name='world'>" + kWorldMass + "</link>");
  CHECK(System(heavy).num_velocities() == 1);
  REQUIRE(heavy.ledger.findings().size() == 1);
  CHECK(heavy.ledger.findings()[0].element == "link 'world': inertial");
  CHECK_THROWS_WITH(load_below("world", "<link name='world'/>", ", base: free"),
                    Catch::Contains("fixed by its file"));
}

TEST_CASE("A root that only names a frame of the body below it is free with that body") {
  const Scene scene = load_below("base_link", "<link name='base_link'/>");
  CHECK(System(scene).num_velocities() == 7);
  CHECK(scene.ledger.findings().empty());
  CHECK_THAT(entry_of(scene, "model 'r': base").reason,
             Catch::StartsWith("free: its root link 'base_link' has no mass"));
  CHECK(System(load_below("base_link", "<link name='base_link'/>", ", base: fixed"))
            .num_velocities() == 1);
}

TEST_CASE("A second robot of a file does not count, which is a finding") {
  io::MemoryFiles files;
  files.add("r.urdf", "<robot name='r'><link name='a'>" + kWorldMass +
                          "</link></robot>\n<robot name='s'><link name='b'>" + kWorldMass +
                          "</link></robot>");
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf}]\n",
      "scene.yaml", files);
  CHECK(scene.models.at(0).links.size() == 1);
  REQUIRE(scene.ledger.findings().size() == 1);
  CHECK(scene.ledger.findings()[0].where.line == 2);
  CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("the first one counts"));
}

TEST_CASE("Blanks at the ends of a robot's names do not count") {
  io::MemoryFiles files;
  files.add("r.urdf",
            "<robot name=' r '><link name=' a'>" + kWorldMass + "</link><link name='b '>" +
                kWorldMass + "</link><link name='  c '>" + kWorldMass +
                "</link><joint name=' j' type=' continuous '><parent link='a '/>"
                "<child link=' b'/></joint><joint name='k ' type='continuous'>"
                "<parent link='b'/><child link='c'/><mimic joint=' j '/></joint></robot>");
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf}]\n",
      "scene.yaml", files);
  const SceneModel& model = scene.models.at(0);
  REQUIRE(model.links.size() == 3);
  CHECK(model.links[0].name == "a");
  CHECK(model.links[1].name == "b");
  CHECK(model.links[2].name == "c");
  REQUIRE(model.joints.size() == 2);
  CHECK(model.joints[0].name == "j");
  CHECK(model.joints[0].type == JointType::Continuous);
  REQUIRE(model.couplings.size() == 1);
  CHECK(model.couplings[0].reference == "j");
  CHECK(model.links[2].inertia.mass == 2.0);
}

}  // namespace amontons::test
