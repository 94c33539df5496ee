#include "experiments/quadruped-no-slip/by_events.h"

#include "experiments/context.h"
#include "experiments/walking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace amontons::experiments {
namespace {

Scene walk_by_events(const Context& context, const std::string& model, double duration) {
  return context.load("walk.yaml",
                      {{"simulation.model", model},
                       {"simulation.impact_model", model},
                       {"simulation.method", "event-driven"},
                       {"simulation.integrator", "symplectic-euler"},
                       {"simulation.duration", fmt::format("{}", duration)},
                       {"bodies.terrain.shapes.0.heightfield.noise.cells", "[250, 250]"},
                       {"bodies.terrain.shapes.0.heightfield.size", "[1.0, 1.0]"},
                       {"models.0.pose.position", "[-0.2, 0, 0.2]"}});
}

/// The slip of feet that carry a load, of whatever list they are on.
struct LoadedFeet {
  double slip = 0.0;  // largest after a step [m/s]
  int loaded = 0;     // contacts that were seen

  void observe(const StepReport& report) {
    const Eigen::VectorXd u = report.problem.contact_velocities(report.solution.velocity);
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      const Eigen::Index row = ContactProblem::row(i);
      if (!(report.solution.impulses[row + 2] > 0.0)) continue;
      slip = std::max(slip, u.segment<2>(row).norm());
      ++loaded;
    }
  }
};

}  // namespace

double check_walk_by_events(const Context& context, Findings& findings) {
  const double duration = context.full() ? 10.0 : 2.0;
  Table table{fmt::format("Table II, event by event on a map of 250 x 250 cells, {:g} s", duration),
              {"model", "paper, 10 s [s]", "ours [s]", "impacts", "walked [m]",
               "contacts (fewest loaded, mean, sd, most)", "largest slip of a loaded foot [m/s]",
               "steps with the law asked"},
              {}};
  const std::vector<std::pair<std::string, std::string>> models = {
      {"no-slip", "301.796"}, {"maximum-dissipation", "416.284"}};
  std::vector<double> times;
  for (const auto& [model, paper] : models) {
    context.progress("quadruped-no-slip: event by event, " + model);
    const Scene scene = walk_by_events(context, model, duration);
    Walk walk(Simulator(scene), quadruped_feet());
    LoadedFeet feet;
    int impacts = 0, steps = 0, as_asked = 0;
    const auto observe = [&](const Simulator& simulator, const StepReport& report) {
      walk.observe(simulator, report);
      feet.observe(report);
      impacts += report.events.impact;
      ++steps;
      // A step without contacts has every law.
      const bool claims =
          report.problem.num_contacts() == 0 || (report.solution.law.kind == report.law_asked &&
                                                 answers_law_asked(report.solution.status));
      as_asked += report.certificate.holds && claims;
      walk.begin_step();
    };
    // Impacts of maximum dissipation end now and then as another law: they are counted here, apart
    // from the steps of the other walks.
    if (model == "no-slip") {
      context.simulate(scene, observe);
    } else {
      Simulator simulator = context.simulator(scene);
      while (!simulator.finished()) {
        const StepReport& report = simulator.step();
        observe(simulator, report);
      }
      findings.steps_apart.push_back(
          fmt::format("event by event, {}: {} of {}", model, as_asked, steps));
    }
    times.push_back(walk.step_time());
    table.rows.push_back(
        {model, paper, fmt::format("{:.2f}", walk.step_time()), fmt::format("{}", impacts),
         fmt::format("{:.3f}", walk.distance()),
         fmt::format("{}, {:.2f}, {:.2f}, {}", walk.fewest_contacts(), walk.mean_contacts(),
                     walk.deviation_of_contacts(), walk.most_contacts()),
         fmt::format("{:.2g}", feet.slip), fmt::format("{} of {}", as_asked, steps)});
    const std::string text = "(f) event by event, " + model + ": ";
    findings.expect_at_most(text + "largest tilt of the torso [deg]",
                            walk.largest_tilt() * 180.0 / std::numbers::pi, 45.0);
    findings.expect_at_least(text + "times that every foot left and regained the ground",
                             walk.fewest_strides(), std::floor(0.8 * duration));
    findings.expect_at_least(text + "share of steps with the law asked",
                             static_cast<double>(as_asked) / steps,
                             model == "no-slip" ? 1.0 : 0.95);
    // The robot stands in the first half of a second, and two are too short to ask for a distance.
    if (context.full()) {
      findings.expect_at_least(text + "walked forward [m]", walk.distance(), 0.02 * duration);
    }
    findings.expect_at_least(text + "impacts of feet", impacts, 4.0 * (duration - 1.0));
    if (model != "no-slip") continue;
    findings.expect_at_most(text + "largest slip of a loaded foot [m/s]", feet.slip, 1e-8);
    findings.expect_at_least(text + "loaded contacts that were seen", feet.loaded,
                             1000.0 * duration);
  }
  findings.timing_at_most("(f) event by event: no-slip not slower than Drumwright-Shell [s]",
                          times[0], times[1]);
  findings.tables.push_back(std::move(table));
  return times[1] / times[0];
}

}  // namespace amontons::experiments
