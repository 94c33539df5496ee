#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/mechanism_forms.h"
#include "tests/simulation/random_mechanism.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

// Random mechanisms in reduced and in maximal coordinates, under every model: one physics, two
// forms. Steps from rest have no velocity terms, so that the two forms agree to rounding.

namespace amontons::test {
namespace {

TEST_CASE("Both forms of joints move random mechanisms alike, under every model") {
  // Each model has cases of its own.
  const int cases = num_cases(10000) / static_cast<int>(model_names().size()) + 1;
  for (const std::string& model : model_names()) {
    int law_missed = 0, differ = 0, other_solution = 0;
    std::ostringstream found;
    for (int i = 0; i < cases; ++i) {
      const std::uint64_t seed = 7919u * static_cast<std::uint64_t>(i) + model.size();
      MechanismGenerator generator(seed);
      Scene scene = generator.draw({});
      scene.simulation.model = model;
      const FirstStep reduced(with_coordinates(scene, Coordinates::Reduced));
      const FirstStep maximal(with_coordinates(scene, Coordinates::Maximal));
      if (!reduced.has_law_asked() || !maximal.has_law_asked()) {
        ++law_missed;
        found << "seed " << seed << ": reduced form " << reduced.answer() << ", maximal form "
              << maximal.answer() << "\n";
        continue;
      }
      const double difference = velocity_difference(scene, reduced, maximal);
      if (difference <= 1e-6) continue;
      if (solves_the_reduced_form(reduced, maximal, 1e-6)) {
        ++other_solution;
        continue;
      }
      ++differ;
      found << "seed " << seed << ": velocities differ by " << difference << "\n";
    }
    INFO(model << ": " << cases << " mechanisms, " << other_solution
               << " with another solution of the law\n"
               << found.str());
    CHECK(differ == 0);
    // Such a step says so. Phases with rows that change sides are hard for maximum dissipation.
    CHECK(law_missed <= cases / (model == "maximum-dissipation" ? 10 : 100) + 1);
  }
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
