#include "benchmarks/peers/energy.h"

#include <cmath>

namespace amontons::peers {

double kinetic_energy(const World& world, const std::vector<BodyState>& states) {
  double energy = 0.0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const WorldBody& body = world.moving[i];
    const BodyState& state = states[i];
    const Eigen::Vector3d w_B = state.X_WB.rotation.transpose() * state.angular;
    energy += 0.5 * body.mass * state.linear.squaredNorm() +
              0.5 * w_B.dot(body.inertia.cwiseProduct(w_B));
  }
  return energy;
}

double potential_energy(const World& world, const std::vector<BodyState>& states) {
  double energy = 0.0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    energy -= world.moving[i].mass * world.gravity.dot(states[i].X_WB.translation);
  }
  return energy;
}

void EnergyRises::observe(double total_energy) {
  constexpr double kRelativeThreshold = 1e-6;
  if (!started_) {
    started_ = true;
    initial_ = last_ = total_energy;
    return;
  }
  const double rise = total_energy - last_;
  if (rise > kRelativeThreshold * std::abs(initial_)) {
    ++count_;
    sum_ += rise / std::abs(initial_);
  }
  last_ = total_energy;
}

}  // namespace amontons::peers
