#include "experiments/median.h"

#include <algorithm>

namespace amontons::experiments {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace amontons::experiments
