#include "amontons/simulation/forces/explicit_servos.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// Steps between events have a bounded effort, and say what they could not do
// [docs/theory/events.md].

namespace amontons::test {
namespace {

constexpr double kFast = 1e6;  // [rad/s]

Scene spinning_scene(const std::string& method, Integrator integrator, const Shape& shape,
                     double rate, double height) {
  Scene scene = empty_scene(0.1, 0.5, "maximum-dissipation");
  scene.simulation.method = method;
  scene.simulation.events.integrator = integrator;
  default_material(scene, 0.3, 0.5);
  SceneBody& body = add_body(scene, "top", shape, 1.0, {0.0, 0.0, height});
  body.angular_velocity = rate * Eigen::Vector3d(0.3, -0.5, 0.8).normalized();
  return scene;
}

/// Returns the status of the attempt of that name; NotRun if there is none.
SolveStatus status_of(const StepReport& report, const std::string& name) {
  const auto& attempts = report.solution.attempts;
  const auto found =
      std::find_if(attempts.begin(), attempts.end(),
                   [&name](const SolveAttempt& attempt) { return attempt.solver == name; });
  return found == attempts.end() ? SolveStatus::NotRun : found->status;
}

}  // namespace

TEST_CASE("A body too fast for its integrator moves as in time stepping, and its steps say so") {
  const std::string method = GENERATE("event-driven", "hybrid");
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  for (const Shape& shape : {Shape(Box{{0.2, 0.3, 0.1}}), Shape(Cylinder{0.1, 0.3}),
                             Shape(Capsule{0.05, 0.2}), Shape(Ellipsoid{{0.1, 0.2, 0.15}})}) {
    CAPTURE(method, shape_type_name(shape));
    Simulator simulator(spinning_scene(method, integrator, shape, kFast, 0.0));
    Simulator stepped(spinning_scene("time-stepping", integrator, shape, kFast, 0.0));
    double kinetic = simulator.initial_report().energy.kinetic;
    // Both take the same steps, whose lengths differ by the rounding of the time.
    constexpr double kRounding = 1e-14;
    run(simulator, [&](const StepReport& report) {
      CHECK(status_of(report, "integrator") == SolveStatus::IterationLimit);
      CHECK(!report.certificate.holds);
      CHECK(report.energy.kinetic <= (1.0 + 1e-9) * (kinetic + report.energy.gravity));
      kinetic = report.energy.kinetic;
      stepped.step();
      const double turned = kFast * simulator.time();  // [rad]
      CHECK((simulator.state().q - stepped.state().q).norm() < kRounding * turned);
      CHECK((simulator.state().v - stepped.state().v).norm() < kRounding * turned * kFast);
    });
    CHECK(simulator.finished());
  }
}

TEST_CASE("A ball needs no integrator, however fast it turns") {
  const std::string method = GENERATE("event-driven", "hybrid");
  Simulator simulator(spinning_scene(method, Integrator::RungeKutta4, Sphere{0.1}, kFast, 0.0));
  CHECK(run(simulator, [&](const StepReport& report) {
          CHECK(status_of(report, "integrator") == SolveStatus::NotRun);
          CHECK(angular_velocity(simulator).norm() == Approx(kFast).epsilon(1e-14));
        }) == 0);
}

TEST_CASE("A body that turns thirty times a step is integrated to its tolerance") {
  const std::string method = GENERATE("event-driven", "hybrid");
  Scene scene = spinning_scene(method, Integrator::DormandPrince, Box{{0.2, 0.3, 0.1}}, 2e3, 0.0);
  scene.gravity.setZero();
  Simulator simulator(scene);
  const double kinetic = simulator.initial_report().energy.kinetic;
  CHECK(run(simulator, [&](const StepReport& report) {
          CHECK(report.solution.attempts.empty());
          CHECK(report.energy.kinetic == Approx(kinetic).epsilon(1e-6));
        }) == 0);
}

TEST_CASE("Shapes too fast for the search of impacts end their steps, with contacts") {
  const std::string method = GENERATE("event-driven", "hybrid");
  const double rate = GENERATE(1e4, 1e6, 1e8);
  int told = 0;
  for (const Shape& shape : {Shape(Box{{0.2, 0.3, 0.1}}), Shape(Cylinder{0.1, 0.3}),
                             Shape(Capsule{0.05, 0.2}), Shape(Ellipsoid{{0.1, 0.2, 0.15}})}) {
    CAPTURE(method, rate, shape_type_name(shape));
    Scene scene = spinning_scene(method, Integrator::DormandPrince, shape, rate, 0.25);
    add_ground(scene);
    Simulator simulator(scene);
    int steps = 0;
    run(simulator, [&](const StepReport& report) {
      ++steps;
      const SolveStatus status = status_of(report, "search of impacts");
      CHECK((status == SolveStatus::NotRun || status == SolveStatus::IterationLimit));
      if (status == SolveStatus::IterationLimit) ++told;
      CHECK(simulator.state().q.allFinite());
    });
    CHECK(simulator.finished());
    CHECK(steps <= 5 * 501);
  }
  if (rate == 1e6) CHECK(told > 0);
}

TEST_CASE("A part of a motion ends with the phase of the servo that departs") {
  // The departure jumps at the end of the part, so that all lengths before it have none.
  ServoPart part, next;
  part.phases = {ServoPhase::Linear, ServoPhase::Linear};
  const double length = 2.0;
  const auto departure_after = [length](double elapsed) {
    return elapsed < length ? PhaseError() : PhaseError{0.5, 1, true};
  };
  const double end = time_in_phases(length, departure_after(length), departure_after, part, next);
  CHECK(end <= length);
  CHECK(end > 0.9 * length);
  CHECK(next.phases[0] == ServoPhase::Linear);
  CHECK(next.phases[1] == ServoPhase::AtUpper);
}

}  // namespace amontons::test
