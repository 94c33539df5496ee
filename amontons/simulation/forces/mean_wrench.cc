#include "amontons/simulation/forces/mean_wrench.h"

#include <cstddef>

namespace amontons {
namespace {

/// Returns a wrench in W, torque before force.
/// @param number  returns the number of each of its tables that counts.
template <typename Number>
Vector6d wrench_in_W(const WrenchDrive& wrench, const Eigen::Matrix3d& R_WA, const Number& number) {
  Vector6d result;
  result << wrench.torque_W, wrench.force_W;
  for (Eigen::Index k = 0; k < 6 && !wrench.table.empty(); ++k) {
    // Tables hold the force first.
    result[k] = number(wrench.table[static_cast<std::size_t>(k < 3 ? k + 3 : k - 3)]);
  }
  if (wrench.axes >= 0) {
    result << (R_WA * result.head<3>()).eval(), (R_WA * result.tail<3>()).eval();
  }
  return result;
}

}  // namespace

Eigen::Matrix3d axes_of(const WrenchDrive& wrench, const std::vector<Pose>& X_WB) {
  if (wrench.axes < 0) return Eigen::Matrix3d::Identity();
  return X_WB[static_cast<std::size_t>(wrench.axes)].rotation;
}

Vector6d mean_wrench_W(const WrenchDrive& wrench, const Eigen::Matrix3d& R_WA, double time,
                       double h) {
  return wrench_in_W(wrench, R_WA,
                     [&](const Trajectory& table) { return table.mean(time, time + h); });
}

Vector6d wrench_at_W(const WrenchDrive& wrench, const Eigen::Matrix3d& R_WA, double time) {
  return wrench_in_W(wrench, R_WA, [&](const Trajectory& table) { return table.value(time); });
}

}  // namespace amontons
