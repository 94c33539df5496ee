#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

// Unusual numbers and names of MJCF that MuJoCo accepts, and what becomes of them.

namespace amontons::test {
namespace {

Eigen::VectorXd accelerations_at_start(const Scene& scene) {
  Simulator simulator(scene);
  const Eigen::VectorXd before = simulator.state().v;
  const StepReport& report = simulator.step();
  return (simulator.state().v - before) / report.step;
}

/// Returns the mass matrix of the first tree at the start.
Eigen::MatrixXd mass_matrix_at_start(const Scene& scene) {
  const System system(scene);
  const State start = system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(system, start.q, start.v, 0.0, kinematics);
  return system.articulations().at(0).mass_matrix(kinematics.trees.at(0));
}

}  // namespace

TEST_CASE("Collision filters of MJCF have 32 bits, of larger numbers the lower ones") {
  const auto filter = [](const std::string& contype) {
    const Scene scene = scene_of_mjcf("<worldbody><geom name='g' size='.1' contype='" + contype +
                                      "'/></worldbody>");
    return scene.models.at(0).links.at(0).shapes.at(0).filter.category;
  };
  // What MuJoCo reads, as numbers without sign.
  const std::array<std::pair<const char*, std::uint32_t>, 6> numbers{
      {{"4294967295", 4294967295U},
       {"-1", 4294967295U},
       {"2147483648", 2147483648U},
       {"-2147483648", 2147483648U},
       {"4294967296", 0U},
       {"99999999999", 1215752191U}}};
  for (const auto& [written, bits] : numbers) {
    CAPTURE(written);
    CHECK(filter(written) == bits);
  }
  CHECK_THROWS_AS(filter("3.7"), io::ParseError);
}

TEST_CASE("A bound gives mass to an empty body of MJCF, with the center that MuJoCo takes") {
  const auto fall = [](const std::string& inside) {
    return accelerations_at_start(
        scene_of_mjcf("<compiler boundmass='2'/><worldbody><body pos='1 0 0'><joint axis='0 1 0'/>"
                      "<geom size='.1' pos='.1 0 0' mass='1'/><body pos='1 0 0'>" +
                          inside + "</body></body></worldbody>",
                      "1e-7"))[0];
  };
  // MuJoCo takes the place of the body in its parent for the center of one without mass.
  CHECK(fall("") == Approx(5.134845).epsilon(1e-6));
  CHECK(fall("<inertial pos='.3 .1 0' mass='0' diaginertia='0 0 0'/>") ==
        Approx(8.06933).epsilon(1e-6));
}

TEST_CASE("A quaternion of zeros is no turn in a keyframe of MJCF, and a finding elsewhere") {
  const Scene scene = scene_of_mjcf(R"(<worldbody><body euler='90 0 0'>
      <body name='b' quat='0 0 0 0'><joint type='ball'/><geom type='box' size='.1 .2 .3'/></body>
      </body><body name='mocap' mocap='true' quat='0 1 0 0'><geom size='.1'/></body></worldbody>
    <keyframe><key name='home' qpos='0 0 0 0' mquat='0 0 0 0'/></keyframe>)");
  CHECK(entry_of(scene, "body 'b': quat").fate == ImportFate::Refused);
  CHECK(entry_of(scene, "key 'home': qpos").fate == ImportFate::Applied);
  const System system(scene);
  const State start = system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(system, start.q, start.v, 0.0, kinematics);
  const auto turn = [&](const char* body) -> Eigen::Matrix3d {
    return kinematics.X_WB[static_cast<std::size_t>(system.find_body(body))].rotation;
  };
  CHECK(turn("m/mocap").isIdentity(1e-15));
  CHECK(turn("m/b").isApprox(turn("m/body_1"), 1e-15));
}

TEST_CASE("Negative dampers, springs and rotors of MJCF do not act, and friction is none") {
  const Scene scene = scene_of_mjcf(R"(<option gravity='0 0 0'/><worldbody><body name='b'>
      <joint name='j' damping='-1' stiffness='-1' armature='-.1' frictionloss='-1'/>
      <geom size='.1' pos='.5 0 0'/></body></worldbody>
    <keyframe><key name='home' qpos='.1' qvel='1'/></keyframe>)");
  for (const char* attribute : {"damping", "stiffness", "armature"}) {
    CHECK(entry_of(scene, std::string("body 'b' joint 'j': ") + attribute).fate ==
          ImportFate::Refused);
  }
  CHECK(entry_of(scene, "body 'b' joint 'j': frictionloss").fate == ImportFate::Ignored);
  CHECK(std::abs(accelerations_at_start(scene)[0]) < 1e-9);
}

TEST_CASE("Dry friction of balls of MJCF, about the axes of the parent, acts with a warning") {
  const auto warnings = [](const std::string& joint) {
    const Scene scene = scene_of_mjcf("<worldbody><body name='b'><joint name='j' type='" + joint +
                                      "' frictionloss='1'/><geom size='.1'/></body></worldbody>");
    CHECK(entry_of(scene, "body 'b' joint 'j': frictionloss").fate == ImportFate::Applied);
    // What a strict import refuses.
    std::string reasons;
    for (const LedgerEntry& finding : scene.ledger.findings()) {
      CHECK(finding.fate == ImportFate::Warning);
      CHECK(finding.element == "body 'b' joint 'j': frictionloss");
      reasons += finding.reason;
    }
    return reasons;
  };
  const std::string said =
      "it acts about the axes of the parent; in MuJoCo about those of the body";
  CHECK(warnings("ball") == said);
  CHECK(warnings("free") == said);
  CHECK(warnings("hinge").empty());
}

TEST_CASE("A class of MJCF that does not exist is an error, also where it has no name") {
  const auto with = [](const std::string& attribute) {
    return scene_of_mjcf("<worldbody><body " + attribute + "><joint/><geom size='.1'/></body>" +
                         "</worldbody>");
  };
  CHECK_THROWS_WITH(with("childclass=''"), Catch::Contains("names no default class: ''"));
  CHECK_THROWS_WITH(with("childclass='mai'"), Catch::Contains("did you mean 'main'?"));
  CHECK_NOTHROW(with("childclass='main'"));
}

TEST_CASE("Of a pair of MJCF that is given twice the larger friction counts, in any order") {
  const auto rate = [](const std::string& pairs) {
    Simulator simulator(scene_of_mjcf(
        "<worldbody><geom name='f' type='plane' size='1 1 1'/><body pos='0 0 .1'>"
        "<joint type='slide'/><joint type='slide' axis='1 0 0'/><geom name='g' size='.1'/></body>"
        "</worldbody><contact>" +
        pairs + "</contact><keyframe><key name='home' qvel='0 5'/></keyframe>"));
    for (int k = 0; k < 100; ++k) simulator.step();
    return simulator.state().v[1];
  };
  const auto pair = [](const std::string& first, const std::string& second,
                       const std::string& friction) {
    return "<pair geom1='" + first + "' geom2='" + second + "' friction='" + friction + " " +
           friction + "'/>";
  };
  // MuJoCo slows it as friction 0.5 does.
  const double slowed = 5.0 - 0.5 * 9.81 * 0.1;
  CHECK(rate(pair("f", "g", ".1") + pair("f", "g", ".5")) == Approx(slowed).epsilon(1e-9));
  CHECK(rate(pair("f", "g", ".5") + pair("g", "f", ".1")) == Approx(slowed).epsilon(1e-9));
}

TEST_CASE(
    "A chain of MJCF that is singular at zero, where it never is, has the mass matrix there") {
  const std::string chain = R"(<worldbody><body name='b'><joint name='z' axis='0 0 1'/>
      <joint name='y' axis='0 1 0' ref='90'/><joint name='x' axis='1 0 0'/>
      <geom type='box' size='.1 .2 .3' pos='.5 0 0' contype='0' conaffinity='0'/></body>
    </worldbody>)";
  // MuJoCo: 2.08, 12.8 and 13.6 kg m^2 at qpos0.
  const Eigen::MatrixXd M = mass_matrix_at_start(scene_of_mjcf(chain));
  const Eigen::VectorXd moments = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues();
  CHECK((moments - Eigen::Vector3d(2.08, 12.8, 13.6)).norm() < 1e-9);
  // Where it does start at zero, it is refused.
  CHECK_THROWS_WITH(scene_of_mjcf(chain, "0.001", ", joint_positions: {y: 0}"),
                    Catch::Contains("some motion moves no mass"));
  CHECK_THROWS_WITH(scene_of_mjcf(chain + "<keyframe><key name='home' qpos='0 0 0'/></keyframe>"),
                    Catch::Contains("some motion moves no mass"));
}

TEST_CASE("The mass of a body of MJCF whose geom has none is a finding without other programs") {
  const Scene scene = scene_of_mjcf(
      "<worldbody><body name='b'><joint/><geom size='.1' mass='0'/></body></worldbody>");
  const LedgerEntry entry = entry_of(scene, "link 'b': inertial");
  CHECK(entry.fate == ImportFate::Warning);
  CHECK_THAT(entry.reason, Catch::Contains("4.189 kg") && !Catch::Contains("MuJoCo"));
}

TEST_CASE("A mocap body that is no fixed child of the world moves, which is a finding") {
  const auto fate = [](const std::string& body) {
    return entry_of(scene_of_mjcf("<worldbody>" + body + "</worldbody>"), "body 'b': mocap").fate;
  };
  const std::string own = "<body name='b' mocap='true'><geom size='.1'/>";
  CHECK(fate(own + "</body>") == ImportFate::Approximated);
  CHECK(fate(own + "<joint/></body>") == ImportFate::Refused);
  CHECK(fate("<body><joint/><geom size='.1'/>" + own + "</body></body>") == ImportFate::Refused);
}

}  // namespace amontons::test
