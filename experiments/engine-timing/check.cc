#include "amontons/math/stopwatch.h"
#include "amontons/models/island_solver.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/engine/engine_scene.h"
#include "experiments/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

// The single-cylinder engine under the convex model, each of its problems also by Lemke's method.

namespace amontons::experiments {
namespace {

Scene one_cylinder(int facets, double duration) {
  EngineParameters engine;
  engine.facets = facets;
  Scene scene = engine_scene(engine);
  scene.simulation.steps = {1e-3};
  scene.simulation.duration = duration;
  scene.simulation.model = "frictionless";  // phase I; without friction there is no other
  scene.simulation.v_max = 0.4;
  return scene;
}

}  // namespace

void check_engine_timing(Context& context, Findings& findings) {
  const double duration = context.full() ? 1.0 : 0.1;
  const Scene scene = one_cylinder(32, duration);
  const std::unique_ptr<ContactModel> lemke = make_model("anitescu-hart", {});
  std::vector<double> lemke_times, convex_times, contacts;
  double difference = 0.0, residual = 0.0;
  int failures = 0;
  const int missed = context.simulate(scene, [&](const Simulator&, const StepReport& report) {
    const Stopwatch watch;
    const CertifiedSolution answer =
        solve_islands(report.problem, *lemke, Eigen::VectorXd(), scene.simulation.tolerance);
    lemke_times.push_back(watch.seconds());
    convex_times.push_back(report.solve_time_s);
    contacts.push_back(static_cast<double>(report.problem.num_contacts()));
    const bool solved =
        answer.certificate.claimed && answer.solution.status == SolveStatus::Converged;
    failures += solved ? 0 : 1;
    residual = std::max(residual, answer.certificate.normal.value);
    difference = std::max(difference, (answer.solution.velocity - report.solution.velocity).norm() /
                                          (1.0 + report.solution.velocity.norm()));
  });
  findings.expect_at_most(fmt::format("(a) convex model: problems of {} s not solved", duration),
                          missed, 0.0);
  findings.expect_at_most("(b) our LCP solvers on the same problems: not solved", failures, 0.0);
  findings.expect_at_most("(b) its largest residual of the normal law", residual, 1e-8);
  findings.expect_at_most("(c) velocities of both, relative difference", difference, 1e-6);
  const double ratio = median(lemke_times) / median(convex_times);
  findings.notes.push_back(fmt::format(
      "(d) {} contacts on the median; pivoting from nothing {:.2f} ms, convex warm {:.2f} ms, "
      "ratio {:.2f}",
      median(contacts), 1e3 * median(lemke_times), 1e3 * median(convex_times), ratio));

  double wall_time = 0.0;
  const int missed_second = context.simulate(
      one_cylinder(16, 1.0),
      [&](const Simulator&, const StepReport& report) { wall_time += report.step_time_s; });
  findings.expect_at_most("one second of 16 facets: steps without certificate", missed_second, 0.0);
  findings.timing_at_most("one second of 16 facets takes [s]", wall_time, 1.0);
}

}  // namespace amontons::experiments
