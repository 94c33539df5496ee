#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

// Joint error of a pendulum, unstabilized (gamma 0) and stabilized (gamma 1).

namespace amontons::experiments {
namespace {

struct Drift {
  std::vector<double> time, error;
  int missed = 0;

  double largest() const { return *std::max_element(error.begin(), error.end()); }
};

Drift simulate(const Context& context, const std::string& file, const std::string& gamma,
               const std::string& step, Findings* findings = nullptr) {
  const Scene scene = context.load(file, {{"simulation.gamma", gamma}, {"simulation.step", step}});
  Drift drift;
  const std::string run = file.substr(0, file.find('.')) + "-gamma" + gamma;
  drift.missed = context.simulate(
      scene,
      [&drift](const Simulator& simulator, const StepReport& report) {
        drift.time.push_back(simulator.time());
        drift.error.push_back(report.certificate.infeasibility);
      },
      findings, run);
  return drift;
}

double median_ratio_of_last_half(const Drift& numerator, const Drift& denominator) {
  std::vector<double> ratios;
  for (std::size_t i = numerator.error.size() / 2; i < numerator.error.size(); ++i) {
    ratios.push_back(numerator.error[i] / denominator.error[i]);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  return ratios[ratios.size() / 2];
}

// Slope of log(error) against log(h) between two steps that differ by a factor of two.
double order(double coarse, double fine) { return std::log2(coarse / fine); }

void check_kind(const Context& context, Findings& findings, const std::string& kind,
                double ratio_at_10ms, double ratio_at_5ms) {
  const std::string file = kind + ".yaml";
  const std::vector<std::string> steps = {"0.02", "0.01", "0.005"};
  std::vector<Drift> plain, stabilized;
  int missed = 0;
  for (const std::string& step : steps) {
    Findings* record = step == "0.005" ? &findings : nullptr;
    plain.push_back(simulate(context, file, "0", step, record));
    stabilized.push_back(simulate(context, file, "1", step, record));
    missed += plain.back().missed + stabilized.back().missed;
  }
  findings.expect_at_most("(a) " + kind + ", stabilized, h 10 ms: largest |Theta| [m]",
                          stabilized[1].largest(), 1.0e-3);
  findings.expect_at_most("(a) " + kind + ", stabilized, h 5 ms: largest |Theta| [m]",
                          stabilized[2].largest(), 2.6e-4);
  findings.expect_at_least("(b) " + kind + ", h 10 ms: ratio of the largest errors",
                           plain[1].largest() / stabilized[1].largest(), ratio_at_10ms);
  findings.expect_at_least("(b) " + kind + ", h 5 ms: ratio of the largest errors",
                           plain[2].largest() / stabilized[2].largest(), ratio_at_5ms);
  findings.compare(
      "largest joint error of a pendulum, not stabilized over stabilized, " + kind,
      "about 1000 (h not given)", "",
      fmt::format("{:.0f} at h 10 ms, {:.0f} at 5 ms", plain[1].largest() / stabilized[1].largest(),
                  plain[2].largest() / stabilized[2].largest()));
  findings.expect_within("(b) " + kind + ", h 5 ms: median ratio over the last half",
                         median_ratio_of_last_half(plain[2], stabilized[2]), 300.0, 3000.0);
  findings.expect_within("(c) " + kind + ", unstabilized: order in h",
                         order(plain[1].largest(), plain[2].largest()), 0.75, 1.25);
  findings.expect_within("(c) " + kind + ", stabilized: order in h",
                         order(stabilized[1].largest(), stabilized[2].largest()), 1.8, 2.2);
  const Drift variable = simulate(context, file, "1", "[0.02, 0.005]");
  // The bound of (a), quadratic in h, at the larger step.
  findings.expect_at_most("T06 " + kind + ", steps 20 and 5 ms in turn: largest |Theta| [m]",
                          variable.largest(), 4.0 * 1.0e-3);
  findings.expect_true(kind + ": every step certified", missed + variable.missed == 0);
  findings.figures.push_back({"Joint error, " + kind + ", h 5 ms",
                              "time [s]",
                              "|Theta| [m]",
                              true,
                              {{"gamma 0", plain[2].time, plain[2].error},
                               {"gamma 1", stabilized[2].time, stabilized[2].error}}});
}

}  // namespace

void check_pendulum_drift(Context& context, Findings& findings) {
  check_kind(context, findings, "distance", 300.0, 700.0);
  check_kind(context, findings, "pin", 250.0, 550.0);
}

}  // namespace amontons::experiments
