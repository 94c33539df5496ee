#include "benchmarks/peers/workloads/public_measures.h"

#include "benchmarks/peers/energy.h"
#include "experiments/public/public_scenes.h"

#include <algorithm>
#include <cmath>

namespace amontons::peers {
namespace {

constexpr double kLast = 0.5;      // over which what stands should not move [s]
constexpr double kUpright = 1e-3;  // tilt below which a block does not turn back [rad]
constexpr double kMillimeter = 1e-3;

/// Returns the largest distance of a body between two instants [m].
double largest_motion(const std::vector<BodyState>& from, const std::vector<BodyState>& to) {
  double largest = 0.0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    largest = std::max(largest, (to[i].X_WB.translation - from[i].X_WB.translation).norm());
  }
  return largest;
}

}  // namespace

void EndMeasure::observe(double time, const std::vector<BodyState>& states) {
  if (time == 0.0) start_ = states;
  end_ = states;
}

void RideMeasure::observe(double, const std::vector<BodyState>& states) {
  radius_ = states[0].X_WB.translation.head<2>().norm();
  is_off_ = is_off_ || radius_ > rim_;
}

std::vector<Figure> RideMeasure::figures() const {
  return {{"wrong outcome", is_off_ == is_thrown_off_ ? 0.0 : 1.0}, {"radius m", radius_}};
}

void StandingMeasure::observe(double time, const std::vector<BodyState>& states) {
  if (time == 0.0) start_ = states;
  if (time <= std::max(0.0, duration_ - kLast)) before_ = states;
  creep_ = largest_motion(before_, states);
  moved_ = std::max(moved_, largest_motion(start_, states));
}

std::vector<Figure> StandingMeasure::figures() const {
  return {{"motion of the last half second mm", creep_ / kMillimeter},
          {"motion in all mm", moved_ / kMillimeter}};
}

void EnergyErrorMeasure::observe(double time, const std::vector<BodyState>& states) {
  const double energy = kinetic_energy(world_, states) + potential_energy(world_, states);
  if (time == 0.0) {
    energy_ = energy;
    return;
  }
  sum_ += (energy - energy_) * (energy - energy_);
  ++samples_;
}

std::vector<Figure> EnergyErrorMeasure::figures() const {
  return {{"mean squared energy error J2",
           samples_ == 0 ? kNotMeasured : sum_ / static_cast<double>(samples_)}};
}

void BallOverlapMeasure::observe(double time, const std::vector<BodyState>& states) {
  if (time == 0.0) return;
  std::vector<Eigen::Vector3d> centers;
  for (const BodyState& state : states) centers.push_back(state.X_WB.translation);
  sum_ += experiments::squared_overlaps(centers, radius_);
  ++samples_;
}

std::vector<Figure> BallOverlapMeasure::figures() const {
  return {{"mean squared overlaps m2",
           samples_ == 0 ? kNotMeasured : sum_ / static_cast<double>(samples_)}};
}

void JellettMeasure::observe(double time, const std::vector<BodyState>& states) {
  const Eigen::Matrix3d& R = states[0].X_WB.rotation;
  const double constant = experiments::jellett_constant(R, states[0].angular);
  if (time == 0.0) start_ = constant;
  change_ = std::max(change_, std::abs(constant / start_ - 1.0));
  tilt_ = std::acos(std::clamp(R(2, 2), -1.0, 1.0));
}

std::vector<Figure> JellettMeasure::figures() const {
  return {{"change of Jellett's constant, relative", change_}, {"tilt rad", tilt_}};
}

void RockingMeasure::observe(double time, const std::vector<BodyState>& states) {
  const Eigen::Matrix3d& R = states[0].X_WB.rotation;
  const double tilt = std::atan2(R(0, 2), R(2, 2)), rate = states[0].angular.y();
  const double energy = kinetic_energy(world_, states) + potential_energy(world_, states) - rest_;
  if (time == 0.0) start_ = energy;
  // The block turns back between two impacts.
  if (rate * last_rate_ < 0.0 && std::abs(tilt) > kUpright) energies_.push_back(energy);
  last_rate_ = rate;
}

std::vector<Figure> RockingMeasure::figures() const {
  const double left = energies_.empty() ? kNotMeasured : energies_.front() / start_;
  return {{"energy after an impact over Housner's, less 1", left / ratio_ - 1.0},
          {"swings", static_cast<double>(energies_.size())}};
}

}  // namespace amontons::peers
