#include "amontons/contact/viscous_drag.h"
#include "amontons/models/normal_impulses.h"
#include "amontons/models/viscous_damping.h"
#include "amontons/optimization/lemke.h"
#include "amontons/optimization/modified_pivoting.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/processor_stopwatch.h"
#include "experiments/walking.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

// The trot of quadruped-no-slip on viscous friction alone.

namespace amontons::experiments {
namespace {

constexpr int kRounds = 5, kCalls = 40;  // of each method, for its processor time

/// The LCP of a step by modified pivoting and by Lemke's method, both from G, a_0 and s to a.
struct Pivoting {
  ModifiedPivoting method;
  FactoredLcpSolution solution;
  int problems = 0;
  double pivoting_s = 0.0, lemke_s = 0.0;
  double departure = 0.0;  // of the velocities, in the norm of M
  long pivots = 0, lemke_pivots = 0;

  void compare(const ContactProblem& problem) {
    const ContactProblem damped =
        has_viscous_friction(problem) ? with_viscous_damping(problem) : problem;
    const ProblemMetric metric(damped);
    NormalImpulses normals(damped, metric, std::vector<char>(damped.num_contacts(), 1), 1e-8);
    normals.solve(plain_phase(damped, metric));
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

/// Largest departure of a touching contact's p_t from -h mu_v u_t, over h [N].
double departure_from_drag(const StepReport& report) {
  const Eigen::VectorXd u = report.problem.contact_velocities(report.solution.velocity);
  double worst = 0.0;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    const Eigen::Vector2d left = report.solution.impulses.segment<2>(row) +
                                 viscous_drag(report.problem, i) * u.segment<2>(row);
    worst = std::max(worst, left.norm() / report.step);
  }
  return worst;
}

Scene viscous_walk(const Context& context, const char* model) {
  return context.load("../quadruped-no-slip/walk.yaml", {{"simulation.model", model},
                                                         {"materials.0.friction", "0"},
                                                         {"materials.0.viscous_friction", "0.1"}});
}

/// Processor times of the same ten seconds, the LCP of each step by modified pivoting and by the
/// plain Lemke that the paper compares with; the least of runs in turn [s].
struct WholeRuns {
  double pivoting_s = std::numeric_limits<double>::infinity();
  double lemke_s = std::numeric_limits<double>::infinity();
};

WholeRuns time_whole_runs(const Context& context) {
  WholeRuns least;
  const auto run = [&](const char* model, double& seconds) {
    const Scene scene = viscous_walk(context, model);
    const ProcessorStopwatch watch;
    context.simulate(scene, {});
    seconds = std::min(seconds, watch.seconds());
  };
  for (int round = 0; round < 3; ++round) {
    run("viscous", least.pivoting_s);
    run("lemke-plain", least.lemke_s);
  }
  return least;
}

}  // namespace

void check_quadruped_viscous(Context& context, Findings& findings) {
  const Scene scene = viscous_walk(context, "viscous");
  Walk walk(Simulator(scene), quadruped_feet());
  Pivoting first, all;  // of the first tenth of a second; of every twentieth step
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
        walk.go_on();
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
  // The paper's figure is of whole runs, of which the LCPs are a small part here: both within 20 s
  // and PPM not slower.
  const WholeRuns whole = time_whole_runs(context);
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
}

}  // namespace amontons::experiments
