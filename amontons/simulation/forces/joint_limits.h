#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Distance to a limit within which a joint has reached it [rad or m].
inline constexpr double kAtLimit = 1e-12;

/// Returns the largest distance of a tree's joints beyond their limits [rad or m]; negative where
/// all are within them.
/// @param q  of the tree [nq].
double distance_beyond_limits(const System& system, int articulation,
                              const Eigen::Ref<const Eigen::VectorXd>& q);

/// Returns the largest rate towards a limit that a joint of the tree has reached [rad/s or m/s];
/// negative infinity if none has reached a limit.
/// @param q, v  of the tree [nq], [nv].
double approach_at_limits(const System& system, int articulation,
                          const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v);

/// Returns when a joint first turns back beyond a limit, if rates change linearly from v_begin to
/// v_end [s after the start]; infinity if none does.
/// @param q, v_begin, v_end  of the tree [nq], [nv], at the start and the end.
/// @param length             from the start to the end [s].
double time_of_turn_beyond_limits(const System& system, int articulation,
                                  const Eigen::Ref<const Eigen::VectorXd>& q,
                                  const Eigen::Ref<const Eigen::VectorXd>& v_begin,
                                  const Eigen::Ref<const Eigen::VectorXd>& v_end, double length);

}  // namespace amontons
