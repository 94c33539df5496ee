#pragma once

#include "amontons/simulation/simulator.h"
#include "tools/amontons/live/live_requests.h"

#include <optional>

namespace amontons::live {

/// Pulls a body by the wrench that a program can command (Simulator::set_wrench).
///
/// A spring and a damper act between the pulled point and the pointer. Their force on the point at
/// p with the velocity v is m (w^2 (target - p) - 2 w v), with m = 3 / trace(J M^-1 J^T) of the
/// point, the mean of the masses that it has in three directions [kg], and w the rate of the pull,
/// at most 0.2 / h. Here h is the time for which the force stays: a step, or the time between the
/// last two calls of apply() [s].
///
/// A wrench that the program commands on the same body acts besides, and is commanded alone again
/// after the pull.
class PullDrive {
 public:
  /// Commands the wrench of the next step; without a pull ends that of the last.
  void apply(Simulator& sim, const std::optional<LivePull>& pull);

 private:
  /// Returns the program's own wrench on the body; none: it has commanded none.
  std::optional<WrenchDrive> own_wrench(const Simulator& sim) const;
  void end(Simulator& sim);

  std::optional<WrenchDrive> commanded_;  // wrench of the pull and the program's own, on one body
  std::optional<WrenchDrive> own_;        // the program's own, before
  double applied_ = 0.0;                  // time of the last call during the pull [s]
};

/// Returns the force of a pull on its point, in the world [N]. @param h  for which it stays [s].
Eigen::Vector3d pull_force(const Simulator& sim, const LivePull& pull, double h);

}  // namespace amontons::live
