#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace amontons::experiments {

/// Measures the processor time of this process since its construction; other processes do not
/// count.
class ProcessorStopwatch {
 public:
  /// [s]
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double begin_ = now();
};

/// Processor time of one call [s]: the mean over `calls`, the least of `rounds` of these,
/// since other processes can only add to it. One call before allocates the memory.
template <typename Call>
double least_processor_time(int rounds, int calls, Call&& call) {
  call();
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const ProcessorStopwatch watch;
    for (int k = 0; k < calls; ++k) call();
    least = std::min(least, watch.seconds() / calls);
  }
  return least;
}

}  // namespace amontons::experiments
