#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>

namespace amontons::test {

TEST_CASE("Bodies in one place have too many contacts for a step, which names two of them") {
  // n copies have n (n - 1) / 2 contacts, of which 100,000 + 30 n are allowed.
  const auto copies = [](int n) {
    Scene scene = empty_scene(0.01, 1.0, "coulomb");
    default_material(scene, 0.3);
    for (int k = 0; k < n; ++k)
      add_body(scene, "ball" + std::to_string(k), Sphere{0.1}, 1.0, Eigen::Vector3d::Zero());
    return Simulator(scene);
  };
  Simulator crowd = copies(500);
  const double start = crowd.state().time;
  std::string message;
  try {
    crowd.step();
  } catch (const std::domain_error& error) {
    message = error.what();
  }
  CHECK(message.find("more than 115000 contacts at once: many bodies, 'ball") == 0);
  CHECK(message.find("overlap") != std::string::npos);
  CHECK(crowd.state().time == start);
  CHECK_NOTHROW(copies(12).step());
}

}  // namespace amontons::test
