#pragma once

#include "benchmarks/peers/energy.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <string>
#include <utility>
#include <vector>

namespace amontons::peers {

/// Measures bodies that settle: how far they overlap, and whether their energy rises.
class GranularMeasure : public Measure {
 public:
  /// @param unit           name of the unit of overlaps, e.g. "r".
  /// @param length         that unit [m], e.g. the radius of the balls.
  /// @param settled_after  time after which overlaps count for their mean [s].
  GranularMeasure(const World& world, std::string unit, double length, double settled_after)
      : world_(world),
        overlap_(world_),
        unit_(std::move(unit)),
        length_(length),
        settled_after_(settled_after) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  World world_;
  OverlapMeter overlap_;
  EnergyRises rises_;
  std::string unit_;
  double length_ = 0.0, settled_after_ = 0.0;
  double worst_ = 0.0, settled_sum_ = 0.0, kinetic_ = 0.0;
  int settled_count_ = 0;
  bool finished_ = false;
};

}  // namespace amontons::peers
