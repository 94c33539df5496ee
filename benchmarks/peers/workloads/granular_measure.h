#pragma once

#include "benchmarks/peers/energy.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <vector>

namespace amontons::peers {

/// Measures balls in a container: how far they overlap, and whether their energy rises.
class GranularMeasure : public Measure {
 public:
  /// @param radius         of the balls [m]; overlaps are given as its share.
  /// @param settled_after  time after which overlaps count for their mean [s].
  GranularMeasure(const World& world, double radius, double settled_after)
      : world_(world), overlap_(world_), radius_(radius), settled_after_(settled_after) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  World world_;
  OverlapMeter overlap_;
  EnergyRises rises_;
  double radius_ = 0.0, settled_after_ = 0.0;
  double worst_ = 0.0, settled_sum_ = 0.0, kinetic_ = 0.0;
  int settled_count_ = 0;
  bool finished_ = false;
};

}  // namespace amontons::peers
