#include "experiments/context.h"
#include "experiments/public/four-bar-clearance/linkage.h"
#include "experiments/public/public_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

// The journals of a four-bar linkage have clearance in their bearings.

namespace amontons::experiments {
namespace {

constexpr int kDrawn = 20;  // every so many steps are drawn

/// Holds the extremes of a motion of the linkage.
struct LinkageRun {
  double deepest = 0.0;       // overlap of a journal and its bearing [m]
  double farthest = 0.0;      // offset of a journal from its bearing's axis [m]
  double difference = 0.0;    // from the ideal angles, over what the clearances allow [-]
  double pull = 0.0;          // normal impulse below zero [N s]
  double sliding = 0.0;       // |p_t|/p_n of sliding contacts off mu [-]
  double energy_error = 0.0;  // from that of the ideal linkage [J]
  double largest_energy = 0.0, drive_work = 0.0, dissipated = 0.0;  // [J]
  double gain = 0.0;                                                // energy since the start [J]
  double driven = 0.0;        // sum of the absolute works of the drive [J]
  double contact_gain = 0.0;  // largest work that contact has added in a step [J]
  int pressed = 0, instants = 0, slides = 0;
  Curve rocker, allowed;
};

/// Adds the impulses of a step and its works.
void add_contacts(const StepReport& report, LinkageRun& run) {
  run.deepest = std::max(run.deepest, report.certificate.infeasibility);
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const auto p = report.solution.impulses.segment<3>(ContactProblem::row(i));
    run.pull = std::max(run.pull, -p.z());
    if (report.solution.modes[i] != ContactMode::Slide || p.z() <= 0.0) continue;
    run.sliding = std::max(run.sliding, std::abs(p.head<2>().norm() / p.z() - kLinkageFriction));
    ++run.slides;
  }
  const EnergyLedger& energy = report.energy;
  const double contact = energy.contact_normal + energy.contact_friction + energy.impacts;
  run.drive_work += energy.actuators;
  run.driven += std::abs(energy.actuators);
  run.dissipated -= contact;
  run.contact_gain = std::max(run.contact_gain, contact);
}

/// Adds the places of the links at the end of a step.
void add_places(const LinkageState& state, double time, LinkageRun& run) {
  const OfLinks ideal = ideal_angles(state.angles.crank);
  const OfLinks allowed = largest_differences(ideal);
  const auto apart = [](double a, double b) {
    return std::remainder(a - b, 2.0 * std::acos(-1.0));
  };
  const double rocker = apart(state.angles.rocker, ideal.rocker);
  run.difference =
      std::max({run.difference, std::abs(rocker) / allowed.rocker,
                std::abs(apart(state.angles.coupler, ideal.coupler)) / allowed.coupler});
  const double energy = ideal_energy(ideal, state.crank_rate);
  run.energy_error = std::max(run.energy_error, std::abs(state.energy - energy));
  run.largest_energy = std::max(run.largest_energy, std::abs(energy));
  for (const double offset : state.offsets) {
    run.farthest = std::max(run.farthest, offset);
    run.pressed += offset > 0.999 * kClearance;
    ++run.instants;
  }
  if (run.instants % (kDrawn * kClearJoints) != 0) return;
  run.rocker.x.push_back(time);
  run.rocker.y.push_back(rocker);
  run.allowed.x.push_back(time);
  run.allowed.y.push_back(allowed.rocker);
}

LinkageRun turn_crank(const Context& context, double step, double duration, Findings& findings) {
  LinkageRun run;
  const Scene scene = linkage_with_clearance(step, duration);
  const double start = measure_linkage(Simulator(scene)).energy;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        const LinkageState state = measure_linkage(simulator);
        add_contacts(report, run);
        add_places(state, simulator.time(), run);
        run.gain = state.energy - start;
      },
      &findings, "linkage");
  return run;
}

}  // namespace

void check_four_bar_clearance(Context& context, Findings& findings) {
  LinkageRun run = turn_crank(context, 1e-4, 1.0, findings);
  const double pressed = static_cast<double>(run.pressed) / run.instants;
  findings.compare("difference of rocker from the ideal linkage, over what clearances allow",
                   "Siconos 0.96, of 20 instants", "at most 1",
                   fmt::format("{:.3g}", run.difference));
  findings.compare("share of instants at which a journal touches its bearing", "Siconos 59 of 60",
                   "", fmt::format("{:.3g}", pressed));
  findings.compare("energy off that of the ideal linkage, over its largest", "",
                   "0 without clearance",
                   fmt::format("{:.2g}", run.energy_error / run.largest_energy));

  // A bearing of flat pieces is wider at its corners by 1/cos(pi/64) - 1 of its radius.
  findings.expect_at_most("deepest overlap over the clearance", run.deepest / kClearance, 1e-3);
  findings.expect_within("largest offset of a journal over the clearance",
                         run.farthest / kClearance, 1.0, 1.016);
  findings.expect_within("angles off the ideal linkage, over the largest that clearances allow",
                         run.difference, 0.8, 1.02);
  findings.expect_at_least("share of instants at which a journal touches its bearing", pressed,
                           0.8);
  findings.expect_at_most("largest pull of a contact [N s]", run.pull, 0.0);
  findings.expect_at_most("|p_t|/p_n of sliding contacts off mu",
                          run.slides > 0 ? run.sliding : 1.0, 1e-6);
  findings.expect_at_most("energy that contact adds in a step, over the largest energy",
                          run.contact_gain / run.largest_energy, 1e-12);
  findings.expect_at_most(
      "energy less the drive's work and contact's losses, over the work of the drive",
      std::abs(run.gain - run.drive_work + run.dissipated) / run.driven, 0.01);
  findings.notes.push_back(fmt::format(
      "The drive does {:.4g} J of work in all, {:.4g} J up and down; contact dissipates {:.4g} J.",
      run.drive_work, run.driven, run.dissipated));
  run.rocker.name = "rocker";
  run.allowed.name = "largest that three clearances allow";
  findings.figures.push_back({"Angle of the rocker off the ideal linkage",
                              "time [s]",
                              "angle [rad]",
                              false,
                              {std::move(run.rocker), std::move(run.allowed)}});
}

}  // namespace amontons::experiments
