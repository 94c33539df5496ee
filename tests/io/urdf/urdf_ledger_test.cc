#include "tests/io/ledger_entry.h"
#include "tests/io/urdf/urdf_sample.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <utility>

using namespace amontons;

namespace {

const std::string kFile = "scenes/robots/sample.urdf";

}  // namespace

TEST_CASE("Every element and attribute of a robot file has one record, at its line") {
  const std::string text = test::sample_urdf();
  const Scene scene = test::load_robot(text);
  CHECK(test::unaccounted(text, kFile, scene.ledger) == "");
}

TEST_CASE("Every attribute of an element that is used has its entry") {
  const Scene scene = test::load_robot(test::sample_urdf());
  for (const char* element :
       {"link 'base': inertial mass value", "link 'base': inertial inertia ixy",
        "link 'base' collision 'left': geometry box size",
        "link 'upper': collision geometry cylinder "
        "length",
        "joint 'elbow': axis xyz", "joint 'elbow': origin rpy", "joint 'elbow': parent link",
        "joint 'elbow': dynamics damping", "joint 'slide': mimic", "joint 'slide': mimic joint",
        "joint 'slide': mimic multiplier", "joint 'elbow': type", "robot 'sample': name"}) {
    const LedgerEntry entry = test::entry_of(scene, element);
    CHECK(entry.fate == ImportFate::Applied);
    CHECK(entry.where.file == kFile);
  }
}

TEST_CASE("What is stored or left out is named with its reason") {
  const Scene scene = test::load_robot(test::sample_urdf());
  const std::map<std::string, std::string> ignored{
      {"link 'base' visual 'look'", "moves nothing"},
      {"link 'base' visual 'look': geometry", "inside an ignored <visual>"},
      {"link 'base' visual 'look': geometry mesh filename", "inside an ignored <mesh>"},
      {"link 'base': type", "not part of the format"},
      {"link 'base' collision 'left': name", "no names"},
      {"link 'base': collision contact_coefficients", "materials"},
      {"link 'finger': contact stiffness", "rigid"},
      {"joint 'elbow': limit effort", "not enforced; a servo has its own effort limit"},
      {"joint 'elbow': limit velocity", "not enforced; nothing bounds the velocity"},
      {"joint 'slide': safety_controller", "controller"},
      {"joint 'slide': calibration", "encoders"},
      {"transmission 'drive'", "actuators"},
      {"<gazebo>: kp", "rigid"},
      {"material 'grey'", "color"},
      {"robot 'sample': xmlns:xacro", "not part of the format"}};
  for (const auto& [element, reason] : ignored) {
    const LedgerEntry entry = test::entry_of(scene, element);
    CAPTURE(element);
    CHECK(entry.fate == ImportFate::Ignored);
    CHECK_THAT(entry.reason, Catch::Contains(reason));
    CHECK(entry.where.line > 0);
  }
}

TEST_CASE("A name that is nearly one of the format is a finding with the name that was meant") {
  std::string text = test::sample_urdf();
  text.insert(text.find("    <child link=\"tool\"/>"), "    <dynamic damping=\"2\"/>\n");
  text.replace(text.find("<dynamics damping"), 17, "<dynamics dampin");
  const Scene scene = test::load_robot(text);
  for (const auto& [element, meant] : {std::pair{"joint 'mount': dynamic", "'dynamics'"},
                                       std::pair{"joint 'elbow': dynamics dampin", "'damping'"}}) {
    const LedgerEntry entry = test::entry_of(scene, element);
    CAPTURE(element);
    CHECK(entry.fate == ImportFate::Warning);
    CHECK_THAT(entry.reason, Catch::Contains(meant));
  }
}

TEST_CASE("A mimic on a fixed joint has nothing to set, and is named") {
  std::string text = test::sample_urdf();
  text.insert(text.find("    <child link=\"tool\"/>"), "    <mimic joint=\"elbow\"/>\n");
  const Scene scene = test::load_robot(text);
  const LedgerEntry entry = test::entry_of(scene, "joint 'mount': mimic");
  CHECK(entry.fate == ImportFate::Ignored);
  CHECK_THAT(entry.reason, Catch::Contains("fixed joint"));
  CHECK(scene.models.at(0).couplings.size() == 1);
}

TEST_CASE("A mesh has one entry that says whether its hull stands for it") {
  const Scene scene = test::load_robot(test::sample_urdf());
  CHECK(test::entry_of(scene, "link 'finger': collision geometry mesh").fate ==
        ImportFate::Applied);
}
