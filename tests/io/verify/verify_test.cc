#include "amontons/io/verify/verify.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_step.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/verify/verified_run.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

using namespace amontons;
using namespace amontons::test;

namespace {

// Holds the names of the checks that one row fails, and "where" of the first.
struct Verdict {
  std::vector<std::string> failed;
  std::string where;
  bool has(const std::string& name) const {
    return std::find(failed.begin(), failed.end(), name) != failed.end();
  }
};

Verdict fate_of(const Scene& scene, const io::RunRow& row) {
  io::VerificationChecks checks(scene.simulation.tolerance, scene.simulation.acceptable_tolerance);
  io::StepVerifier verifier(scene, checks);
  checks.begin_row(row.step_count, row.time);
  verifier.check_step(row);
  Verdict verdict;
  for (const io::VerificationCheck& check : checks.release()) {
    if (check.passed()) continue;
    verdict.failed.push_back(check.name);
    if (verdict.where.empty()) verdict.where = check.where;
  }
  return verdict;
}

struct Tampering {
  const char* what;
  const char* check;  // the check that must fail
  std::function<void(io::RunRow&, io::RunContact&)> tamper;
};

// One contact of each kind of number: a relative change of a thousandth, or a sign.
const std::vector<Tampering>& contact_tamperings() {
  static const std::vector<Tampering> all = {
      {"normal impulse", "dynamics", [](auto&, auto& c) { c.impulse.z() *= 1.001; }},
      {"sign of the normal impulse", "normal law", [](auto&, auto& c) { c.impulse.z() *= -1; }},
      {"friction impulse", "dynamics", [](auto&, auto& c) { c.impulse.x() *= 1.001; }},
      {"sign of friction", "friction law", [](auto&, auto& c) { c.impulse.x() *= -1; }},
      {"friction coefficient", "friction", [](auto&, auto& c) { c.friction *= 1.001; }},
      {"viscous friction", "friction", [](auto&, auto& c) { c.viscous_friction += 1e-3; }},
      {"restitution", "restitution", [](auto&, auto& c) { c.restitution += 1e-3; }},
      {"gap", "gap", [](auto&, auto& c) { c.gap += 1e-6; }},
      {"position", "contact point", [](auto&, auto& c) { c.position_W.y() += 1e-6; }},
      {"normal", "contact point", [](auto&, auto& c) { c.normal_W = -c.normal_W; }},
      {"velocity", "contact velocity", [](auto&, auto& c) { c.velocity.z() += 1e-6; }},
      {"free velocity", "contact velocity", [](auto&, auto& c) { c.velocity_free.x() += 1e-6; }},
      {"law", "claim", [](auto&, auto& c) { c.law = LawKind::Frictionless; }},
      {"feature", "contact set", [](auto&, auto& c) { ++c.key.feature; }},
      {"body", "contact set", [](auto&, auto& c) { std::swap(c.body_a, c.body_b); }},
      {"absence", "contact set", [](auto& row, auto&) { row.contacts.pop_back(); }},
  };
  return all;
}

const std::vector<Tampering>& row_tamperings() {
  static const std::vector<Tampering> all = {
      {"q", "positions", [](auto& row, auto&) { row.q[9] += 1e-6; }},
      {"v", "dynamics", [](auto& row, auto&) { row.v[4] += 1e-6; }},
      {"v of a body that touches nothing", "dynamics",
       [](auto& row, auto&) { row.v[row.v.size() - 1] += 1e-6; }},
      {"v_free", "free velocity", [](auto& row, auto&) { row.v_free[4] += 1e-6; }},
      {"v_eval", "positions", [](auto& row, auto&) { row.v_eval[4] += 1e-6; }},
      {"v_coupled", "free velocity", [](auto& row, auto&) { row.v_coupled[1] += 1.0; }},
      {"damping without coupling", "free velocity",
       [](auto& row, auto&) { row.coupled_damping += 1e-3; }},
      {"step", "times", [](auto& row, auto&) { row.step *= 1.001; }},
      {"time", "times", [](auto& row, auto&) { row.time += 1e-6; }},
      {"body position", "body poses", [](auto& row, auto&) { row.body_position[5] += 1e-6; }},
      {"body orientation", "body poses", [](auto& row, auto&) { row.body_quat_wxyz[5] += 1e-6; }},
      {"infeasibility", "infeasibility",
       [](auto& row, auto&) { row.certificate.infeasibility += 1e-6; }},
      {"verdict", "claim", [](auto& row, auto&) { row.certificate.holds = false; }},
      {"certificate", "claim", [](auto& row, auto&) { row.certificate.friction.value = 1e-3; }},
      {"energy", "energy", [](auto& row, auto&) { row.energy.contact_friction += 1e-6; }},
      {"law of the step", "law", [](auto& row, auto&) { row.law.kind = LawKind::NoSlip; }},
      {"not a number", "positions", [](auto& row, auto&) { row.q[8] = std::nan(""); }},
  };
  return all;
}

}  // namespace

TEST_CASE("An honest run verifies, every figure within its tolerance") {
  const TemporaryFolder folder;
  const char* extra = GENERATE("", "output: {every: 0.03}\n");
  const std::vector<io::RunRow> rows =
      record_run(parse_text(std::string(kSlidingScene) + extra), folder.file("a.h5"));
  const io::VerifyReport report = check_verified(folder.file("a.h5"));
  CHECK(report.passed());
  CHECK_FALSE(report.unfinished);
  CHECK(report.time == rows.back().time);
}

TEST_CASE("A run of any model that evaluates ahead of its step verifies") {
  io::LoadOptions options;
  options.overrides = {{"simulation.model", "stewart-trinkle"}};
  check_run_verifies(parse_text(kSlidingScene, options));
}

TEST_CASE("A run verifies whose box lands without rebound, and not with a false multiplier") {
  // The step ends before the box would part: Poisson's second phase gives nothing back, and its
  // multipliers are those of no impulse.
  const TemporaryFolder folder;
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.08, model: maximum-dissipation, restitution_law: poisson}
materials: [{name: default, friction: 0.8, restitution: 0.3}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: box
    mass: 1
    shapes: [{box: [0.2, 0.3, 0.2]}]
    pose: {position: [0, 0, 0.12]}
    velocity: {linear: [-0.308, -0.765, 0]}
)");
  record_run(scene, folder.file("a.h5"));
  CHECK(io::verify_run(folder.file("a.h5")).passed());
  io::RunReader reader(folder.file("a.h5"));
  int repeated = 0;
  for (std::size_t i = 1; i < reader.num_rows(); ++i) {
    io::RunRow row = reader.row(i);
    if (row.contacts.empty() || row.contacts[0].mode != ContactMode::Impact) continue;
    if (row.contacts[0].compression != row.contacts[0].impulse) continue;
    ++repeated;
    for (Eigen::Vector3d io::RunContact::*own :
         {&io::RunContact::witness, &io::RunContact::first_witness}) {
      for (int k = 0; k < 3; ++k) {
        io::RunRow changed = row;
        (changed.contacts[0].*own)(k) += 1e-3;
        CHECK_FALSE(fate_of(scene, changed).failed.empty());
      }
    }
  }
  CHECK(repeated > 0);
}

TEST_CASE("A run by one kappa for two rods verifies, and not as one by a kappa for each") {
  // Friction loads the tip of one rod and unloads that of the other.
  const std::string scene = R"(amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.01, duration: 0.03, model: maximum-dissipation, impulse_cap: system}
materials: [{name: default, friction: 0.3}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: dragged
    mass: 1
    center_of_mass: [0, 0, 0]
    inertia: [0.1, 0.1, 0.1]
    shapes: [{sphere: 0.01, pose: {position: [0.35, 0, -0.35]}}]
    pose: {position: [0, 0, 0.36]}
    velocity: {linear: [1, 0, -0.1]}
  - name: pushed
    mass: 1
    center_of_mass: [0, 0, 0]
    inertia: [0.1, 0.1, 0.1]
    shapes: [{sphere: 0.01, pose: {position: [0.35, 0, -0.35]}}]
    pose: {position: [0, 10, 0.36]}
    velocity: {linear: [-1, 0, -0.1]}
)";
  const TemporaryFolder folder;
  const std::vector<io::RunRow> rows = record_run(parse_text(scene), folder.file("a.h5"));
  CHECK(rows[1].law_asked == LawKind::SystemDissipation);
  CHECK(rows[1].law.kind == LawKind::SystemDissipation);
  CHECK(check_verified(folder.file("a.h5")).passed());
  io::LoadOptions options;
  options.overrides = {{"simulation.impulse_cap", "island"}};
  const std::vector<io::RunRow> own = record_run(parse_text(scene, options), folder.file("b.h5"));
  CHECK(check_verified(folder.file("b.h5")).passed());
  CHECK(own[1].v != rows[1].v);
}

TEST_CASE("A run with a step that was retried with a wider contact horizon verifies") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.1, duration: 0.3}
gravity: [0, 0, 0]
bodies:
  - {name: fast, mass: 1, shapes: [{sphere: 0.1}], velocity: {linear: [10, 0, 0]}}
  - {name: near, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0.3, 0, 0]}}
  - {name: far, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0.6, 0, 0]}}
)");
  io::RunRow row = record_run(scene, folder.file("a.h5"))[1];
  CHECK(io::verify_run(folder.file("a.h5")).passed());
  REQUIRE(row.closing_speed > 0.0);
  CHECK(fate_of(scene, row).failed.empty());
  row.closing_speed = 0.0;
  CHECK(fate_of(scene, row).has("contact set"));
}

TEST_CASE("Every number of a contact that is changed in a run is found, with bodies and figure") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("a.h5"));
  const io::RunRow& row = rows[5];
  // A corner of the crate that slides under load, so that friction is large.
  std::size_t index = 0;
  while (row.contacts[index].mode != ContactMode::Slide ||
         !(row.contacts[index].impulse.z() > 1e-3)) {
    ++index;
    REQUIRE(index < row.contacts.size());
  }
  REQUIRE(fate_of(scene, row).failed.empty());
  for (const Tampering& tampering : contact_tamperings()) {
    io::RunRow changed = row;
    tampering.tamper(changed, changed.contacts[index]);
    const Verdict verdict = fate_of(scene, changed);
    CAPTURE(tampering.what, verdict.failed, verdict.where);
    CHECK(verdict.has(tampering.check));
  }
}

TEST_CASE("The pair that a wrong coefficient belongs to is named") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  io::RunRow row = record_run(scene, folder.file("a.h5"))[5];
  for (io::RunContact& contact : row.contacts) {
    if (contact.body_a == 1 && contact.body_b == 2) contact.friction *= 1.001;
  }
  const Verdict verdict = fate_of(scene, row);
  CHECK(verdict.failed == std::vector<std::string>{"friction"});
  CHECK_THAT(verdict.where, Catch::StartsWith("crate and block, contact "));
}

TEST_CASE("Every number of a step that is changed in a run is found") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  const io::RunRow row = record_run(scene, folder.file("a.h5"))[5];
  for (const Tampering& tampering : row_tamperings()) {
    io::RunRow changed = row;
    tampering.tamper(changed, changed.contacts[0]);
    const Verdict verdict = fate_of(scene, changed);
    CAPTURE(tampering.what, verdict.failed, verdict.where);
    CHECK(verdict.has(tampering.check));
  }
}

namespace {

// A pendulum with a servo beside a crate, which a program drives.
constexpr const char* kDrivenScene = R"(amontons: 1
simulation: {step: 0.01, duration: 0.3}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: crate, mass: 2, shapes: [{box: [0.4, 0.4, 0.2]}], pose: {position: [0, 0, 0.1]}}
  - {name: bob, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [2, 0, 1]}}
joints:
  - {name: pivot, type: revolute, parent: world, child: bob, axis: [0, 1, 0], at: [2, 0, 2]}
actuators:
  - {joint: pivot, position: {target: 0.1, kp: 50, kd: 5, effort: 20}}
)";

/// Does what the program does before step `count`.
void drive(Simulator& sim) {
  const auto count = static_cast<int>(sim.state().step_count);
  sim.set_wrench("crate", {30.0 * std::sin(0.5 * count), 0.0, 0.0}, {0.0, 0.0, 0.1},
                 {0.0, 0.0, 0.05});
  if (count == 8) sim.set_servo_target("pivot", 0.7, -0.2);
  if (count >= 15) sim.set_effort("pivot", 3.0 - 0.2 * count);
  if (count == 22) {
    Eigen::VectorXd q = sim.state().q;
    q.tail<1>()[0] = -0.4;
    sim.set_state(q, sim.state().v);
  }
}

std::vector<io::RunRow> record_driven(const Scene& scene, const std::string& path) {
  Simulator sim(scene);
  io::RunRecorder recorder(path, scene, sim.system(), {});
  RowCollector collector(sim.system());
  recorder.observe(sim.initial_report());
  sim.add_observer(recorder);
  sim.add_observer(collector);
  sim.set_controller(drive);
  while (!sim.finished()) sim.step();
  recorder.finish();
  return collector.rows;
}

}  // namespace

TEST_CASE("A run that a program drives verifies from the commands it recorded") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kDrivenScene);
  const std::vector<io::RunRow> rows = record_driven(scene, folder.file("a.h5"));
  // The program changes the motion of the scene.
  CHECK(rows.back().q != record_run(scene, folder.file("b.h5")).back().q);
  const io::VerifyReport report = check_verified(folder.file("a.h5"));
  CHECK(report.num_commanded == 30);
  CHECK(report.num_set_starts == 1);
  CHECK(io::verify_run(folder.file("b.h5")).num_commanded == 0);
  io::RunReader reader(folder.file("a.h5"));
  const io::RunRow row = reader.row(20);
  REQUIRE(row.commands.size() == 3);
  CHECK(row.commands[0].kind == io::CommandKind::Effort);
  CHECK(row.commands[0].value == 3.0 - 0.2 * 19);
  CHECK(row.commands[1].kind == io::CommandKind::Target);
  CHECK(row.commands[1].value == 0.7);
  CHECK(row.commands[1].rate == -0.2);
  CHECK(row.commands[2].kind == io::CommandKind::Wrench);
  CHECK(row.commands[2].force_W.x() == 30.0 * std::sin(0.5 * 19));
}

TEST_CASE("Every command that is changed, left out or made up in a run is found") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kDrivenScene);
  const std::vector<io::RunRow> rows = record_driven(scene, folder.file("a.h5"));
  const io::RunRow& row = rows[19];
  REQUIRE(row.step_count == 20);
  REQUIRE(fate_of(scene, row).failed.empty());
  const std::function<void(io::RunRow&)> tamperings[] = {
      [](io::RunRow& r) { r.commands[0].value *= 1.001; },
      [](io::RunRow& r) { r.commands[1].value *= 1.001; },
      [](io::RunRow& r) { r.commands[1].rate += 1e-3; },
      [](io::RunRow& r) { r.commands[2].force_W.x() *= 1.001; },
      [](io::RunRow& r) { r.commands[2].torque_W.z() += 1e-3; },
      [](io::RunRow& r) { r.commands[2].at_B.z() += 1e-3; },
      [](io::RunRow& r) { r.commands.pop_back(); },
      [](io::RunRow& r) { r.commands.erase(r.commands.begin()); },
      [](io::RunRow& r) { r.commands.clear(); }};
  for (std::size_t i = 0; i < std::size(tamperings); ++i) {
    io::RunRow changed = row;
    tamperings[i](changed);
    const Verdict verdict = fate_of(scene, changed);
    CAPTURE(i, verdict.failed);
    CHECK(verdict.has("free velocity"));
  }
  io::RunRow nobody = row;
  nobody.commands[2].index = 0;  // the ground
  CHECK(fate_of(scene, nobody).has("claim"));
}

TEST_CASE("Efforts that a program gives along a joint that is rows of J verify, too") {
  const TemporaryFolder folder;
  std::string text = kDrivenScene;
  const std::string in_reduced = "at: [2, 0, 2]";
  text.replace(text.find(in_reduced), in_reduced.size(), in_reduced + ", coordinates: maximal");
  const Scene scene = parse_text(text);
  Simulator sim(scene);
  io::RunRecorder recorder(folder.file("a.h5"), scene, sim.system(), {});
  RowCollector collector(sim.system());
  recorder.observe(sim.initial_report());
  sim.add_observer(recorder);
  sim.add_observer(collector);
  sim.set_effort("pivot", 1.5);
  while (!sim.finished()) sim.step();
  recorder.finish();
  check_verified(folder.file("a.h5"));
  io::RunRow changed = collector.rows[19];
  REQUIRE(changed.commands.size() == 1);
  CHECK(changed.commands[0].kind == io::CommandKind::LoopEffort);
  changed.commands[0].value *= 1.001;
  CHECK(fate_of(scene, changed).has("free velocity"));
}

TEST_CASE("A row without the contacts of its step is judged by its motion and their number") {
  const Scene scene = parse_text(kCrowdedScene);
  Simulator sim(scene);
  RowCollector collector(sim.system());
  sim.add_observer(collector);
  while (!sim.finished()) sim.step();
  io::RunRow row = collector.rows[4];
  REQUIRE(row.num_contacts > 100);
  row.contacts.clear();
  CHECK(fate_of(scene, row).failed.empty());
  // What is left can still be wrong.
  io::RunRow fewer = row;
  fewer.num_contacts -= 1;
  CHECK(fate_of(scene, fewer).has("contact set"));
  io::RunRow faster = row;
  faster.energy.kinetic *= 1.001;
  CHECK(fate_of(scene, faster).has("energy"));
  io::RunRow moved = row;
  moved.q[0] += 1e-6;
  CHECK(fate_of(scene, moved).has("positions"));
  // Frames, and steps that miss their certificate, have to record them.
  io::RunRow frame = collector.rows[3];
  frame.contacts.clear();
  CHECK(fate_of(scene, frame).has("contact set"));
  io::RunRow missed = row;
  missed.certificate.holds = false;
  CHECK(fate_of(scene, missed).has("contact set"));
}

TEST_CASE("A run without contacts cannot be verified, and says so") {
  const TemporaryFolder folder;
  record_run(parse_text(std::string(kSlidingScene) + "output: {contacts: none}\n"),
             folder.file("a.h5"));
  CHECK_THROWS_AS(io::verify_run(folder.file("a.h5")), io::ParseError);
}

TEST_CASE("A tree that moves beside one whose step is damped is verified without damping") {
  // The heavy end of a chain of light links damps its step; the pendulum beside it moves as alone.
  std::string text = R"(amontons: 1
simulation: {step: 0.01, duration: 0.8}
bodies:
  - {name: c, mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [5, 0, 0]}}
  - {name: d, mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [5.2, 0, 0]}}
)";
  for (int i = 0; i < 4; ++i) {
    const std::string name = "a" + std::to_string(i), size = i < 3 ? "0.001" : "0.1";
    text += "  - {name: " + name + ", mass: " + (i < 3 ? "1" : "100") + ", inertia: [" + size +
            ", " + size + ", " + size + "], pose: {position: [0." + std::to_string(i + 1) +
            ", 0, 0]}}\n";
  }
  text += R"(joints:
  - {name: k1, type: revolute, parent: world, child: c, axis: [0, 1, 0], at: [4.9, 0, 0], rate: 2}
  - {name: k2, type: revolute, parent: c, child: d, axis: [0, 1, 0], at: [5, 0, 0], rate: 3}
)";
  for (int i = 0; i < 4; ++i) {
    text += "  - {name: j" + std::to_string(i) +
            ", type: revolute, parent: " + (i == 0 ? "world" : "a" + std::to_string(i - 1)) +
            ", child: a" + std::to_string(i) + ", axis: [0, 1, 0], at: [0." + std::to_string(i) +
            ", 0, 0]}\n";
  }
  const Scene scene = parse_text(text);
  Simulator sim(scene);
  RowCollector collector(sim.system());
  sim.add_observer(collector);
  while (!sim.finished()) sim.step();
  const auto damped = std::find_if(collector.rows.begin(), collector.rows.end(),
                                   [](const io::RunRow& row) { return row.coupled_damping > 0.0; });
  REQUIRE(damped != collector.rows.end());
  check_run_verifies(scene);
  // The motion without damping must still be the one that was expected.
  io::RunRow changed = *damped;
  changed.v_coupled(0) += 1e-4;
  CHECK(fate_of(scene, changed).has("free velocity"));
}

TEST_CASE("A bounce by Poisson's law beside an island of joint rows alone is verified") {
  const std::string still = "{name: p, mass: 1, inertia: [1, 1, 1]}";
  const std::string moving =
      "{name: q, mass: 1, inertia: [1, 1, 1], velocity: {linear: [1, 0, 0]}}";
  for (const bool swapped : {false, true}) {
    for (const std::string model : {"coulomb", "stewart-trinkle", "maximum-dissipation",
                                    "frictionless", "convex-relaxation", "no-slip"}) {
      CAPTURE(model, swapped);
      check_run_verifies(parse_text(
          "amontons: 1\ngravity: [0, 0, 0]\nsimulation: {step: 0.005, duration: 0.05, model: " +
          model + ", restitution_law: poisson}\nbodies:\n  - " + (swapped ? moving : still) +
          "\n  - " + (swapped ? still : moving) + R"(
joints:
  - {name: a, type: prismatic, parent: world, child: p, axis: [1, 0, 0], coulomb_friction: 1}
  - {name: b, type: prismatic, parent: world, child: q, axis: [1, 0, 0], limits: [-1, 0.012],
     limit_restitution: 0.6}
)"));
    }
  }
}

TEST_CASE("Rows of joints alone claim the restitution law of the scene") {
  check_run_verifies(parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.6, model: frictionless, restitution_law: poisson}
materials: [{name: m, friction: 0.5, restitution: 0}]
bodies:
  - {name: p, mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 3, 1]}}
  - {name: q, mass: 1, shapes: [{sphere: 0.1, material: m}], pose: {position: [0, 0, 0.3]}}
  - {name: g, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
joints:
  - {name: a, type: revolute, parent: world, child: p, axis: [0, 1, 0], at: [-0.1, 3, 1],
     stiffness: 5, coordinates: maximal}
)"));
}
