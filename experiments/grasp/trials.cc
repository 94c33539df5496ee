#include "experiments/grasp/trials.h"

#include "experiments/processor_stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Table I: ten trials of each model, with noise.

namespace amontons::experiments {
namespace {

constexpr int kTimedSteps = 10;    // of the paper's Table I
constexpr int kMostSteps = 100;    // that the paper's no-slip model holds
constexpr double kNoise = 0.01;    // standard deviation of the force on a box, each axis [N]
constexpr double kDropped = 1e-3;  // sag that counts as a drop [m]

/// Holds one trial of a model.
struct Trial {
  int held = 0;          // steps until a box has sagged by kDropped, or kMostSteps
  double sag = 0.0;      // largest, until then [m]
  double seconds = 0.0;  // processor time of the first ten steps, or of those that were held
  int missed = 0;        // steps without certificate
};

Trial run_trial(const Context& context, const Scene& scene, double noise, std::uint64_t seed,
                int most) {
  Simulator simulator = context.simulator(scene);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> force(0.0, noise);
  const Eigen::VectorXd start = simulator.state().q;
  Trial trial;
  for (int step = 1; step <= most; ++step) {
    for (const Body& body : simulator.system().bodies()) {
      const bool is_cube = body.name.find("first") == 0 || body.name.find("second") == 0;
      if (!is_cube || !(noise > 0.0)) continue;
      const double x = force(random), y = force(random), z = force(random);
      simulator.set_wrench(body.name, {x, y, z});
    }
    const ProcessorStopwatch watch;
    const StepReport& report = simulator.step();
    if (step <= kTimedSteps) trial.seconds += watch.seconds();
    trial.missed += report.certificate.holds ? 0 : 1;
    // q: the left rail, the cubes (orientation, position), the right rail.
    for (Eigen::Index z = 1 + 6; z < start.size() - 1; z += 7) {
      trial.sag = std::max(trial.sag, std::abs(simulator.state().q[z] - start[z]));
    }
    if (trial.sag > kDropped) break;
    trial.held = step;
  }
  return trial;
}

/// Holds the trials of one setting.
struct Trials {
  std::vector<double> seconds;
  int fewest = kMostSteps, most = 0, missed = 0;
  double sag = 0.0;

  double mean() const {
    double sum = 0.0;
    for (const double s : seconds) sum += s;
    return sum / static_cast<double>(seconds.size());
  }
  double deviation() const {
    double sum = 0.0;
    for (const double s : seconds) sum += (s - mean()) * (s - mean());
    return std::sqrt(sum / static_cast<double>(seconds.size()));
  }
};

struct Setting {
  std::string model;
  double friction = 100.0;
  int pairs = 1;
  double noise = kNoise;
};

Trials run_trials(const Context& context, const Setting& setting) {
  const Scene scene = grasp(context, setting.pairs,
                            {{"simulation.model", setting.model},
                             {"materials.0.friction", fmt::format("{:g}", setting.friction)}});
  // A failed solve of the paper's routine follows every ridge, which takes seconds.
  const bool is_slow = setting.model == "lemke-plain";
  const int count = is_slow && !context.full() ? 1 : 10;
  Trials trials;
  for (int k = 0; k < count; ++k) {
    const Trial trial = run_trial(context, scene, setting.noise, static_cast<std::uint64_t>(k + 1),
                                  is_slow && !context.full() ? kTimedSteps : kMostSteps);
    trials.seconds.push_back(trial.seconds);
    trials.fewest = std::min(trials.fewest, trial.held);
    trials.most = std::max(trials.most, trial.held);
    trials.missed += trial.missed;
    trials.sag = std::max(trials.sag, trial.sag);
  }
  return trials;
}

}  // namespace

void check_trials(const Context& context, int pairs_at_most, Findings& findings) {
  Table table{
      "Table I with noise of 0.01 N: steps until a box has sagged by 1 mm, and the time of "
      "ten steps",
      {"boxes", "mu", "model", "held, fewest", "held, most", "sag [m]", "no certificate",
       "ten steps [ms]"},
      {}};
  int no_slip_held = kMostSteps, stewart_trinkle_held = kMostSteps, with_public_friction = 0;
  double no_slip_sag = 0.0;
  for (int pairs = 1; pairs <= pairs_at_most; ++pairs) {
    for (const double friction : {100.0, 1e20}) {
      for (const std::string model : {"lemke-plain", "stewart-trinkle", "no-slip", "coulomb"}) {
        if (model == "lemke-plain" && pairs > 1) continue;  // minutes a step
        context.progress(fmt::format("grasp: {} boxes, mu {:g}, {}", 2 * pairs, friction, model));
        const Trials trials = run_trials(context, {model, friction, pairs});
        table.rows.push_back(
            {fmt::format("{}", 2 * pairs), fmt::format("{:g}", friction), model,
             fmt::format("{}", trials.fewest), fmt::format("{}", trials.most),
             fmt::format("{:.1e}", trials.sag), fmt::format("{}", trials.missed),
             fmt::format("{:.2f} +- {:.2f}", 1e3 * trials.mean(), 1e3 * trials.deviation())});
        if (model == "no-slip") {
          no_slip_held = std::min(no_slip_held, trials.fewest);
          no_slip_sag = std::max(no_slip_sag, trials.sag);
        }
        if (model != "stewart-trinkle") continue;
        if (friction > 1e3) {
          with_public_friction = std::max(with_public_friction, trials.most);
        } else {
          stewart_trinkle_held = std::min(stewart_trinkle_held, trials.fewest);
        }
      }
    }
  }
  findings.tables.push_back(std::move(table));
  findings.expect_at_least("(a) no-slip with noise: steps held, fewest of all trials", no_slip_held,
                           kMostSteps);
  findings.expect_at_most("(a) no-slip with noise: largest sag [m]", no_slip_sag, 1e-6);
  findings.expect_at_most(
      "(b) Stewart-Trinkle with noise, mu 100: steps held, fewest of all trials",
      stewart_trinkle_held, kMostSteps - 1);
  findings.expect_at_most("(b) Stewart-Trinkle with noise, mu 1e20: steps held, most of all trials",
                          with_public_friction, kTimedSteps);
}

}  // namespace amontons::experiments
