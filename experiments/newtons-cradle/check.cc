#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

// A ball hits a row of four.

namespace amontons::experiments {
namespace {

constexpr std::size_t kBalls = 5;
using Speeds = std::array<double, kBalls>;

struct Outcome {
  Speeds speeds{};
  int missed = 0;

  double momentum() const {
    double sum = 0.0;
    for (const double v : speeds) sum += v;
    return sum;
  }
  double energy() const {
    double sum = 0.0;
    for (const double v : speeds) sum += 0.5 * v * v;
    return sum;
  }
  double distance(const Speeds& other) const {
    double worst = 0.0;
    for (std::size_t b = 0; b < kBalls; ++b) {
      worst = std::max(worst, std::abs(speeds[b] - other[b]));
    }
    return worst;
  }
};

Outcome hit(const Context& context, const std::string& model, const std::string& law, double e,
            Findings* findings = nullptr) {
  Outcome outcome;
  outcome.missed = context.simulate(
      context.load("balls.yaml", {{"simulation.impact_model", model},
                                  {"simulation.restitution_law", law},
                                  {"materials.0.restitution", fmt::format("{}", e)}}),
      [&outcome](const Simulator& simulator, const StepReport&) {
        for (std::size_t b = 0; b < kBalls; ++b) {
          outcome.speeds[b] = simulator.state().v[static_cast<Eigen::Index>(6 * b + 3)];
        }
      },
      findings, findings == nullptr ? "" : "cradle");
  return outcome;
}

std::vector<std::string> row_of(const std::string& name, double e, const Outcome& outcome) {
  std::vector<std::string> row{name, fmt::format("{}", e)};
  for (const double v : outcome.speeds) row.push_back(fmt::format("{:.6f}", v + 0.0));
  row.push_back(fmt::format("{:.6f}", outcome.energy()));
  return row;
}

}  // namespace

void check_newtons_cradle(Context& context, Findings& findings) {
  Table table{"Speeds after the impact [m/s]; energy [J], 0.5 before",
              {"model", "e", "first", "second", "third", "fourth", "fifth", "energy"},
              {}};
  double momentum = 0.0, kept = 0.0, most = 0.0;
  int missed = 0;
  const auto see = [&](const std::string& name, double e, const Outcome& outcome) {
    table.rows.push_back(row_of(name, e, outcome));
    missed += outcome.missed;
    momentum = std::max(momentum, std::abs(outcome.momentum() - 1.0));
    if (e == 1.0) kept = std::max(kept, std::abs(outcome.energy() - 0.5));
    most = std::max(most, outcome.energy());
  };
  for (const double e : {1.0, 0.8}) {
    for (const char* law : {"stronge", "poisson", "newton"}) {
      const Outcome outcome = hit(context, "mirtich", law, e,
                                  e == 1.0 && law == std::string("stronge") ? &findings : nullptr);
      see(fmt::format("mirtich, {}", law), e, outcome);
      if (e < 1.0) continue;
      findings.expect_at_most(fmt::format("in sequence, {}: one in, one out [m/s]", law),
                              outcome.distance({0.0, 0.0, 0.0, 0.0, 1.0}), 1e-9);
    }
    for (const char* model : {"coulomb", "anitescu-hart", "maximum-dissipation"}) {
      for (const char* law : {"newton", "poisson"}) {
        const Outcome outcome = hit(context, model, law, e);
        see(fmt::format("{}, {}", model, law), e, outcome);
        // The row moves as one body of 4 kg while the first ball bounces off it. A gap that is the
        // rounding of a position, 5.6e-17 m, is closed over what is left of an instant, 1e-10 s.
        const double back = (1.0 - 4.0 * e) / 5.0, on = (1.0 + e) / 5.0;
        findings.expect_at_most(
            fmt::format("at once, {}, {}, e = {}: the row leaves as one [m/s]", model, law, e),
            outcome.distance({back, on, on, on, on}), 1e-5);
      }
    }
  }
  findings.expect_at_most("momentum after against before [kg m/s]", momentum, 1e-9);
  findings.expect_at_most("energy after against before, e = 1 [J]", kept, 1e-6);
  findings.expect_at_most("energy after, every law and e [J]", most, 0.5 + 1e-9);
  findings.expect_at_most("steps without a certificate", missed, 0);
  findings.tables.push_back(std::move(table));
}

}  // namespace amontons::experiments
