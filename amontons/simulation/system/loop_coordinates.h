#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Measures the coordinates along joints that are rows of J and the lengths of tendons
/// (System::loop_coordinates()) at the poses of `kinematics`, and stores them there.
void measure_loop_coordinates(const System& system, SystemKinematics& kinematics);

/// Writes the angles of loop joints that q counts over whole turns into q_next [nq], whose other
/// entries are q (+) h v. Angles are measured at q_next; their rates over the step choose the
/// number of turns, so that steps of any number of turns count.
void count_turns(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, double h, Eigen::VectorXd& q_next);

/// Adds map * (w, v at p_W) of a body to the current row of a Jacobian; nothing for a fixed body,
/// or for the world, a body below zero.
void add_body_rate(const System& system, const SystemKinematics& kinematics, int body,
                   const Eigen::Vector3d& p_W, const Eigen::Matrix<double, 1, 6>& map,
                   BlockSparseMatrix& jacobian);

/// Adds a loop coordinate's row, times a factor, to the current block row of one row.
void add_loop_coordinate(const LoopCoordinates& loops, int loop, double factor,
                         BlockSparseMatrix& jacobian);

}  // namespace amontons
