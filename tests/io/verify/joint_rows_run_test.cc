#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/run/checkpoint.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify.h"
#include "amontons/io/verify/verify_step.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/verify/verified_run.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

// Limits, dry friction and effort bounds of joints in runs, checkpoints and problem files.

using namespace amontons;
using namespace amontons::test;

namespace {

/// Describes a cart on a rail with friction and limits, driven into a wall by a servo that
/// saturates, and a pendulum that falls on its limit and bounces.
const char* const kScene = R"(amontons: 1
simulation: {step: 0.01, duration: 0.6, restitution_law: newton}
bodies:
  - name: wall
    fixed: true
    shapes: [{half_space: {normal: [-1, 0, 0], offset: -0.3}}]
  - {name: cart, mass: 1, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0, 0, 1]}}
  - {name: bob, mass: 1, shapes: [{sphere: 0.05}], pose: {position: [0, 2, 1]}}
joints:
  - {name: rail, type: prismatic, parent: world, child: cart, axis: [1, 0, 0], limits: [-0.1, 0.5], coulomb_friction: 0.5}
  - {name: hinge, type: revolute, parent: world, child: bob, axis: [0, 1, 0], at: [-0.3, 2, 1], limits: [-1, 0.4], coulomb_friction: 0.01}
actuators:
  - {joint: rail, position: {target: 1, kp: 400, kd: 20, effort: 8}}
)";

std::vector<std::string> failures(const Scene& scene, const io::RunRow& row) {
  io::VerificationChecks checks(scene.simulation.tolerance, scene.simulation.acceptable_tolerance);
  io::StepVerifier verifier(scene, checks);
  checks.begin_row(row.step_count, row.time);
  verifier.check_step(row);
  std::vector<std::string> failed;
  for (const io::VerificationCheck& check : checks.release()) {
    if (!check.passed()) failed.push_back(check.name);
  }
  return failed;
}

}  // namespace

TEST_CASE("A run keeps its joints' rows, and verify finds them as the scene says") {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const std::vector<io::RunRow> rows = record_run(parse_text(kScene), path);
  io::RunReader reader(path);
  REQUIRE(reader.num_rows() == rows.size());
  bool has_limit = false, has_servo = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const io::RunRow row = reader.row(i);
    REQUIRE(row.bounded_rows.size() == rows[i].bounded_rows.size());
    for (std::size_t r = 0; r < row.bounded_rows.size(); ++r) {
      const io::RunBoundedRow &found = row.bounded_rows[r], &expected = rows[i].bounded_rows[r];
      CHECK(key_of(found.row) == key_of(expected.row));
      CHECK(found.impulse == expected.impulse);
      CHECK(found.row.upper == expected.row.upper);
      has_limit = has_limit || (found.row.kind == BoundedRowKind::Limit && found.impulse > 0.0);
      has_servo = has_servo || (found.row.kind == BoundedRowKind::Servo && found.impulse > 0.0);
    }
    CHECK(row.certificate.holds);
  }
  CHECK(has_limit);
  CHECK(has_servo);
  const Scene scene = reader.load_scene();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CAPTURE(i);
    CHECK(failures(scene, reader.row(i)).empty());
  }
}

TEST_CASE("Springs, dampers and drives along rows of J are kept and verified") {
  std::string text = kScene;
  for (std::size_t at = 0; (at = text.find("limits: [-", at)) != std::string::npos;) {
    const std::string keys = "coordinates: maximal, stiffness: 20, viscous_friction: 0.5, ";
    text.insert(at, keys);
    at += keys.size() + 1;
  }
  text += "  - {joint: hinge, velocity: {target: 0.3, kd: 0.2}}\n";
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const std::vector<io::RunRow> rows = record_run(parse_text(text), path);
  io::RunReader reader(path);
  const Scene scene = reader.load_scene();
  bool has_spring = false, has_damper = false, has_servo = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const io::RunRow row = reader.row(i);
    for (const io::RunBoundedRow& bounded : row.bounded_rows) {
      const bool loaded = bounded.impulse != 0.0 && bounded.row.is_unbounded();
      has_spring = has_spring || (loaded && bounded.row.kind == BoundedRowKind::Spring);
      has_damper = has_damper || (loaded && bounded.row.kind == BoundedRowKind::Damper);
      has_servo = has_servo || (loaded && bounded.row.kind == BoundedRowKind::Servo);
    }
    CAPTURE(i);
    CHECK(row.certificate.holds);
    CHECK(failures(scene, row).empty());
  }
  CHECK(has_spring);
  CHECK(has_damper);
  CHECK(has_servo);
}

TEST_CASE("A contact whose gap is as wide as its scale allows may bounce beside a servo") {
  // In the form of contacts the servo adds to V, which is the widest gap speed of a bounce.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {method: time-stepping, step: 0.002, duration: 0.37, model: no-slip, restitution_law: newton}
materials: [{name: default, friction: 0.3, restitution: 0.3}]
bodies:
  - {name: g, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: a, mass: 1, inertia: [0.01, 0.09, 0.09], pose: {position: [0.5, 0, 0.5]}}
  - {name: b, mass: 1, inertia: [0.01, 0.05, 0.05], pose: {position: [1.35, 0, 0.5]}, shapes: [{sphere: 0.05, pose: {position: [0.35, 0, 0]}}, {box: [0.4, 0.05, 0.05]}]}
  - {name: box, mass: 0.217, shapes: [{box: [0.2, 0.3, 0.2]}], pose: {position: [1.4, 0, 0.12]}, velocity: {linear: [-0.108, -0.253, 0]}}
joints:
  - {name: j1, type: revolute, parent: world, child: a, axis: [0, 1, 0], at: [0, 0, 0.5], coordinates: maximal, limits: [-0.106, 0.220], limit_restitution: 0.5}
  - {name: j2, type: revolute, parent: a, child: b, axis: [0, 1, 0], at: [1, 0, 0.5], coordinates: maximal}
actuators:
  - {joint: j2, position: {target: 0.679, kp: 1.44, kd: 1.69, effort: 8.64}}
)");
  check_run_verifies(scene);
}

TEST_CASE(
    "A run verifies in which a contact gives back less than e beside a drive without bounds") {
  const Scene scene = parse_text(R"(amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.01, duration: 0.1}
materials: [{name: default, friction: 0.0, restitution: 1.0}]
bodies:
  - {name: b0, mass: 1, inertia: [0.0092517, 0.019896, 0.020634], shapes: [{sphere: 0.1826}], pose: {position: [0.71683, 0.97215, 0.15149], rpy_deg: [149.68, -116.02, -173.54]}}
  - {name: b1, mass: 1, inertia: [0.004464, 0.0066662, 0.007599]}
  - {name: b2, mass: 1, inertia: [0.0043289, 0.0062985, 0.0063547], shapes: [{sphere: 0.1826}], pose: {position: [0.73254, 0.92302, 0.21516], rpy_deg: [109.95, 15.871, -114.82]}}
joints:
  - {name: jb1, type: revolute, parent: b0, child: b1, at: [0.90643, 0.1622, 0.49595], axis: [-0.37994, -0.78353, -0.49165], rate: 2.8003}
  - {name: jb2, type: revolute, parent: b1, child: b2, at: [0.71901, 0.90471, 0.0086797], axis: [-0.59454, 0.51312, -0.61905], coordinates: maximal}
actuators:
  - {joint: jb2, velocity: {target: -0.9435, kd: 358.26}}
)");
  check_run_verifies(scene);
}

TEST_CASE("Reactions of least norm beside a drive keep the share of restitution of the island") {
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.0005, duration: 0.03, minimum_norm: true}
materials: [{name: default, restitution: 1.0}]
bodies:
  - {name: b0, mass: 10, inertia: [5.0e-08, 5.5e-08, 5.6e-08], velocity: {linear: [0.011, 0.012, -0.031], angular: [0.89, -7.9, 9.1]}}
  - {name: b1, mass: 0.27, inertia: [3.0e-09, 3.3e-09, 3.5e-09], shapes: [{sphere: 0.00016}], pose: {position: [-0.00038, 8.8e-05, -0.00058], rpy_deg: [-23, 92, 31]}}
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1], offset: -0.001}}]}
joints:
  - {name: jb1, type: revolute, parent: b0, child: b1, at: [-0.00058, 0.00021, -0.00042], axis: [0.84, -0.42, 0.35], coordinates: maximal}
actuators:
  - {joint: jb1, velocity: {target: -2.3, kd: 0.00084}}
)");
  check_run_verifies(scene);
}

TEST_CASE("A joint's friction that rests beside what moves sticks for the solver and for verify") {
  // Two capsules lie on the ground: by itself the joint has no speed, and its contacts have g h.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.005, duration: 0.35}
materials: [{name: default, friction: 0.4, restitution: 0.1}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: a, mass: 1, shapes: [{capsule: [0.04, 0.3]}], pose: {position: [0, 0, 0.3], rpy_deg: [0, 90, 0]}}
  - {name: c, mass: 1, shapes: [{capsule: [0.04, 0.3]}], pose: {position: [0.4, 0, 0.3], rpy_deg: [0, 90, 0]}}
joints:
  - {name: k, type: revolute, parent: a, child: c, axis: [0, 1, 0], at: [0.2, 0, 0.3], coulomb_friction: 0.05, stiffness: 0.2}
)");
  check_run_verifies(scene);
}

TEST_CASE("verify sees every change of a joint's row") {
  const Scene scene = parse_text(kScene);
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  using Tamper = std::function<void(io::RunRow&, io::RunBoundedRow&)>;
  const std::vector<std::pair<const char*, Tamper>> tamperings = {
      {"dynamics", [](auto&, auto& r) { r.impulse *= 1.001; }},
      {"bounded rows", [](auto&, auto& r) { r.row.lower -= 0.001; }},
      {"bounded rows", [](auto&, auto& r) { r.row.gap += 1e-6; }},
      {"bounded rows", [](auto&, auto& r) { r.row.restitution += 0.01; }},
      {"bounded rows", [](auto&, auto& r) { r.velocity += 1e-6; }},
      {"bounded rows", [](auto&, auto& r) { r.row.index = 7; }},
      {"bounded rows", [](auto& row, auto&) { row.bounded_rows.clear(); }},
  };
  for (const auto& [check, tamper] : tamperings) {
    for (std::size_t i = 1; i < rows.size(); i += 7) {
      io::RunRow row = rows[i];
      const auto loaded = std::find_if(row.bounded_rows.begin(), row.bounded_rows.end(),
                                       [](const auto& r) { return r.impulse != 0.0; });
      if (loaded == row.bounded_rows.end()) continue;
      tamper(row, *loaded);
      const std::vector<std::string> failed = failures(scene, row);
      CAPTURE(check, i);
      CHECK(std::find(failed.begin(), failed.end(), check) != failed.end());
    }
  }
}

TEST_CASE("A run with joint rows goes on from a state with the same bits") {
  const Scene scene = parse_text(kScene);
  Simulator whole(scene), first(scene), second(scene);
  for (int i = 0; i < 60; ++i) whole.step();
  for (int i = 0; i < 30; ++i) first.step();
  second.set_state(first.state());
  for (int i = 0; i < 30; ++i) second.step();
  CHECK(second.state().q == whole.state().q);
  CHECK(second.state().v == whole.state().v);
}

TEST_CASE("A contact problem's file keeps joints' rows and their answer") {
  const Scene scene = parse_text(kScene);
  Simulator simulator(scene);
  const TemporaryFolder folder;
  const std::string path = folder.file("problem.h5");
  for (int i = 0; i < 40; ++i) {
    const StepReport& report = simulator.step();
    if (i % 10 != 9) continue;
    io::save_contact_problem(path, report.problem, &report.solution);
    const ContactProblem problem = io::load_contact_problem(path);
    REQUIRE(problem.bounded_rows.size() == report.problem.bounded_rows.size());
    CHECK(problem.bounded_jacobian.to_dense() == report.problem.bounded_jacobian.to_dense());
    for (std::size_t r = 0; r < problem.bounded_rows.size(); ++r) {
      const BoundedRow &a = problem.bounded_rows[r], &b = report.problem.bounded_rows[r];
      CHECK(key_of(a) == key_of(b));
      CHECK(a.upper == b.upper);
      CHECK(a.gap == b.gap);
      CHECK(a.compliance == b.compliance);
      CHECK(a.offset == b.offset);
    }
    const std::optional<ContactSolution> solution = io::load_contact_solution(path);
    REQUIRE(solution);
    CHECK(solution->bounded_impulses == report.solution.bounded_impulses);
    CHECK(certify(problem, *solution, 1e-6).dynamics.value < 1e-8);
  }
}

TEST_CASE("An arm that strikes a box and tips it has a motion without slip in every step") {
  // The loads without friction lead to a list that nothing satisfies; those of rough contacts do
  // not.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {method: time-stepping, step: 0.01, duration: 0.4, model: no-slip, restitution_law: poisson}
materials: [{name: default, friction: 0.8, restitution: 0.8}]
bodies:
  - {name: g, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: a, mass: 1, inertia: [0.01, 0.09, 0.09], pose: {position: [0.5, 0, 0.5]}}
  - {name: b, mass: 1, inertia: [0.01, 0.05, 0.05], pose: {position: [1.35, 0, 0.5]}, shapes: [{sphere: 0.05, pose: {position: [0.35, 0, 0]}}, {box: [0.4, 0.05, 0.05]}]}
  - {name: box, mass: 0.32, shapes: [{box: [0.2, 0.3, 0.2]}], pose: {position: [1.4, 0, 0.12]}, velocity: {linear: [-0.963, 0.080, 0]}}
joints:
  - {name: j1, type: revolute, parent: world, child: a, axis: [0, 1, 0], at: [0, 0, 0.5], coordinates: maximal, limits: [-0.191, 0.107], limit_restitution: 0.0, coulomb_friction: 0.241}
  - {name: j2, type: revolute, parent: a, child: b, axis: [0, 1, 0], at: [1, 0, 0.5], coordinates: maximal, coulomb_friction: 0.241}
actuators:
  - {joint: j1, velocity: {target: -2.660, kd: 2, effort: 3}}
)");
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CAPTURE(rows[i].time);
    CHECK(rows[i].status == SolveStatus::Converged);
    CHECK(rows[i].law.kind == LawKind::NoSlip);
    CHECK(rows[i].certificate.holds);
  }
  CHECK(io::verify_run(folder.file("run.h5")).passed());
}
