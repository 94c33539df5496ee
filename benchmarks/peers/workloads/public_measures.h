#pragma once

#include "benchmarks/peers/measure.h"

#include <cstddef>
#include <functional>

// What the public scenes are judged by, from body states alone.

namespace amontons::peers {

/// Gives figures of the last states of a run, and of its first.
class EndMeasure : public Measure {
 public:
  using Evaluate = std::function<std::vector<Figure>(const std::vector<BodyState>& start,
                                                     const std::vector<BodyState>& end)>;
  explicit EndMeasure(Evaluate evaluate) : evaluate_(std::move(evaluate)) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override { return evaluate_(start_, end_); }

 private:
  Evaluate evaluate_;
  std::vector<BodyState> start_, end_;
};

/// Watches a ride on a turntable: whether the cube is thrown off, as it should or should not be.
class RideMeasure : public Measure {
 public:
  RideMeasure(double rim, bool is_thrown_off) : rim_(rim), is_thrown_off_(is_thrown_off) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  double rim_ = 0.0, radius_ = 0.0;  // [m]
  bool is_thrown_off_ = false, is_off_ = false;
};

/// Watches bodies that should stand: the largest motion over the last half second, and in all.
class StandingMeasure : public Measure {
 public:
  explicit StandingMeasure(const World& world) : duration_(world.duration) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  double duration_ = 0.0, creep_ = kNotMeasured, moved_ = 0.0;  // [s, m, m]
  std::vector<BodyState> start_, before_;
};

/// Gives the mean squared error of the energy, as SimBenchmark has it.
class EnergyErrorMeasure : public Measure {
 public:
  explicit EnergyErrorMeasure(const World& world) : world_(world) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  World world_;
  double energy_ = 0.0, sum_ = 0.0;  // [J, J^2]
  std::size_t samples_ = 0;
};

/// Gives the mean sum of the squared overlaps of balls with each other and with the ground, as
/// SimBenchmark has it.
class BallOverlapMeasure : public Measure {
 public:
  explicit BallOverlapMeasure(double radius) : radius_(radius) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  double radius_ = 0.0, sum_ = 0.0;  // [m, m^2]
  std::size_t samples_ = 0;
};

/// Watches a tippe top: Jellett's constant, and the tilt in the end.
class JellettMeasure : public Measure {
 public:
  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  double start_ = 0.0, change_ = 0.0, tilt_ = 0.0;  // [kg m^3/s], relative, [rad]
};

/// Watches a block that rocks in the x-z plane: the energy that its first impact leaves.
class RockingMeasure : public Measure {
 public:
  /// @param rest   potential energy at rest [J].
  /// @param ratio  share of the energy above it that an impact should leave [-].
  RockingMeasure(const World& world, double rest, double ratio)
      : world_(world), rest_(rest), ratio_(ratio) {}

  void observe(double time, const std::vector<BodyState>& states) override;
  std::vector<Figure> figures() const override;

 private:
  World world_;
  double rest_ = 0.0, ratio_ = 0.0, start_ = 0.0;  // [J, -, J]
  double last_rate_ = 0.0;                         // [rad/s]
  std::vector<double> energies_;                   // where the block turns back [J]
};

}  // namespace amontons::peers
