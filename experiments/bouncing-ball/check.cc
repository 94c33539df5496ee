#include "experiments/bouncing-ball/landing.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// A ball thrown along a plane, by collisions alone, under the hybrid method and event by event.

namespace amontons::experiments {
namespace {

constexpr double kG = 9.81, kRadius = 0.1, kMass = 1.0, kStep = 0.01, kDrop = 0.7848;
constexpr double kMinApex = 5e-3;  // share of the drop down to which apexes are compared
constexpr double kFall = 0.4, kRestSpeed = 2.0 * kG * kStep;
const double kSpeed = kG * kFall;  // speed of the first impact

/// Holds the results of one run of the ball.
struct Throw {
  std::vector<double> time, height, speeds_after;  // of the ball, and speeds after each impact
  std::vector<double> impulse;                     // normal impulse of each row [N s]
  double switched = -1.0;     // time of the first sustained contact; negative: none
  double apex_error = 0.0;    // relative, while it bounces
  double energy_error = 0.0;  // relative to the start
  double gained = 0.0;        // kinetic energy, in an impact [J]
  double height_error = 0.0, load_error = 0.0;  // in sustained contact [m], [N s]
  int became_steady = 0, became_bouncing = 0, steady_steps = 0, missed = 0;
  Eigen::Vector3d v, w;  // at the end

  /// 5/7 v + 2/7 r w, less what it was when the ball was thrown.
  double rolling_error() const {
    const Eigen::Vector2d rolls((5.0 * v.x() + 2.0 * kRadius * w.y()) / 7.0,
                                (5.0 * v.y() - 2.0 * kRadius * w.x()) / 7.0);
    return (rolls - Eigen::Vector2d(5.0 / 7.0, 1.5 / 7.0)).norm();
  }
  double slip() const { return std::hypot(v.x() - kRadius * w.y(), v.y() + kRadius * w.x()); }
};

class Watch {
 public:
  Watch(Throw& result, double e) : result_(result), e_(e) {}

  void see(const StepReport& report) {
    const double z = report.end->q[6] - kRadius, v = report.end->v[5];
    result_.time.push_back(report.end->time);
    result_.height.push_back(z);
    result_.impulse.push_back(normal_impulse(report));
    result_.became_steady += report.events.became_steady;
    result_.became_bouncing += report.events.became_bouncing;
    const double energy = report.energy.kinetic + report.energy.potential;
    if (first_energy_ < 0.0) first_energy_ = energy;
    result_.energy_error =
        std::max(result_.energy_error, std::abs(energy - first_energy_) / first_energy_);
    if (report.events.impact) {
      result_.gained = std::max(result_.gained, report.energy.kinetic - kinetic_);
      if (!report.events.steady) result_.speeds_after.push_back(v);
      stopped_ = stopped_ || report.events.steady;
    } else if (!stopped_ && result_.became_steady == 0) {
      // Every point of a flight tells its apex.
      const double apex = z + v * v / (2.0 * kG);
      const double expected =
          kDrop * std::pow(e_, 2.0 * static_cast<double>(result_.speeds_after.size()));
      if (expected >= kMinApex * kDrop) {
        result_.apex_error = std::max(result_.apex_error, std::abs(apex - expected) / expected);
      }
    } else if (result_.became_steady > 0) {
      see_steady(report, z);
    }
    kinetic_ = report.energy.kinetic;
  }

 private:
  static double normal_impulse(const StepReport& report) {
    double sum = 0.0;
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      sum += report.solution.impulses(ContactProblem::row(i) + 2);
    }
    return sum;
  }

  void see_steady(const StepReport& report, double z) {
    if (result_.switched < 0.0) result_.switched = report.start->time;
    // The rest of the landing's step and the next one close the gap at which shapes touch.
    if (report.start->time < result_.switched + 2.0 * kStep) return;
    ++result_.steady_steps;
    result_.height_error = std::max(result_.height_error, std::abs(z));
    const double load = report.problem.num_contacts() == 1 ? report.solution.impulses(2) : 0.0;
    result_.load_error = std::max(result_.load_error, std::abs(load - kMass * kG * report.step));
  }

  Throw& result_;
  const double e_;
  double first_energy_ = -1.0, kinetic_ = 0.0;
  bool stopped_ = false;  // by an impact without restitution
};

Throw throw_ball(const Context& context, double e, double mu, Overrides more = {},
                 Findings* findings = nullptr, const std::string& run = "") {
  more.emplace_back("materials.0.restitution", fmt::format("{}", e));
  more.emplace_back("materials.0.friction", fmt::format("{}", mu));
  Throw result;
  Watch watch(result, e);
  result.missed = context.simulate(
      context.load("ball.yaml", more),
      [&](const Simulator& simulator, const StepReport& report) {
        watch.see(report);
        result.w = simulator.state().v.head<3>();
        result.v = simulator.state().v.tail<3>();
      },
      findings, run);
  return result;
}

/// When the ball lands for the last time: its k-th landing leaves at e^k of the first approach.
double expected_switch(double e) {
  double time = kFall, speed = e * kSpeed;
  while (speed > kRestSpeed) {
    time += 2.0 * speed / kG;
    speed *= e;
  }
  return time;
}

void check_hybrid(const Context& context, Findings& findings) {
  Figure figure{"Fig. 4(b), hybrid: height, mu 0.3", "time [s]", "z - r [m]", false, {}};
  Figure impulses{"Fig. 4(b), hybrid: normal impulses, mu 0.3", "time [s]", "p_n [N s]", false, {}};
  Table table{"Hybrid, mu 0.3", {"e", "impacts", "sustained from [s]", "expected [s]"}, {}};
  double apex = 0.0, switches = 0.0, gained = 0.0, height = 0.0, load = 0.0, rolling = 0.0;
  double slip = 0.0;
  int missed = 0, wrong_logs = 0, fewest_steady = 1000;
  bool longer = true;

  // All pairs of friction and restitution; the plots show mu = 0.3.
  for (const double mu : {0.0, 0.1, 0.3, 0.6}) {
    double last = 0.0;
    for (const double e : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9}) {
      const double expected = expected_switch(e);
      const bool shown = mu == 0.3;
      const Throw run = throw_ball(
          context, e, mu, {{"simulation.duration", fmt::format("{}", std::ceil(expected) + 1.0)}},
          shown && e == 0.5 ? &findings : nullptr, shown && e == 0.5 ? "hybrid" : "");

      // The worst value of each criterion over all runs.
      missed += run.missed;
      apex = std::max(apex, run.apex_error);
      switches = std::max(switches, run.switched < 0.0 ? 1.0 : std::abs(run.switched - expected));
      longer = longer && run.switched > last;
      last = run.switched;
      gained = std::max(gained, run.gained);
      height = std::max(height, run.height_error);
      load = std::max(load, run.load_error);
      fewest_steady = std::min(fewest_steady, run.steady_steps);
      if (run.became_steady != 1 || run.became_bouncing != 0) ++wrong_logs;
      if (mu > 0.0) {
        rolling = std::max(rolling, run.rolling_error());
        slip = std::max(slip, run.slip());
      }

      // One curve and one row of the table per restitution.
      if (!shown) continue;
      figure.curves.push_back({fmt::format("e = {}", e), run.time, run.height});
      impulses.curves.push_back({fmt::format("e = {}", e), run.time, run.impulse});
      table.rows.push_back({fmt::format("{}", e), fmt::format("{}", run.speeds_after.size()),
                            fmt::format("{:.4f}", run.switched), fmt::format("{:.4f}", expected)});
    }
  }

  // Bouncing, the switch to sustained contact, and the motion after it.
  findings.expect_at_most("(a) hybrid: apex k against e^2k of the drop, relative", apex, 0.01);
  findings.expect_at_most(
      "(c) bouncing ends where the rebound falls below 2 g h, for every e < 1 [s]", switches,
      3.0 * kStep);
  findings.expect_true("(c) the transient is longer the larger e", longer);
  findings.expect_at_least("(e) steps in sustained contact that are examined, in every run",
                           fewest_steady, 50);
  findings.expect_at_most("(e) in sustained contact, z - r [m]", height, 1e-6);
  findings.expect_at_most("(e) in sustained contact, normal impulse of a step against m g h [N s]",
                          load, 1e-9);
  findings.expect_at_most("(f) 5/7 v + 2/7 r w at the end against the start [m/s]", rolling, 1e-9);
  findings.expect_at_most("(f) slip at the end, mu > 0 [m/s]", slip, 1e-9);
  findings.expect_at_most("(g) kinetic energy gained in an impact [J]", gained, 1e-12);
  findings.expect_at_most("(H1) runs whose log is not free, bouncing and sustained, each once",
                          wrong_logs, 0);
  findings.expect_at_most("hybrid: steps without a certificate", missed, 0);
  findings.figures.push_back(std::move(figure));
  findings.figures.push_back(std::move(impulses));
  findings.tables.push_back(std::move(table));
}

double time_of_first_collision(const Throw& run) {
  const auto first = std::find_if(run.impulse.begin(), run.impulse.end(),
                                  [](double impulse) { return impulse > 0.0; });
  return first == run.impulse.end()
             ? -1.0
             : run.time[static_cast<std::size_t>(first - run.impulse.begin())];
}

/// Collisions, the largest height [m] and the sum of normal impulses [N s] of the tenth second.
struct LastSecond {
  explicit LastSecond(const Throw& run) {
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      if (run.time[i] <= 9.0) continue;
      collisions += run.impulse[i] > 0.0;
      highest = std::max(highest, run.height[i]);
      impulse += run.impulse[i];
    }
  }

  int collisions = 0;
  double highest = 0.0, impulse = 0.0;
};

/// Fig. 4(a): Mirtich's algorithm alone. Bouncing, resting and rolling are collisions.
void check_collisions_alone(const Context& context, Findings& findings) {
  Figure figure{"Fig. 4(a), Mirtich alone: height, mu 0.3", "time [s]", "z - r [m]", false, {}};
  Figure impulses{
      "Fig. 4(a), Mirtich alone: normal impulses, mu 0.3", "time [s]", "p_n [N s]", false, {}};
  Table table{"Mirtich alone, mu 0.3, the last second of ten",
              {"e", "collisions", "highest [m]", "impulse over m g s"},
              {}};
  double apex = 0.0, gained = 0.0, weight = 0.0, rolling = 0.0, first = 0.0;
  int missed = 0, fewest = 1000;
  bool higher = true;
  double last_highest = -1.0;
  for (const double e : {0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
    const Throw run = throw_ball(context, e, 0.3,
                                 {{"simulation.method", "impulse-based"},
                                  {"simulation.model", "mirtich"},
                                  {"simulation.duration", "10"}},
                                 e == 0.9 ? &findings : nullptr, e == 0.9 ? "mirtich-alone" : "");
    missed += run.missed;
    apex = std::max(apex, run.apex_error);
    gained = std::max(gained, run.gained);
    rolling = std::max(rolling, run.rolling_error());
    first = std::max(first, std::abs(time_of_first_collision(run) - kFall));
    const LastSecond last(run);
    fewest = std::min(fewest, last.collisions);
    if (e <= 0.9) weight = std::max(weight, std::abs(last.impulse / (kMass * kG) - 1.0));
    higher = higher && last.highest > last_highest;
    last_highest = last.highest;
    figure.curves.push_back({fmt::format("e = {}", e), run.time, run.height});
    impulses.curves.push_back({fmt::format("e = {}", e), run.time, run.impulse});
    table.rows.push_back({fmt::format("{}", e), fmt::format("{}", last.collisions),
                          fmt::format("{:.2e}", last.highest),
                          fmt::format("{:.3f}", last.impulse / (kMass * kG))});
  }
  findings.expect_at_most("(a) Mirtich alone: first collision at step 40, 0.4 s [s]", first, 1e-6);
  findings.expect_at_most("(a) Mirtich alone: apex k against e^2k of the drop, relative", apex,
                          0.01);
  findings.expect_at_least("(a) Mirtich alone: collisions in the tenth second, for every e > 0",
                           fewest, 1);
  findings.expect_true("(a) Mirtich alone: it still bounces then, the higher the larger e", higher);
  findings.expect_at_most("(a) Mirtich alone, e < 1: impulses of that second against m g [-]",
                          weight, 0.1);
  // A collision of a step acts across the gap that it closes, with that lever.
  findings.expect_at_most("(f) Mirtich alone: 5/7 v + 2/7 r w at the end against the start [m/s]",
                          rolling, 2e-3);
  findings.expect_at_most("(g) Mirtich alone: kinetic energy gained in an impact [J]", gained,
                          1e-12);
  findings.expect_at_most("Mirtich alone: steps without a certificate", missed, 0);
  findings.figures.push_back(std::move(figure));
  findings.figures.push_back(std::move(impulses));
  findings.tables.push_back(std::move(table));
}

const Overrides kImpactsAlone = {{"simulation.method", "event-driven"},
                                 {"simulation.impact_model", "mirtich"},
                                 {"simulation.minimum_step", "1e-4"},
                                 {"simulation.contact_tolerance", "1e-12"}};

/// Event by event: exact impacts, until bounces of less than the minimum step end.
void check_impacts_alone(const Context& context, Findings& findings) {
  // Three restitutions against the closed form of the apexes.
  double apex = 0.0, gained = 0.0;
  int missed = 0;
  std::vector<std::size_t> impacts;
  for (const double e : {0.5, 0.9, 1.0}) {
    const Throw run = throw_ball(context, e, 0.3, kImpactsAlone);
    missed += run.missed;
    apex = std::max(apex, run.apex_error);
    gained = std::max(gained, run.gained);
    impacts.push_back(run.speeds_after.size());
  }
  findings.expect_at_most("(b) event-driven: apex k against e^2k of the drop, relative", apex,
                          1e-9);
  findings.expect_at_least("event-driven: bounces of e = 0.5 before they are ended",
                           static_cast<double>(impacts.front()), 11);
  findings.expect_at_most("(g) event-driven: kinetic energy gained [J]", gained, 1e-12);
  findings.expect_at_most("event-driven: steps without a certificate", missed, 0);

  // A ball that loses nothing bounces without end.
  Overrides endless = kImpactsAlone;
  endless.emplace_back("simulation.duration", "40");
  const Throw run = throw_ball(context, 1.0, 0.0, endless);
  findings.expect_at_most("(d) e = 1, mu = 0, 40 s: energy against the start, relative",
                          run.energy_error, 1e-9);
  findings.expect_true("(d) e = 1 bounces for ever: 50 impacts in 40 s",
                       run.speeds_after.size() == 50,
                       fmt::format("{} impacts", run.speeds_after.size()));
}

void check_laws(const Context& context, Findings& findings) {
  std::vector<Throw> runs;
  for (const char* law : {"stronge", "poisson", "newton"}) {
    runs.push_back(throw_ball(context, 0.7, 0.3, {{"simulation.restitution_law", law}}));
  }
  double worst = 0.0;
  for (const Throw& run : runs) {
    worst = std::max({worst, (run.v - runs.front().v).norm(), (run.w - runs.front().w).norm()});
  }
  findings.expect_at_most("a sphere is central: all three laws of restitution agree [m/s, rad/s]",
                          worst, 1e-9);
}

}  // namespace

void check_bouncing_ball(Context& context, Findings& findings) {
  check_collisions_alone(context, findings);
  check_hybrid(context, findings);
  check_impacts_alone(context, findings);
  check_laws(context, findings);
  check_landing(context, findings);
  findings.notes.emplace_back(
      "Nothing resists rolling: the ball that has stopped bouncing rolls on at 5/7 of its speed.");
}

}  // namespace amontons::experiments
