#include "experiments/bouncing-ball/landing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace amontons::experiments {
namespace {

constexpr double kRadius = 0.1, kSpeedAlong = 1.0, kFallSpeed = 9.81 * 0.4, kDrop = 0.7848;
constexpr double kFriction = 0.3;
constexpr int kPhases = 8;  // places in a step at which the ball lands

// One landing in time steps without restitution.
struct Landing {
  double gap = -1.0;      // at the start of the step that lands [m]; negative: none
  double normal = 0.0;    // normal impulse of that step [N s]
  double error = 0.0;     // of the rolling speed at the end, relative
  double mismatch = 0.0;  // of that error and its closed form
};

// The rolling speed 5/7 v + 2/7 r w, over the 5/7 of the throw.
double rolling_share(const Eigen::VectorXd& v) {
  return (5.0 * v[3] + 2.0 * kRadius * v[1]) / (5.0 * kSpeedAlong);
}

Landing land(const Context& context, double step, double height) {
  const Scene scene = context.load(
      "landing.yaml", {{"simulation.step", fmt::format("{}", step)},
                       {"bodies.0.pose.position", fmt::format("[0, 0, {}]", kRadius + height)}});
  Landing result;
  context.simulate(scene, [&](const Simulator&, const StepReport& report) {
    result.error = rolling_share(report.end->v) - 1.0;
    const bool pushes = report.problem.num_contacts() == 1 && report.solution.impulses[2] > 0.0;
    if (!pushes || result.gap >= 0.0) return;
    result.gap = report.problem.contacts[0].gap;
    result.normal = report.solution.impulses[2];
  });
  // Friction P at the lever L = r + gap/2 ends v - L w, or is mu p_n. The rolling speed then
  // changes by 5/7 P/m gap/(2r); the mass is 1 kg.
  const double lever = 1.0 + result.gap / (2.0 * kRadius);
  const double friction =
      std::min(kFriction * result.normal, kSpeedAlong / (1.0 + 2.5 * lever * lever));
  const double expected = friction * result.gap / (2.0 * kRadius) / kSpeedAlong;
  result.mismatch = std::abs(result.error - expected);
  return result;
}

}  // namespace

void check_landing(const Context& context, Findings& findings) {
  Table table{"Landing in time steps without restitution: error of the rolling speed",
              {"h [ms]", "largest gap closed [m]", "largest error [%]", "mean error [%]"},
              {}};
  double mismatch = 0.0, previous = 0.0, at_20_ms = 0.0;
  std::vector<double> orders;
  for (const double step : {2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-3}) {
    double worst = 0.0, mean = 0.0, gap = 0.0;
    for (int phase = 0; phase < kPhases; ++phase) {
      const double height = kDrop + (phase + 0.5) / kPhases * kFallSpeed * step;
      const Landing landing = land(context, step, height);
      mismatch = std::max(mismatch, landing.gap < 0.0 ? 1.0 : landing.mismatch);
      worst = std::max(worst, std::abs(landing.error));
      mean += std::abs(landing.error) / kPhases;
      gap = std::max(gap, landing.gap);
    }
    table.rows.push_back({fmt::format("{}", 1e3 * step), fmt::format("{:.4f}", gap),
                          fmt::format("{:.3f}", 100.0 * worst),
                          fmt::format("{:.3f}", 100.0 * mean)});
    if (previous > 0.0) orders.push_back(std::log2(previous / mean));
    if (step == 2e-2) at_20_ms = worst;
    previous = mean;
  }
  const auto [least, largest] = std::minmax_element(orders.begin(), orders.end());
  findings.expect_at_most(
      "(i) landing in steps: rolling speed against that of friction at the "
      "lever r + gap/2, relative",
      mismatch, 1e-8);
  findings.expect_within("(i) landing in steps: least order of its error in h", *least, 0.8, 1.2);
  findings.expect_within("(i) landing in steps: largest order of its error in h", *largest, 0.8,
                         1.2);
  findings.expect_within("(i) landing in steps of 20 ms at 3.9 m/s: largest error, relative",
                         at_20_ms, 0.03, 0.1);
  findings.tables.push_back(std::move(table));
}

}  // namespace amontons::experiments
