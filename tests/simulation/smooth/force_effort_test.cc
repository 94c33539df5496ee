#include "amontons/math/rotation.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace amontons::test {

TEST_CASE("The law of contact by forces ends within its effort, and the step says so") {
  // Three boxes fall on each other and on the ground. Some instants have many sets of sliding
  // contacts, and a root search asks for their forces again and again.
  Scene scene = empty_scene(0.005, 0.5, "coulomb");
  scene.simulation.method = "event-driven";
  scene.simulation.events.sustained = SustainedContact::CoulombAcceleration;
  default_material(scene, 0.4);
  for (int i = 0; i < 3; ++i) {
    const double turn = 20.0 * i * kPi / 180.0;
    add_body(scene, "b" + std::to_string(i), Box{{0.2, 0.15, 0.1}}, 1.0,
             {0.02 * i, 0.01 * i, 0.3 + 0.2 * i})
        .pose.rotation = rotation_from_rpy(kPi / 18.0 + turn, kPi / 9.0, kPi / 6.0);
  }
  add_ground(scene);
  Simulator simulator(scene);
  int limited = 0;
  run(simulator, [&limited](const StepReport& report) {
    const auto& attempts = report.solution.attempts;
    limited += std::any_of(attempts.begin(), attempts.end(), [](const SolveAttempt& attempt) {
      return attempt.solver == "contact by forces" && attempt.status == SolveStatus::IterationLimit;
    });
  });
  CHECK(limited > 0);
}

}  // namespace amontons::test
