#include "amontons/models/acceleration/acceleration_problem.h"
#include "amontons/models/decorators/viscous_friction_model.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/optimization/lcp/lemke.h"
#include "amontons/optimization/lcp/modified_pivoting.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/processor_stopwatch.h"
#include "experiments/walking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

// The trot of quadruped-no-slip on viscous friction alone.

namespace amontons::experiments {
namespace {

constexpr double kViscousFriction = 0.1;  // of the paper [N s/m]

constexpr int kRounds = 5, kCalls = 40;  // repetitions of each method, for its processor time

/// The LCP of a step by modified pivoting and by Lemke's method, both from G, a_0 and s to a.
struct Pivoting {
  ModifiedPivoting method;
  FactoredLcpSolution solution;
  int problems = 0;
  double pivoting_s = 0.0, lemke_s = 0.0;
  double departure = 0.0;  // largest difference of the velocities, in the norm of M
  long pivots = 0, lemke_pivots = 0;

  /// Between impulses and velocities.
  void compare(const ContactProblem& problem) {
    compare(has_viscous_friction(problem) ? with_viscous_damping(problem) : problem,
            std::vector<char>(problem.num_contacts(), 1));
  }

  /// Between forces and accelerations, at the start of a step.
  void compare_forces(const StepReport& report) {
    const ContactProblem& problem = report.problem;
    const Eigen::VectorXd forces =
        problem.mass_matrix * (problem.free_velocity - problem.velocity) / report.step;
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
    const AccelerationProblem posed = acceleration_problem(
        problem, forces, still, Eigen::VectorXd(0), Eigen::VectorXd::Ones(still.size() / 3));
    compare(posed.instant, posed.touching);
  }

 private:
  void compare(const ContactProblem& problem, const std::vector<char>& touching) {
    const ProblemScaling scaling(problem);
    NormalImpulses normals(problem, scaling, touching, 1e-8);
    normals.solve(plain_phase(problem, scaling));
    const FactoredLcp& lcp = normals.problem();
    pivoting_s +=
        least_processor_time(kRounds, kCalls, [&] { method.solve(lcp, {}, {}, solution); });
    pivots += solution.pivots;
    const Eigen::MatrixXd rows = lcp.rows.to_dense();
    LcpSolution lemke;
    Eigen::VectorXd a;
    lemke_s += least_processor_time(kRounds, kCalls, [&] {
      lemke = solve_lemke({rows * rows.transpose(), rows * lcp.start + lcp.offset});
      a = lcp.start;
      a.noalias() += rows.transpose() * lemke.z;
    });
    lemke_pivots += lemke.pivots;
    departure = std::max(departure, (a - solution.a).lpNorm<Eigen::Infinity>());
    ++problems;
  }
};

/// Largest departure of p_t from -h mu_v u_t, with the paper's mu_v, over h [N]. A contact without
/// a load has a share of it or none, and one that stays open has none.
double departure_from_drag(const StepReport& report) {
  const Eigen::VectorXd u = report.problem.contact_velocities(report.solution.velocity);
  // The law holds within this share of the largest impulse: loads below it count as none.
  constexpr double kTolerance = 1e-8;
  const double least_load = report.solution.impulses.size() > 0
                                ? kTolerance * report.solution.impulses.lpNorm<Eigen::Infinity>()
                                : 0.0;
  double worst = 0.0;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    const Eigen::Vector2d p_t = report.solution.impulses.segment<2>(row);
    const Eigen::Vector2d drag = -report.step * kViscousFriction * u.segment<2>(row);
    double share = 1.0;
    if (!(report.solution.impulses(row + 2) > least_load) && drag.squaredNorm() > 0.0) {
      share = std::clamp(p_t.dot(drag) / drag.squaredNorm(), 0.0, 1.0);
    }
    worst = std::max(worst, (p_t - share * drag).norm() / report.step);
  }
  return worst;
}

// The paper's setting: RK4, and viscous contact between forces and accelerations. The ground is
// level, because feet that slide over the edges of a terrain's triangles meet too many events.

constexpr double kSame = 0.1;  // how long both methods are compared [s]

Scene walk_by_forces(const Context& context, const char* model, double duration) {
  return context.load("../quadruped-no-slip/walk.yaml",
                      {{"simulation.model", model},
                       {"simulation.impact_model", model},
                       {"simulation.method", "event-driven"},
                       {"simulation.integrator", "rk4"},
                       {"simulation.sustained_contact", "viscous-acceleration"},
                       {"simulation.contact_tolerance", "1e-6"},
                       {"simulation.duration", fmt::format("{}", duration)},
                       {"bodies.terrain.shapes", "[{half_space: {normal: [0, 0, 1]}}]"},
                       {"materials.0.friction", "0"},
                       {"materials.0.viscous_friction", fmt::format("{}", kViscousFriction)}});
}

/// Observes a walk by forces.
struct WalkByForces {
  double drag = 0.0, least_normal = 0.0, residual = 0.0, unexplained = 0.0;
  int by_forces = 0, at_velocity_level = 0;  // steps with contacts
  std::vector<Eigen::VectorXd> first;        // q of the first steps
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
    if (simulator.time() <= kSame) first.push_back(simulator.state().q);
    end = simulator.state().q;
  }
};

double departure(const WalkByForces& a, const WalkByForces& b) {
  if (a.first.size() != b.first.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t k = 0; k < a.first.size(); ++k) {
    worst = std::max(worst, (a.first[k] - b.first[k]).lpNorm<Eigen::Infinity>());
  }
  return worst;
}

/// The same walk with the paper's Lemke. What it leaves without a solution is its own, not ours.
Walk follow_lemke(const Context& context, double duration, WalkByForces& seen, Findings& findings) {
  Simulator simulator = context.simulator(walk_by_forces(context, "lemke-plain", duration));
  Walk walk(simulator, quadruped_feet());
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    walk.observe(simulator, report);
    seen.observe(simulator, report);
    walk.begin_step();
  }
  findings.steps_apart.push_back(
      fmt::format("by RK4 with the paper's Lemke: {} missed", walk.missed()));
  findings.notes.push_back(fmt::format(
      "By RK4 the paper's Lemke leaves {} steps between events uncertified.", walk.missed()));
  return walk;
}

/// @returns the time of the walk by Lemke's method over that by modified pivoting.
double check_by_forces(Context& context, Findings& findings) {
  const double duration = context.full() ? 10.0 : 2.0;
  context.progress("quadruped-viscous: by forces");

  // Every 50th step by forces also compares both LCP methods.
  const auto follow = [&](WalkByForces& seen, Pivoting* problems) {
    const Scene scene = walk_by_forces(context, "viscous", duration);
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
        &findings, "walk-by-forces");
    return walk;
  };

  // The same walk by modified pivoting and by the paper's Lemke.
  WalkByForces pivoting, lemke;
  Pivoting problems;
  const Walk walk = follow(pivoting, &problems);
  const Walk by_lemke = follow_lemke(context, duration, lemke, findings);
  const auto name = [&](const char* text) {
    return fmt::format("{} [{:g} s by RK4]", text, duration);
  };

  // (a) The robot walks, and forces exist in nearly all steps with contact.
  const int in_contact = pivoting.by_forces + pivoting.at_velocity_level;
  findings.expect_true(
      name("(a) complete, every step certified"), walk.missed() == 0,
      fmt::format("{} missed; of {} steps in contact {} by forces, {} at velocity "
                  "level (where a foot leaves)",
                  walk.missed(), in_contact, pivoting.by_forces, pivoting.at_velocity_level));
  findings.expect_at_most(name("(a) largest tilt of the torso [deg]"),
                          walk.largest_tilt() * 180.0 / std::numbers::pi, 45.0);
  findings.expect_at_least(name("(a) times that every foot left and regained the ground"),
                           walk.fewest_strides(), std::floor(0.8 * duration));
  findings.expect_at_least(name("(a) share of steps in contact that forces have"),
                           static_cast<double>(pivoting.by_forces) /
                               std::max(1, pivoting.by_forces + pivoting.at_velocity_level),
                           0.9);

  // (b), (d), (f) Both methods agree, and the law holds.
  findings.expect_at_most("(b) RK4: positions by PPM against Lemke's, 0.1 s [m, rad]",
                          departure(pivoting, lemke), 1e-8);
  findings.expect_at_most(name("(d) tangential force against -mu_v v_t [N]"), pivoting.drag, 1e-10);
  findings.expect_at_least(name("(f) least normal impulse [N s]"), pivoting.least_normal, 0.0);
  findings.expect_at_most(name("(f) complementarity residual [-]"), pivoting.residual, 1e-6);
  findings.expect_at_most(name("energy that no work explains in a step [J]"), pivoting.unexplained,
                          1e-12);

  // (c), (e) Processor times of whole walks and of single LCPs.
  findings.timing_at_most(name("(e) processor time, one core [s]"), walk.step_time(),
                          2.0 * duration);
  findings.timing_at_most(name("(c) the same by Lemke's method [s]"), by_lemke.step_time(),
                          2.0 * duration);
  findings.timing_at_most("(c) one LCP of forces at least 1.37 times faster: PPM [s]",
                          problems.pivoting_s / problems.problems,
                          problems.lemke_s / problems.problems / 1.37);
  findings.expect_at_most("(b) accelerations by PPM against Lemke's, in the norm of M",
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
      {fmt::format(
           "Table III, by RK4 and forces on level ground: {:g} s scaled to ten, and {} LCPs",
           duration, problems.problems),
       {"method", "paper [s]", "Lemke/method", "ours [s]", "Lemke/method", "one LCP [us]",
        "Lemke/method"},
       {row("Lemke", "2936.36", "1", by_lemke, problems.lemke_s),
        row("modified PPM", "2139.73", "1.37", walk, problems.pivoting_s)}});
  return by_lemke.step_time() / walk.step_time();
}

Scene viscous_walk(const Context& context, const char* model) {
  return context.load("../quadruped-no-slip/walk.yaml",
                      {{"simulation.model", model},
                       {"materials.0.friction", "0"},
                       {"materials.0.viscous_friction", fmt::format("{}", kViscousFriction)}});
}

/// Processor times of the same ten seconds, the LCP of each step by modified pivoting and by the
/// Lemke routine that the paper compares with; the least of runs in turn [s]. The steps that the
/// routine does not solve are counted apart: they are its own, not ours.
struct WholeRuns {
  double pivoting_s = std::numeric_limits<double>::infinity();
  double lemke_s = std::numeric_limits<double>::infinity();
  int steps = 0, unsolved = 0;  // of the last run by the routine
};

WholeRuns time_whole_runs(const Context& context, Findings& findings) {
  WholeRuns least;
  const auto run = [&](const char* model, double& seconds) {
    Simulator simulator = context.simulator(viscous_walk(context, model));
    const ProcessorStopwatch watch;
    least.steps = least.unsolved = 0;
    while (!simulator.finished()) {
      least.unsolved += simulator.step().solution.status != SolveStatus::Converged;
      ++least.steps;
    }
    seconds = std::min(seconds, watch.seconds());
  };
  for (int round = 0; round < 3; ++round) {
    run("viscous", least.pivoting_s);
    run("lemke-plain", least.lemke_s);
  }
  findings.steps_apart.push_back(
      fmt::format("with the paper's Lemke: {} of {}", least.steps - least.unsolved, least.steps));
  findings.notes.push_back(
      fmt::format("(c) The paper's Lemke leaves {} of the {} steps of its run without an answer "
                  "within 1e-8; a lexicographic one solves each LCP that is compared.",
                  least.unsolved, least.steps));
  return least;
}

/// Returns the work of viscous friction in ten seconds with steps of h [J]. At 10 N s/m the robot
/// walks; at the paper's 0.1 N s/m it skates, and its way depends on every bump.
double work_of_drag(const Context& context, const char* h) {
  const Scene scene =
      context.load("../quadruped-no-slip/walk.yaml", {{"simulation.model", "viscous"},
                                                      {"simulation.step", h},
                                                      {"materials.0.friction", "0"},
                                                      {"materials.0.viscous_friction", "10"}});
  double work = 0.0;
  context.simulate(scene, [&](const Simulator&, const StepReport& report) {
    work += report.energy.contact_friction;
  });
  return work;
}

/// Drag acts wherever a step bears a load, so that its work does not hang on the length of steps.
void check_drag_of_long_steps(Context& context, Findings& findings) {
  context.progress("quadruped-viscous: steps of 0.5 and 5 ms");
  const double fine = work_of_drag(context, "0.0005"), coarse = work_of_drag(context, "0.005");
  findings.expect_at_most(
      fmt::format("work of drag of 10 N s/m in 10 s, {:.3f} J at 5 ms against {:.3f} J at 0.5 ms "
                  "[-]",
                  coarse, fine),
      (coarse - fine) / fine, 0.1);
}

}  // namespace

void check_quadruped_viscous(Context& context, Findings& findings) {
  const Scene scene = viscous_walk(context, "viscous");
  Walk walk(Simulator(scene), quadruped_feet());
  Pivoting first, all;  // the first tenth of a second; every twentieth step
  double drag = 0.0, least_normal = 0.0, residual = 0.0;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        walk.observe(simulator, report);
        drag = std::max(drag, departure_from_drag(report));
        residual = std::max(residual, report.certificate.normal.value);
        for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
          least_normal =
              std::min(least_normal, report.solution.impulses[ContactProblem::row(i) + 2]);
        }
        const bool any = report.problem.num_contacts() > 0;
        if (any && simulator.time() <= 0.1) first.compare(report.problem);
        if (any && simulator.state().step_count % 20 == 0) all.compare(report.problem);
        walk.begin_step();
      },
      &findings, "walk");
  findings.expect_true("(a) 10 s complete, every step certified", walk.missed() == 0,
                       fmt::format("{} missed", walk.missed()));
  findings.expect_at_most("(a) largest tilt of the torso [deg]",
                          walk.largest_tilt() * 180.0 / std::numbers::pi, 45.0);
  findings.notes.push_back(fmt::format(
      "(a) A foot that slips at the speed of its stride, 12 cm/s, feels 12 mN, a thousandth of the "
      "robot's weight: it skates over the bumps, {:.3f} m along x in 10 s; every foot left and "
      "regained the ground at least {} times; contacts that touch: mean {:.2f}, sd {:.2f}, most "
      "{}.",
      walk.distance(), walk.fewest_strides(), walk.mean_contacts(), walk.deviation_of_contacts(),
      walk.most_contacts()));
  findings.expect_at_least("(a) times that every foot left and regained the ground",
                           walk.fewest_strides(), 8.0);
  findings.expect_at_most(
      "(b) velocity by modified pivoting against Lemke's, each step of 0.1 s, "
      "in the norm of M",
      first.departure, 1e-8);
  findings.expect_at_most("(b) the same, every twentieth step of 10 s", all.departure, 1e-8);
  findings.expect_at_most("(d) tangential force against -mu_v v_t [N]", drag, 1e-10);
  findings.expect_at_least("(f) least normal impulse [N s]", least_normal, 0.0);
  findings.expect_at_most("(f) complementarity residual [-]", residual, 1e-8);
  findings.timing_at_most("(e) processor time of 10 s, one core [s]", walk.step_time(), 20.0);
  findings.timing_at_most("(c) the LCP alone at least 5 times faster than by Lemke's method: PPM",
                          all.pivoting_s / all.problems, all.lemke_s / all.problems / 5.0);
  // The paper compares whole runs, in which the LCPs are a small part here: both take at most 20 s,
  // and PPM is not slower.
  const WholeRuns whole = time_whole_runs(context, findings);
  findings.timing_at_most("(c) whole run by Lemke's method [s]", whole.lemke_s, 20.0);
  findings.timing_at_most("(c) whole run by PPM, not slower than by Lemke's method [s]",
                          whole.pivoting_s, whole.lemke_s);
  const auto us = [](double seconds, int count) {
    return fmt::format("{:.2f}", 1e6 * seconds / count);
  };
  const auto pivots = [&](long count) {
    return fmt::format("{:.2f}", static_cast<double>(count) / all.problems);
  };
  findings.tables.push_back(
      {fmt::format("Table III: ten seconds, and {} LCPs of the walk from nothing", all.problems),
       {"method", "paper [s]", "Lemke/method", "ours [s]", "Lemke/method", "one LCP [us]",
        "Lemke/method", "pivots"},
       {{"Lemke", "2936.36", "1", fmt::format("{:.2f}", whole.lemke_s), "1",
         us(all.lemke_s, all.problems), "1", pivots(all.lemke_pivots)},
        {"modified PPM", "2139.73", "1.37", fmt::format("{:.2f}", whole.pivoting_s),
         fmt::format("{:.2f}", whole.lemke_s / whole.pivoting_s), us(all.pivoting_s, all.problems),
         fmt::format("{:.2f}", all.lemke_s / all.pivoting_s), pivots(all.pivots)}}});
  check_drag_of_long_steps(context, findings);
  findings.verdict = fmt::format(
      "not reproduced: by RK4 on level ground alone, where Lemke's method takes {:.2f} times the "
      "time of the walk, {:.2f} by time stepping",
      check_by_forces(context, findings), whole.lemke_s / whole.pivoting_s);
}

}  // namespace amontons::experiments
