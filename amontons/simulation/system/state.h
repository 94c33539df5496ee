#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/property_change.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace amontons {

/// Holds the impulse that a contact carried in the last step. The next solve starts from it.
struct WarmStartEntry {
  ContactKey key;  ///< identity of the contact from step to step
  Eigen::Vector3d impulse_W = Eigen::Vector3d::Zero();  ///< on B [N s]
};

/// Counts events since the last instant of the scene's steps. Event-driven simulation uses the
/// counts to recognize events that accumulate.
struct EventCount {
  std::int32_t since_instant = 0;  ///< since the last instant of the scene's steps
  std::int32_t impacts_here = 0;   ///< at the state's time
};

/// Holds all data needed to continue a run bit for bit.
struct State {
  Eigen::VectorXd q;                       ///< positions [nq]
  Eigen::VectorXd v;                       ///< velocities [nv]
  double time = 0.0;                       ///< [s]
  std::int64_t step_count = 0;             ///< position in the cycle of steps
  std::vector<WarmStartEntry> warm_start;  ///< sorted by key
  double warm_start_step = 0.0;            ///< length of their step [s]; 0: there was none
  /// Holds the impulses of contacts in that step, along the velocities [nv]: those of contacts that
  /// last, and none of impacts. The next step expects them again, where inertial forces depend on
  /// them. Empty: none do.
  Eigen::VectorXd contact_impulse = {};
  EventCount events;  ///< event-driven simulation only, within a step of the scene
  std::vector<PropertyChange> changes = {};  ///< properties that a program has changed
};

}  // namespace amontons
