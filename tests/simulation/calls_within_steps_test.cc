#include "amontons/models/model_registration.h"
#include "amontons/simulation/property_changes.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

// While a step is solved, its simulator answers nobody. Its controller may change it before.

namespace amontons::test {
namespace {

/// Returns a ball of 1 kg that falls on a smooth ground, and slides there for ever.
Scene falling_ball() {
  Scene scene = empty_scene(0.01, 0.5, "frictionless");
  default_material(scene, 0.0);
  add_ground(scene);
  add_body(scene, "ball", Sphere{0.1}, 1.0, {0.0, 0.0, 0.105}).linear_velocity = {1.0, 0.0, 0.0};
  return scene;
}

/// Returns a model that calls a function, and then solves the contact of the ball in closed form.
std::shared_ptr<const ContactModel> calling(std::function<void()> call) {
  const ImpulseSolver solve = [call = std::move(call)](const ContactProblem& problem,
                                                       const Eigen::VectorXd& gap_speeds) {
    call();
    const Eigen::VectorXd u = problem.contact_velocities(problem.free_velocity);
    return Eigen::VectorXd(Eigen::Vector3d(0.0, 0.0, std::max(0.0, -(u[2] + gap_speeds[0]))));
  };
  return make_own_model("calling", solve, {}, LawKind::Frictionless);
}

}  // namespace

TEST_CASE(
    "A solver that steps or changes its simulator is refused, and the motion keeps its bits") {
  const Scene scene = falling_ball();
  Simulator undisturbed(scene, 1);
  undisturbed.set_model(calling([] {}));
  Simulator sim(scene, 1);
  const State start = sim.state();
  const std::vector<std::function<void()>> calls = {
      [&] { sim.step(); },
      [&] { sim.set_state(start); },
      [&] { sim.reset(); },
      [&] { sim.change(gravity_change(Eigen::Vector3d::Zero())); },
      [&] {
        sim.set_wrench("ball", {1.0, 0.0, 0.0});
      },
      [&] { sim.set_efforts(Eigen::VectorXd::Zero(6)); },
      [&] { sim.set_model(nullptr); },
      [&] { sim.set_controller({}); },
      [&] { sim.last_report(); },
  };
  int num_refused = 0;
  const auto refused = [&](const std::function<void()>& call) {
    REQUIRE_THROWS_AS(call(), std::invalid_argument);
    ++num_refused;
  };
  sim.set_model(calling([&] {
    for (const auto& call : calls) {
      refused(call);
      std::thread([&] { refused(call); }).join();
    }
  }));
  while (!sim.finished()) {
    sim.step();
    undisturbed.step();
    REQUIRE(sim.state().q == undisturbed.state().q);
    REQUIRE(sim.last_report() != nullptr);
  }
  CHECK(num_refused >= 2 * static_cast<int>(calls.size()));
}

TEST_CASE("A step that fails leaves its start and no report, and the next one its usual bits") {
  const Scene scene = falling_ball();
  bool fails = false;
  const auto model = calling([&] {
    if (fails) throw std::domain_error("the solver gives up");
  });
  Simulator whole(scene, 1), sim(scene, 1);
  whole.set_model(calling([] {}));
  sim.set_model(model);
  for (int k = 0; k < 20; ++k) {
    whole.step();
    sim.step();
  }
  REQUIRE(sim.last_report()->problem.num_contacts() == 1);
  const Eigen::VectorXd q = sim.state().q;
  fails = true;
  CHECK_THROWS_AS(sim.step(), std::domain_error);
  CHECK(sim.state().q == q);
  CHECK(sim.last_report() == nullptr);
  fails = false;
  CHECK(sim.step().solution.impulses == whole.step().solution.impulses);
  CHECK(sim.state().q == whole.state().q);
}

TEST_CASE("A controller that sets another one is called to its end, and the other one follows") {
  Simulator sim(falling_ball(), 1);
  std::vector<int> calls;
  sim.set_controller([&calls, kept = std::vector<int>{1, 2}](Simulator& simulator) {
    simulator.set_controller([&calls](Simulator&) { calls.push_back(3); });
    for (const int one : kept) calls.push_back(one);  // what it holds is still there
  });
  sim.step();
  sim.step();
  CHECK(calls == std::vector<int>{1, 2, 3});
}

}  // namespace amontons::test
