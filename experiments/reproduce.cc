#include "amontons/math/stopwatch.h"
#include "experiments/context.h"
#include "experiments/report.h"

#include <exception>

namespace amontons::experiments {

Reproduction reproduce(const Experiment& experiment, const std::filesystem::path& experiments,
                       const std::filesystem::path& output,
                       const std::function<void(const std::string&)>& progress, bool full) {
  Reproduction result;
  const std::filesystem::path folder = experiments / experiment.name;
  result.claim = load_claim(folder);
  Context context(folder, output, experiment.name, progress, full);
  const Stopwatch watch;
  try {
    experiment.check(context, result.findings);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  result.wall_time_s = watch.seconds();
  return result;
}

std::filesystem::path find_experiments(const std::filesystem::path& requested,
                                       const std::filesystem::path& program) {
  if (!requested.empty()) return requested;
  const std::filesystem::path beside = program.parent_path();
  for (const std::filesystem::path& candidate :
       {beside / "experiments", beside / "../share/amontons/experiments",
        std::filesystem::path(AMONTONS_EXPERIMENTS_DIR)}) {
    if (std::filesystem::is_directory(candidate)) return candidate;
  }
  return {};
}

}  // namespace amontons::experiments
