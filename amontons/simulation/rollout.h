#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the motions of one scene from several starts, each under its own efforts. Each instant is
/// one column.
struct Rollouts {
  std::vector<Eigen::MatrixXd> q;                            ///< [nq x (T + 1)] per start
  std::vector<Eigen::MatrixXd> v;                            ///< [nv x (T + 1)]
  std::vector<Eigen::VectorXd> time;                         ///< [T + 1] [s]
  std::vector<Eigen::Array<bool, Eigen::Dynamic, 1>> holds;  ///< [T] certificates
};

/// Takes T steps from each start, shared among threads. The result has the same bits for any
/// thread count. A Simulator that begins in these states gives the same bits, too.
///
/// @param efforts  along all velocities [nv x T] of each start, besides the scene's; or empty:
/// none, and `num_steps` gives T.
/// @param num_threads  0: one per processor.
/// @throws std::invalid_argument if sizes disagree or a number is not finite; DivergenceError.
Rollouts rollout(const Scene& scene, const std::vector<State>& starts,
                 const std::vector<Eigen::MatrixXd>& efforts, int num_steps, int num_threads = 0);

}  // namespace amontons
