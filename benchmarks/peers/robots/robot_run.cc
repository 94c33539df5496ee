#include "benchmarks/peers/robots/robot_run.h"

#include <algorithm>
#include <ctime>

namespace amontons::peers {
namespace {

/// Steps of one entrant in a row; windows begin and end between blocks.
constexpr int kBlock = 50;

using Results = std::vector<std::vector<WindowResult>>;

double cpu_time_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

int last_step(const std::vector<StepWindow>& windows) {
  int last = 0;
  for (const StepWindow& window : windows) last = std::max(last, window.last);
  return last;
}

void add(const RobotStep& step, WindowResult& result) {
  result.contacts += step.num_contacts;
  if (step.missed) ++result.missed;
  if (step.is_weaker) ++result.weaker;
  if (step.is_repeat) ++result.repeated;
  for (std::size_t part = 0; part < kNumStepParts; ++part) {
    result.times.seconds[part] += step.times.seconds[part];
  }
}

/// Runs one entrant and describes its steps.
void observe(RobotStepper& stepper, const std::vector<StepWindow>& windows, std::size_t entrant,
             Results& results) {
  stepper.reset();
  const int last = last_step(windows);
  for (int i = 0; i < last; ++i) {
    const RobotStep step = stepper.observe_step();
    for (std::size_t w = 0; w < windows.size(); ++w) {
      if (i >= windows[w].first && i < windows[w].last) add(step, results[w][entrant]);
    }
  }
  for (std::size_t w = 0; w < windows.size(); ++w) {
    results[w][entrant].contacts /= windows[w].last - windows[w].first;
  }
}

/// Runs all entrants once, in alternating blocks.
/// @returns CPU time of a step [us], [windows][entrants].
std::vector<std::vector<double>> time_round(std::vector<RobotEntrant>& entrants,
                                            const std::vector<StepWindow>& windows, int round) {
  std::vector<std::vector<double>> times(windows.size(), std::vector<double>(entrants.size(), 0.0));
  for (const RobotEntrant& entrant : entrants) entrant.stepper->reset();
  const int last = last_step(windows);
  for (int block = 0; block < last; block += kBlock) {
    for (std::size_t k = 0; k < entrants.size(); ++k) {
      const std::size_t e = (k + static_cast<std::size_t>(round)) % entrants.size();
      RobotStepper& stepper = *entrants[e].stepper;
      const double start = cpu_time_us();
      for (int i = 0; i < kBlock; ++i) stepper.step();
      const double time = cpu_time_us() - start;
      for (std::size_t w = 0; w < windows.size(); ++w) {
        if (block < windows[w].first || block >= windows[w].last) continue;
        times[w][e] += time / (windows[w].last - windows[w].first);
      }
    }
  }
  return times;
}

}  // namespace

Results run_windows(std::vector<RobotEntrant>& entrants, const std::vector<StepWindow>& windows,
                    int num_rounds) {
  Results results(windows.size(), std::vector<WindowResult>(entrants.size()));
  for (std::size_t e = 0; e < entrants.size(); ++e) {
    observe(*entrants[e].stepper, windows, e, results);
  }
  std::vector<std::vector<std::vector<double>>> rounds;
  for (int round = 0; round < num_rounds; ++round) {
    rounds.push_back(time_round(entrants, windows, round));
  }
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      std::vector<double> times;
      for (const auto& round : rounds) times.push_back(round[w][e]);
      std::sort(times.begin(), times.end());
      WindowResult& result = results[w][e];
      result.median_us = times[times.size() / 2];
      result.spread = (times.back() - times.front()) / result.median_us;
    }
  }
  return results;
}

}  // namespace amontons::peers
