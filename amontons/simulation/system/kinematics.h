#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Coordinates along loop joints (System::loop_coordinates()) at one instant.
struct LoopCoordinates {
  Eigen::VectorXd position;    ///< [rad or m]
  BlockSparseMatrix jacobian;  ///< their rates at velocities v; one block row each
};

/// Poses and velocities of everything at one instant, in the world.
struct SystemKinematics {
  double time = 0.0;                          ///< [s]; places the prescribed motions
  Eigen::VectorXd q;                          ///< [nq]
  std::vector<ArticulationKinematics> trees;  ///< [articulations]
  std::vector<Pose> X_WB;                     ///< [bodies]
  LoopCoordinates loops;                      ///< of joints of one freedom that are rows of J
};

void compute_kinematics(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                        SystemKinematics& kinematics);

/// Pose of a frame that is fixed in a body, or in the world for a body below zero.
Pose frame_pose(const SystemKinematics& kinematics, int body, const Pose& X_BF);

/// Where the coordinate is along which something acts [rad or m].
/// @param place  a CoordinatePlace, CoordinateDynamics or ServoDrive.
template <typename Place>
double coordinate_position(const Place& place, const SystemKinematics& at) {
  return place.loop < 0 ? at.q[place.q_index] : at.loops.position[place.loop];
}

/// q (+) h v over all articulations.
Eigen::VectorXd integrate_positions(const System& system,
                                    const Eigen::Ref<const Eigen::VectorXd>& q,
                                    const Eigen::Ref<const Eigen::VectorXd>& v, double h);

/// Displacement of a body's prescribed motion at a time [m]; zero for other bodies.
Eigen::Vector3d prescribed_displacement(const System& system, const Body& body, double time);

/// Its mean velocity over [time, time + h] [m/s], so that a step meets the wall where it will be;
/// the velocity itself where h is 0.
Eigen::Vector3d prescribed_velocity(const System& system, const Body& body, double time, double h);

/// M(q) of the whole system, one block per articulation.
BlockDiagonalMatrix compute_mass_matrix(const System& system, const SystemKinematics& kinematics);

/// (w, v) of the point p_W of a body, as a linear map from the velocities of its articulation;
/// 6 x 0 for a fixed body.
Eigen::MatrixXd body_jacobian(const System& system, const SystemKinematics& kinematics, int body,
                              const Eigen::Vector3d& p_W);

/// (w, v) of the point p_W of a body at the velocities v [nv]; zero for a fixed body.
Vector6d body_velocity(const System& system, const SystemKinematics& kinematics, int body,
                       const Eigen::Vector3d& p_W, const Eigen::Ref<const Eigen::VectorXd>& v);

double kinetic_energy(const System& system, const SystemKinematics& kinematics);  ///< [J]
double gravity_energy(const System& system, const SystemKinematics& kinematics);  ///< [J]
double spring_energy(const System& system, const SystemKinematics& kinematics);   ///< of joints [J]

}  // namespace amontons
