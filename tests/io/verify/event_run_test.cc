#include "amontons/io/verify/verify.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/verify/verified_run.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// Runs of event-driven simulation, as files.

namespace amontons::test {
namespace {

const char* const kBouncingScene = R"(amontons: 1
simulation: {step: 0.02, duration: 0.8, method: event-driven, integrator: @}
materials: [{name: default, friction: 0.3, restitution: 0.5}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: ball
    mass: 1
    shapes: [{sphere: 0.1}]
    pose: {position: [0, 0, 0.5]}
    velocity: {linear: [1, 0, 0], angular: [0, 3, 1]}
  - name: crate
    mass: 2
    shapes: [{box: [0.4, 0.4, 0.2]}]
    pose: {position: [1, 0, 0.1]}
    velocity: {linear: [0.5, 0.3, 0]}
)";

Scene bouncing_scene(const std::string& integrator) {
  std::string text = kBouncingScene;
  text.replace(text.find('@'), 1, integrator);
  return parse_text(text);
}

TEST_CASE("An event-driven run verifies, whatever the integrator") {
  const std::string integrator = GENERATE("dormand-prince", "rk4", "symplectic-euler");
  CAPTURE(integrator);
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows =
      record_run(bouncing_scene(integrator), folder.file("run.h5"));
  const auto is_impact = [](const io::RunRow& row) { return row.events.impact; };
  CHECK(std::count_if(rows.begin(), rows.end(), is_impact) >= 3);
  CHECK(rows.size() > 43);  // a row per step and event, and the start
  for (const io::RunRow& row : rows) {
    CHECK(row.certificate.holds);
    if (is_impact(row)) CHECK(row.time == row.time_start);
  }
  const io::VerifyReport report = check_verified(folder.file("run.h5"));
  CHECK(report.num_rows == rows.size());
}

TEST_CASE("A run whose contacts last by forces verifies") {
  const std::string integrator = GENERATE("dormand-prince", "rk4");
  const std::string law = GENERATE("coulomb", "viscous");
  CAPTURE(integrator, law);
  const TemporaryFolder folder;
  const Scene scene = bouncing_scene(integrator + ", model: " + law +
                                     ", sustained_contact: " + law + "-acceleration");
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  const auto has_forces = [](const io::RunRow& row) { return row.events.by_forces > 0; };
  CHECK(std::count_if(rows.begin(), rows.end(), has_forces) >= 40);
  for (const io::RunRow& row : rows) CHECK(row.certificate.holds);
  const io::VerifyReport report = check_verified(folder.file("run.h5"));
}

TEST_CASE("A run by collisions alone verifies") {
  const TemporaryFolder folder;
  std::string text = kBouncingScene;
  text.replace(text.find("event-driven, integrator: @"), 27, "impulse-based");
  const Scene scene = parse_text(text);
  CHECK(scene.simulation.model == "mirtich");
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  for (const io::RunRow& row : rows) CHECK(row.certificate.holds);
  // The crate slides by collisions of steps, the ball bounces at its time of impact.
  const auto slides = [](const io::RunRow& row) {
    return row.step > 0.0 && row.contacts.size() >= 4 && row.law.kind == LawKind::Impact;
  };
  CHECK(std::count_if(rows.begin(), rows.end(), slides) > 10);
  check_verified(folder.file("run.h5"));
}

TEST_CASE("A run verifies in which a servo saturates as its finger meets a wall") {
  // The impact takes no time: the servo has no impulse in it, whatever effort it asks for.
  const Scene scene = parse_text(R"(amontons: 1
gravity: [9.8, 0, 0]
simulation: {step: 0.002, duration: 0.1, method: event-driven}
materials: [{name: default, restitution: 0}]
bodies:
  - {name: wall, fixed: true, shapes: [{half_space: {normal: [-1, 0, 0], offset: -0.015}}]}
  - {name: finger, mass: 0.1, shapes: [{box: [0.02, 0.02, 0.02]}]}
joints:
  - {name: slide, type: prismatic, parent: world, child: finger, axis: [1, 0, 0]}
actuators: [{joint: slide, position: {target: 0.02, kp: 4000, kd: 100, effort: 20}}]
)");
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  const auto is_impact = [](const io::RunRow& row) { return row.events.impact; };
  CHECK(std::any_of(rows.begin(), rows.end(), is_impact));
  const io::VerifyReport report = check_verified(folder.file("run.h5"));
}

TEST_CASE("A run verifies whose impacts are of a model that needs fewer rows than its motions") {
  // Maximum dissipation has every limit as a row, the models of impacts only those in reach.
  const std::string method = GENERATE("event-driven", "hybrid");
  CAPTURE(method);
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.2, model: maximum-dissipation, method: )" +
                                 method + R"(}
materials: [{name: default, friction: 0.3, restitution: 0.5}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: arm, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [1, 0, 0.15]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0], at: [0, 0, 0.15],
     limits: [-0.5, 0.5]}
)");
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  const auto is_impact = [](const io::RunRow& row) { return row.events.impact; };
  CHECK(std::any_of(rows.begin(), rows.end(), is_impact));
  check_verified(folder.file("run.h5"));
}

TEST_CASE("An impact leaves a limit of a joint alone that it does not touch") {
  // Maximum dissipation has every limit as a row, also those of the arm, which swings freely.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.2, model: maximum-dissipation, method: hybrid}
materials: [{name: default, friction: 0.3, restitution: 0}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1], offset: -5}}]}
  - {name: box, mass: 1, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0, 0, -4.85]}}
  - {name: arm, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [1, 0, 0]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0], at: [0, 0, 0],
     limits: [-0.5, 0.5], limit_restitution: 0.5}
)");
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  int impacts = 0;
  for (const io::RunRow& row : rows) {
    CHECK(row.certificate.holds);
    if (!row.events.impact) continue;
    ++impacts;
    CHECK(row.bounded_rows.empty());
    CHECK(row.v[0] == row.v_start[0]);
  }
  CHECK(impacts > 0);
  CHECK(io::verify_run(folder.file("run.h5")).passed());
}

TEST_CASE("A run verifies in which a ball bounces on an arm that rests at a limit") {
  // The limit collides with the ball, although it gives nothing back.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.3, method: hybrid}
materials: [{name: default, friction: 0.3, restitution: 0.5}]
bodies:
  - {name: arm, mass: 1, shapes: [{box: [0.4, 0.4, 0.1]}], pose: {position: [1, 0, 0]}}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [1, 0, 0.3]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0], at: [0, 0, 0], limits: [-0.5, 0]}
)");
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  const auto loads_limit = [](const io::RunRow& row) {
    return row.events.impact && !row.contacts.empty() && !row.bounded_rows.empty() &&
           row.bounded_rows.front().impulse > 0.0 &&
           row.bounded_rows.front().mode == ContactMode::Impact;
  };
  CHECK(std::any_of(rows.begin(), rows.end(), loads_limit));
  check_verified(folder.file("run.h5"));
}

TEST_CASE("An impact that friction has no answer for is verified where the steps ask for none") {
  // Impacts of frictionless steps ask for Coulomb's law. One of a swinging box is jammed, and
  // answered without friction: the law of the steps, and not of this impact.
  const TemporaryFolder folder;
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.005, duration: 0.3, model: frictionless, method: event-driven}
materials: [{name: default, friction: 0.8, restitution: 0}, {name: m2, friction: 0.5, restitution: 0.7}]
bodies:
  - {name: b0, density: 916.7, shapes: [{capsule: [0.05, 0.15]}], pose: {position: [0, 0.048, 0.195], rpy_deg: [45, 13.4, 0]}}
  - {name: b1, density: 13.8, shapes: [{box: [0.2, 0.15, 0.1], material: m2}], pose: {position: [0.25, -0.009, 0.133], rpy_deg: [65.1, 7.7, 0]}}
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0.05, 0, 1]}}]}
joints:
  - {name: j0, type: revolute, parent: world, child: b0, axis: [-0.196651244, -0.660500445, -0.724615381], at: [-0.1, 0.048, 0.195], coulomb_friction: 0.09, viscous_friction: 0.52, stiffness: 16.07, rate: 0.283}
  - {name: j1, type: continuous, parent: world, child: b1, axis: [-0.122281079, 0.586387096, -0.800748095], at: [0.15, -0.009, 0.133], rate: -0.758}
)");
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  CHECK(std::any_of(rows.begin(), rows.end(), [](const io::RunRow& row) {
    return row.status == SolveStatus::Safe && row.law_asked == LawKind::Coulomb;
  }));
  check_verified(folder.file("run.h5"));
}

TEST_CASE("A run of one integrator is not that of another") {
  const TemporaryFolder folder;
  Scene scene = bouncing_scene("dormand-prince");
  Simulator sim(scene);
  // The file claims the other.
  const Scene other = bouncing_scene("symplectic-euler");
  io::RunRecorder recorder(folder.file("run.h5"), other, sim.system(), {});
  recorder.observe(sim.initial_report());
  sim.add_observer(recorder);
  while (!sim.finished()) sim.step();
  recorder.finish();
  CHECK_FALSE(io::verify_run(folder.file("run.h5")).passed());
}

}  // namespace
}  // namespace amontons::test
