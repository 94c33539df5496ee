#include "experiments/arm-sliding/reference.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <algorithm>
#include <cmath>

// The arm of eight joints that slides, against an integration between events.

namespace amontons::experiments {
namespace {

constexpr double kInterval = 5e-4, kDuration = 1.0;
constexpr Eigen::Index kWristTurn = 7;

struct Slide {
  double error = 0.0;        // largest |q - reference| [rad]
  int reversals = 0;         // of the last wrist joint, from step to step
  double early_jumps = 0.0;  // largest change of a joint's speed in a step, first half
  double late_jumps = 0.0;   // second half [rad/s]
  int missed = 0;
  std::vector<double> time, wrist;
};

Slide slide(const Context& context, const std::string& mode, double step,
            const std::vector<Eigen::VectorXd>& reference, Findings* findings = nullptr) {
  const Scene scene = context.load(
      "arm.yaml", {{"simulation.joint_friction", mode}, {"simulation.step", std::to_string(step)}});
  Slide result;
  const auto observe = [&](const Simulator& simulator, const StepReport& report) {
    const double place = simulator.time() / kInterval;
    const auto k = static_cast<std::size_t>(std::lround(place));
    if (std::abs(place - static_cast<double>(k)) < 1e-6 && k < reference.size()) {
      result.error =
          std::max(result.error, (simulator.state().q - reference[k]).lpNorm<Eigen::Infinity>());
    }
    const Eigen::VectorXd &before = report.start->v, &after = report.end->v;
    if (before[kWristTurn] * after[kWristTurn] < 0.0) ++result.reversals;
    double& jumps = simulator.time() < 0.5 * kDuration ? result.early_jumps : result.late_jumps;
    jumps = std::max(jumps, (after - before).lpNorm<Eigen::Infinity>());
    result.time.push_back(simulator.time());
    result.wrist.push_back(after[kWristTurn]);
  };
  result.missed = context.simulate(scene, observe, findings, findings == nullptr ? "" : mode);
  return result;
}

std::string at(const std::string& mode, double step) {
  return mode + ", h = " + std::to_string(step) + " s: ";
}

/// (a) The order of a mode, and its error at a millisecond.
double check_order(const Context& context, const std::string& mode,
                   const std::vector<Eigen::VectorXd>& reference, Findings& findings,
                   Table& table) {
  double previous = 0.0, at_millisecond = 0.0;
  for (const double step : {2e-3, 1e-3, 5e-4}) {
    const Slide run = slide(context, mode, step, reference,
                            step == 1e-3 && mode == "coupled" ? &findings : nullptr);
    findings.expect_true("(a) " + at(mode, step) + "every step certified", run.missed == 0);
    table.rows.push_back({mode, std::to_string(step), std::to_string(run.error)});
    if (previous > 0.0) {
      findings.expect_within("(a) " + at(mode, step) + "order of the error in q",
                             std::log2(previous / run.error), 0.9, 2.1);
    }
    previous = run.error;
    if (step == 1e-3) at_millisecond = run.error;
  }
  return at_millisecond;
}

/// (d) Without dry friction the published impulse is -h mu_v q' as long as no joint stops: the same
/// step as the explicit law's.
double viscous_difference(const Context& context) {
  Overrides overrides = {{"simulation.step", "0.0005"}, {"simulation.duration", "0.2"}};
  for (const char* joint : {"base-yaw", "bicep", "shoulder-turn", "shoulder-roll", "elbow", "roll",
                            "wrist", "wrist-turn"}) {
    overrides.push_back({std::string("joints.") + joint + ".coulomb_friction", "0"});
  }
  Overrides published = overrides, plain = overrides;
  published.push_back({"simulation.joint_friction", "box-qp"});
  plain.push_back({"simulation.joint_friction", "explicit"});
  Simulator box(context.load("arm.yaml", published)), literal(context.load("arm.yaml", plain));
  double worst = 0.0;
  while (!box.finished()) {
    literal.set_state(box.state());
    const Eigen::VectorXd before = box.state().v;
    const StepReport& a = box.step();
    const StepReport& b = literal.step();
    const bool reverses = (before.array() * a.end->v.array() < 0.0).any() ||
                          (before.array() * b.end->v.array() < 0.0).any();
    if (reverses) continue;
    const Eigen::VectorXd difference = a.problem.mass_matrix * (a.end->v - b.end->v);
    worst = std::max(worst, difference.lpNorm<Eigen::Infinity>());
  }
  return worst;
}

}  // namespace

void check_arm_sliding(Context& context, Findings& findings) {
  const System system(context.load("arm.yaml"));
  context.progress("integrating between events");
  const std::vector<Eigen::VectorXd> reference =
      integrate_with_friction(system, kDuration, 1e-4, kInterval);
  const std::vector<Eigen::VectorXd> coarse =
      integrate_with_friction(system, kDuration, 5e-4, kInterval);
  findings.expect_at_most("the reference against itself with a step five times larger [rad]",
                          (reference.back() - coarse.back()).lpNorm<Eigen::Infinity>(), 1e-7);

  Table table{"Error against the reference", {"friction", "h [s]", "largest error of q [rad]"}, {}};
  const double ours = check_order(context, "coupled", reference, findings, table);
  const double published = check_order(context, "box-qp", reference, findings, table);
  const double coarse_sign = slide(context, "explicit", 1e-4, reference).error;
  const double fine_sign = slide(context, "explicit", 2e-5, reference).error;
  table.rows.push_back({"explicit", "0.0001", std::to_string(coarse_sign)});
  table.rows.push_back({"explicit", "0.00002", std::to_string(fine_sign)});
  findings.expect_at_most("(b) box-qp at 1 ms over sgn() at 0.1 ms, errors",
                          published / coarse_sign, 1.0);
  findings.expect_at_most("(b) coupled at 1 ms over sgn() at 0.1 ms, errors", ours / coarse_sign,
                          1.0);
  findings.expect_at_most("(b) sgn() at 20 us over box-qp at 1 ms, errors", fine_sign / published,
                          1.5);

  const Slide chatter = slide(context, "explicit", 1e-3, reference);
  findings.expect_at_least("(c) sgn() at 1 ms: reversals of the last joint", chatter.reversals,
                           100.0);
  findings.expect_at_most("(d) box-qp without dry friction: impulse + h mu_v q' [N m s]",
                          viscous_difference(context), 1e-12);
  const Slide smooth = slide(context, "coupled", 1e-2, reference);
  const Slide alternating = slide(context, "box-qp", 1e-2, reference);
  findings.expect_at_most("(e) coupled at 10 ms: reversals of the last joint", smooth.reversals,
                          4.0);
  findings.expect_at_least("(e) box-qp at 10 ms: reversals of the last joint",
                           alternating.reversals, 10.0);
  findings.figures.push_back(
      {"The last wrist joint at 10 ms",
       "t [s]",
       "rad/s",
       false,
       {{"coupled", smooth.time, smooth.wrist}, {"box-qp", alternating.time, alternating.wrist}}});
  findings.tables.push_back(std::move(table));
}

}  // namespace amontons::experiments
