#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// What worlds say beside their models: joints between these, and models that come with Gazebo.

namespace amontons::test {
namespace {

Scene load(const std::string& world, const std::string& included = "") {
  io::MemoryFiles files;
  files.add("m.sdf", "<sdf version='1.10'><world name='w'>" + world + "</world></sdf>");
  files.add("inner.sdf", included);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.sdf}]\n",
      "scene.yaml", files);
}

/// Returns a model with one link at a height.
std::string model(const std::string& name, const std::string& height,
                  const std::string& more = "") {
  return "<model name='" + name + "'><pose>0 0 " + height + " 0 0 0</pose>" + more +
         "<link name='a'><inertial><mass>2</mass></inertial><collision name='c'><geometry>"
         "<box><size>1 1 1</size></box></geometry></collision></link></model>";
}

std::string joint(const std::string& type, const std::string& parent, const std::string& child) {
  return "<joint name='j_" + child.substr(0, 1) + "' type='" + type + "'><parent>" + parent +
         "</parent><child>" + child + "</child><axis><xyz>0 1 0</xyz></axis></joint>";
}

const ModelJoint& joint_to(const SceneModel& model, const std::string& link) {
  for (const ModelJoint& one : model.joints) {
    if (model.links[static_cast<std::size_t>(one.child)].name == link) return one;
  }
  FAIL("no joint carries " + link);
  return model.joints.front();
}

}  // namespace

TEST_CASE("A bare link called world is the world, and one with a mass moves under another name") {
  const std::string beam =
      "<link name='beam'><inertial><mass>3</mass></inertial></link>"
      "<joint name='world' type='revolute'><parent>world</parent><child>beam</child>"
      "<axis><xyz>0 1 0</xyz></axis></joint>";
  const SceneModel fixed =
      load("<model name='g'><link name='world'><pose>1 0 0 0 0 0</pose></link>" + beam + "</model>")
          .models.at(0);
  CHECK(joint_to(fixed, "beam").name == "world_joint");
  CHECK(fixed.base == BaseType::Fixed);
  const Scene scene =
      load("<model name='g'><link name='world'><inertial><mass>2</mass></inertial></link>" + beam +
           "</model>");
  const SceneModel& loose = scene.models.at(0);
  const ModelJoint& hinge = joint_to(loose, "beam");
  CHECK(loose.links[static_cast<std::size_t>(hinge.parent)].name == "world_link");
  CHECK(loose.links[static_cast<std::size_t>(hinge.parent)].inertia.mass == 2.0);
  std::size_t renamed = 0;
  for (const LedgerEntry& entry : scene.ledger.findings()) {
    renamed += entry.reason.find("the format reserves this name") == std::string::npos ? 0 : 1;
  }
  CHECK(renamed == 2);
}

TEST_CASE("Joints of an SDF world connect its models, whose links keep their names") {
  // A chain of a fixed box, a box that turns on it, and one given by a link in place of its model.
  const Scene scene = load(joint("fixed", "world", "p") + model("p", "0") + model("loose", "20") +
                           joint("revolute", "p", "q") + model("q", "2") + model("r", "4") +
                           joint("prismatic", "q::a", "r::a"));
  REQUIRE(scene.models.size() == 2);
  const SceneModel& joined = scene.models[scene.models[0].name == "m" ? 0 : 1];
  CHECK(scene.models[scene.models[0].name == "m" ? 1 : 0].name == "m/loose");
  CHECK(joined.name == "m");
  REQUIRE(joined.links.size() == 4);  // the world is the root
  CHECK(joint_to(joined, "p/a").type == JointType::Fixed);
  CHECK(joint_to(joined, "q/a").type == JointType::Revolute);
  CHECK(joined.links[static_cast<std::size_t>(joint_to(joined, "q/a").parent)].name == "p/a");
  CHECK(joint_to(joined, "r/a").type == JointType::Prismatic);
  // The joint's frame is that of the child, two boxes above the parent.
  CHECK(joint_to(joined, "q/a").X_PJ.translation == Eigen::Vector3d(0, 0, 2));
  CHECK(scene.ledger.findings().empty());
}

TEST_CASE("Models that an SDF world joins collide with each other, links of one model do not") {
  const std::string two =
      "<link name='b'><pose>0 0 3 0 0 0</pose></link>"
      "<joint name='k' type='revolute'><parent>a</parent><child>b</child>"
      "<axis><xyz>0 1 0</xyz></axis></joint>";
  const Scene scene = load(model("p", "0", two) + model("q", "9") + joint("revolute", "p", "q"));
  REQUIRE(scene.models.size() == 1);
  const SceneModel& joined = scene.models[0];
  const auto excludes = [&](const std::string& one, const std::string& other) {
    return std::any_of(joined.excluded.begin(), joined.excluded.end(), [&](const auto& pair) {
      const std::string& a = joined.links[static_cast<std::size_t>(pair.first)].name;
      const std::string& b = joined.links[static_cast<std::size_t>(pair.second)].name;
      return (a == one && b == other) || (a == other && b == one);
    });
  };
  CHECK(excludes("p/a", "p/b"));
  CHECK(!excludes("p/b", "q/a"));
}

TEST_CASE("A joint of an SDF world may connect an included model") {
  const std::string inner = "<sdf version='1.7'>" + model("crane", "0") + "</sdf>";
  const Scene scene = load("<include><uri>inner.sdf</uri><pose>1 0 5 0 0 0</pose></include>" +
                               model("q", "2") + joint("revolute", "crane", "q"),
                           inner);
  REQUIRE(scene.models.size() == 1);
  CHECK(joint_to(scene.models[0], "q/a").X_PJ.translation == Eigen::Vector3d(-1, 0, -3));
}

TEST_CASE("A joint of an SDF world that ends at nothing is an error that names it") {
  CHECK_THROWS_WITH(load(model("p", "0") + joint("revolute", "p", "qq")), Catch::Contains("'qq'"));
  CHECK_THROWS_AS(load(model("p", "0") + joint("revolute", "p", "p")), io::ParseError);
}

TEST_CASE("A static model in one that moves is fixed to the world") {
  const Scene scene = load("<model name='m'>" + model("s", "3", "<static>true</static>") +
                           "<link name='b'><pose>0 0 9 0 0 0</pose></link></model>");
  const SceneModel& whole = scene.models.at(0);
  CHECK(joint_to(whole, "s::a").type == JointType::Fixed);
  CHECK(joint_to(whole, "s::a").X_PJ.translation.z() == 3.0);
  CHECK(joint_to(whole, "b").type == JointType::Free);
}

TEST_CASE("The sun and the ground plane of Gazebo are known where no folder holds them") {
  const Scene scene = load(
      "<include><uri>model://sun</uri></include>"
      "<include><uri>model://ground_plane</uri></include>" +
      model("p", "4"));
  REQUIRE(scene.models.size() == 2);
  CHECK(scene.models[0].name == "m/ground_plane");
  CHECK(std::holds_alternative<HalfSpace>(scene.models[0].links.at(1).shapes.at(0).shape));
  CHECK(scene.ledger.findings().empty());
  CHECK(entry_of(scene, "<include> model://sun").fate == ImportFate::Applied);
  // The recorded inputs hold them, and are read again.
  CHECK(scene.inputs.size() == 5);
  const Scene again = io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs));
  CHECK(again.models.size() == 2);
  // A slash may end the name of a folder.
  CHECK(load("<include><uri>model://ground_plane/</uri></include>").models.size() == 1);
  CHECK_THROWS_WITH(load("<include><uri>model://moon</uri></include>"),
                    Catch::Contains("--package moon=DIR"));
}

TEST_CASE("A world of lights alone is read, with a finding") {
  const Scene scene = load("<light name='l' type='point'/>");
  CHECK(scene.models.empty());
  CHECK(!scene.ledger.findings().empty());
  Simulator simulator(scene);
  CHECK_NOTHROW(simulator.step());
}

TEST_CASE("A root link of SDF without mass is fixed, as one of URDF") {
  const Scene scene = load(
      "<model name='p'><link name='a'><inertial><mass>0</mass></inertial>"
      "</link><link name='b'/><joint name='j' type='revolute'><parent>a"
      "</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model>");
  CHECK(scene.models.at(0).base == BaseType::Fixed);
}

}  // namespace amontons::test
