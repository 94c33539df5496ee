#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <string>

// What acts in an SDF file and not here, and what has the same names and no effect.

namespace amontons::test {
namespace {

/// Returns the text of a world with one model, and more in the link, the model and the world.
std::string sdf_of_link(const std::string& link, const std::string& model = "",
                        const std::string& world = "") {
  return "<sdf version='1.9'><world name='w'>" + world + "<model name='m'>" + model +
         "<link name='a'>" + link + "</link></model></world></sdf>\n";
}

Scene scene_of_sdf(const std::string& text) {
  io::MemoryFiles files;
  files.add("w.sdf", text);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: w.sdf}]\n",
      "scene.yaml", files);
}

/// Checks that an element is one finding, with its reason, and that no record is missing.
void check_unsupported(const std::string& text, const std::string& element,
                       const std::string& reason) {
  CAPTURE(text);
  const Scene scene = scene_of_sdf(text);
  const LedgerEntry entry = entry_of(scene, element);
  CHECK(entry.fate == ImportFate::Refused);
  CHECK_THAT(entry.reason, Catch::StartsWith(reason));
  CHECK(scene.ledger.findings().size() == 1);
  CHECK(unaccounted(text, "w.sdf", scene.ledger) == "");
  CHECK(scene.models.size() == 1);
}

/// Returns the number of findings of a ball with some friction.
std::size_t findings_of_friction(const std::string& friction) {
  const std::string text = sdf_of_link(
      "<inertial><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>"
      "<collision name='c'><geometry><sphere><radius>.5</radius></sphere></geometry><surface>"
      "<friction>" +
      friction + "</friction></surface></collision>");
  const Scene scene = scene_of_sdf(text);
  CHECK(unaccounted(text, "w.sdf", scene.ledger) == "");
  return scene.ledger.findings().size();
}

void check_no_finding(const std::string& text) {
  CAPTURE(text);
  CHECK(scene_of_sdf(text).ledger.findings().empty());
}

}  // namespace

TEST_CASE("A kinematic link of SDF moves as forces say, which is a finding") {
  const std::string element = "world 'w' model 'm' link 'a': kinematic";
  check_unsupported(sdf_of_link("<kinematic>true</kinematic>"), element, "it moves as forces say");
  check_unsupported(sdf_of_link("<kinematic>1</kinematic>"), element, "it moves as forces say");
  check_no_finding(sdf_of_link("<kinematic>false</kinematic>"));
  check_no_finding(sdf_of_link("<kinematic>true</kinematic>", "<static>true</static>"));
}

TEST_CASE("Velocity decay of SDF that is not zero is a finding") {
  const std::string element = "world 'w' model 'm' link 'a': velocity_decay";
  const auto decay = [](const std::string& linear, const std::string& angular) {
    return "<velocity_decay><linear>" + linear + "</linear><angular>" + angular +
           "</angular></velocity_decay>";
  };
  check_unsupported(sdf_of_link(decay("5", "0")), element, "bodies move without drag");
  check_unsupported(sdf_of_link(decay("0", "1e-9")), element, "bodies move without drag");
  check_no_finding(sdf_of_link(decay("0", "0.0")));
  check_no_finding(sdf_of_link("<velocity_decay/>"));
  check_no_finding(sdf_of_link(decay("5", "5"), "<static>true</static>"));
}

TEST_CASE("Added mass of a fluid in SDF that is not zero is a finding") {
  const std::string element = "world 'w' model 'm' link 'a': inertial fluid_added_mass";
  const auto added = [](const std::string& mass) {
    return "<inertial><mass>1</mass><fluid_added_mass><xx>0</xx><pq>" + mass +
           "</pq></fluid_added_mass></inertial>";
  };
  check_unsupported(sdf_of_link(added("5")), element, "bodies have no mass of a fluid");
  check_unsupported(sdf_of_link(added("five")), element, "bodies have no mass of a fluid");
  check_no_finding(sdf_of_link(added("0")));
  check_no_finding(sdf_of_link(added("5"), "<static>true</static>"));
}

TEST_CASE("A road of an SDF world is looks only, and does not keep the world from loading") {
  const Scene scene = scene_of_sdf(sdf_of_link(
      "", "", "<road name='r'><width>3</width><point>0 0 0</point><point>1 0 0</point></road>"));
  CHECK(scene.models.size() == 1);
  const LedgerEntry entry = entry_of(scene, "world 'w' road 'r'");
  CHECK(entry.fate == ImportFate::Ignored);
  CHECK_THAT(entry.reason, Catch::StartsWith("looks only"));
  CHECK(scene.ledger.findings().empty());
}

TEST_CASE("A population of an SDF world makes no models, which is a finding") {
  check_unsupported(
      sdf_of_link("", "",
                  "<population name='p'><model name='can'><include><uri>model://can</uri></include>"
                  "</model><model_count>9</model_count></population>"),
      "world 'w' population 'p'", "it makes no models here");
}

TEST_CASE("A plugin of SDF that drives or pushes by itself is a finding, any other is ignored") {
  const auto plugin = [](const std::string& names) { return "<plugin " + names + "/>"; };
  const std::string reason = "by its name it drives joints or exerts forces";
  for (const char* names : {"name='p' filename='gz-sim-joint-controller-system'",
                            "name='gz::sim::systems::DiffDrive' filename='x'",
                            "name='p' filename='libLiftDragPlugin.so'",
                            "name='p' filename='libBreakableJointPlugin.so'"}) {
    check_unsupported(sdf_of_link("", plugin(names)),
                      std::string("world 'w' model 'm' plugin '") +
                          (names[6] == 'p' ? "p" : "gz::sim::systems::DiffDrive") + "'",
                      reason);
    check_no_finding(sdf_of_link("", "<static>true</static>" + plugin(names)));
  }
  check_unsupported(sdf_of_link("", "", plugin("name='b' filename='gz-sim-buoyancy-system'")),
                    "world 'w' plugin 'b'", reason);
  check_unsupported(
      sdf_of_link("", "",
                  "<plugin name='w' filename='gz-sim-apply-link-wrench-system'><persistent>"
                  "<entity_name>m</entity_name><force>0 0 9</force></persistent></plugin>"),
      "world 'w' plugin 'w'", "its <persistent> wrenches do not act");
  for (const char* names : {"name='p' filename='gz-sim-apply-link-wrench-system'",
                            "name='p' filename='gz-sim-physics-system'",
                            "name='p' filename='gz-sim-joint-state-publisher-system'",
                            "name='p' filename='libgazebo_ros_control.so'"}) {
    check_no_finding(sdf_of_link("", plugin(names), plugin(names)));
  }
}

TEST_CASE("A wind of an SDF world that a body takes is a finding") {
  const auto wind = [](const std::string& velocity) {
    return "<wind><linear_velocity>" + velocity + "</linear_velocity></wind>";
  };
  const std::string taken = "<enable_wind>true</enable_wind>", element = "world 'w': wind";
  check_unsupported(sdf_of_link("", taken, wind("0 3 0")), element, "there is no air");
  check_unsupported(sdf_of_link(taken, "", wind("0 0 -1")), element, "there is no air");
  check_no_finding(sdf_of_link(taken, taken, wind("0 0 0")));
  check_no_finding(sdf_of_link("", "", wind("0 3 0")));
  check_no_finding(sdf_of_link("<enable_wind>false</enable_wind>", "", wind("0 3 0")));
}

TEST_CASE("Friction of SDF that is not the same in all directions is a finding") {
  CHECK(findings_of_friction("<ode><mu>0.7</mu><mu2>0.7</mu2><fdir1>1 0 0</fdir1></ode>") == 0);
  CHECK(findings_of_friction("<ode><mu>0.7</mu><mu2>0.3</mu2></ode>") == 1);
  CHECK(findings_of_friction("<ode><mu>0.7</mu><mu2>0.3</mu2><fdir1>1 0 0</fdir1></ode>") == 2);
  CHECK(findings_of_friction(
            "<bullet><friction>0.7</friction><friction2>0.3</friction2></bullet>") == 1);
  CHECK(findings_of_friction("<ode><mu>0.7</mu><slip1>0.1</slip1><slip2>0</slip2></ode>") == 1);
  CHECK(findings_of_friction("<ode><mu>0.7</mu><slip1>0</slip1></ode>") == 0);
  // The smaller coefficient of two surfaces counts in Gazebo.
  CHECK(findings_of_friction("<ode><mu>100</mu><mu2>50</mu2></ode>") == 0);
}

TEST_CASE("Friction of SDF against rolling or spinning is a finding where it is not zero") {
  CHECK(findings_of_friction("<bullet><rolling_friction>0.1</rolling_friction></bullet>") == 1);
  CHECK(findings_of_friction("<bullet><rolling_friction>0</rolling_friction></bullet>") == 0);
  CHECK(findings_of_friction("<torsional><coefficient>1</coefficient></torsional>") == 0);
  CHECK(findings_of_friction("<torsional><patch_radius>0.01</patch_radius></torsional>") == 1);
  CHECK(findings_of_friction("<torsional><coefficient>0</coefficient><patch_radius>1</patch_radius>"
                             "</torsional>") == 0);
}

}  // namespace amontons::test
