#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace amontons {

/// Impulse that a contact carried in the last step, to start the next solve from.
struct WarmStartEntry {
  ContactKey key;                                       ///< its name from step to step
  Eigen::Vector3d impulse_W = Eigen::Vector3d::Zero();  ///< on B [N s]
};

/// Events since the simulation last moved on, by which event-driven simulation sees that there is
/// no end to them.
struct EventCount {
  std::int32_t since_instant = 0;  ///< since the last instant of the scene's steps
  std::int32_t impacts_here = 0;   ///< at the state's own time
};

/// All that is needed to continue a run bit for bit.
struct State {
  Eigen::VectorXd q;                       ///< positions [nq]
  Eigen::VectorXd v;                       ///< velocities [nv]
  double time = 0.0;                       ///< [s]
  std::int64_t step_count = 0;             ///< position in the cycle of steps
  std::vector<WarmStartEntry> warm_start;  ///< sorted by key
  EventCount events;  ///< of event-driven simulation, within a step of the scene
};

}  // namespace amontons
