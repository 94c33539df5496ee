#include "experiments/grasp/three_directions.h"

#include "experiments/grasp/one_step.h"
#include "experiments/grasp/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

// The other reading of the paper's 12 contacts of two boxes: each corner with all three directions
// of the normal.

namespace amontons::experiments {
namespace {

const char* const kScene = "three-directions.yaml";

/// Counts the contacts whose normals lie along each axis of the world.
void check_normals(const Context& context, Findings& findings) {
  Simulator simulator = context.simulator(context.load(kScene));
  const ContactProblem problem = simulator.step().problem;
  Eigen::Vector3i along = Eigen::Vector3i::Zero();
  for (const Contact& contact : problem.contacts) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      along[axis] += std::abs(contact.normal_W[axis]) > 1.0 - 1e-12;
    }
  }
  findings.expect_within("three directions: contacts listed",
                         static_cast<double>(problem.num_contacts()), 36.0, 36.0);
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    findings.expect_within(fmt::format("three directions: contacts along {}", "xyz"[axis]),
                           along[axis], 12.0, 12.0);
  }
}

/// Returns how far the boxes have sunk after ten steps without friction [m].
double sag_without_friction(const Context& context, const std::string& file) {
  constexpr int kSteps = 10;
  Simulator simulator = context.simulator(
      context.load(file, {{"simulation.model", "stewart-trinkle"}, {"materials.0.friction", "0"}}));
  const Eigen::VectorXd start = simulator.state().q;
  for (int step = 0; step < kSteps; ++step) (void)context.step(simulator);
  double sag = 0.0;
  for (Eigen::Index z = 1 + 6; z < start.size() - 1; z += 7) {
    sag = std::max(sag, start[z] - simulator.state().q[z]);
  }
  return sag;
}

/// The upper and lower corners hold a box up, whatever the friction.
void check_without_friction(const Context& context, Findings& findings) {
  findings.expect_at_most("three directions: sag after ten steps at mu 0 [m]",
                          sag_without_friction(context, kScene), 1e-12);
  const double fall = 9.81 * 1e-4 * 55.0;  // g h^2 k (k + 1)/2
  findings.expect_within("one direction: the same, exact 0.053955 [m]",
                         sag_without_friction(context, "grasp.yaml"), fall - 1e-12, fall + 1e-12);
}

}  // namespace

void check_three_directions(const Context& context, Findings& findings) {
  check_normals(context, findings);
  check_without_friction(context, findings);
  const OneStep one = check_one_step(context, kScene, "three directions: ", findings);
  findings.expect_within("three directions: rank of the normals that no-slip leaves free",
                         static_cast<double>(one.rank), 0.0, 0.0);

  Table table = table_of_trials("Three directions of the normal: Table I with noise of 0.01 N");
  std::string by_routine;
  for (const double friction : {100.0, 1e20}) {
    std::map<std::string, Trials> all = compare_models(
        context, "three directions", friction, true,
        [&](const Overrides& overrides) { return context.load(kScene, overrides); }, table,
        findings);
    const std::string name = fmt::format("three directions, mu {:g}, with noise: ", friction);
    findings.expect_at_least(name + "steps that no-slip holds, fewest of ten trials",
                             all["no-slip"].fewest(), kMostSteps);
    for (const char* model : {"stewart-trinkle", "no-slip", "coulomb"}) {
      findings.expect_at_most(fmt::format("{}{}: largest sag [m]", name, model), all[model].sag,
                              1e-6);
    }
    by_routine += fmt::format("{}{} at mu {:g}", by_routine.empty() ? "" : " and ",
                              all["lemke-plain"].dropped, friction);
    const LawTally& steps = all["stewart-trinkle"].tally;
    findings.expect_at_least(
        name + "share of Stewart-Trinkle's steps with the law asked",
        static_cast<double>(steps.num_asked()) / static_cast<double>(steps.num_steps()), 0.99);
  }
  findings.tables.push_back(std::move(table));
  findings.verdict += fmt::format(", with three directions of the normal {}", by_routine);
  findings.notes.push_back(fmt::format(
      "Three directions: a corner may pass none of the faces that it touches, so that upper and "
      "lower "
      "corners hold the boxes without friction, and what drops them is the solver alone. The "
      "paper's "
      "Lemke drops {} of {} trials each, ours none. The tangents of some contacts "
      "are the normals of others: no-slip welds the boxes and needs no pivots, where the paper "
      "counts 5.5. Model no-slip takes {:.1f} times as long as stewart-trinkle here.",
      by_routine, kTrials, one.no_slip_s / one.stewart_trinkle_s));
}

}  // namespace amontons::experiments
