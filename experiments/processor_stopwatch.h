#pragma once

#include <ctime>

namespace amontons::experiments {

/// Processor time of this process since it was made: what else runs on the machine does not count.
class ProcessorStopwatch {
 public:
  /// [s]
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

}  // namespace amontons::experiments
