#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/struck_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>

// Trees that spin fast and strike planes: no step creates energy, whatever its impulses are.

namespace amontons::test {
namespace {

/// Returns the kinetic energy of the state [J].
double energy_of(const Simulator& simulator) {
  SystemKinematics at;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 0.0, at);
  return kinetic_energy(simulator.system(), at);
}

/// Counts the steps of many trees under one model.
struct Tally {
  int steps = 0, struck = 0, coupled = 0;
  int rises = 0;   ///< with more energy than the start and the removal of overlaps explain
  int untold = 0;  ///< of these, steps whose certificate holds
  std::ostringstream found;

  /// Takes some steps of a tree.
  void add(const Scene& scene, const std::string& name) {
    // Certificates allow 1 % of both energies.
    constexpr double kShare = 0.01 * (1.0 + 1e-6);
    Simulator simulator(scene, 1);
    double before = energy_of(simulator);
    for (int k = 0; k < 25; ++k, ++steps) {
      const StepReport& report = simulator.step();
      const double after = report.energy.kinetic;
      const double rise = after - before - std::max(0.0, report.energy.stabilization);
      struck += report.problem.num_contacts() > 0 && !report.solution.impulses.isZero(0.0);
      coupled += report.coupled_velocity.size() > 0;
      if (rise > kShare * (before + after)) {
        ++rises;
        untold += report.certificate.holds;
        found << name << ", step " << k << ": from " << before << " to " << after << " J\n";
      }
      before = after;
    }
  }
};

/// Takes steps of random trees under a model.
void strike(const std::string& model, const StruckTree::Options& options, Tally& tally) {
  const int cases = std::max(num_cases(2000), 400);
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = 15485863u * static_cast<std::uint64_t>(i) + model.size();
    tally.add(StruckTree(seed).draw(model, options), "seed " + std::to_string(seed));
  }
}

}  // namespace

TEST_CASE("No step of a fast tree that strikes planes creates energy") {
  const std::string model = GENERATE("coulomb", "anitescu-potra", "maximum-dissipation");
  Tally tally;
  strike(model, {}, tally);
  INFO(model << ": " << tally.steps << " steps, " << tally.struck << " with impulses, "
             << tally.coupled << " coupled\n"
             << tally.found.str());
  CHECK(tally.rises == 0);
  // The trees do what the test is about.
  CHECK(tally.struck > tally.steps / 10);
  CHECK(tally.coupled > 0);
}

TEST_CASE("Steps of fast trees that bounce or close loops create no energy without saying so") {
  const std::string model = GENERATE("coulomb", "anitescu-potra", "maximum-dissipation");
  Tally tally;
  strike(model, {.bounces = true, .has_loops = true}, tally);
  INFO(model << ": " << tally.steps << " steps, " << tally.rises << " gain energy\n"
             << tally.found.str());
  CHECK(tally.untold == 0);
  CHECK(tally.rises <= tally.steps / 10000 + 1);
}

}  // namespace amontons::test
