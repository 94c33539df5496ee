#pragma once

#include "amontons/math/named_index.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/stepping/step_kinematics.h"

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::python {

using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Places a frame in a body.
struct FramePlace {
  int body = -1;  ///< index into System::bodies()
  Pose X_BF = {};
};

/// Returns a result that was evaluated at a state.
/// @throws std::invalid_argument  unless it is finite: products of the state's numbers overflowed.
template <typename Result>
Result evaluated(Result result) {
  if (result.allFinite()) return result;
  throw std::invalid_argument(
      "the state is too large to evaluate: products of its numbers are beyond the range of "
      "doubles");
}

/// Answers questions about the model of a simulator at its state.
class Model {
 public:
  explicit Model(const Simulator& simulator) : simulator_(&simulator) {}

  const System& system() const { return simulator_->system(); }
  const State& state() const { return simulator_->state(); }

  /// Returns the kinematics at the state: those of the simulator, else its own, which stay until
  /// the state changes.
  const SystemKinematics& now();
  /// Returns the kinematics at other positions and velocities; those of the state where none are
  /// given.
  const SystemKinematics& at(const std::optional<Eigen::VectorXd>& q,
                             const std::optional<Eigen::VectorXd>& v = std::nullopt);
  /// Returns the kinematics of the last step that need not be computed.
  StepKinematics known() const { return simulator_->last_kinematics(); }
  /// Returns the kinematics at the start of the last step, until the next call.
  const SystemKinematics& at_start(const StepReport& report);

  /// Return the index of a body or joint. @throws UnknownNameError
  int body(const std::string& name) const;
  int joint(const std::string& name) const;
  /// Finds a frame by name: a body, or a frame of the scene or of a model.
  /// @throws UnknownNameError
  FramePlace frame(const std::string& name) const;
  std::vector<std::string> frame_names() const;
  std::vector<std::string> sensor_names() const;
  std::vector<std::string> body_names() const;
  std::vector<std::string> joint_names() const;

  /// Returns the Jacobian of (w, v) of a point of a body, in W [6 x nv].
  Matrix6Xd jacobian(const SystemKinematics& at, int body, const Eigen::Vector3d& p_B) const;
  /// Returns the rate of that Jacobian while the system moves at its velocities [6 x nv].
  Matrix6Xd jacobian_rate(const SystemKinematics& at, int body, const Eigen::Vector3d& p_B) const;
  Vector6d twist(int body, const Eigen::Vector3d& p_B);
  Eigen::MatrixXd mass_matrix(const SystemKinematics& at) const;
  /// Returns C(q, v) v - gravity [nv].
  Eigen::VectorXd bias(const SystemKinematics& at, const Eigen::VectorXd& v);

  /// Returns the last step's report, or null before the first one. The simulator holds it.
  const StepReport* last_report() const { return simulator_->last_report().get(); }
  /// Returns the last step's report. @throws NoStepError without one.
  const StepReport& report() const;
  /// Returns the system as it was in the last step: a program may have changed it since.
  const System& system_of(const StepReport& report);

 private:
  const Simulator* simulator_;
  bool known_ = false;
  SystemKinematics kinematics_, start_, other_;
  NewtonEulerWorkspace newton_euler_;
  Eigen::VectorXd v_;
  std::vector<PropertyChange> changes_;
  std::unique_ptr<System> of_step_;  // null: the system is as it was
};

}  // namespace amontons::python
