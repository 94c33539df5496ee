#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/mechanism_forms.h"
#include "tests/simulation/random_mechanism.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

// Random mechanisms in reduced and in maximal coordinates, under every model: one physics, two
// forms. Steps from rest have no velocity terms, so that the two forms agree to rounding.

namespace amontons::test {
namespace {

/// Counts how the two forms of some mechanisms compare under one model.
struct Comparison {
  int cases = 0, law_missed = 0, differ = 0, other_solution = 0;
  std::ostringstream found;

  /// Compares the first step of both forms.
  void add(const Scene& scene, const std::string& name) {
    ++cases;
    const FirstStep reduced(with_coordinates(scene, Coordinates::Reduced));
    const FirstStep maximal(with_coordinates(scene, Coordinates::Maximal));
    if (!reduced.has_law_asked() || !maximal.has_law_asked()) {
      ++law_missed;
      found << name << ": reduced form " << reduced.answer() << ", maximal form "
            << maximal.answer() << "\n";
      return;
    }
    const double difference = velocity_difference(scene, reduced, maximal);
    if (difference <= 1e-6) return;
    if (solves_the_reduced_form(reduced, maximal, 1e-6) ||
        solves_the_maximal_form(scene, reduced, maximal, 1e-6)) {
      ++other_solution;
      return;
    }
    ++differ;
    found << name << ": velocities differ by " << difference << "\n";
  }

  /// Demands that no pair differs, and that one case in a thousand misses its law.
  void check(const std::string& model) const {
    INFO(model << ": " << cases << " mechanisms, " << other_solution
               << " with another solution of the law\n"
               << found.str());
    CHECK(differ == 0);
    CHECK(law_missed <= cases / 1000 + 1);
  }
};

/// Gives every pair of shapes the same contact horizon in both forms. Their free motions differ,
/// and with them the contacts that a step would look for.
void share_horizon(Scene& scene) {
  const double length = bounding_radius(scene.bodies.front().shapes.front().shape);
  scene.simulation.v_max = 5.0 * std::sqrt(scene.gravity.norm() * length);
}

/// Returns the value of an environment variable, or nothing: AMONTONS_TEST_MODEL and
/// AMONTONS_TEST_SEED select one model and one mechanism.
std::optional<std::string> selected(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

/// Compares both forms of random mechanisms under every model.
/// @param draw  makes the mechanism of a seed.
template <typename Draw>
void compare_forms(int cases, const Draw& draw) {
  const std::optional<std::string> only_model = selected("AMONTONS_TEST_MODEL");
  const std::optional<std::string> only_seed = selected("AMONTONS_TEST_SEED");
  for (const std::string& model : model_names()) {
    if (only_model && *only_model != model) continue;
    Comparison comparison;
    for (int i = 0; i < (only_seed ? 1 : cases); ++i) {
      const std::uint64_t seed = only_seed ? std::stoull(*only_seed)
                                           : 7919u * static_cast<std::uint64_t>(i) + model.size();
      Scene scene = draw(seed);
      scene.simulation.model = model;
      share_horizon(scene);
      comparison.add(scene, "seed " + std::to_string(seed));
    }
    comparison.check(model);
  }
}

TEST_CASE("Both forms of joints move random mechanisms alike, under every model") {
  // Each model has cases of its own.
  compare_forms(num_cases(10000),
                [](std::uint64_t seed) { return MechanismGenerator(seed).draw({}); });
}

TEST_CASE("Both forms of joints move overloaded mechanisms alike, under every model") {
  // Mass ratios of 1e4, and a limit, dry friction, a spring and a saturated servo on every joint.
  compare_forms(num_cases(3000), [](std::uint64_t seed) { return overloaded(seed); });
}

TEST_CASE("No certified run of a passive mechanism gains energy") {
  const int cases = num_cases(2000);
  int gained = 0, missed_steps = 0, steps = 0;
  std::ostringstream found;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = 104729u * static_cast<std::uint64_t>(i) + 5;
    MechanismGenerator generator(seed);
    Scene scene = generator.draw({.at_rest = false, .driven = false});
    scene.simulation.model = model_names()[static_cast<std::size_t>(i) % model_names().size()];
    const Coordinates form = i % 2 == 0 ? Coordinates::Reduced : Coordinates::Maximal;
    Simulator simulator(with_coordinates(scene, form), 1);
    SystemKinematics at;
    compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 0.0, at);
    const double start =
        kinetic_energy(simulator.system(), at) + gravity_energy(simulator.system(), at);
    // The fall of the mechanism through its own size, and the motion that it has.
    double scale = kinetic_energy(simulator.system(), at);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (scene.bodies[b].base == BaseType::Fixed) continue;
      scale += scene.bodies[b].inertia.mass * scene.gravity.norm() *
               bounding_radius(scene.bodies[b].shapes.front().shape);
    }
    bool holds = true;
    double injected = 0.0, end = start;
    for (int k = 0; k < 40; ++k) {
      const StepReport& report = simulator.step();
      ++steps;
      if (!report.certificate.holds) ++missed_steps;
      holds = holds && report.certificate.holds;
      injected += std::max(0.0, report.energy.stabilization);
      end = report.energy.kinetic + report.energy.potential;
    }
    // Finite steps leave an error of first order in h.
    if (holds && end - start - injected > 0.02 * scale) {
      ++gained;
      found << scene.simulation.model << " seed " << seed << " form " << i % 2 << ": "
            << (end - start - injected) / scale << " of the scene's energy from nothing\n";
    }
  }
  INFO(missed_steps << " of " << steps << " steps missed\n" << found.str());
  CHECK(gained == 0);
}

}  // namespace
}  // namespace amontons::test
