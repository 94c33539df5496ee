#include "amontons/simulation/system/mean_wrench.h"

#include <cstddef>

namespace amontons {
namespace {

/// Returns the mean of a wrench over [time, time + h], torque before force.
Vector6d mean_wrench(const WrenchDrive& wrench, double time, double h) {
  Vector6d result;
  if (wrench.table.empty()) {
    result << wrench.torque_W, wrench.force_W;
    return result;
  }
  for (Eigen::Index k = 0; k < 6; ++k) {
    // Tables hold the force first.
    const auto column = static_cast<std::size_t>(k < 3 ? k + 3 : k - 3);
    result[k] = wrench.table[column].mean(time, time + h);
  }
  return result;
}

}  // namespace

Vector6d mean_wrench_W(const WrenchDrive& wrench, const Pose& X_WB, double time, double h) {
  Vector6d force = mean_wrench(wrench, time, h);
  if (wrench.turns) {
    force << (X_WB.rotation * force.head<3>()).eval(), (X_WB.rotation * force.tail<3>()).eval();
  }
  return force;
}

}  // namespace amontons
