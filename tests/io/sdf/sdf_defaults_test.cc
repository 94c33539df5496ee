#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <string>
#include <variant>

// What SDF files of published worlds leave out, or write to say "none".

namespace amontons::test {
namespace {

Scene load(const std::string& text) {
  io::MemoryFiles files;
  files.add("m.sdf", text);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.sdf}]\n",
      "scene.yaml", files);
}

/// Returns a model with one link that holds a shape, and what else it has.
std::string model(const std::string& shape, const std::string& more = "") {
  return "<sdf version='1.7'><model name='m'><link name='a'><collision name='c'><geometry>" +
         shape + "</geometry></collision></link>" + more + "</model></sdf>";
}

const std::string kJointed = "<link name='b'><pose>0 0 1 0 0 0</pose></link>";

std::string joint(const std::string& axis) {
  return kJointed + "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>" +
         axis + "</axis></joint>";
}

}  // namespace

TEST_CASE("A shape of SDF without a size has that of the format, with a finding") {
  // Models without joints are read directly, those with joints by libsdformat.
  for (const std::string& more : {std::string(), joint("<xyz>0 1 0</xyz>")}) {
    CAPTURE(more);
    const auto shape = [&](const std::string& text) {
      const Scene scene = load(model(text, more));
      CHECK(!scene.ledger.findings().empty());
      return scene.models[0].links[0].shapes.at(0).shape;
    };
    CHECK(std::get<Box>(shape("<box/>")).size == Eigen::Vector3d::Ones());
    CHECK(std::get<Sphere>(shape("<sphere/>")).radius == 1.0);
    const Cylinder cylinder = std::get<Cylinder>(shape("<cylinder><radius>2</radius></cylinder>"));
    CHECK(cylinder.radius == 2.0);
    CHECK(cylinder.length == 1.0);
    CHECK(std::get<Capsule>(shape("<capsule/>")).radius == 0.5);
  }
}

TEST_CASE("A joint of SDF without an axis has that of its frame, as a finding") {
  // A model with a frame is read by libsdformat, one without is read directly. Up to version 1.4
  // the axes that a file writes are those of the model.
  for (const char* version : {"1.4", "1.9"}) {
    for (const char* frame : {"", "<frame name='f'/>"}) {
      CAPTURE(version, frame);
      if (*frame != '\0' && std::string(version) == "1.4") continue;
      const auto joint_of = [&](const std::string& type, const std::string& content,
                                std::size_t findings) {
        CAPTURE(type, content);
        const std::string text = "<sdf version='" + std::string(version) +
                                 "'><model name='m'><link name='a'/><link name='b'>"
                                 "<pose>0 0 1 0.5 0 0</pose></link>" +
                                 frame + "<joint name='j' type='" + type +
                                 "'><parent>a</parent><child>b</child>" + content +
                                 "</joint></model></sdf>";
        const Scene scene = load(text);
        CHECK(unaccounted(text, "m.sdf", scene.ledger) == "");
        CHECK(scene.ledger.findings().size() == findings);
        return scene.models[0].joints.at(0);
      };
      for (const char* type : {"revolute", "continuous", "prismatic", "screw"}) {
        CHECK(joint_of(type, "", 1).axis == Eigen::Vector3d::UnitZ());
      }
      const ModelJoint universal = joint_of("universal", "", 2);
      CHECK(universal.axis == Eigen::Vector3d::UnitX());
      CHECK(universal.axis2 == Eigen::Vector3d::UnitY());
      CHECK(joint_of("universal", "<axis><xyz>1 0 0</xyz></axis>", 1).axis2 ==
            Eigen::Vector3d::UnitY());
      joint_of("fixed", "", 0);
      joint_of("ball", "", 0);
    }
  }
}

TEST_CASE("A gearbox of SDF without a housing couples nothing, which is a finding") {
  const Scene scene = load(
      "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/><joint name='j' "
      "type='gearbox'><parent>a</parent><child>b</child></joint></model></sdf>");
  CHECK(scene.models[0].couplings.empty());
  REQUIRE(scene.ledger.findings().size() == 1);
  CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("gearbox_reference_body"));
}

TEST_CASE("A negative friction of SDF is one of a million, since Gazebo sets no limit to it") {
  const auto text = [](const std::string& friction, const std::string& more) {
    return "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry><box>"
           "<size>1 1 1</size></box></geometry><surface><friction><ode>" +
           friction + "</ode></friction></surface></collision></link>" + more + "</model></sdf>";
  };
  const std::string element = "model 'm' link 'a' collision 'c': surface friction ode mu";
  for (const char* more : {"", "<frame name='f'/>"}) {
    const Scene scene = load(text("<mu>-1.0</mu><mu2>-1.0</mu2>", more));
    CHECK(entry_of(scene, element).fate == ImportFate::Approximated);
    CHECK_THAT(entry_of(scene, element).reason, Catch::Contains("without limit"));
    CHECK(entry_of(scene, element + "2").fate == ImportFate::Applied);
    REQUIRE(!scene.materials.empty());
    CHECK(scene.materials.back().friction == 1e6);
    const Scene mixed = load(text("<mu>0.5</mu><mu2>-1</mu2>", more));
    CHECK(mixed.materials.back().friction == 0.5);
    CHECK(entry_of(mixed, element + "2").fate == ImportFate::Refused);
  }
}

TEST_CASE("A static model of SDF without links is nothing to simulate") {
  const auto world = [](const std::string& models) {
    return "<sdf version='1.9'><world name='w'>" + models + "</world></sdf>";
  };
  const std::string frames =
      "<model name='s'><static>true</static><frame name='f'><pose>1 0 0 0 0 0</pose></frame>"
      "<plugin name='p' filename='p.so'/></model>";
  const std::string text =
      world(frames + "<model name='m'><pose relative_to='s::f'>0 0 2 0 0 0</pose>" +
            "<link name='a'/></model>");
  const Scene scene = load(text);
  REQUIRE(scene.models.size() == 1);
  CHECK(scene.models[0].name == "m/m");
  CHECK(scene.models[0].pose.translation == Eigen::Vector3d(1.0, 0.0, 2.0));
  CHECK(scene.ledger.findings().empty());
  CHECK_THAT(entry_of(scene, "world 'w' model 's'").reason, Catch::Contains("nothing is there"));
  CHECK(unaccounted(text, "m.sdf", scene.ledger) == "");
  // One that moves and holds no other than such a model is not there, either.
  CHECK(load(world("<model name='o'>" + frames + "</model>")).models.empty());
  CHECK(load("<sdf version='1.9'>" + frames + "</sdf>").ledger.findings().empty());
  CHECK_THROWS_WITH(load(world("<model name='m'><frame name='f'/></model>")),
                    Catch::Contains("at least one link"));
}

TEST_CASE("The largest number of a machine, and infinity, are no limits of a joint") {
  for (const char* none : {"1.79769e+308", "1e+308", "inf", "1e16"}) {
    CAPTURE(none);
    const std::string limit = std::string("<xyz>0 1 0</xyz><limit><lower>-") + none +
                              "</lower><upper>" + none + "</upper></limit>";
    const Scene scene = load(model("<box><size>1 1 1</size></box>", joint(limit)));
    CHECK(!scene.models[0].joints.at(0).dynamics.limits);
  }
  const Scene one_sided = load(model(
      "<box><size>1 1 1</size></box>",
      joint("<xyz>0 1 0</xyz><limit><lower>-0.5</lower><upper>1.79769e+308</upper></limit>")));
  REQUIRE(one_sided.models[0].joints[0].dynamics.limits);
  CHECK((*one_sided.models[0].joints[0].dynamics.limits)[0] == -0.5);
  CHECK_THROWS_AS(load(model("<box><size>1e308 1 1</size></box>")), io::ParseError);
  CHECK_THROWS_AS(load(model("<box><size>1 1 1</size></box>",
                             joint("<xyz>0 1 0</xyz><limit><lower>nan</lower></limit>"))),
                  io::ParseError);
}

TEST_CASE("An empty frame is the one that counts where none is given") {
  const auto place = [](const std::string& attribute) {
    const Scene scene = load("<sdf version='1.7'><model name='m'><pose " + attribute +
                             ">1 2 3 0 0 0</pose><link name='a'><pose " + attribute +
                             ">0 0 1 0 0 0</pose></link></model></sdf>");
    return scene.models[0].pose.translation;
  };
  CHECK(place("relative_to=''") == place(""));
}

TEST_CASE("An automatic inertia is that of the shapes, by the densities of the file") {
  for (const std::string& more : {std::string(), joint("<xyz>0 1 0</xyz>")}) {
    CAPTURE(more);
    const auto inertia = [&](const std::string& inertial, const std::string& density) {
      const Scene scene = load(
          "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'>" + inertial +
          "</inertial><collision name='c'><pose>0 0 2 0 0 0</pose><geometry><box><size>1 2 3</size>"
          "</box></geometry>" +
          density + "</collision></link>" + more + "</model></sdf>");
      return scene.models[0].links[0].inertia;
    };
    CHECK(inertia("", "").mass == Approx(6000.0));
    CHECK(inertia("<density>10</density>", "").mass == Approx(60.0));
    const SpatialInertia own = inertia("<density>10</density>", "<density>20</density>");
    CHECK(own.mass == Approx(120.0));
    CHECK(own.center_of_mass.z() == Approx(2.0));
    CHECK(own.inertia(0, 0) == Approx(120.0 / 12.0 * (4.0 + 9.0)));
    CHECK(inertia("<mass>3</mass>", "").inertia(2, 2) == Approx(3.0 / 12.0 * (1.0 + 4.0)));
  }
  CHECK_THROWS_AS(load("<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'/>"
                       "</link></model></sdf>"),
                  io::ParseError);
}

TEST_CASE("A file of version 1.3 is read as one of 1.4") {
  const auto text = [](const std::string& version) {
    return "<sdf version='" + version + "'><model name='m'><link name='a'/>" +
           joint("<xyz>0 1 0</xyz>") + "</model></sdf>";
  };
  const Scene old = load(text("1.3")), newer = load(text("1.4"));
  CHECK(old.models[0].joints.size() == 1);
  CHECK(old.models[0].joints[0].axis == newer.models[0].joints[0].axis);
  CHECK(entry_of(old, "<sdf>: version").fate == ImportFate::Approximated);
}

TEST_CASE("A model on the network is an error that says how to get it") {
  try {
    load(
        "<sdf version='1.7'><world name='w'><include>"
        "<uri>https://fuel.gazebosim.org/1.0/OpenRobotics/models/Sun</uri></include></world></"
        "sdf>");
    FAIL("a file is read from the network");
  } catch (const io::ParseError& error) {
    CHECK(std::string(error.what()).find("gz fuel download -u https://fuel") != std::string::npos);
  }
}

}  // namespace amontons::test
