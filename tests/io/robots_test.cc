#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/system.h"

#include <catch2/catch.hpp>
#include <tinyxml2.h>

#include <filesystem>
#include <string>

using namespace amontons;
namespace fs = std::filesystem;

// Robots as their makers published them, where the folder of real inputs lies beside the project.

namespace {

const fs::path kRobots = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data/robots";
const fs::path kExample = kRobots / "example-robot-data/robots";

bool robots_are_here() {
  if (fs::exists(kRobots)) return true;
  WARN("SKIPPED: there are no real robots at " << kRobots.string());
  return false;
}

Scene load(const fs::path& urdf, const std::string& base) {
  const std::string text =
      "amontons: 1\nsimulation: {step: 0.001, duration: 1}\nmodels: [{name: robot, file: " +
      urdf.filename().string() + ", base: " + base + "}]\n";
  return io::parse_scene(text, (urdf.parent_path() / "scene.yaml").string(),
                         io::DiskFiles(urdf.parent_path()));
}

double mass_in_file(const fs::path& urdf) {
  tinyxml2::XMLDocument document;
  REQUIRE(document.LoadFile(urdf.string().c_str()) == tinyxml2::XML_SUCCESS);
  double mass = 0.0;
  for (const auto* link = document.RootElement()->FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    const auto* inertial = link->FirstChildElement("inertial");
    if (inertial) mass += inertial->FirstChildElement("mass")->DoubleAttribute("value");
  }
  return mass;
}

struct Robot {
  fs::path file;
  std::size_t links;
  int velocities;  // on a free base
  std::size_t findings;
};

}  // namespace

TEST_CASE("Published robots load, with the masses of their files and the faults they have") {
  if (!robots_are_here()) return;
  const std::vector<Robot> robots{
      {kExample / "solo_description/robots/solo12.urdf", 17, 18, 0},
      {kExample / "hyq_description/robots/hyq_no_sensors.urdf", 19, 18, 0},
      // Panda's identified inertia of link 1 reaches beyond its shapes.
      {kExample / "panda_description/urdf/panda.urdf", 13, 15, 1},
      // Nine links of the hand have inertias of no rigid body.
      {kExample / "allegro_hand_description/urdf/allegro_left_hand.urdf", 21, 22, 9},
      {kExample / "allegro_hand_description/urdf/allegro_right_hand.urdf", 21, 22, 9},
      // Placeholders of 1 kg m^2 and 0.01 kg m^2 in all nine links that have any.
      {kRobots / "barrett_hand_description/urdf/bh280.urdf", 12, 14, 9},
      // Both joints of each pendulum state an effort of zero.
      {kExample / "double_pendulum_description/urdf/double_pendulum.urdf", 3, 8, 2},
      {kExample / "double_pendulum_description/urdf/double_pendulum_continuous.urdf", 3, 8, 2},
      {kExample / "double_pendulum_description/urdf/double_pendulum_simple.urdf", 4, 8, 3}};
  for (const Robot& robot : robots) {
    CAPTURE(robot.file.filename());
    const Scene scene = load(robot.file, "free");
    double mass = 0.0;
    for (const ModelLink& link : scene.models.at(0).links) mass += link.inertia.mass;
    CHECK(mass == Approx(mass_in_file(robot.file)).epsilon(1e-14));
    CHECK(scene.models[0].links.size() == robot.links);
    CHECK(scene.ledger.findings().size() == robot.findings);
    CHECK(System(scene).num_velocities() == robot.velocities);
    const Scene fixed = load(robot.file, "fixed");
    CHECK(System(fixed).num_velocities() == robot.velocities - 6);
  }
}

TEST_CASE("A published robot can be read again from the inputs recorded with it") {
  if (!robots_are_here()) return;
  const Scene scene = load(kRobots / "barrett_hand_description/urdf/bh280.urdf", "fixed");
  CHECK(scene.inputs.size() == 5);  // the robot and four meshes, each once
  const Scene again = io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs));
  CHECK(again.ledger.entries.size() == scene.ledger.entries.size());
}

TEST_CASE("A published robot whose meshes are missing is refused at the line that names one") {
  if (!robots_are_here()) return;
  CHECK_THROWS_WITH(load(kExample / "solo_description/robots/solo.urdf", "free"),
                    Catch::Contains("solo.urdf:30: ") && Catch::Contains("solo_body.obj"));
}

TEST_CASE("Every scene of the examples loads") {
  const fs::path examples = fs::path(AMONTONS_SOURCE_DIR) / "examples";
  int count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(examples)) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().string());
    const Scene scene = io::load_scene(entry.path());
    CHECK(System(scene).num_velocities() > 0);
    CHECK(scene.ledger.findings().empty());
    ++count;
  }
  CHECK(count > 0);
}
