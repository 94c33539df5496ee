#pragma once

#include "benchmarks/peers/dynamics/robot.h"

#include <Eigen/Core>

#include <memory>
#include <string>

namespace amontons::peers {

/// Positions and rates of a robot's joints, counted from where its world starts [joints].
struct JointState {
  Eigen::VectorXd position, rate;
};

/// The dynamics of one robot in one engine, by its public interface. Each call starts from a joint
/// state, and its time includes the kinematics that it needs. Bases are fixed.
///
/// Results are read afterwards, outside the timing, in the joint coordinates, which all engines
/// share.
class DynamicsEngine {
 public:
  virtual ~DynamicsEngine() = default;

  virtual void compute_mass_matrix(const JointState& state) = 0;
  virtual void compute_bias(const JointState& state) = 0;              ///< bias with gravity
  virtual void compute_forward_dynamics(const JointState& state) = 0;  ///< no joint forces
  virtual void compute_jacobian(const JointState& state) = 0;  ///< at the last body's center

  virtual Eigen::MatrixXd mass_matrix() = 0;   ///< [joints x joints]
  virtual Eigen::VectorXd bias() = 0;          ///< [joints]
  virtual Eigen::VectorXd acceleration() = 0;  ///< [joints]
  virtual Eigen::MatrixXd jacobian() = 0;      ///< (w, v) in the world [6 x joints]
};

// The robot must outlive them.
std::unique_ptr<DynamicsEngine> make_amontons_dynamics(const Robot& robot);
std::unique_ptr<DynamicsEngine> make_mujoco_dynamics(const Robot& robot);
std::unique_ptr<DynamicsEngine> make_dart_dynamics(const Robot& robot);

}  // namespace amontons::peers
