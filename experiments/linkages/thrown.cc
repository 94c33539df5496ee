#include "experiments/linkages/thrown.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>

namespace amontons::experiments {
namespace {

// The square as a whole flies and turns, its hinges move.
Overrides random_start(std::mt19937& random) {
  std::uniform_real_distribution<double> speed(-3.0, 3.0);
  const auto vector = [&] {
    return fmt::format("[{}, {}, {}]", speed(random), speed(random), speed(random));
  };
  const std::string linear = vector(), angular = vector();
  return {{"bodies.0.velocity", fmt::format("{{linear: {}, angular: {}}}", linear, angular)},
          {"joints.0.rate", fmt::format("{}", speed(random))},
          {"joints.1.rate", fmt::format("{}", speed(random))},
          {"joints.2.rate", fmt::format("{}", speed(random))}};
}

Overrides in_maximal_coordinates(Overrides overrides) {
  for (int i = 0; i < 4; ++i) {
    overrides.emplace_back(fmt::format("joints.{}.coordinates", i), "maximal");
  }
  return overrides;
}

struct Tally {
  int problems = 0, solved = 0;
  int wrong = 0;           // reported as solved, but beyond the tolerance of their laws
  int created_energy = 0;  // whose motion the certificate refuses
  int missed_contacts = 0;
  int repeated_steps = 0;  // steps that met a shape beyond the contact horizon
  int largest = 0;         // contacts in one problem
};

void throw_linkage(const Context& context, const Overrides& overrides, Tally& tally) {
  context.simulate(context.load("thrown.yaml", overrides), [&tally](const Simulator& simulator,
                                                                    const StepReport& report) {
    const bool solved = report.solution.status == SolveStatus::Converged;
    ++tally.problems;
    tally.solved += solved;
    tally.wrong +=
        solved && !(report.certificate.worst_of_laws() <= simulator.scene_settings().tolerance);
    tally.created_energy += report.certificate.energy_created > 0.0;
    tally.missed_contacts += report.certificate.missed_contacts;
    tally.repeated_steps += report.closing_speed > 0.0;
    tally.largest = std::max(tally.largest, static_cast<int>(report.problem.num_contacts()));
  });
}

}  // namespace

void check_thrown_linkage(const Context& context, Findings& findings) {
  const int starts = context.full() ? 50 : 5;
  for (const bool maximal : {false, true}) {
    Tally tally;
    std::mt19937 random(1);
    for (int start = 0; start < starts; ++start) {
      const Overrides overrides = random_start(random);
      throw_linkage(context, maximal ? in_maximal_coordinates(overrides) : overrides, tally);
    }
    const std::string text = maximal ? "thrown linkage, maximal: " : "thrown linkage, reduced: ";
    findings.notes.push_back(fmt::format("{}{} problems, at most {} contacts in one", text,
                                         tally.problems, tally.largest));
    findings.expect_at_most("T01 " + text + "wrong solutions", tally.wrong, 0);
    findings.expect_at_least("T01 " + text + "share of problems solved at 1e-8",
                             static_cast<double>(tally.solved) / tally.problems, 0.999);
    findings.expect_at_most(text + "steps whose motion creates energy", tally.created_energy, 0);
    findings.expect_at_most("T07 " + text + "contacts missed", tally.missed_contacts, 0);
  }
  Tally blind;
  throw_linkage(context, {{"simulation.v_max", "0.01"}}, blind);
  findings.expect_at_least(
      "T07 thrown linkage: too small a v_max (1 cm/s) is noticed; steps repeated with a wider "
      "horizon",
      blind.repeated_steps, 1);
  findings.expect_at_most("T07 thrown linkage: contacts missed even so", blind.missed_contacts, 0);
}

}  // namespace amontons::experiments
