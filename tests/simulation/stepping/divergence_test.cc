#include "amontons/simulation/system/divergence_error.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

namespace amontons::test {

TEST_CASE(
    "A motion that leaves all bounds ends with an error, and with the state before the step") {
  Scene scene = empty_scene(1.0, 100.0);
  scene.gravity = {0.0, 0.0, -1e11};
  add_body(scene, "ball", Sphere{0.1}, 1.0, Eigen::Vector3d::Zero());
  Simulator simulator(scene);
  const auto fall = [&simulator] {
    while (!simulator.finished()) simulator.step();
  };
  CHECK_THROWS_AS(fall(), DivergenceError);
  CHECK(simulator.state().v.allFinite());
  CHECK(simulator.time() == Approx(8.0));
  CHECK(velocity(simulator).z() == Approx(-8e11));
}

}  // namespace amontons::test
