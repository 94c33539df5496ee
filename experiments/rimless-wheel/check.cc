#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

// A wheel without a rim, foot by foot down a slope.

namespace amontons::experiments {
namespace {

constexpr double kAlpha = std::numbers::pi / 8.0, kSlope = 0.1, kG = 9.81;
constexpr double kInertia = 0.01;  // I / (m l^2), l = 1 m

// Share of the speed that a step leaves: angular momentum about the new foot.
const double kLeft = (std::cos(2.0 * kAlpha) + kInertia) / (1.0 + kInertia);

/// Returns the speed after a step in the steady walk, where the slope gives the lost energy back.
double steady_speed() {
  const double gain = 4.0 * kG * std::sin(kAlpha) * std::sin(kSlope) / (1.0 + kInertia);
  return kLeft * std::sqrt(gain / (1.0 - kLeft * kLeft));
}

struct Walk {
  std::vector<double> time, speed;    // all steps of the simulation
  std::vector<double> shares, after;  // each foot that lands: speed after / before, after
  int missed = 0;
};

Walk walk(const Context& context, double start, const Overrides& more, Findings* findings = nullptr,
          const std::string& run = "") {
  const double along = start * std::cos(kAlpha), up = start * std::sin(kAlpha);
  Overrides overrides{{"bodies.wheel.velocity.linear", fmt::format("[{}, 0, {}]", along, up)},
                      {"bodies.wheel.velocity.angular", fmt::format("[0, {}, 0]", start)}};
  overrides.insert(overrides.end(), more.begin(), more.end());
  Walk result;
  result.missed = context.simulate(
      context.load("wheel.yaml", overrides),
      [&result](const Simulator& simulator, const StepReport& report) {
        result.time.push_back(simulator.time());
        result.speed.push_back(simulator.state().v[2]);
        if (!report.events.impact) return;
        result.shares.push_back(simulator.state().v[2] / report.start->v[2]);
        result.after.push_back(simulator.state().v[2]);
      },
      findings, run);
  return result;
}

}  // namespace

void check_rimless_wheel(Context& context, Findings& findings) {
  Figure figure{"Angular speed of the wheel, h 2 ms", "time [s]", "w [rad/s]", false, {}};
  Table table{"Feet",
              {"h [s]", "start [rad/s]", "feet landed", "largest error of the share",
               "last speed after [rad/s]"},
              {}};
  double shares[2] = {0.0, 0.0}, speed = 0.0;
  int missed = 0;
  std::size_t fewest = 1000;
  for (const double start : {1.2, 1.5, 2.0}) {
    for (const int fine : {0, 1}) {
      const std::string step = fine ? "0.0005" : "0.002";
      const bool kept = start == 1.5 && !fine;
      const Walk found = walk(context, start, {{"simulation.step", step}},
                              kept ? &findings : nullptr, kept ? "wheel" : "");
      missed += found.missed;
      fewest = std::min(fewest, found.after.size());
      double share = 0.0;
      for (const double own : found.shares) share = std::max(share, std::abs(own - kLeft));
      shares[fine] = std::max(shares[fine], share);
      const double last = found.after.empty() ? 0.0 : found.after.back();
      speed = std::max(speed, std::abs(last / steady_speed() - 1.0));
      table.rows.push_back({step, fmt::format("{}", start), fmt::format("{}", found.after.size()),
                            fmt::format("{:.1e}", share), fmt::format("{:.6f}", last)});
      if (!fine) {
        figure.curves.push_back({fmt::format("from {} rad/s", start), found.time, found.speed});
      }
    }
  }
  findings.expect_at_least("feet that land in 8 s", static_cast<double>(fewest), 8);
  // A step of the stance foot is a chord of its circle, so that the wheel arrives with a
  // velocity that is off by its share of h w.
  findings.expect_at_most(
      fmt::format("speed after over before a landing, against {:.6f}, h 2 ms", kLeft), shares[0],
      5e-3);
  findings.expect_at_most("the same, h 0.5 ms", shares[1], 1.25e-3);
  findings.expect_at_most(
      fmt::format("last speed against {:.6f} rad/s of the steady walk, relative", steady_speed()),
      speed, 0.01);
  findings.expect_at_most("steps without a certificate", missed, 0);
  findings.figures.push_back(std::move(figure));
  findings.tables.push_back(std::move(table));
}

}  // namespace amontons::experiments
