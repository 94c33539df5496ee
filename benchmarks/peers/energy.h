#pragma once

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/world.h"

#include <vector>

namespace amontons::peers {

double kinetic_energy(const World& world, const std::vector<BodyState>& states);  ///< [J]

/// Returns the energy above the height of the world's origin [J].
double potential_energy(const World& world, const std::vector<BodyState>& states);

/// Counts the steps in which total energy grew by more than 1e-6 of its initial value. No workload
/// adds energy, so each of these steps is an error.
class EnergyRises {
 public:
  void observe(double total_energy);

  int count() const { return count_; }
  double relative_sum() const { return sum_; }  ///< sum of the rises over the initial energy

 private:
  bool started_ = false;
  double initial_ = 0.0, last_ = 0.0, sum_ = 0.0;
  int count_ = 0;
};

}  // namespace amontons::peers
