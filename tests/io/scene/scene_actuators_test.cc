#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/io/tables/timed_table.h"
#include "amontons/io/verify/verify.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/verify/verified_run.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

// Trajectories and tables of actuators, from CSV files.

using namespace amontons;
using namespace amontons::test;

namespace {

/// Returns the fault of a CSV file: "line: message".
std::string fault_of(const std::string& bytes, const std::vector<std::string>& names = {}) {
  try {
    const io::TimedTable table(bytes, "moves.csv", names);
  } catch (const io::ParseError& error) {
    CHECK(error.file() == "moves.csv");
    return std::to_string(error.line()) + ": " + error.message();
  }
  return "none";
}

const std::vector<std::string> kWrench = {"fx", "fy", "fz", "tx", "ty", "tz"};

/// Makes a cart on a rail with an arm on it, and a free ball.
Scene parse(const std::string& actuators, const std::string& joint_keys = "",
            const std::string& csv = "time,rail,arm\n0,0,0\n0.2,0.1,0.3\n0.5,0.2,-0.1\n") {
  io::MemoryFiles files;
  files.add("moves.csv", csv);
  files.add("rail.csv", "0 0\n0.3 2\n0.6 -1\n");
  files.add("wrench.csv", "time,tx,ty,tz,fx,fy,fz\n0,4,5,6,1,2,3\n0.3,0.4,0.5,0.6,0.1,0.2,0.3\n");
  return io::parse_scene(
      "amontons: 1\n"
      "simulation: {step: 0.01, duration: 0.6}\n"
      "bodies:\n"
      "  - {name: cart, mass: 1, shapes: [{sphere: 0.1}]}\n"
      "  - {name: bob, mass: 0.3, shapes: [{sphere: 0.1}], pose: {position: [0, 0, -1]}}\n"
      "  - {name: ball, mass: 2, shapes: [{sphere: 0.1}], pose: {position: [5, 0, 0]}}\n"
      "joints:\n"
      "  - {name: rail, type: prismatic, parent: world, child: cart, axis: [1, 0, 0]" +
          joint_keys +
          "}\n"
          "  - {name: arm, type: revolute, parent: cart, child: bob, axis: [0, 1, 0], at: [0, 0, "
          "0]}\n"
          "actuators:\n" +
          actuators,
      "scene.yaml", files);
}

const char* const kAll =
    "  - {joint: rail, motion: {trajectory: moves.csv}}\n"
    "  - {joint: arm, position: {trajectory: moves.csv, kp: 50, kd: 2, effort: 3}}\n"
    "  - {joint: arm, effort: {table: rail.csv}}\n"
    "  - {body: ball, table: wrench.csv, at: [0, 0.1, 0]}\n";

}  // namespace

TEST_CASE("A fault in a CSV file of an actuator is reported with its line") {
  CHECK_THAT(fault_of("time,a\n0,1\n2,3\n1,4\n"), Catch::StartsWith("4: time 1 does not follow 2"));
  CHECK_THAT(fault_of("0,1\n0,2\n"), Catch::StartsWith("2: time 0 does not follow 0"));
  CHECK_THAT(fault_of("time,a\n0,nan\n"),
             Catch::StartsWith("2: a number") && Catch::Contains("nan"));
  CHECK_THAT(fault_of("time,a\n0,1\n1,inf\n"), Catch::StartsWith("3: "));
  CHECK_THAT(fault_of("time,a\n0,1\n1,x\n"), Catch::Contains("'x'"));
  CHECK_THAT(fault_of("time,a,b\n0,1,2\n1,3\n"), Catch::StartsWith("3: this row has 2 numbers"));
  CHECK_THAT(fault_of("time,a\n0,1,2\n"), Catch::StartsWith("2: this row has 3 numbers"));
  CHECK_THAT(fault_of("0,1\n1,\n"), Catch::StartsWith("2: ") && Catch::Contains("missing"));
  CHECK_THAT(fault_of(""), Catch::StartsWith("1: there are no rows"));
  CHECK_THAT(fault_of("# nothing\n\ntime,a\n"), Catch::StartsWith("3: there are no rows"));
  CHECK_THAT(fault_of("0\n1\n"), Catch::StartsWith("1: there is no column besides"));
  CHECK_THAT(fault_of("time\n0\n"), Catch::StartsWith("1: there is no column besides"));
  CHECK_THAT(fault_of("a,time\n0,1\n"), Catch::StartsWith("1: the first column must be 'time'"));
  CHECK_THAT(fault_of("time,a,a\n0,1,2\n"), Catch::StartsWith("1: column 'a' is there twice"));
  CHECK_THAT(fault_of("0,1,2\n"), Catch::Contains("needs a first line that names them"));
  CHECK_THAT(fault_of("0,1,2,3,4,5\n", kWrench), Catch::Contains("fx, fy, fz, tx, ty, tz"));
  CHECK_THAT(fault_of("time,fx,fy,fz,tx,ty\n0,1,2,3,4,5\n", kWrench),
             Catch::StartsWith("1: column 'tz' is missing"));
  CHECK_THAT(fault_of("time,fx,fy,fz,tx,ty,tq\n0,1,2,3,4,5,6\n", kWrench),
             Catch::StartsWith("1: column 'tq' is unknown"));
  CHECK(fault_of("\xEF\xBB\xBF"
                 "time; a\r\n0; 1\r\n") == "none");
}

TEST_CASE("Each joint takes the column of its name, the one asked for, or the only one") {
  const Scene scene = parse(
      "  - {joint: rail, position: {trajectory: moves.csv, kp: 1}}\n"
      "  - {joint: arm, velocity: {trajectory: moves.csv, column: rail, kd: 1, interpolation: "
      "linear}}\n"
      "  - {joint: arm, effort: {table: rail.csv}}\n");
  REQUIRE(scene.servos.size() == 2);
  CHECK(scene.servos[0].trajectory->value(0.2) == Approx(0.1));
  CHECK(scene.servos[1].trajectory->value(0.2) == Approx(0.1));
  CHECK(scene.servos[1].trajectory->value(0.1) == Approx(0.05));
  CHECK(scene.efforts.at(0).table->value(0.15) == Approx(1.0));
  CHECK_THROWS_WITH(parse("  - {joint: arm, motion: {trajectory: moves.csv, column: ram}}\n"),
                    Catch::Contains("scene.yaml:") && Catch::Contains("did you mean"));
  CHECK_THROWS_WITH(
      parse("  - {joint: arm, motion: {trajectory: moves.csv}}\n", "", "time,x,y\n0,1,2\n"),
      Catch::Contains("say which with 'column'"));
}

TEST_CASE("A table of a body holds its force and torque, in any order of columns") {
  const Scene scene = parse("  - {body: ball, table: wrench.csv, at: [0, 0.1, 0]}\n");
  const BodyWrench& wrench = scene.wrenches.at(0);
  REQUIRE(wrench.table.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(wrench.table[k].value(0.0) == Approx(static_cast<double>(k + 1)));
    CHECK(wrench.table[k].value(1.0) == Approx(0.1 * static_cast<double>(k + 1)));
  }
  CHECK(wrench.at_B == Eigen::Vector3d(0.0, 0.1, 0.0));
}

TEST_CASE("A force in the axes of another body turns with that body") {
  // The arm hangs down and turns about y: its z axis stays where the bob is not.
  const Scene scene = parse(
      "  - {joint: arm, motion: {sinusoid: {amplitude: 1, period: 4, offset: 0.5}}}\n"
      "  - {body: ball, force: [0, 0, 6], axes: bob}\n"
      "  - {body: ball, torque: [1, 2, 3], axes: world}\n");
  CHECK(scene.wrenches.at(0).axes == "bob");
  CHECK(scene.wrenches.at(1).axes.empty());
  Simulator simulator(scene);
  SystemKinematics at;
  Eigen::Vector3d expected = Eigen::Vector3d::Zero();
  while (!simulator.finished()) {
    // The ball of 2 kg takes the direction of the start of each step.
    const State& state = simulator.state();
    compute_kinematics(simulator.system(), state.q, state.v, state.time, at);
    expected += 0.01 * (3.0 * at.X_WB[1].rotation.col(2) + scene.gravity);
    CHECK(simulator.step().certificate.holds);
  }
  CHECK((simulator.state().v.tail<3>() - expected).norm() < 1e-12);
  CHECK(expected.x() > 0.5);
  // The scene's own names alone.
  CHECK_THROWS_WITH(parse("  - {body: ball, force: [0, 0, 6], axes: bop}\n"),
                    Catch::StartsWith("scene.yaml:11:") && Catch::Contains("did you mean 'bob'"));
}

TEST_CASE("A joint with a prescribed motion starts where the motion begins") {
  const Scene scene =
      parse("  - {joint: rail, motion: {sinusoid: {amplitude: 0.1, period: 2, offset: 0.4}}}\n");
  CHECK(scene.joints.at(0).position == 0.4);
  CHECK(System(scene).initial_state().q[0] == 0.4);
}

TEST_CASE("What actuators over time cannot mean is refused with its place") {
  const auto check = [](const std::string& actuators, const std::string& message,
                        const std::string& joint_keys = "") {
    CHECK_THROWS_WITH(parse(actuators, joint_keys),
                      Catch::StartsWith("scene.yaml:11:") && Catch::Contains(message));
  };
  check("  - {joint: arm, position: {trajectory: none.csv, kp: 1}}\n", "cannot read 'none.csv'");
  check("  - {joint: arm, position: {trajectory: moves.csv, target: 1, kp: 1}}\n", "either");
  check("  - {joint: arm, position: {kp: 1}}\n", "either");
  check("  - {joint: arm, position: {target: 1, column: a, kp: 1}}\n", "belongs to 'trajectory'");
  check("  - {joint: arm, effort: {column: a}}\n", "table");
  check("  - {joint: arm, motion: {}}\n", "either");
  check("  - {joint: arm, motion: {sinusoid: {amplitude: 1, period: 0}}}\n", "period");
  check("  - {joint: arm, motion: {trajectory: moves.csv, interpolation: quintic}}\n", "linear");
  check("  - {body: ball, table: wrench.csv, force: [1, 0, 0]}\n", "two actuators");
  check("  - {body: ball, force: [1, 0, 0], interpolation: cubic}\n", "belongs to 'table'");
  check("  - {body: ball, table: moves.csv}\n", "moves.csv:1");
  check("  - {joint: rail, motion: {trajectory: moves.csv}}\n", "beyond its limits [-1, 0.15]",
        ", limits: [-1, 0.15]");
  check("  - {joint: rail, motion: {sinusoid: {amplitude: 1, period: 1}}}\n", "remove 'rate'",
        ", rate: 0.5");
}

TEST_CASE("A run keeps the files of its actuators, and verify rebuilds it from them alone") {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = parse(kAll);
  REQUIRE(scene.inputs.size() == 3);
  const std::vector<io::RunRow> rows = record_run(scene, path);
  CHECK(rows.size() == 61);
  const io::VerifyReport verification = check_verified(path);
  CHECK(verification.passed());
}
