#include "tests/io/verify/red_team.h"

#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_island.h"
#include "amontons/io/verify/verify_step.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>

// Every wrong engine (red_team.h) under every model of the catalog: certificate and verification
// find it, by the name that its line gives.

namespace amontons::test {
namespace {

constexpr double kTolerance = 1e-8;

/// Describes a box in a tilted groove, whose two walls bear it, and one that slides on the ground.
constexpr const char* kGrooveScene = R"(amontons: 1
simulation: {step: 0.005, duration: 1, model: @}
gravity: [1.0, 0.4, -9.6]
materials: [{name: default, friction: 0.4}]
bodies:
  - name: groove
    fixed: true
    shapes:
      - {half_space: {normal: [0, 0.7, 0.714]}}
      - {half_space: {normal: [0, -0.6, 0.8]}}
  - {name: ball, mass: 1.3, shapes: [{sphere: 0.11}], pose: {position: [0, 0.01, 0.15]},
     velocity: {linear: [0.7, 0, 0], angular: [3, 0, 2]}}
  - {name: rider, mass: 0.6, shapes: [{box: [0.1, 0.12, 0.1]}], pose: {position: [0.5, 0, 0.14]},
     velocity: {linear: [0.4, 0, 0]}}
)";

/// Describes a ball that falls beside a wall without being pressed to it.
constexpr const char* kWall = R"(amontons: 1
simulation: {step: 0.005, duration: 1, model: @}
gravity: [0, 0, -9.81]
materials: [{name: default, friction: 0.4}]
bodies:
  - {name: wall, fixed: true, shapes: [{half_space: {normal: [1, 0, 0]}}]}
  - {name: ball, mass: 0.8, shapes: [{sphere: 0.1}], pose: {position: [0.1, 0, 3]}}
)";

/// Describes a box on an icy ramp along a rough wall that touches it and does not press it.
constexpr const char* kRamp = R"(amontons: 1
simulation: {step: 0.005, duration: 1, model: @}
gravity: [2, 0, -9.6]
materials: [{name: default, friction: 0.4}, {name: ice, friction: 0}]
bodies:
  - {name: ramp, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}, material: ice}]}
  - {name: wall, fixed: true, shapes: [{half_space: {normal: [0, 1, 0]}}]}
  - {name: box, mass: 2, shapes: [{box: [0.4, 0.2, 0.1]}], pose: {position: [0, 0.1, 0.05]}}
)";

/// Describes a door on a hinge with dry friction, a stop and a weak servo, that pushes a box.
constexpr const char* kDoor = R"(amontons: 1
simulation: {step: 0.01, duration: 1, model: @}
materials: [{name: default, friction: 0.3}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: box, mass: 1, shapes: [{box: [0.2, 0.3, 0.2]}], pose: {position: [3, 0, 0.1]},
     velocity: {linear: [1, 0.2, 0]}}
  - {name: door, mass: 2, inertia: [1, 1, 1], pose: {position: [1, 2, 1]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: door, axis: [0, 0, 1], at: [1, 1, 1],
     coordinates: &, limits: [-0.02, 2], coulomb_friction: 0.2, position: 0.05, rate: -2}
actuators:
  - {joint: hinge, position: {target: 1, kp: 500, kd: 5, effort: 3}}
)";

std::string with(std::string text, char mark, const std::string& word) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, 1, word);
  return text;
}

std::string sliding_scene(const std::string& model) {
  std::string text = kSlidingScene;
  const std::string settings = "duration: 0.4";
  return text.replace(text.find(settings), settings.size(), settings + ", model: " + model);
}

double residual(const Certificate& certificate, const std::string& name) {
  const std::map<std::string, double> values = {
      {"normal", certificate.normal.value}, {"friction", certificate.friction.value},
      {"limit", certificate.limit.value},   {"joint_friction", certificate.joint_friction.value},
      {"joint", certificate.joint.value},   {"dynamics", certificate.dynamics.value}};
  return values.at(name);
}

/// Returns the names between the bars of a text.
std::vector<std::string> alternatives(const std::string& names) {
  std::vector<std::string> result(1);
  for (const char c : names) {
    if (c == '|') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

/// Runs wrong engines over the steps of a scene, each at the first step that offers the occasion.
class RedTeam {
 public:
  RedTeam(const std::string& text, std::string model)
      : scene_(parse_text(text)),
        model_(std::move(model)),
        sim_(scene_),
        checks_(kTolerance, SimulationSettings{}.acceptable_tolerance),
        verifier_(scene_, checks_) {}

  /// Returns the names of the engines that had an occasion.
  std::set<std::string> run(int num_steps) {
    std::set<std::string> tried;
    for (int k = 0; k < num_steps; ++k) {
      start_ = sim_.state();
      const StepReport& report = sim_.step();
      const bool is_plain = report.solution.status == SolveStatus::Converged &&
                            report.certificate.holds && !report.solution.has_two_phases();
      if (!is_plain) continue;
      for (const WrongEngine& engine : wrong_engines()) {
        if (tried.contains(engine.name)) continue;
        CAPTURE(engine.name, model_, k);
        if (try_engine(engine, report)) tried.insert(engine.name);
      }
    }
    return tried;
  }

 private:
  bool try_engine(const WrongEngine& engine, const StepReport& honest) {
    StepReport wrong = honest;
    if (engine.stage != Stage::Record && !engine.corrupt(wrong.problem, wrong.solution))
      return false;
    if (engine.stage == Stage::Problem) {
      // It solves its problem and certifies the answer, in good faith.
      const auto model = make_model(model_, {});
      CertifiedSolution own = solve_islands(wrong.problem, *model, {}, kTolerance);
      if (own.solution.status != SolveStatus::Converged || !own.certificate.holds) return false;
      wrong.solution = own.solution;
      wrong.certificate = own.certificate;
    }
    if (engine.stage == Stage::Solution) {
      const Certificate certificate =
          io::certify_islands(wrong.problem, wrong.solution, kTolerance);
      CHECK_FALSE(certificate.holds);
      bool named = false;
      std::string values;
      for (const std::string& name : alternatives(engine.residual)) {
        named = named || !(residual(certificate, name) <= kTolerance);
        values += name + " " + std::to_string(residual(certificate, name)) + " ";
      }
      CAPTURE(values);
      CHECK(named);
    }
    if (engine.stage == Stage::Answer) {
      wrong.certificate = io::certify_islands(wrong.problem, wrong.solution, kTolerance);
    }
    io::RunRow row = row_of(wrong);
    if (engine.stage == Stage::Record && !engine.corrupt_row(row)) return false;
    const std::set<std::string> failed = failed_checks(row);
    std::string names;
    for (const std::string& name : failed) names += name + ", ";
    CAPTURE(names);
    bool named = false;
    for (const std::string& name : alternatives(engine.check))
      named = named || failed.contains(name);
    CHECK(named);
    return true;
  }

  /// Returns the names of the checks that a row fails.
  std::set<std::string> failed_checks(const io::RunRow& row) {
    checks_ = io::VerificationChecks(kTolerance, SimulationSettings{}.acceptable_tolerance);
    checks_.begin_row(row.step_count, row.time);
    verifier_.check_step(row);
    std::set<std::string> failed;
    for (const io::VerificationCheck& check : checks_.release()) {
      if (!check.passed()) failed.insert(check.name);
    }
    return failed;
  }

  /// Returns the row that an engine writes which moves the bodies by its own velocity.
  io::RunRow row_of(StepReport& report) {
    State end = sim_.state();
    end.v = report.solution.velocity;
    if (end.v.allFinite()) {
      end.q = integrate_positions(sim_.system(), start_.q, end.v, report.step);
    }
    report.start = &start_;
    report.end = &end;
    io::RunRow row = io::make_run_row(sim_.system(), report);
    io::record_contacts(report, row);
    return row;
  }

  Scene scene_;
  std::string model_;
  Simulator sim_;
  State start_;
  io::VerificationChecks checks_;
  io::StepVerifier verifier_;
};

}  // namespace

TEST_CASE("Certificate and verification find every wrong engine, under every model, by name") {
  std::set<std::string> all;
  for (const std::string& model : model_names()) {
    std::set<std::string> tried;
    for (const std::string& text :
         {sliding_scene(model), with(kGrooveScene, '@', model), with(kWall, '@', model),
          with(kRamp, '@', model), with(with(kDoor, '@', model), '&', "maximal"),
          with(with(kDoor, '@', model), '&', "reduced")}) {
      tried.merge(RedTeam(text, model).run(12));
    }
    CAPTURE(model);
    // Without friction some engines have no occasion; every record can be wrong.
    CHECK(tried.size() + 8 >= wrong_engines().size());
    all.merge(tried);
  }
  for (const WrongEngine& engine : wrong_engines()) {
    CAPTURE(engine.name);
    CHECK(all.contains(engine.name));
  }
}

}  // namespace amontons::test
