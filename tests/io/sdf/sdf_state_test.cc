#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// The <state> of a world, from which Gazebo classic starts.

namespace amontons::test {
namespace {

constexpr const char* kStateElement = "world 'w': state";

/// Returns a world with a turned model of two links and one nested model, and a state.
std::string world_with_state(const std::string& state, const std::string& more = "") {
  return "<sdf version='1.6'><world name='w'>\n"
         "<model name='m'><pose frame=''>1 2 3 0 0 1.5707963267948966</pose>\n"
         "<link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link></model>\n" +
         more + "<state world_name='w'>\n" + state + "</state></world></sdf>\n";
}

Scene scene_with_state(const std::string& state, const std::string& more = "") {
  io::MemoryFiles files;
  files.add("w.sdf", world_with_state(state, more));
  files.add("ball.sdf", "<sdf version='1.6'><model name='n'><link name='l'/></model></sdf>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: w.sdf}]\n",
      "scene.yaml", files);
}

LedgerEntry state_entry(const std::string& state, const std::string& more = "") {
  const Scene scene = scene_with_state(state, more);
  CHECK(scene.models.at(0).pose.translation == Eigen::Vector3d(1.0, 2.0, 3.0));
  return entry_of(scene, kStateElement);
}

/// Returns the state of model m with links at their places: b lies at (1, 3, 3) in the world.
std::string state_of_m(const std::string& pose = "1 2 3 0 -0 1.5707963267948966",
                       const std::string& pose_b = "1 3 3 0 0 1.5707963267948966",
                       const std::string& more_b = "") {
  return "<model name='m'><pose frame=''>" + pose + "</pose><scale>1 1 1</scale>" +
         "<link name='a'><velocity>0 0 0 0 -0 0</velocity></link><link name='b'><pose>" + pose_b +
         "</pose>" + more_b + "</link></model>\n";
}

void check_difference(const LedgerEntry& entry, const std::string& what) {
  CHECK(entry.fate == ImportFate::Refused);
  CHECK_THAT(entry.reason, Catch::Contains(what));
  CHECK_THAT(entry.reason, Catch::StartsWith("models start where their <pose> says"));
}

}  // namespace

TEST_CASE("The state of an SDF world that repeats the poses of its models is no finding") {
  for (const std::string& state :
       {std::string(), state_of_m(), state_of_m("1.0000005 2 3 0 0 1.5707963"),
        state_of_m("1 2 3 0 0 1.5707963267948966", "1 3 3 0 0 1.5707963267948966",
                   "<acceleration>0 0 -9.8 0 0 0</acceleration><wrench>0 0 1 0 0 0</wrench>"),
        std::string("<sim_time>5 0</sim_time><insertions/><deletions><name>sun</name></deletions>"
                    "<light name='sun'><pose>0 0 9 0 0 0</pose></light>"
                    "<model name='gone'><pose>0 0 9 0 0 0</pose></model>")}) {
    CAPTURE(state);
    const LedgerEntry entry = state_entry(state);
    CHECK(entry.fate == ImportFate::Ignored);
    CHECK(entry.reason == "it repeats where the models start");
  }
}

TEST_CASE("The state of an SDF world that starts otherwise is a finding that says what differs") {
  check_difference(
      state_entry(state_of_m("1 2 5 0 0 1.5707963267948966", "1 3 5 0 0 1.5707963267948966")),
      "model 'm' starts elsewhere: at 1 2 5 m, not at 1 2 3 m");
  check_difference(state_entry("<model name='m'><pose>1 2 3 0 0 0</pose></model>"),
                   "model 'm' starts with another orientation");
  check_difference(state_entry(state_of_m("1 2 3 0 0 1.5707963267948966", "2 2 3 0 0 0")),
                   "link 'm::b' starts elsewhere: at 2 2 3 m, not at 1 3 3 m");
  check_difference(
      state_entry(state_of_m("1 2 3 0 0 1.5707963267948966", "1 3 3 0 0 1.5707963267948966",
                             "<velocity>0 0 0 0 0 0.1</velocity>")),
      "link 'm::b' has a velocity");
  check_difference(state_entry(state_of_m("1 2 nan 0 0 0")), "cannot be compared");
  // The link b stays behind.
  check_difference(state_entry(state_of_m("1 2 5 0 0 1.5707963267948966")), "m; and 1 more");
  check_difference(state_entry("<model name='m'><scale>1 2 1</scale></model>"), "another scale");
  check_difference(
      state_entry("<model name='m'><joint name='j'><angle axis='0'>0.5</angle></joint></model>"),
      "joint 'm::j' starts at 0.5");
  check_difference(state_entry("<model name='m'><link name='c'/></model>"),
                   "link 'm::c' is none of the model");
  check_difference(state_entry("<deletions><name>m</name></deletions>"), "it deletes model 'm'");
  check_difference(state_entry("<insertions><model name='k'><link name='l'/></model></insertions>"),
                   "it inserts model 'k'");
}

TEST_CASE("Only the first state of an SDF world counts, and models of other files are findings") {
  const std::string moved = state_of_m("0 0 0 0 0 0");
  const Scene two = scene_with_state(moved, "<state world_name='w'/>\n");
  const auto is_refused = [](const LedgerEntry& e) { return e.fate == ImportFate::Refused; };
  CHECK(std::none_of(two.ledger.entries.begin(), two.ledger.entries.end(), is_refused));
  const std::string state = "<model name='n'><pose>0 0 0 0 0 0</pose></model>";
  check_difference(state_entry(state, "<include><uri>ball.sdf</uri></include>"),
                   "model 'n' comes from another file");
  CHECK(state_entry(state, "<include><name>o</name><uri>ball.sdf</uri></include>").fate ==
        ImportFate::Ignored);
}

TEST_CASE("Nested models in the state of an SDF world are compared in the world") {
  const std::string outer =
      "<model name='outer'><pose>0 0 1 0 0 0</pose><link name='l'/>"
      "<model name='inner'><pose>0 0 1 0 0 0</pose><link name='l'/></model></model>\n";
  const auto inner_at = [](const std::string& z) {
    return "<model name='outer'><pose>0 0 1 0 0 0</pose><model name='inner'><pose>0 0 " + z +
           " 0 0 0</pose></model></model>\n";
  };
  CHECK(state_entry(inner_at("2"), outer).fate == ImportFate::Ignored);
  check_difference(state_entry(inner_at("1"), outer), "model 'outer::inner' starts elsewhere");
}

TEST_CASE("A state that is a finding still has one record for each of its parts") {
  const std::string state = state_of_m("0 0 0 0 0 0");
  const Scene scene = scene_with_state(state);
  CHECK(unaccounted(world_with_state(state), "w.sdf", scene.ledger) == "");
}

}  // namespace amontons::test
