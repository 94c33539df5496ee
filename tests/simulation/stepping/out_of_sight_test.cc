#include "amontons/simulation/stepping/step_certificate.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

// Balls at rest in a row, hit by a fast one: each is thrown further than its speed at the start of
// the step suggests. It meets the next one, which was no contact of it.

namespace amontons::test {
namespace {

constexpr double kStep = 0.1, kRadius = 0.2, kGap = 0.1, kSpeed = 4.0;

Scene row_of_balls(const std::string& model) {
  Scene scene = empty_scene(kStep, 3.0 * kStep, model);
  scene.gravity.setZero();
  default_material(scene, 0.3);
  double x = 0.0;
  for (int i = 0; i < 5; ++i, x += 2.0 * kRadius + kGap) {
    add_body(scene, "ball-" + std::to_string(i), Sphere{kRadius}, 1.0, {x, 0.0, 0.0});
  }
  scene.bodies[0].linear_velocity.x() = kSpeed;
  return scene;
}

}  // namespace

TEST_CASE("A step whose solution meets a shape beyond the horizon is retried and certified") {
  for (const char* model : {"coulomb", "convex-relaxation", "anitescu-hart", "stewart-trinkle",
                            "maximum-dissipation"}) {
    CAPTURE(model);
    Simulator simulator(row_of_balls(model));
    const StepReport& report = simulator.step();
    CHECK(report.certificate.holds);
    CHECK(report.certificate.missed_contacts == 0);
    CHECK(report.certificate.infeasibility <= 1e-9);
    CHECK(report.closing_speed >= kGap / kStep);
    REQUIRE(report.solution.attempts.size() >= 2);
    CHECK(report.solution.attempts.front().solver == "retry with a wider contact horizon");
    CHECK(report.solution.attempts.front().remark == "1 overlaps");
    CHECK(simulator.time() == kStep);
    CHECK(simulator.state().step_count == 1);

    // All that were reached move on with the momentum of the first.
    double momentum = 0.0;
    for (int i = 0; i < 5; ++i) momentum += simulator.state().v[6 * i + 3];
    CHECK(momentum == Approx(kSpeed).epsilon(1e-12));
    CHECK(report.energy.kinetic <= 0.5 * kSpeed * kSpeed);

    CHECK(simulator.step().closing_speed == 0.0);
  }
}

TEST_CASE("A retried step ends as one whose contact horizon was wide enough from the start") {
  Scene far = row_of_balls("coulomb");
  far.simulation.v_max = 50.0;
  Simulator retried(row_of_balls("coulomb")), at_once(far);
  CHECK(retried.step().closing_speed > 0.0);
  CHECK(at_once.step().closing_speed == 0.0);
  CHECK((retried.state().v - at_once.state().v).lpNorm<Eigen::Infinity>() <= 1e-7);
  CHECK(retried.step().start->time == kStep);
}

TEST_CASE("A contact horizon lists gaps up to its length, whatever the step") {
  // Two balls at rest, 3 cm and 12 cm above the ground, under steps of 40 ms and 1 ms in turn.
  Scene scene = empty_scene(0.04, 0.2);
  scene.gravity.setZero();
  scene.simulation.steps = {0.04, 0.001};
  add_body(scene, "near", Sphere{kRadius}, 1.0, {0.0, 0.0, kRadius + 0.03});
  add_body(scene, "far", Sphere{kRadius}, 1.0, {1.0, 0.0, kRadius + 0.12});
  add_ground(scene);
  const auto listed = [](const Scene& asked) {
    Simulator simulator(asked);
    std::vector<std::size_t> counts;
    for (int step = 0; step < 4; ++step) counts.push_back(simulator.step().problem.num_contacts());
    return counts;
  };
  using Counts = std::vector<std::size_t>;
  for (const auto& [horizon, count] : {std::pair{0.02, 0u}, {0.05, 1u}, {0.13, 2u}}) {
    CAPTURE(horizon);
    scene.simulation.contact_horizon = horizon;
    CHECK(listed(scene) == Counts(4, count));
  }
  // With v_max the horizon is as long as the step lets it.
  scene.simulation.contact_horizon.reset();
  scene.simulation.v_max = 0.05 / 0.04;
  CHECK(listed(scene) == Counts{1, 0, 1, 0});
}

TEST_CASE("A step that meets a shape beyond the contact horizon is repeated, too") {
  Scene near = row_of_balls("coulomb"), far = near;
  near.simulation.contact_horizon = 0.5 * kGap;
  far.simulation.contact_horizon = 5.0;
  Simulator repeated(near), at_once(far);
  CHECK(repeated.step().closing_speed > 0.0);
  CHECK(at_once.step().closing_speed == 0.0);
  CHECK(repeated.last_report()->certificate.holds);
  CHECK((repeated.state().v - at_once.state().v).lpNorm<Eigen::Infinity>() <= 1e-7);
}

TEST_CASE("An overlap out of sight counts by the coordinates that it comes from") {
  Contact contact;
  contact.key = {0, 1, 0};
  contact.gap = -2e-9;
  const auto is_missed = [&contact] { return missed_contacts({contact}, {}, {}).size() == 1; };
  contact.position_W = {0.0, 0.0, 1.0};
  CHECK(is_missed());
  // Bodies of 200 m, whose positions and event times are known to as many digits.
  contact.position_W = {0.0, 400.0, 0.0};
  CHECK_FALSE(is_missed());
  contact.gap = -1e-8;
  CHECK(is_missed());
}

}  // namespace amontons::test
