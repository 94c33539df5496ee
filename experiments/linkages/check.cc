#include "amontons/simulation/stepping/joint_rank.h"
#include "amontons/simulation/system/kinematics.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/linkages/closed_forms.h"
#include "experiments/linkages/thrown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// Closed loops against their closed forms, in reduced and maximal coordinates.

namespace amontons::experiments {
namespace {

using Eigen::Vector3d;

struct Linkage {
  std::string file;
  std::function<double(const Poses&)> error;  // error of the closed form [m]
  int redundant = 0;
  std::string driven;  // a body to compare motions by
};

struct Motion {
  double error = 0.0, infeasibility = 0.0;  // largest [m]
  double speed = 0.0;                       // largest |v| of the driven body [m/s]
  double rate = 0.0;                        // largest |v| of all coordinates
  double energy_excess = 0.0;               // over the bound of T02, relative
  double decay_constant = 0.0;              // largest (I_l - (1 - gamma) I_{l-1}) / (h |v|)^2 [1/m]
  Vector3d end = Vector3d::Zero();          // position of the driven body [m]
  int missed = 0;
};

Scene load(const Context& context, const Linkage& linkage, Coordinates coordinates,
           Overrides overrides) {
  Scene scene = context.load(linkage.file + ".yaml", overrides);
  if (coordinates == Coordinates::Reduced) return scene;
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    overrides.emplace_back(fmt::format("joints.{}.coordinates", i), "maximal");
  }
  return context.load(linkage.file + ".yaml", overrides);
}

// T02, sharp form, where all constraints are joints:
//   |v+|^2/2 <= |v~|^2/2 - |v+ - v~|^2/2 + sum |c Upsilon|, Upsilon the correction of a row.
double energy_excess(const StepReport& report) {
  const ContactProblem& problem = report.problem;
  const auto half_square = [&](const Eigen::VectorXd& v) {
    return 0.5 * v.dot(problem.mass_matrix * v);
  };
  const Eigen::VectorXd& v = report.solution.velocity;
  const double allowed =
      report.solution.joint_impulses.cwiseProduct(problem.joint_target()).cwiseAbs().sum();
  const double free = half_square(problem.free_velocity);
  return (half_square(v) - free + half_square(v - problem.free_velocity) - allowed) /
         (1.0 + 2.0 * free);
}

Motion simulate(const Context& context, const Linkage& linkage, Coordinates coordinates,
                const Overrides& overrides, Findings* findings = nullptr,
                const std::string& run = "") {
  const Scene scene = load(context, linkage, coordinates, overrides);
  Motion motion;
  double before = 0.0;
  const double gamma = scene.simulation.gamma.value_or(1.0);
  motion.missed = context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        const Poses at(simulator);
        motion.error = std::max(motion.error, linkage.error(at));
        const double infeasibility = report.certificate.infeasibility;
        motion.infeasibility = std::max(motion.infeasibility, infeasibility);
        const Eigen::VectorXd& v = simulator.state().v;
        motion.speed = std::max(motion.speed, at.velocity(linkage.driven, v).norm());
        motion.energy_excess = std::max(motion.energy_excess, energy_excess(report));
        motion.rate = std::max(motion.rate, v.norm());
        const double way = report.step * v.norm();
        if (way > 0.0) {
          motion.decay_constant = std::max(motion.decay_constant,
                                           (infeasibility - (1.0 - gamma) * before) / (way * way));
        }
        before = infeasibility;
        motion.end = at[linkage.driven].translation;
      },
      findings, run);
  return motion;
}

const char* name_of(Coordinates coordinates) {
  return coordinates == Coordinates::Reduced ? "reduced" : "maximal";
}

// R08: the closed form, exactly with projection and to second order with gamma = 1.
void check_kinematics(const Context& context, Findings& findings, const Linkage& linkage) {
  Figure figure{
      "Error of the closed form, " + linkage.file, "h [s]", "largest error [m]", true, {}};
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    const std::string text = fmt::format("R08 {}, {}, ", linkage.file, name_of(coordinates));
    const Motion projected =
        simulate(context, linkage, coordinates, {{"simulation.projection", "true"}}, &findings,
                 linkage.file + "-" + name_of(coordinates));
    findings.expect_at_most(text + "projection: error of the closed form [m]", projected.error,
                            1e-9);
    findings.expect_at_most("T08 " + text.substr(4) + "projection: largest |Theta| [m]",
                            projected.infeasibility, 1e-12);
    std::vector<double> steps = {0.01, 0.005, 0.0025}, errors;
    int missed = projected.missed;
    for (const double step : steps) {
      const Motion motion =
          simulate(context, linkage, coordinates, {{"simulation.step", fmt::format("{}", step)}});
      errors.push_back(motion.error);
      missed += motion.missed;
    }
    if (errors.front() > 1e-9) {
      findings.expect_within(text + "gamma 1: order of that error in h",
                             std::log2(errors[1] / errors[2]), 1.8, 2.2);
    } else {
      // The tree itself keeps the closed form: nothing is left to stabilize.
      findings.expect_at_most(text + "gamma 1: error of the closed form [m]", errors.front(), 1e-9);
    }
    findings.expect_true(text + "every step certified", missed == 0,
                         fmt::format("{} missed", missed));
    figure.curves.push_back({name_of(coordinates), steps, errors});
  }
  findings.figures.push_back(std::move(figure));
}

// From rest both coordinates give the same velocities after one step, whatever its length; later
// their motions differ by O(h).
void check_coordinates_agree(const Context& context, Findings& findings, const Linkage& linkage) {
  // The end of the motion in both coordinates, with three steps.
  std::vector<double> differences;
  for (const std::string step : {"0.002", "0.001", "0.0005"}) {
    const Overrides overrides = {{"simulation.step", step},
                                 {"simulation.duration", "0.4"},
                                 {"simulation.projection", "true"}};
    const Motion reduced = simulate(context, linkage, Coordinates::Reduced, overrides);
    const Motion maximal = simulate(context, linkage, Coordinates::Maximal, overrides);
    differences.push_back((reduced.end - maximal.end).norm());
  }

  // The first step gives all bodies the same velocities.
  std::vector<Vector6d> twists[2];
  for (const int k : {0, 1}) {
    Simulator simulator = context.simulator(
        load(context, linkage, k == 0 ? Coordinates::Reduced : Coordinates::Maximal, {}));
    SystemKinematics kinematics;
    const State before = simulator.state();
    context.step(simulator);
    compute_kinematics(simulator.system(), before.q, simulator.state().v, 0.0, kinematics);
    for (int b = 0; b < static_cast<int>(simulator.system().bodies().size()); ++b) {
      const Vector3d at = kinematics.X_WB[static_cast<std::size_t>(b)].translation;
      twists[k].push_back(
          body_velocity(simulator.system(), kinematics, b, at, simulator.state().v));
    }
  }

  // After 0.4 s they differ by an error of their order in h.
  double first_step = 0.0;
  for (std::size_t b = 0; b < twists[0].size(); ++b) {
    first_step = std::max(first_step, (twists[0][b] - twists[1][b]).norm());
  }
  findings.expect_at_most(linkage.file + ": maximal against reduced, first step [m/s, rad/s]",
                          first_step, 1e-10);
  findings.expect_within(linkage.file + ": order in h of maximal against reduced after 0.4 s",
                         std::log2(differences[1] / differences[2]), 0.8, 2.2);
}

void check_redundancy(const Context& context, Findings& findings, const Linkage& linkage) {
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    const Simulator simulator(load(context, linkage, coordinates, {}));
    const JointRank rank = compute_joint_rank(simulator.system(), simulator.state());
    std::string names;
    for (const std::string& name : rank.redundant_joints) names += " " + name;
    findings.expect_true(
        fmt::format("{}, {}: redundant rows are {} of {}", linkage.file, name_of(coordinates),
                    linkage.redundant, rank.rows),
        rank.redundant() == linkage.redundant && (linkage.redundant > 0) != names.empty(),
        fmt::format("{} found{}{}", rank.redundant(), names.empty() ? "" : ", in", names));
  }
}

// T02, T03, T05 and T06 where the constraints are joints.
void check_theorems_with_joints(const Context& context, Findings& findings,
                                const Linkage& linkage) {
  const std::string text = linkage.file + ", maximal: ";
  std::vector<double> speeds;
  double excess = 0.0, scaled = 0.0, constant = 0.0;
  for (const std::string gamma : {"0.1", "0.2", "0.5", "1"}) {
    std::vector<double> largest;
    for (const std::string step : {"0.01", "0.005", "0.0025", "0.00125"}) {
      const Motion motion = simulate(context, linkage, Coordinates::Maximal,
                                     {{"simulation.gamma", gamma}, {"simulation.step", step}});
      excess = std::max(excess, motion.energy_excess);
      constant = std::max(constant, motion.decay_constant);
      largest.push_back(motion.infeasibility);
      if (gamma == "1") speeds.push_back(motion.speed);
    }
    findings.expect_at_least("T03 " + text + "order of max I in h, gamma " + gamma,
                             std::log2(largest[0] / largest[3]) / 3.0, 1.7);
    if (gamma == "1") scaled = largest[2];
    if (gamma != "1") continue;
    for (const std::string other : {"0.1", "0.2", "0.5"}) {
      const double own = simulate(context, linkage, Coordinates::Maximal,
                                  {{"simulation.gamma", other}, {"simulation.step", "0.0025"}})
                             .infeasibility;
      findings.expect_at_most("T03 " + text + "gamma " + other + ": gamma max I over that of 1",
                              std::stod(other) * own / scaled, 1.0);
    }
  }
  findings.expect_at_most("T02 " + text + "energy over the bound, relative", excess, 1e-9);
  // C_1 in units of the generalized velocity: bounded for every h and gamma.
  findings.expect_at_most("T04 " + text + "C of I_l <= (1 - gamma) I_{l-1} + C h^2 |v|^2 [1/m]",
                          constant, 1.0);
  const auto [slowest, fastest] = std::minmax_element(speeds.begin(), speeds.end());
  findings.expect_at_most("T05 " + text + "spread of max |v| over the steps",
                          *fastest / *slowest - 1.0, 0.1);
  const Motion variable =
      simulate(context, linkage, Coordinates::Maximal, {{"simulation.step", "[0.01, 0.0025]"}});
  // The bound of equal steps, with the largest of these.
  findings.expect_at_most("T06 " + text + "steps 10 and 2.5 ms in turn: max I over C h^2 |v|^2",
                          variable.infeasibility / (constant * std::pow(0.01 * variable.rate, 2)),
                          1.0);
}

}  // namespace

void check_linkages(Context& context, Findings& findings) {
  std::vector<Linkage> linkages = {
      {"four-bar", four_bar_error, 3, "rocker"},
      {"slider-crank", slider_crank_error, 3, "slider"},
      {"parallel-cranks", parallel_cranks_error, 7, "coupler"},
      {"stewart", stewart_error(context.load("stewart.yaml")), 0, "platform"}};
  for (const Linkage& linkage : linkages) {
    context.progress("linkages: " + linkage.file);
    check_redundancy(context, findings, linkage);
    check_kinematics(context, findings, linkage);
    check_coordinates_agree(context, findings, linkage);
  }
  for (const std::size_t i : {0, 1}) check_theorems_with_joints(context, findings, linkages[i]);
  context.progress("linkages: thrown");
  check_thrown_linkage(context, findings);
}

}  // namespace amontons::experiments
