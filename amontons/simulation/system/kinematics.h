#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Holds the coordinates along loop joints (System::loop_coordinates()) at one instant.
struct LoopCoordinates {
  Eigen::VectorXd position;    ///< [rad or m]
  BlockSparseMatrix jacobian;  ///< their rates at velocities v; one block row each
};

/// Holds poses and velocities of a whole system at one instant, in the world.
struct SystemKinematics {
  double time = 0.0;                          ///< [s]; determines the prescribed motions
  Eigen::VectorXd q;                          ///< [nq]
  std::vector<ArticulationKinematics> trees;  ///< [articulations]
  std::vector<Pose> X_WB;                     ///< [bodies]
  LoopCoordinates loops;                      ///< joints of one freedom that are rows of J
};

/// Returns true if the marks [articulations] contain that of a tree; no marks at all contain none.
inline bool is_marked(std::span<const char> marks, std::size_t articulation) {
  return !marks.empty() && marks[articulation] != 0;
}

/// Computes the kinematics at q, v and `time` [s]; the memory of `kinematics` is reused.
/// @param kept  marks trees whose q and v are those of the last call, so that their part stays.
void compute_kinematics(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                        SystemKinematics& kinematics, std::span<const char> kept = {});

/// Returns the pose of a frame that is fixed in a body, or in the world for a body below zero.
Pose frame_pose(const SystemKinematics& kinematics, int body, const Pose& X_BF);

/// Returns the position of the coordinate at a place [rad or m].
/// @param place  a CoordinatePlace, CoordinateDynamics or ServoDrive.
template <typename Place>
double coordinate_position(const Place& place, const SystemKinematics& at) {
  return place.loop < 0 ? at.q[place.q_index] : at.loops.position[place.loop];
}

/// Returns the rate of a loop coordinate at velocities v [rad/s or m/s].
double loop_rate(const SystemKinematics& at, int loop, const Eigen::Ref<const Eigen::VectorXd>& v);

/// Returns the rate of the coordinate at a place, at velocities v [rad/s or m/s].
/// @param place  as of coordinate_position().
template <typename Place>
double coordinate_rate(const Place& place, const SystemKinematics& at,
                       const Eigen::Ref<const Eigen::VectorXd>& v) {
  return place.loop < 0 ? v[place.v_index] : loop_rate(at, place.loop, v);
}

/// Returns q (+) h v over all articulations.
/// @param kept  marks trees that keep their q.
Eigen::VectorXd integrate_positions(const System& system,
                                    const Eigen::Ref<const Eigen::VectorXd>& q,
                                    const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                                    std::span<const char> kept = {});
/// Writes the same into `q_next`, whose memory is kept.
void integrate_positions(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                         std::span<const char> kept, Eigen::VectorXd& q_next);

/// Returns the displacement of a body's prescribed motion at a time [m]; zero for other bodies.
Eigen::Vector3d prescribed_displacement(const System& system, const Body& body, double time);

/// Returns the mean velocity of that motion over [time, time + h] [m/s], so that a step meets the
/// wall at its end position. If h is 0 it returns the velocity itself.
Eigen::Vector3d prescribed_velocity(const System& system, const Body& body, double time, double h);

/// Returns M(q) of the whole system, one block per articulation.
BlockDiagonalMatrix compute_mass_matrix(const System& system, const SystemKinematics& kinematics);

/// Returns the map from the velocities of a body's articulation to (w, v) of the body's point p_W
/// [6 x nv of the tree]. It is 6 x 0 for a fixed body.
Eigen::MatrixXd body_jacobian(const System& system, const SystemKinematics& kinematics, int body,
                              const Eigen::Vector3d& p_W);

/// Returns (w, v) of the point p_W of a body at the velocities v [nv] [rad/s, m/s]. A fixed body
/// has the velocity of its prescribed motion at the time of the kinematics, zero without one.
Vector6d body_velocity(const System& system, const SystemKinematics& kinematics, int body,
                       const Eigen::Vector3d& p_W, const Eigen::Ref<const Eigen::VectorXd>& v);

double kinetic_energy(const System& system, const SystemKinematics& kinematics);  ///< [J]
double gravity_energy(const System& system, const SystemKinematics& kinematics);  ///< [J]
/// Returns how far a position is from where a spring is at rest [rad or m].
double spring_stretch(const JointDynamics& spring, double position);
/// Returns the energy of joint springs [J].
double spring_energy(const System& system, const SystemKinematics& kinematics);

}  // namespace amontons
