#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <string>

// Names that SDF files give twice.

namespace amontons::test {
namespace {

constexpr const char* kBallLink =
    "<link "
    "name='l'><inertial><mass>4000</mass><inertia><ixx>1600</ixx><iyy>1600</iyy><izz>1600</izz></"
    "inertia>"
    "</inertial><collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
    "</collision></link>";

Scene scene_of_names(const std::string& text) {
  io::MemoryFiles files;
  files.add("w.sdf", text);
  files.add("part.sdf",
            "<sdf version='1.9'><model name='part'>" + std::string(kBallLink) + "</model></sdf>");
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: w.sdf}]\n",
      "scene.yaml", files);
  CHECK(unaccounted(text, "w.sdf", scene.ledger) == "");
  return scene;
}

std::string world_text(const std::string& content) {
  return "<sdf version='1.9'><world name='w'>\n" + content + "</world></sdf>";
}

std::string model_of(const std::string& name, const std::string& more = "") {
  return "<model name='" + name + "'>" + more + kBallLink + "</model>\n";
}

std::string names_of(const Scene& scene) {
  std::string names;
  for (const SceneModel& model : scene.models) names += model.name + " ";
  return names;
}

}  // namespace

TEST_CASE("Collisions of a link of SDF that have one name get numbers") {
  const auto collision = [](const std::string& name, double friction) {
    return "<collision name='" + name +
           "'><geometry><sphere><radius>1</radius></sphere></"
           "geometry><surface><friction><ode><mu>" +
           std::to_string(friction) + "</mu></ode></friction></surface></collision>\n";
  };
  // A model with a frame is read by libsdformat, one without is read directly.
  for (const char* frame : {"", "<frame name='f'/>"}) {
    CAPTURE(frame);
    const Scene scene = scene_of_names(
        "<sdf version='1.9'><model name='m'><static>1</static>" + std::string(frame) +
        "<link name='l'>\n" + collision("c", 0.1) + collision("c", 0.2) + collision("c_2", 0.3) +
        collision("c", 0.4) + "<visual name='v'/><visual name='v'/></link></model></sdf>");
    REQUIRE(scene.models[0].links.back().shapes.size() == 4);
    CHECK(scene.ledger.findings().empty());
    std::string names;
    for (const Material& material : scene.materials) names += material.name + " ";
    CHECK_THAT(names, Catch::EndsWith("w/l/c w/l/c_3 w/l/c_2 w/l/c_4 "));
    CHECK(scene.materials.back().friction == 0.4);
    for (const LedgerEntry& entry : scene.ledger.entries) {
      if (entry.where.line != 3 || entry.element.find("name") == std::string::npos) continue;
      CHECK(entry.fate == ImportFate::Ignored);
      CHECK_THAT(entry.reason, Catch::Contains("in line 2: it is called c_3"));
    }
  }
}

TEST_CASE("Models of a world of SDF that have one name get numbers") {
  const std::string include = "<include><uri>part.sdf</uri></include>\n",
                    named = "<include><uri>part.sdf</uri><name>m</name></include>\n";
  const Scene scene =
      scene_of_names(world_text(model_of("m") + model_of("m") + named + model_of("m_2") + include +
                                include + "<frame name='part_2'/>"));
  CHECK(names_of(scene) == "w/m w/m_3 w/m_4 w/m_2 w/part w/part_3 ");
  CHECK(scene.ledger.findings().empty());
  int renamed = 0;
  for (const LedgerEntry& entry : scene.ledger.entries) {
    if (entry.reason.find("it is called") == std::string::npos) continue;
    CHECK(entry.fate == ImportFate::Ignored);
    ++renamed;
  }
  CHECK(renamed == 3);
}

TEST_CASE("What refers to a name of two models means the first one, which is a finding") {
  const auto check = [](const std::string& other) {
    CAPTURE(other);
    const Scene scene =
        scene_of_names(world_text(model_of("m", "<pose>0 0 5 0 0 0</pose>") +
                                  model_of("m", "<pose>9 0 0 0 0 0</pose>") + other));
    bool found = false;
    for (const LedgerEntry& entry : scene.ledger.findings()) {
      found = found || entry.reason.find("means the first one") != std::string::npos;
    }
    CHECK(found);
    return scene;
  };
  const Scene placed = check(model_of("n", "<pose relative_to='m'>1 0 0 0 0 0</pose>"));
  CHECK(placed.models.back().pose.translation == Eigen::Vector3d(1.0, 0.0, 5.0));
  check("<frame name='f' attached_to='m::l'/>");
  check("<state world_name='w'><model name='m'><pose>0 0 5 0 0 0</pose></model></state>");
  const Scene joined =
      check(model_of("n") +
            "<joint name='j' type='fixed'><parent>m::l</parent><child>n::l</child></joint>");
  CHECK(joined.models.size() == 2);
}

TEST_CASE("Links, joints and models within a model of SDF keep their names to themselves") {
  for (const char* twice :
       {"<link name='a'/><link name='a'/>", "<link name='a'/><frame name='f'/><frame name='f'/>",
        "<link name='a'/><model name='i'><link name='a'/></model><model "
        "name='i'><link name='a'/></model>"}) {
    CAPTURE(twice);
    CHECK_THROWS_WITH(
        scene_of_names(world_text("<model name='m'>" + std::string(twice) + "</model>")),
        Catch::Contains("there is already a "));
  }
}

}  // namespace amontons::test
