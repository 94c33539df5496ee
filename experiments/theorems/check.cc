#include "amontons/math/block_diagonal_factor.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

// Decay, active sets, nonlinear stepping and the penalty limit.

namespace amontons::experiments {
namespace {

constexpr double kInitialError = 1e-3, kStep = 0.01;

// Largest departure of the measured infeasibility from a law of the step number.
template <typename Law>
double departure(const Context& context, const std::string& file, const Overrides& overrides,
                 Law law, double* final_speed = nullptr) {
  double worst = 0.0;
  context.simulate(context.load(file, overrides),
                   [&](const Simulator& simulator, const StepReport& report) {
                     const auto l = static_cast<double>(simulator.state().step_count);
                     worst = std::max(worst, std::abs(report.certificate.infeasibility - law(l)));
                     if (final_speed != nullptr) *final_speed = simulator.state().v[5];
                   });
  return worst;
}

void check_decay(const Context& context, Findings& findings) {
  double joint = 0.0, free_exit = 0.0, exit_speed = 0.0, pressed = 0.0;
  for (const double gamma : {0.1, 0.2, 0.5, 0.9, 1.0}) {
    const std::string text = fmt::format("{}", gamma);
    const auto geometric = [gamma](double l) { return kInitialError * std::pow(1.0 - gamma, l); };
    joint =
        std::max(joint, departure(context, "joint.yaml", {{"simulation.gamma", text}}, geometric));
    double speed = 0.0;
    free_exit = std::max(
        free_exit,
        departure(
            context, "overlap.yaml", {{"simulation.gamma", text}},
            [gamma](double l) { return kInitialError * std::max(0.0, 1.0 - gamma * l); }, &speed));
    exit_speed = std::max(exit_speed, std::abs(speed - gamma * kInitialError / kStep));
    // Pressed down hard enough (g h^2 >= gamma^2 I_0) the ball loses its speed in each step.
    pressed = std::max(
        pressed, departure(context, "overlap.yaml",
                           {{"simulation.gamma", text}, {"gravity", "[0, 0, -20]"}}, geometric));
  }
  findings.expect_at_most("T04 joint: I_l against (1 - gamma)^l I_0 [m]", joint, 1e-12);
  findings.expect_at_most("T04 free contact: I_l against max(0, 1 - gamma l) I_0 [m]", free_exit,
                          1e-12);
  findings.expect_at_most("T04 free contact: exit speed against gamma I_0/h [m/s]", exit_speed,
                          1e-12);
  findings.expect_at_most("T04 pressed contact: I_l against (1 - gamma)^l I_0 [m]", pressed, 1e-12);
}

void check_active_set(const Context& context, Findings& findings) {
  int missed_with_default = 0, missed_with_v_max = 0, missed_when_small = 0;
  int repeated_steps = 0;
  const auto count = [](int& missed) {
    return [&missed](const Simulator&, const StepReport& report) {
      missed += report.certificate.missed_contacts;
    };
  };
  context.simulate(context.load("../ellipse/drop.yaml"), count(missed_with_default));
  context.simulate(context.load("../ellipse/drop.yaml", {{"simulation.v_max", "40"}}),
                   count(missed_with_v_max));
  context.simulate(context.load("../ellipse/drop.yaml", {{"simulation.v_max", "0.01"}}),
                   [&](const Simulator&, const StepReport& report) {
                     missed_when_small += report.certificate.missed_contacts;
                     repeated_steps += report.closing_speed > 0.0;
                   });
  findings.expect_at_most("T07: contacts missed with the default horizon", missed_with_default, 0);
  findings.expect_at_most("T07: contacts missed with v_max h, v_max 40 m/s", missed_with_v_max, 0);
  findings.expect_at_least(
      "T07: too small a v_max (1 cm/s) is noticed; steps repeated with a wider horizon",
      repeated_steps, 1);
  findings.expect_at_most("T07: contacts missed even so", missed_when_small, 0);
}

double largest_infeasibility(const Context& context, const std::string& file,
                             const Overrides& overrides, int* missed = nullptr) {
  double worst = 0.0;
  const int not_certified = context.simulate(
      context.load(file, overrides), [&worst](const Simulator&, const StepReport& report) {
        worst = std::max(worst, report.certificate.infeasibility);
      });
  if (missed != nullptr) *missed += not_certified;
  return worst;
}

void check_nonlinear_stepping(const Context& context, Findings& findings) {
  const Overrides iterate = {{"simulation.model", "stewart-trinkle"},
                             {"simulation.position_iterations", "50"}};
  int missed = 0;
  for (const std::string file :
       {"../pendulum-drift/distance.yaml", "../pendulum-drift/pin.yaml", "../ellipse/drop.yaml"}) {
    findings.expect_at_most("T08 position iterations, " + file.substr(3) + ": largest I(q) [m]",
                            largest_infeasibility(context, file, iterate, &missed), 1e-9);
  }
  for (const std::string file : {"../pendulum-drift/distance.yaml", "../pendulum-drift/pin.yaml"}) {
    findings.expect_at_most(
        "T08 projection, " + file.substr(3) + ": largest |Theta| [m]",
        largest_infeasibility(context, file, {{"simulation.projection", "true"}}, &missed), 1e-12);
  }
  findings.expect_true("T08: every step certified", missed == 0);
}

// Backward Euler with a linear penalty of stiffness k on one frictionless contact:
//   M (v+ - v_free) = h k N' max(0, -Phi - h N v+).
Eigen::VectorXd penalty_step(const ContactProblem& problem, double stiffness) {
  const double h = problem.step;
  Eigen::VectorXd v = problem.free_velocity;
  if (problem.num_contacts() == 0) return v;
  const Eigen::VectorXd normal = problem.contact_jacobian.to_dense().row(2).transpose();
  const Eigen::VectorXd response = BlockDiagonalFactor(problem.mass_matrix).solve(normal);
  const double overlap = -problem.contacts[0].gap - h * normal.dot(v);
  if (overlap <= 0.0) return v;
  return v +
         response * (h * stiffness * overlap / (1.0 + h * h * stiffness * normal.dot(response)));
}

void check_penalty_limit(const Context& context, Findings& findings) {
  const std::vector<double> stiffness = {1e4, 1e6, 1e8};
  std::vector<double> error(stiffness.size(), 0.0);
  context.simulate(context.load("../ellipse/drop.yaml", {{"materials.0.friction", "0"}}),
                   [&](const Simulator&, const StepReport& report) {
                     if (report.problem.num_contacts() > 1) return;
                     for (std::size_t i = 0; i < stiffness.size(); ++i) {
                       error[i] = std::max(error[i], (penalty_step(report.problem, stiffness[i]) -
                                                      report.solution.velocity)
                                                         .lpNorm<Eigen::Infinity>());
                     }
                   });
  findings.expect_at_most("T09: penalty of 1e8 N/m against the step with gamma = 1 [m/s]",
                          error.back(), 1e-4);
  findings.expect_within("T09: order of that difference in 1/stiffness",
                         0.5 * std::log10(error[1] / error[2]), 0.9, 1.1);
  findings.figures.push_back({"Penalty against complementarity, ellipse",
                              "log10 of the stiffness [N/m]",
                              "largest difference of velocity [m/s]",
                              true,
                              {{"difference", {4.0, 6.0, 8.0}, error}}});
}

}  // namespace

void check_theorems(Context& context, Findings& findings) {
  check_decay(context, findings);
  check_active_set(context, findings);
  check_nonlinear_stepping(context, findings);
  check_penalty_limit(context, findings);
}

}  // namespace amontons::experiments
