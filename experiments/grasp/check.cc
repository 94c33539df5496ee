#include "amontons/contact/contact_space.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/models/lcp_assembly.h"
#include "amontons/optimization/lemke.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

// Two cubes pressed together by two grippers, each contact listed three times.

namespace amontons::experiments {
namespace {

constexpr double kForce = 200.0;  // [N] of each gripper

struct Hold {
  std::vector<double> time, sag;
  double largest_sag = 0.0, largest_speed = 0.0;
  double force_error = 0.0;  // of the normal impulses of an interface over h, against kForce [N]
  double residual = 0.0;
  std::size_t contacts = 0;
  double first_ten_s = 0.0;  // wall time of the first ten steps
  int missed = 0;
};

// Sum of normal impulses over h for each pair of bodies that touch [N].
std::map<std::pair<int, int>, double> interface_forces(const StepReport& report) {
  std::map<std::pair<int, int>, double> forces;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    forces[std::minmax(contact.body_a, contact.body_b)] +=
        report.solution.impulses[ContactProblem::row(i) + 2] / report.step;
  }
  return forces;
}

Hold hold(const Context& context, const std::string& model, Findings& findings) {
  Hold result;
  // The grippers' force is worth 2 m/s a step: certified to 1e-8 of that, an iterative answer need
  // not be at rest to 1e-8 m/s. Lemke's is a basis, exact to rounding.
  const std::string tolerance = model == "coulomb" ? "1e-10" : "1e-8";
  const Scene scene = context.load(
      "grasp.yaml", {{"simulation.model", model}, {"simulation.tolerance", tolerance}});
  const Simulator start(scene);
  const Eigen::VectorXd q0 = start.state().q;
  result.missed = context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        // q: the left rail, the two cubes (orientation, position), the right rail.
        const Eigen::VectorXd moved = simulator.state().q - q0;
        const double sag = std::max(std::abs(moved[1 + 6]), std::abs(moved[8 + 6]));
        result.largest_sag = std::max(result.largest_sag, sag);
        result.largest_speed =
            std::max(result.largest_speed, simulator.state().v.lpNorm<Eigen::Infinity>());
        for (const auto& [pair, force] : interface_forces(report)) {
          result.force_error = std::max(result.force_error, std::abs(force - kForce));
        }
        result.residual = std::max(
            {result.residual, report.certificate.normal.value, report.certificate.friction.value});
        result.contacts = report.problem.num_contacts();
        if (simulator.state().step_count <= 10) result.first_ten_s += report.step_time_s;
        result.time.push_back(simulator.time());
        result.sag.push_back(std::abs(sag));
      },
      &findings, "grasp-" + model);
  return result;
}

// The whole LCP of the first step at once, as the paper's solver gets it.
void check_whole_lcp(const Context& context, Findings& findings) {
  Simulator simulator(context.load("grasp.yaml"));
  const StepReport& report = simulator.step();
  const ContactProblem& problem = report.problem;
  std::vector<int> all(problem.num_contacts());
  std::iota(all.begin(), all.end(), 0);
  const ContactSpace space(problem);
  const auto count = static_cast<Eigen::Index>(all.size());
  Eigen::VectorXd friction(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    friction[i] = problem.contacts[static_cast<std::size_t>(i)].friction;
  }
  const ContactSubset subset{space.delassus(all),          space.free_contact_velocity(),
                             problem.stabilized_gaps(),    friction,
                             Eigen::VectorXd::Zero(count), Eigen::VectorXd::Zero(count)};
  const Eigen::Matrix2Xd directions = polygon_directions(4);
  const FrictionLcp lcp = assemble_lcp(subset, directions, false);
  const LcpSolution answer = solve_lemke(lcp.lcp);
  Eigen::VectorXd velocity, joint_impulses;
  space.apply(impulses_from(lcp, directions, answer.z), velocity, joint_impulses);
  findings.expect_within("(d) variables of the LCP of one step",
                         static_cast<double>(lcp.lcp.q.size()), 216.0, 216.0);
  findings.expect_true("(b) Lemke's method on all 216 at once: solved",
                       answer.status == SolveStatus::Converged,
                       fmt::format("{} after {} pivots", to_string(answer.status), answer.pivots));
  findings.expect_at_most("(b) its residual [-]", answer.residual, 1e-8);
  findings.expect_at_most("(c) its largest velocity [m/s]", velocity.lpNorm<Eigen::Infinity>(),
                          1e-8);
}

}  // namespace

void check_grasp(Context& context, Findings& findings) {
  check_whole_lcp(context, findings);
  Figure figure{"Sag of the boxes", "time [s]", "|z - z0| [m]", true, {}};
  for (const std::string model : {"stewart-trinkle", "coulomb"}) {
    context.progress("grasp: " + model);
    const Hold held = hold(context, model, findings);
    findings.expect_within(model + ": contacts listed", static_cast<double>(held.contacts), 36.0,
                           36.0);
    findings.expect_at_least("(b) " + model + ": iterations", static_cast<double>(held.time.size()),
                             1000.0);
    findings.expect_at_most("(b) " + model + ": largest sag |z - z0| [m]", held.largest_sag, 1e-6);
    findings.expect_at_most("(c) " + model + ": largest velocity [m/s or rad/s]",
                            held.largest_speed, 1e-8);
    findings.expect_at_most("(g) " + model + ": normal force of an interface against 200 N [N]",
                            held.force_error, 1e-9 / 0.01);
    findings.expect_at_most(model + ": worst residual [-]", held.residual, 1e-8);
    findings.expect_true(model + ": every step certified", held.missed == 0,
                         fmt::format("{} missed", held.missed));
    findings.timing_at_most("(h) " + model + ": the first 10 iterations", held.first_ten_s, 0.010);
    figure.curves.push_back({model, held.time, held.sag});
  }
  findings.notes.emplace_back(
      "Waiting for the no-slip model: (a) its 1000 iterations, (c) the same velocity from both, "
      "(d) its "
      "36 variables, (e) the ratios of solver times, (f) its pivots.");
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
