#include "amontons/math/rotation.h"
#include "experiments/context.h"
#include "experiments/public/public_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

// A coin rolls around on its rim, its center at rest.

namespace amontons::experiments {
namespace {

constexpr double kRadius = 0.0375, kHalf = 0.0032, kMass = 0.44, kG = 9.81;

/// Rate at which the lowest point goes around [rad/s]: with its center at rest the coin turns about
/// the line from there to the contact, and the weight's moment turns its angular momentum.
double steady_rate(double alpha) {
  const double across = kMass * (kRadius * kRadius / 4.0 + kHalf * kHalf / 3.0);
  const double along = kMass * kRadius * kRadius / 2.0;
  const double moment = kMass * kG * (kRadius * std::cos(alpha) - kHalf * std::sin(alpha));
  return std::sqrt(moment / (std::sin(alpha) * (across * std::cos(alpha) -
                                                along * kHalf / kRadius * std::sin(alpha))));
}

struct Roll {
  double rate = 0.0;                             // mean [rad/s]
  double energy_first = 0.0, energy_last = 0.0;  // [J]
  double largest_tilt_change = 0.0;              // [rad]
  int missed = 0;
};

Roll roll(const Context& context, double alpha, double step, Findings* findings = nullptr) {
  // Tilted about x; turns about the line from the center to the contact.
  const double rate = steady_rate(alpha), w = rate * std::sin(alpha);
  const double sine = std::sin(alpha), cosine = std::cos(alpha);
  const Eigen::Vector3d normal(0.0, -sine, cosine), down(0.0, -cosine, -sine);
  const Eigen::Vector3d spin = w * (kHalf / kRadius * normal - down);
  const Overrides overrides{
      {"simulation.step", fmt::format("{}", step)},
      {"bodies.coin.pose.rpy_deg", fmt::format("[{}, 0, 0]", alpha * 180.0 / std::numbers::pi)},
      {"bodies.coin.pose.position", fmt::format("[0, 0, {}]", kRadius * sine + kHalf * cosine)},
      {"bodies.coin.velocity.angular", fmt::format("[{}, {}, {}]", spin.x(), spin.y(), spin.z())}};
  Roll result;
  double azimuth = std::atan2(normal.y(), normal.x()), turned = 0.0;
  result.missed = context.simulate(
      context.load("coin.yaml", overrides),
      [&](const Simulator& simulator, const StepReport& report) {
        const Eigen::Vector3d axis =
            quaternion_from_wxyz(simulator.state().q.head<4>()) * Eigen::Vector3d::UnitZ();
        const double now = std::atan2(axis.y(), axis.x());
        turned += std::remainder(now - azimuth, 2.0 * std::numbers::pi);
        azimuth = now;
        result.rate = turned / simulator.time();
        result.largest_tilt_change =
            std::max(result.largest_tilt_change, std::abs(std::acos(axis.z()) - alpha));
        const double energy = report.energy.kinetic + report.energy.potential;
        if (result.energy_first == 0.0) result.energy_first = energy;
        result.energy_last = energy;
      },
      findings, findings == nullptr ? "" : "coin");
  return result;
}

}  // namespace

void check_euler_disk(Context& context, Findings& findings) {
  Table table{"Rate at which the coin rolls around [rad/s]",
              {"alpha [rad]", "h [ms]", "closed form", "found", "relative error",
               "largest change of tilt [rad]", "energy, last over first"},
              {}};
  int missed = 0;

  // Three tilts, each with three steps.
  for (const double alpha : {0.35, 0.2, 0.1}) {
    std::vector<double> errors;
    const double exact = steady_rate(alpha);
    for (const double step : {5e-4, 2.5e-4, 1.25e-4}) {
      const Roll found =
          roll(context, alpha, step, alpha == 0.2 && step == 5e-4 ? &findings : nullptr);
      missed += found.missed;
      errors.push_back(found.rate / exact - 1.0);
      table.rows.push_back({fmt::format("{}", alpha), fmt::format("{}", 1e3 * step),
                            fmt::format("{:.4f}", exact), fmt::format("{:.4f}", found.rate),
                            fmt::format("{:.2e}", errors.back()),
                            fmt::format("{:.1e}", found.largest_tilt_change),
                            fmt::format("{:.5f}", found.energy_last / found.energy_first)});
    }

    // The error is of first order, and its extrapolation vanishes.
    const std::string where = fmt::format("alpha = {}: ", alpha);
    const double limit = exact * (1.0 + 2.0 * errors[2] - errors[1]);
    findings.compare(where + "rate at which the coin rolls around [rad/s]", "",
                     fmt::format("{:.4f}", exact),
                     fmt::format("{:.4f} at h 0.125 ms, {:.4f} extrapolated to h = 0",
                                 exact * (1.0 + errors[2]), limit));
    findings.expect_within(where + "error of the rate over that at half the step",
                           errors[1] / errors[2], 1.6, 2.4);
    findings.expect_at_most(where + "rate extrapolated to h = 0 against the closed form, relative",
                            std::abs(2.0 * errors[2] - errors[1]), 3e-3);
  }
  findings.expect_at_most("steps without a certificate", missed, 0);
  findings.tables.push_back(std::move(table));
  findings.notes.emplace_back(
      "The coin does not come to rest: rolling on a point takes no energy under Coulomb's law, "
      "whose "
      "friction acts on slip alone, and no resistance to rolling is modelled. What is shown is the "
      "rate that grows as it sinks, W^2 sin alpha = 4 g / R.");
}

}  // namespace amontons::experiments
