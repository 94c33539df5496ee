#include "amontons/math/stopwatch.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/engine/engine_scene.h"
#include "experiments/median.h"
#include "experiments/processor_stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

// The single-cylinder engine under the convex model, each of its problems also by Lemke's method.

namespace amontons::experiments {
namespace {

Scene engine_of(int cylinders, int facets, double step, double horizon, double duration) {
  EngineParameters engine;
  engine.cylinders = cylinders;
  engine.facets = facets;
  Scene scene = engine_scene(engine);
  scene.simulation.steps = {step};
  scene.simulation.duration = duration;
  scene.simulation.model = "frictionless";  // phase I; without friction there is no other
  scene.simulation.v_max = horizon / step;
  return scene;
}

Scene one_cylinder(int facets, double duration) {
  return engine_of(1, facets, 1e-3, 4e-4, duration);
}

/// Both models on the problems of a run.
struct Contest {
  std::vector<double> lemke_times, convex_times, contacts;
  double difference = 0.0, residual = 0.0;
  int failures = 0, missed = 0;

  double ratio() const { return median(lemke_times) / median(convex_times); }
};

Contest contest(const Context& context, const Scene& scene) {
  const std::unique_ptr<ContactModel> lemke = make_model("anitescu-hart", {});
  Contest result;
  result.missed = context.simulate(scene, [&](const Simulator&, const StepReport& report) {
    const Stopwatch watch;
    const CertifiedSolution certified =
        solve_islands(report.problem, *lemke, Eigen::VectorXd(), scene.simulation.tolerance);
    result.lemke_times.push_back(watch.seconds());
    result.convex_times.push_back(report.solve_time_s);
    result.contacts.push_back(static_cast<double>(report.problem.num_contacts()));
    const bool solved =
        certified.certificate.holds && certified.solution.status == SolveStatus::Converged;
    result.failures += solved ? 0 : 1;
    result.residual = std::max(result.residual, certified.certificate.normal.value);
    result.difference = std::max(result.difference,
                                 (certified.solution.velocity - report.solution.velocity).norm() /
                                     (1.0 + report.solution.velocity.norm()));
  });
  return result;
}

}  // namespace

void check_engine_timing(Context& context, Findings& findings) {
  const double duration = context.full() ? 1.0 : 0.1;
  const Contest one = contest(context, one_cylinder(32, duration));
  const Contest four = contest(context, engine_of(4, 32, 1.25e-4, 3.2e-5, 0.06));
  findings.expect_at_most(fmt::format("(a) convex model: problems of {} s not solved", duration),
                          one.missed + four.missed, 0.0);
  findings.expect_at_most("(b) our LCP solvers on the same problems: not solved",
                          one.failures + four.failures, 0.0);
  findings.expect_at_most("(b) its largest residual of the normal law",
                          std::max(one.residual, four.residual), 1e-8);
  findings.expect_at_most("(c) velocities of both, relative difference",
                          std::max(one.difference, four.difference), 1e-6);
  for (const auto* run : {&one, &four}) {
    findings.notes.push_back(fmt::format(
        "(d) {} cylinders: {} contacts on the median; pivoting from nothing {:.2f} ms, convex warm "
        "{:.2f} ms, ratio {:.2f}",
        run == &one ? 1 : 4, median(run->contacts), 1e3 * median(run->lemke_times),
        1e3 * median(run->convex_times), run->ratio()));
  }
  findings.timing_at_most("(d) four cylinders: the convex model's median, against that of pivoting",
                          1e3 * median(four.convex_times), 1e3 * median(four.lemke_times), " ms");

  const ProcessorStopwatch watch;
  const int missed_second = context.simulate(one_cylinder(16, 1.0), {});
  const double second = watch.seconds();
  findings.expect_at_most("one second of 16 facets: steps without certificate", missed_second, 0.0);
  findings.timing_at_most("one second of 16 facets takes, processor time", second, 1.0);
}

}  // namespace amontons::experiments
