#include "experiments/quadruped-viscous/by_forces.h"

#include "experiments/quadruped-viscous/lcp_methods.h"
#include "experiments/walking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

// The paper's setting: RK4, and viscous contact between forces and accelerations.

namespace amontons::experiments {
namespace {

// Least share of the steps in contact that forces have: over the edges of a terrain's triangles
// contacts change, and such a step is taken at velocity level.
const std::map<Ground, double> kShareByForces = {{Ground::Level, 0.9}, {Ground::Terrain, 0.8}};
// Largest processor time over simulated time.
const std::map<Ground, double> kTimeFactor = {{Ground::Level, 2.0}, {Ground::Terrain, 20.0}};

const char* word(Ground ground) { return ground == Ground::Level ? "level ground" : "terrain"; }

constexpr double kSame = 0.1;  // how long both methods are compared [s]

Scene walk_by_forces(const Context& context, const char* model, Ground ground, double duration) {
  Overrides overrides = {{"simulation.model", model},
                         {"simulation.impact_model", model},
                         {"simulation.method", "event-driven"},
                         {"simulation.integrator", "rk4"},
                         {"simulation.sustained_contact", "viscous-acceleration"},
                         {"simulation.contact_tolerance", "1e-6"},
                         {"simulation.duration", fmt::format("{}", duration)},
                         {"materials.0.friction", "0"},
                         {"materials.0.viscous_friction", fmt::format("{}", kViscousFriction)}};
  if (ground == Ground::Level) {
    overrides.emplace_back("bodies.terrain.shapes", "[{half_space: {normal: [0, 0, 1]}}]");
  }
  return context.load("../quadruped-no-slip/walk.yaml", overrides);
}

/// Observes a walk by forces.
struct WalkByForces {
  double drag = 0.0, least_normal = 0.0, residual = 0.0, unexplained = 0.0;
  int by_forces = 0, at_velocity_level = 0;  // steps with contacts
  std::vector<Eigen::VectorXd> first;        // q of the first steps, up to one that misses its law
  bool keeps_law = true;
  Eigen::VectorXd end;

  void observe(const Simulator& simulator, const StepReport& report) {
    if (report.step > 0.0) drag = std::max(drag, departure_from_drag(report));
    residual = std::max(residual, report.certificate.normal.value);
    unexplained = std::max(unexplained, std::abs(report.energy.unexplained));
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      least_normal = std::min(least_normal, report.solution.impulses[ContactProblem::row(i) + 2]);
    }
    if (report.step > 0.0 && report.problem.num_contacts() > 0) {
      ++(report.events.by_forces > 0 ? by_forces : at_velocity_level);
    }
    keeps_law = keeps_law && report.certificate.holds;
    if (keeps_law && simulator.time() <= kSame) first.push_back(simulator.state().q);
    end = simulator.state().q;
  }
};

double departure(const WalkByForces& a, const WalkByForces& b) {
  double worst = 0.0;
  for (std::size_t k = 0; k < std::min(a.first.size(), b.first.size()); ++k) {
    worst = std::max(worst, (a.first[k] - b.first[k]).lpNorm<Eigen::Infinity>());
  }
  return worst;
}

/// The same walk with the paper's Lemke. What it leaves without a solution is its own, not ours.
Walk follow_lemke(const Context& context, Ground ground, double duration, WalkByForces& seen,
                  Findings& findings) {
  Simulator simulator = context.simulator(walk_by_forces(context, "lemke-plain", ground, duration));
  Walk walk(simulator, quadruped_feet());
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    walk.observe(simulator, report);
    seen.observe(simulator, report);
    walk.begin_step();
  }
  findings.steps_apart.push_back(
      fmt::format("by RK4 on {} with the paper's Lemke: {} missed", word(ground), walk.missed()));
  findings.notes.push_back(
      fmt::format("By RK4 on {} the paper's Lemke leaves {} steps between events uncertified.",
                  word(ground), walk.missed()));
  return walk;
}

}  // namespace

double check_by_forces(const Context& context, Ground ground, double duration, Findings& findings) {
  context.progress(fmt::format("quadruped-viscous: by forces on {}", word(ground)));

  // Every 50th step by forces also compares both LCP methods.
  const auto follow = [&](WalkByForces& seen, LcpMethods* problems) {
    const Scene scene = walk_by_forces(context, "viscous", ground, duration);
    Walk walk(Simulator(scene), quadruped_feet());
    context.simulate(
        scene,
        [&](const Simulator& simulator, const StepReport& report) {
          walk.observe(simulator, report);
          seen.observe(simulator, report);
          const bool is_asked = problems && report.step > 0.0 && report.events.by_forces > 0 &&
                                simulator.state().step_count % 50 == 0;
          if (is_asked) problems->compare_forces(report);
          walk.begin_step();
        },
        &findings, fmt::format("walk-by-forces-{}", ground == Ground::Level ? "level" : "terrain"));
    return walk;
  };

  // The same walk by modified pivoting and by the paper's Lemke.
  WalkByForces pivoting, lemke;
  LcpMethods problems;
  const Walk walk = follow(pivoting, &problems);
  const Walk by_lemke = follow_lemke(context, ground, duration, lemke, findings);
  const auto name = [&](const char* text) {
    return fmt::format("{} [{:g} s by RK4 on {}]", text, duration, word(ground));
  };

  // (a) The robot walks, and forces exist in nearly all steps with contact.
  const int in_contact = pivoting.by_forces + pivoting.at_velocity_level;
  findings.expect_true(
      name("(a) complete, every step certified"), walk.missed() == 0,
      fmt::format("{} missed; of {} steps in contact {} by forces, {} at velocity "
                  "level (where a foot leaves or meets an edge)",
                  walk.missed(), in_contact, pivoting.by_forces, pivoting.at_velocity_level));
  findings.expect_at_most(name("(a) largest tilt of the torso [deg]"),
                          walk.largest_tilt() * 180.0 / std::numbers::pi, 45.0);
  // The robot stands in the first half of a second, and the second is too short for a stride.
  const double strides = std::floor(0.8 * (duration - 0.5));
  if (strides > 0.0) {
    findings.expect_at_least(name("(a) times that every foot left and regained the ground"),
                             walk.fewest_strides(), strides);
  }
  findings.expect_at_least(name("(a) share of steps in contact that forces have"),
                           static_cast<double>(pivoting.by_forces) /
                               std::max(1, pivoting.by_forces + pivoting.at_velocity_level),
                           kShareByForces.at(ground));

  // (b), (d), (f) Both methods agree, and the law holds.
  findings.expect_at_most(fmt::format("(b) RK4 on {}: positions by PPM against Lemke's, 0.1 s or "
                                      "until it misses a step [m, rad]",
                                      word(ground)),
                          departure(pivoting, lemke), 1e-8);
  findings.expect_at_least(name("(b) steps that this compares"),
                           static_cast<double>(std::min(pivoting.first.size(), lemke.first.size())),
                           80.0);
  findings.expect_at_most(name("(d) tangential force against -mu_v v_t [N]"), pivoting.drag, 1e-10);
  findings.expect_at_least(name("(f) least normal impulse [N s]"), pivoting.least_normal, 0.0);
  findings.expect_at_most(name("(f) complementarity residual [-]"), pivoting.residual, 1e-6);
  findings.expect_at_most(name("energy that no work explains in a step [J]"), pivoting.unexplained,
                          1e-12);

  // (c), (e) Processor times of whole walks and of single LCPs.
  findings.timing_at_most(name("(e) processor time, one core [s]"), walk.step_time(),
                          kTimeFactor.at(ground) * duration);
  findings.timing_at_most(name("(c) the same by Lemke's method [s]"), by_lemke.step_time(),
                          kTimeFactor.at(ground) * duration);
  findings.timing_at_most(name("(c) one LCP of forces at least 1.37 times faster: PPM [s]"),
                          problems.pivoting_s / problems.problems,
                          problems.lemke_s / problems.problems / 1.37);
  findings.expect_at_most(name("(b) accelerations by PPM against Lemke's, in the norm of M"),
                          problems.departure, 1e-8);

  // Times are scaled to the ten seconds of the paper.
  const auto row = [&](const char* method, const char* paper, const char* ratio, const Walk& own,
                       double seconds) {
    return std::vector<std::string>{method,
                                    paper,
                                    ratio,
                                    fmt::format("{:.2f}", own.step_time() * 10.0 / duration),
                                    fmt::format("{:.2f}", by_lemke.step_time() / own.step_time()),
                                    fmt::format("{:.2f}", 1e6 * seconds / problems.problems),
                                    fmt::format("{:.2f}", problems.lemke_s / seconds)};
  };
  findings.tables.push_back(
      {fmt::format("Table III, by RK4 and forces on {}: {:g} s scaled to ten, and {} LCPs",
                   word(ground), duration, problems.problems),
       {"method", "paper [s]", "Lemke/method", "ours [s]", "Lemke/method", "one LCP [us]",
        "Lemke/method"},
       {row("Lemke", "2936.36", "1", by_lemke, problems.lemke_s),
        row("modified PPM", "2139.73", "1.37", walk, problems.pivoting_s)}});
  return by_lemke.step_time() / walk.step_time();
}

}  // namespace amontons::experiments
