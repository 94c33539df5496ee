#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <array>
#include <numbers>
#include <string>
#include <variant>

// What URDF files of other programs leave out of <limit>, and the shapes that Drake adds.

namespace amontons::test {
namespace {

Scene load(const std::string& robot, const std::string& keys = "") {
  io::MemoryFiles files;
  files.add("r.urdf", "<robot name='r'>" + robot + "</robot>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf" + keys +
          "}]\n",
      "scene.yaml", files);
}

/// Returns two links with a joint of a type and a content between them.
Scene load_joint(const std::string& type, const std::string& content) {
  return load(
      "<link name='a'/><link name='b'><inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' "
      "iyy='1' iyz='0' izz='1'/></inertial></link><joint name='j' type='" +
      type + "'><parent link='a'/><child link='b'/>" + content + "</joint>");
}

}  // namespace

TEST_CASE("A limit without effort or velocity bounds neither, as a finding") {
  for (const char* type : {"revolute", "prismatic"}) {
    CAPTURE(type);
    const Scene scene = load_joint(type, "<limit lower='-1' upper='2' velocity='3'/>");
    const JointDynamics& d = scene.models[0].joints[0].dynamics;
    CHECK(d.limits == std::array{-1.0, 2.0});
    CHECK(!d.effort_limit);
    CHECK(d.velocity_limit == 3.0);
    REQUIRE(scene.ledger.findings().size() == 1);
    CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("no effort"));
    const Scene bare = load_joint(type, "<limit lower='-1' upper='2'/>");
    CHECK(bare.models[0].joints[0].dynamics.limits == std::array{-1.0, 2.0});
    CHECK(!bare.models[0].joints[0].dynamics.velocity_limit);
    CHECK(bare.ledger.findings().size() == 2);
  }
  const Scene negative = load_joint("continuous", "<limit effort='-1' velocity='-1'/>");
  CHECK(!negative.models[0].joints[0].dynamics.effort_limit);
  CHECK(!negative.models[0].joints[0].dynamics.velocity_limit);
  CHECK(negative.ledger.findings().size() == 2);
  CHECK(load_joint("continuous", "<limit effort='4'/>").models[0].joints[0].dynamics.effort_limit ==
        4.0);
  // A fixed joint has nothing that a limit could bound.
  CHECK(load_joint("fixed", "<limit lower='0' upper='0'/>").ledger.findings().empty());
}

TEST_CASE("A robot may be without a name, as a finding") {
  for (const char* text :
       {"<robot><link name='a'/></robot>", "<robot name=''><link name='a'/></robot>"}) {
    CAPTURE(text);
    io::MemoryFiles files;
    files.add("r.urdf", text);
    const Scene scene = io::parse_scene(
        "amontons: 1\nsimulation: {step: 1, duration: 1}\nmodels: [{name: r, file: r.urdf}]\n",
        "scene.yaml", files);
    CHECK(scene.models[0].links.size() == 1);
    CHECK(entry_of(scene, "<robot>").fate == ImportFate::Warning);
  }
}

TEST_CASE("PyBullet's spherical joint is a ball joint, without limits") {
  const Scene plain = load_joint("spherical", "<origin xyz='0 0 1'/><axis xyz='1 0 0'/>");
  REQUIRE(plain.models[0].joints.size() == 1);
  CHECK(plain.models[0].joints[0].type == JointType::Spherical);
  CHECK(plain.models[0].joints[0].X_PJ.translation == Eigen::Vector3d(0.0, 0.0, 1.0));
  CHECK(plain.ledger.findings().empty());
  const Scene bounded = load_joint(
      "spherical", "<limit lower='-1' upper='1' effort='2' velocity='3'/><dynamics damping='1'/>");
  CHECK(!bounded.models[0].joints[0].dynamics.limits);
  CHECK(!bounded.models[0].joints[0].dynamics.effort_limit);
  CHECK(bounded.models[0].joints[0].dynamics.viscous_friction == 0.0);
  REQUIRE(bounded.ledger.findings().size() == 1);
  CHECK_THAT(bounded.ledger.findings()[0].reason, Catch::Contains("no limits"));
}

TEST_CASE("Limits of position are ignored where a URDF joint has no such limit") {
  const std::string limit = "<limit lower='-0.1' upper='0.1' effort='1' velocity='1'/>";
  for (const char* type : {"continuous", "planar", "floating", "fixed", "spherical"}) {
    const Scene scene = load_joint(type, "<axis xyz='0 1 0'/>" + limit);
    CAPTURE(type);
    for (const char* bound : {"joint 'j': limit lower", "joint 'j': limit upper"}) {
      const LedgerEntry entry = entry_of(scene, bound);
      CHECK(entry.fate == ImportFate::Ignored);
      CHECK_THAT(entry.reason, Catch::Contains(std::string("a ") + type + " joint has no"));
    }
    CHECK(!scene.models[0].joints[0].dynamics.limits);
  }
  const Scene hinge = load_joint("revolute", limit);
  CHECK(entry_of(hinge, "joint 'j': limit lower").fate == ImportFate::Applied);
}

TEST_CASE("Damping and friction of a planar joint of URDF do not act, which is a finding") {
  for (const char* dynamics : {"<dynamics damping='3'/>", "<dynamics friction='1'/>"}) {
    CAPTURE(dynamics);
    const Scene scene = load_joint("planar", std::string("<axis xyz='0 1 0'/>") + dynamics);
    const ModelJoint& joint = scene.models[0].joints[0];
    CHECK(joint.type == JointType::Planar);
    CHECK(joint.dynamics.viscous_friction == 0.0);
    CHECK(joint.dynamics.coulomb_friction == 0.0);
    REQUIRE(scene.ledger.findings().size() == 1);
    CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("without damping and friction"));
  }
  const Scene damped = load_joint("planar", "<dynamics damping='3'/>");
  CHECK(entry_of(damped, "joint 'j': dynamics damping").fate == ImportFate::Ignored);
  for (const char* type : {"planar", "floating", "fixed"}) {
    CAPTURE(type);
    CHECK(load_joint(type, "<dynamics damping='0' friction='0'/>").ledger.findings().empty());
  }
}

TEST_CASE(
    "A mimic of a joint without a single position is a finding, and the joint moves by itself") {
  const std::string inertial =
      "<inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
      "</inertial>";
  for (const char* type : {"planar", "floating", "spherical"}) {
    CAPTURE(type);
    const auto two = [&](const std::string& first, const std::string& second) {
      return load("<link name='a'/><link name='b'>" + inertial + "</link><link name='c'>" +
                  inertial + "</link><joint name='j' type='" + first +
                  "'><parent link='a'/><child link='b'/></joint><joint name='k' type='" + second +
                  "'><parent link='b'/><child link='c'/><mimic joint='j'/></joint>");
    };
    for (const Scene& scene : {two(type, "continuous"), two("continuous", type)}) {
      CHECK(scene.models[0].couplings.empty());
      REQUIRE(scene.ledger.findings().size() == 1);
      CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("no single position"));
    }
  }
}

TEST_CASE("The ledger of a URDF names nothing that the file does not hold") {
  const Scene scene = load_joint("continuous", "<limit effort='3'/>");
  CHECK(entry_of(scene, "joint 'j': limit effort").fate == ImportFate::Ignored);
  CHECK(find_entry(scene, "joint 'j': limit velocity") == nullptr);
  const Scene none = load_joint("prismatic", "");
  for (const char* name :
       {"joint 'j': limit", "joint 'j': limit lower", "joint 'j': limit effort"}) {
    CHECK(find_entry(none, name) == nullptr);
  }
}

TEST_CASE("The axis of a fixed joint may have no direction") {
  CHECK(load_joint("fixed", "<axis/>").ledger.findings().empty());
  CHECK_THROWS_WITH(load_joint("continuous", "<axis/>"), Catch::Contains("'xyz'"));
}

TEST_CASE("A second shape in a geometry of URDF is a finding, and anything else there is noted") {
  const auto link = [](const std::string& more) {
    return "<link name='a'><inertial><mass value='20'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
           "iyz='0' izz='1'/></inertial><collision><geometry><box size='1 2 3'/>" +
           more + "</geometry></collision></link>";
  };
  const Scene scene = load(link("<origin xyz='1 0 0'/>"));
  REQUIRE(scene.models[0].links[0].shapes.size() == 1);
  CHECK(scene.models[0].links[0].shapes[0].X_BG.translation.isZero());
  CHECK(entry_of(scene, "link 'a': collision geometry origin").reason == "not part of the format");
  CHECK(scene.ledger.findings().empty());
  const Scene two = load(link("<origin/><sphere radius='1'/>"));
  REQUIRE(two.models[0].links[0].shapes.size() == 1);
  CHECK(std::holds_alternative<Box>(two.models[0].links[0].shapes[0].shape));
  REQUIRE(two.ledger.findings().size() == 1);
  CHECK_THAT(two.ledger.findings()[0].reason, Catch::Contains("the first one counts"));
}

TEST_CASE("A prismatic joint without limits slides without limits, as a finding") {
  const Scene scene = load_joint("prismatic", "<axis xyz='0 0 2'/>");
  const ModelJoint& joint = scene.models[0].joints[0];
  CHECK(joint.type == JointType::Prismatic);
  CHECK(joint.axis == Eigen::Vector3d::UnitZ());
  CHECK(!joint.dynamics.limits);
  CHECK(!joint.dynamics.effort_limit);
  REQUIRE(scene.ledger.findings().size() == 1);
  CHECK_THAT(scene.ledger.findings()[0].reason, Catch::Contains("slides without limits"));
}

TEST_CASE("PyBullet's plane is a half-space through its origin, on a link that is fixed") {
  const auto plane = [](const std::string& normal, const std::string& more = "") {
    const std::string geometry = "<geometry><plane normal='" + normal + "'/></geometry>";
    return "<link name='ground'>" + more + "<visual>" + geometry +
           "</visual><collision><origin xyz='0 0 0.5'/>" + geometry + "</collision></link>";
  };
  const Scene scene = load(plane(" 0 3  4 "));
  const SceneModel& model = scene.models[0];
  CHECK(model.base == BaseType::Fixed);
  REQUIRE(model.links[0].shapes.size() == 1);
  const auto& ground = std::get<HalfSpace>(model.links[0].shapes[0].shape);
  CHECK((ground.normal - Eigen::Vector3d(0.0, 0.6, 0.8)).norm() < 1e-15);
  CHECK(ground.offset == 0.0);
  CHECK(model.links[0].shapes[0].X_BG.translation == Eigen::Vector3d(0.0, 0.0, 0.5));
  CHECK(entry_of(scene, "link 'ground': collision geometry plane normal").fate ==
        ImportFate::Applied);
  CHECK(scene.ledger.findings().empty());
  CHECK_THROWS_WITH(load(plane("0 0 0")), Catch::Contains("no length"));
  CHECK_THROWS_WITH(load(plane("0 1")), Catch::Contains("normal"));
  const std::string mass =
      "<inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
      "</inertial>";
  CHECK_THROWS_WITH(load(plane("0 0 1", mass)), Catch::Contains("cannot carry a half-space"));
}

TEST_CASE("Drake's capsule and ellipsoid are shapes with their size, mass and inertia") {
  const auto link = [](const std::string& shape) {
    return "<link name='a'><visual><geometry>" + shape +
           "</geometry></visual><collision><origin "
           "xyz='0 0 1'/><geometry>" +
           shape + "</geometry></collision></link>";
  };
  const Scene egg = load(link("<drake:ellipsoid a='0.1' b='0.2' c='0.3'/>"), ", density: 1000");
  const ModelLink& a = egg.models[0].links[0];
  REQUIRE(a.shapes.size() == 1);
  CHECK(std::get<Ellipsoid>(a.shapes[0].shape).semi_axes == Eigen::Vector3d(0.1, 0.2, 0.3));
  CHECK(a.shapes[0].X_BG.translation == Eigen::Vector3d(0, 0, 1));
  const double mass = 1000.0 * 4.0 / 3.0 * std::numbers::pi * 0.1 * 0.2 * 0.3;
  CHECK(a.inertia.mass == Approx(mass).epsilon(1e-12));
  CHECK(a.inertia.inertia(0, 0) == Approx(0.2 * mass * (0.04 + 0.09)).epsilon(1e-12));
  const Scene pill = load(link("<drake:capsule radius='0.1' length='0.6'/>"), ", density: 1000");
  CHECK(std::get<Capsule>(pill.models[0].links[0].shapes.at(0).shape).length == 0.6);
  for (const Scene* scene : {&egg, &pill}) CHECK(scene->ledger.findings().empty());
  CHECK_THROWS_WITH(load(link("<drake:ellipsoid a='0.1' b='-1' c='1'/>")),
                    Catch::Contains("must be positive"));
  CHECK_THROWS_WITH(load(link("<drake:ellipsoid a='0.1' b='1'/>")), Catch::Contains("'c'"));
}

}  // namespace amontons::test
