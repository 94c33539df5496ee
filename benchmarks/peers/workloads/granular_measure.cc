#include "benchmarks/peers/workloads/granular_measure.h"

#include <algorithm>

namespace amontons::peers {

void GranularMeasure::observe(double time, const std::vector<BodyState>& states) {
  const double deepest = overlap_.deepest(states) / length_;
  worst_ = std::max(worst_, deepest);
  if (time > settled_after_) {
    settled_sum_ += deepest;
    ++settled_count_;
  }
  kinetic_ = kinetic_energy(world_, states);
  rises_.observe(kinetic_ + potential_energy(world_, states));
  finished_ = time > world_.duration - 0.5 * world_.step;
}

std::vector<Figure> GranularMeasure::figures() const {
  return {{"settled overlap " + unit_,
           settled_count_ > 0 ? settled_sum_ / settled_count_ : kNotMeasured},
          {"worst overlap " + unit_, worst_},
          {"end energy J", finished_ ? kinetic_ : kNotMeasured},
          {"energy rises", static_cast<double>(rises_.count())},
          {"their sum rel", rises_.relative_sum()}};
}

}  // namespace amontons::peers
