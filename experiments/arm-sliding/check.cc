#include "experiments/arm-sliding/reference.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/joint_trace.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

// The arm of eight joints that slides, against an integration between events.

namespace amontons::experiments {
namespace {

constexpr double kInterval = 5e-4, kDuration = 1.0;
constexpr Eigen::Index kBicep = 1, kWristTurn = 7;
constexpr double kCoarseSign = 1e-4, kFineSign = 2e-5;  // steps of the sgn() form [s]
constexpr double kMark = 5e-3;                          // between the marks of a figure [s]

// A joint's speed that turns back by less from step to step is rounding [rad/s].
constexpr double kTurn = 1e-2;

struct Slide {
  double error = 0.0;  // largest |q - reference| [rad]
  int turns = 0;       // reversals of the last wrist joint's speed, beyond kTurn
  Eigen::VectorXd early_chatter, late_chatter;  // first and last quarter, per joint [rad/s]
  double wrist_speed = 0.0;                     // its largest [rad/s]
  int missed = 0;
  std::vector<double> time, wrist;
  JointTrace bicep{kMark};
};

Slide slide(const Context& context, const std::string& mode, double step,
            const std::vector<Eigen::VectorXd>& reference, const Overrides& more = {},
            Findings* findings = nullptr) {
  Overrides overrides = {{"simulation.joint_friction", mode},
                         {"simulation.step", std::to_string(step)}};
  overrides.insert(overrides.end(), more.begin(), more.end());
  const Scene scene = context.load("arm.yaml", overrides);
  Slide result;
  Eigen::VectorXd last_change;
  const auto observe = [&](const Simulator& simulator, const StepReport& report) {
    const double place = simulator.time() / kInterval;
    const auto k = static_cast<std::size_t>(std::lround(place));
    if (std::abs(place - static_cast<double>(k)) < 1e-6 && k < reference.size()) {
      result.error =
          std::max(result.error, (simulator.state().q - reference[k]).lpNorm<Eigen::Infinity>());
    }
    const Eigen::VectorXd change = report.end->v - report.start->v;
    if (last_change.size() == 0) {
      last_change = result.early_chatter = result.late_chatter =
          Eigen::VectorXd::Zero(change.size());
    }
    // The part of each speed's last change that reverses the one before; 0 if none does.
    const Eigen::VectorXd turn =
        (change.array() * last_change.array() < 0.0)
            .select(change.cwiseAbs().cwiseMin(last_change.cwiseAbs()), 0.0);
    if (turn[kWristTurn] > kTurn) ++result.turns;
    if (simulator.time() < 0.25 * kDuration) {
      result.early_chatter = result.early_chatter.cwiseMax(turn);
    } else if (simulator.time() > 0.75 * kDuration) {
      result.late_chatter = result.late_chatter.cwiseMax(turn);
    }
    last_change = change;
    result.wrist_speed = std::max(result.wrist_speed, std::abs(report.end->v[kWristTurn]));
    result.time.push_back(simulator.time());
    result.wrist.push_back(report.end->v[kWristTurn]);
    result.bicep.add(simulator.time(), report.end->q[kBicep], report.end->v[kBicep]);
  };
  result.missed = context.simulate(scene, observe, findings, findings == nullptr ? "" : mode);
  return result;
}

/// Returns overrides for the same arm with viscous friction alone.
Overrides without_dry_friction() {
  Overrides overrides;
  for (const char* joint : {"base-yaw", "bicep", "shoulder-turn", "shoulder-roll", "elbow", "roll",
                            "wrist", "wrist-turn"}) {
    overrides.push_back({std::string("joints.") + joint + ".coulomb_friction", "0"});
  }
  return overrides;
}

std::string at(const std::string& mode, double step) {
  return mode + ", h = " + std::to_string(step) + " s: ";
}

/// (a) Checks the order of a mode; returns its motion at a millisecond.
Slide check_order(const Context& context, const std::string& mode,
                  const std::vector<Eigen::VectorXd>& reference, Findings& findings, Table& table) {
  double previous = 0.0;
  Slide at_millisecond;
  for (const double step : {2e-3, 1e-3, 5e-4}) {
    Slide run = slide(context, mode, step, reference, {},
                      step == 1e-3 && mode == "coupled" ? &findings : nullptr);
    findings.expect_true("(a) " + at(mode, step) + "every step certified", run.missed == 0);
    table.rows.push_back({mode, std::to_string(step), std::to_string(run.error)});
    if (previous > 0.0) {
      findings.expect_within("(a) " + at(mode, step) + "order of the error in q",
                             std::log2(previous / run.error), 0.9, 2.1);
    }
    previous = run.error;
    if (step == 1e-3) at_millisecond = std::move(run);
  }
  return at_millisecond;
}

/// Returns the step [s] at which the sgn() form has an error, between its two runs; the error is a
/// power of the step there.
double step_with_error(double error, const Slide& coarse, const Slide& fine) {
  const double order = std::log(coarse.error / fine.error) / std::log(kCoarseSign / kFineSign);
  return kCoarseSign * std::pow(error / coarse.error, 1.0 / order);
}

/// (d) Without dry friction the published impulse is -h mu_v q' as long as no joint stops: the same
/// step as the explicit law's.
double viscous_difference(const Context& context) {
  Overrides overrides = without_dry_friction();
  overrides.push_back({"simulation.step", "0.0005"});
  overrides.push_back({"simulation.duration", "0.2"});
  Overrides published = overrides, plain = overrides;
  published.push_back({"simulation.joint_friction", "box-qp"});
  plain.push_back({"simulation.joint_friction", "explicit"});
  Simulator box(context.load("arm.yaml", published)), literal(context.load("arm.yaml", plain));
  double worst = 0.0;
  while (!box.finished()) {
    literal.set_state(box.state());
    const Eigen::VectorXd before = box.state().v;
    const StepReport& a = context.step(box);
    const StepReport& b = context.step(literal);
    const bool reverses = (before.array() * a.end->v.array() < 0.0).any() ||
                          (before.array() * b.end->v.array() < 0.0).any();
    if (reverses) continue;
    const Eigen::VectorXd difference = a.problem.mass_matrix * (a.end->v - b.end->v);
    worst = std::max(worst, difference.lpNorm<Eigen::Infinity>());
  }
  return worst;
}

/// Checks the reference: it is of fourth order, with the same events at every step.
void check_reference(const System& system, const FrictionMotion& motion, Findings& findings) {
  std::vector<double> errors;
  for (const double step : {5e-4, 2.5e-4}) {
    const FrictionMotion coarse = integrate_with_friction(system, kDuration, step, kInterval);
    double error = 0.0;
    for (std::size_t k = 0; k < motion.positions.size(); ++k) {
      error =
          std::max(error, (motion.positions[k] - coarse.positions[k]).lpNorm<Eigen::Infinity>());
    }
    errors.push_back(error);
    findings.expect_true("the reference at " + std::to_string(step) + " s: the same events",
                         motion.stops == coarse.stops && motion.breakaways == coarse.breakaways,
                         std::to_string(coarse.stops) + " stops, " +
                             std::to_string(coarse.breakaways) + " breakaways");
  }
  findings.expect_at_most("the reference against itself with a step five times larger [rad]",
                          errors[0], 1e-10);
  findings.expect_within("order of the reference in its step", std::log2(errors[0] / errors[1]),
                         3.5, 4.5);
}

}  // namespace

void check_arm_sliding(Context& context, Findings& findings) {
  // The reference integrates between the events of friction.
  const System system(context.load("arm.yaml"));
  context.progress("integrating between events");
  const FrictionMotion motion = integrate_with_friction(system, kDuration, 1e-4, kInterval);
  const std::vector<Eigen::VectorXd>& reference = motion.positions;
  check_reference(system, motion, findings);

  // (a), (b) Errors of the three forms of friction against it.
  Table table{"Error against the reference", {"friction", "h [s]", "largest error of q [rad]"}, {}};
  const Slide ours = check_order(context, "coupled", reference, findings, table);
  const Slide published = check_order(context, "box-qp", reference, findings, table);
  const Slide coarse_sign = slide(context, "explicit", kCoarseSign, reference);
  const Slide fine_sign = slide(context, "explicit", kFineSign, reference);
  table.rows.push_back({"explicit", "0.0001", std::to_string(coarse_sign.error)});
  table.rows.push_back({"explicit", "0.00002", std::to_string(fine_sign.error)});
  findings.expect_at_most("(b) coupled at 1 ms over sgn() at 0.1 ms, errors",
                          ours.error / coarse_sign.error, 1.0);
  findings.expect_within("(b) step of box-qp over that of sgn() with the same error",
                         1e-3 / step_with_error(published.error, coarse_sign, fine_sign), 20.0,
                         30.0);

  // (c), (d) Chatter of the sgn() form, and the purely viscous impulse.
  const Slide chatter = slide(context, "explicit", 1e-3, reference);
  draw_traces("bicep", "Fig. 9",
              {{"box-qp, 1 ms", published.bicep},
               {"sgn(), 20 us", fine_sign.bicep},
               {"sgn(), 1 ms", chatter.bicep}},
              findings);
  findings.expect_at_least("(c) sgn() at 1 ms: steps in which the last joint's speed turns back",
                           chatter.turns, 500.0);
  findings.expect_at_least(
      "(c) sgn() at 1 ms: growth of a joint's chatter, first to last quarter",
      (chatter.late_chatter.array() / chatter.early_chatter.array().max(kTurn)).maxCoeff(), 1.1);
  findings.expect_at_most("(d) box-qp without dry friction: impulse + h mu_v q' [N m s]",
                          viscous_difference(context), 1e-12);

  // (e) At a large step coupled friction is smooth, the published form alternates.
  findings.expect_at_most("(e) coupled at 10 ms: speed of the last joint, which sticks [rad/s]",
                          slide(context, "coupled", 1e-2, reference).wrist_speed, 1e-12);
  const Slide smooth = slide(context, "coupled", 1e-2, {}, without_dry_friction());
  const Slide alternating = slide(context, "box-qp", 1e-2, {}, without_dry_friction());
  findings.expect_at_most("(e) coupled at 10 ms without dry friction: turns of the last joint",
                          smooth.turns, 2.0);
  findings.expect_at_least("(e) box-qp at 10 ms without dry friction: turns of the last joint",
                           alternating.turns, 50.0);
  findings.figures.push_back(
      {"The last wrist joint at 10 ms, viscous friction alone",
       "t [s]",
       "rad/s",
       false,
       {{"coupled", smooth.time, smooth.wrist}, {"box-qp", alternating.time, alternating.wrist}}});
  findings.tables.push_back(std::move(table));
}

}  // namespace amontons::experiments
