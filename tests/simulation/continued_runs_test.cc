#include "amontons/simulation/stepping_methods.h"
#include "tests/simulation/random_mechanism.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

// A state holds all data that a run needs to go on: a new simulator takes the same steps, bit for
// bit, from the end of any step of another one.

namespace amontons::test {
namespace {

/// Lists the pairs of method and model that fit each other.
std::vector<SimulationSettings> methods_with_models(const SimulationSettings& settings) {
  std::vector<SimulationSettings> pairs;
  for (const std::string& method : method_names()) {
    for (const std::string& model : model_names()) {
      SimulationSettings pair = settings;
      pair.method = method;
      pair.model = model;
      if (!fault_of_model(pair)) pairs.push_back(pair);
    }
  }
  return pairs;
}

TEST_CASE("A run goes on from the end of any step, bit for bit") {
  const int cases = num_cases(20000);
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = 15485863u * static_cast<std::uint64_t>(i) + 11;
    MechanismGenerator generator(seed);
    Scene scene = i % 3 == 0 ? overloaded(seed)
                             : generator.draw({.at_rest = i % 3 == 1, .driven = i % 2 == 0});
    const Coordinates form = i % 4 < 2 ? Coordinates::Reduced : Coordinates::Maximal;
    scene = with_coordinates(scene, form);
    // Fast ones have inertial forces that depend on impulses.
    for (SceneJoint& joint : scene.joints) joint.rate *= i % 5 == 0 ? 30.0 : 1.0;
    const std::vector<SimulationSettings> pairs = methods_with_models(scene.simulation);
    scene.simulation = pairs[static_cast<std::size_t>(i) % pairs.size()];
    CAPTURE(seed, scene.simulation.method, scene.simulation.model, i % 4 < 2);
    Simulator whole(scene, 1);
    for (int k = 0; k < 8; ++k) {
      Simulator continued(scene, 1);
      continued.resume(whole.state());
      const StepReport& expected = whole.step();
      const StepReport& report = continued.step();
      CAPTURE(k);
      REQUIRE(report.solution.impulses == expected.solution.impulses);
      REQUIRE(continued.state().q == whole.state().q);
      REQUIRE(continued.state().v == whole.state().v);
    }
  }
}

}  // namespace
}  // namespace amontons::test
