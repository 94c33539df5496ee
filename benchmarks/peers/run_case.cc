#include "benchmarks/peers/run_case.h"

#include "amontons/math/stopwatch.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace amontons::peers {
namespace {

double process_cpu_time_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return kNotMeasured;
  const auto rank = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

bool is_finite(const std::vector<BodyState>& states) {
  return std::all_of(states.begin(), states.end(), [](const BodyState& state) {
    return state.X_WB.translation.allFinite() && state.X_WB.rotation.allFinite() &&
           state.linear.allFinite() && state.angular.allFinite();
  });
}

class CaseRun {
 public:
  CaseRun(const Case& c, const World& world, Engine& engine)
      : case_(c), world_(world), engine_(engine), measure_(c.make_measure(world)) {
    result_.duration_s = world.duration;
  }

  CaseResult run(const std::function<void(const CaseResult&)>& on_progress) {
    constexpr double kProgressPeriod = 1.0;
    const auto num_steps = static_cast<int>(std::lround(world_.duration / world_.step));
    engine_.read_states(states_);
    measure_->observe(0.0, states_);
    Stopwatch since_report;
    while (result_.steps < num_steps && result_.status == "running") {
      take_step();
      if (since_report.seconds() > kProgressPeriod) {
        on_progress(summary());
        since_report = Stopwatch();
      }
    }
    if (result_.status == "running") result_.status = "finished";
    return summary();
  }

 private:
  void take_step() {
    const Stopwatch watch;
    const double cpu_start = process_cpu_time_s();
    engine_.step();
    const double cpu_time = process_cpu_time_s() - cpu_start;
    stepping_wall_s_ += watch.seconds();

    step_times_ms_.push_back(1e3 * cpu_time);
    result_.total_s += cpu_time;
    ++result_.steps;
    result_.reached_s = result_.steps * world_.step;
    result_.num_contacts = std::max(result_.num_contacts, engine_.num_contacts());
    result_.num_errors = engine_.num_errors();
    engine_.read_states(states_);
    if (!is_finite(states_)) {
      result_.status = "diverged";
      return;
    }
    measure_->observe(result_.reached_s, states_);
    if (is_over_limit()) result_.status = "time limit";
  }

  // On a busy machine wall time does not measure an engine. It only ends runs without progress.
  bool is_over_limit() const {
    return result_.total_s > case_.limit_s || stepping_wall_s_ > kWallFactor * case_.limit_s;
  }

  CaseResult summary() {
    result_.median_ms = quantile(step_times_ms_, 0.5);
    result_.p95_ms = quantile(step_times_ms_, 0.95);
    result_.figures = measure_->figures();
    return result_;
  }

  const Case& case_;
  const World& world_;
  Engine& engine_;
  std::unique_ptr<Measure> measure_;
  CaseResult result_;
  std::vector<BodyState> states_;
  std::vector<double> step_times_ms_;
  double stepping_wall_s_ = 0.0;
};

}  // namespace

nlohmann::json to_json(const CaseResult& result) {
  nlohmann::json figures = nlohmann::json::array();
  for (const Figure& figure : result.figures) {
    // NaN becomes null: not measured.
    figures.push_back({{"name", figure.name}, {"value", figure.value}});
  }
  return {{"status", result.status},         {"steps", result.steps},
          {"contacts", result.num_contacts}, {"errors", result.num_errors},
          {"reached_s", result.reached_s},   {"duration_s", result.duration_s},
          {"median_ms", result.median_ms},   {"p95_ms", result.p95_ms},
          {"total_s", result.total_s},       {"figures", figures}};
}

CaseResult run_case(const Case& c, const World& world, Engine& engine,
                    const std::function<void(const CaseResult&)>& on_progress) {
  return CaseRun(c, world, engine).run(on_progress);
}

}  // namespace amontons::peers
