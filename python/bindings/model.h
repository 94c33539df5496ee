#pragma once

#include "amontons/dynamics/jacobian_rate.h"
#include "amontons/math/named_index.h"
#include "amontons/simulation/detection/contact_places.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/orientations.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
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

/// Answers questions about the model of a simulator at its state. What it computes stays until the
/// state changes.
class Model {
 public:
  explicit Model(const Simulator& simulator) : simulator_(&simulator) {}

  const System& system() const { return simulator_->system(); }
  const State& state() const { return simulator_->state(); }

  const SystemKinematics& now() {
    const State& x = state();
    // Changes of masses change the inertias.
    if (!known_ || x.time != kinematics_.time || x.q != kinematics_.q || x.v != v_ ||
        x.changes != changes_) {
      // Where a program asks in every step, that of its start.
      std::swap(kinematics_, before_);
      known_before_ = known_;
      known_ = false;
      compute_kinematics(system(), x.q, x.v, x.time, kinematics_);
      require_finite(kinematics_);
      v_ = x.v;
      changes_ = x.changes;
      known_ = true;
    }
    return kinematics_;
  }

  /// Returns the kinematics at other positions and velocities; those of the state where none are
  /// given.
  const SystemKinematics& at(const std::optional<Eigen::VectorXd>& q,
                             const std::optional<Eigen::VectorXd>& v = std::nullopt) {
    if (!q && !v) return now();
    const Eigen::VectorXd& positions = q ? *q : state().q;
    const Eigen::VectorXd& velocities = v ? *v : state().v;
    if (positions.size() != system().num_positions() ||
        velocities.size() != system().num_velocities()) {
      throw std::invalid_argument("q must have " + std::to_string(system().num_positions()) +
                                  " entries and v " + std::to_string(system().num_velocities()) +
                                  ", not " + std::to_string(positions.size()) + " and " +
                                  std::to_string(velocities.size()));
    }
    if (!positions.allFinite() || !velocities.allFinite()) {
      throw std::invalid_argument("q and v must be finite");
    }
    require_orientations(system(), positions);
    compute_kinematics(system(), positions, velocities, state().time, other_);
    require_finite(other_);
    return other_;
  }

  int body(const std::string& name) const {
    const int index = system().find_body(name);
    if (index < 0) throw UnknownNameError("body", name, body_names());
    return index;
  }
  int joint(const std::string& name) const {
    const int index = system().find_joint(name);
    if (index < 0) throw UnknownNameError("joint", name, joint_names());
    return index;
  }
  /// Finds a frame by name: a body, or a frame of the scene or of a model.
  FramePlace frame(const std::string& name) const {
    if (const int body = system().find_body(name); body >= 0) return {body};
    const int index = system().find_frame(name);
    if (index < 0) {
      std::vector<std::string> known = body_names();
      for (const std::string& own : frame_names()) known.push_back(own);
      throw UnknownNameError("body or frame", name, known);
    }
    const SystemFrame& own = system().frames()[static_cast<std::size_t>(index)];
    return {own.body, own.X_BF};
  }
  std::vector<std::string> frame_names() const {
    std::vector<std::string> names;
    for (const SystemFrame& one : system().frames()) names.push_back(one.name);
    return names;
  }
  std::vector<std::string> sensor_names() const {
    std::vector<std::string> names;
    for (const SystemSensor& one : system().sensors()) names.push_back(one.name);
    return names;
  }
  std::vector<std::string> body_names() const {
    std::vector<std::string> names;
    for (const Body& one : system().bodies()) names.push_back(one.name);
    return names;
  }
  std::vector<std::string> joint_names() const {
    std::vector<std::string> names;
    for (const JointCoordinate& one : system().joints()) names.push_back(one.name);
    return names;
  }

  /// Returns the Jacobian of (w, v) of a point of a body, in W [6 x nv].
  Matrix6Xd jacobian(const SystemKinematics& at, int body, const Eigen::Vector3d& p_B) const {
    const Pose& X_WB = at.X_WB[static_cast<std::size_t>(body)];
    Matrix6Xd J = Matrix6Xd::Zero(6, system().num_velocities());
    const int tree = system().bodies()[static_cast<std::size_t>(body)].articulation;
    if (tree < 0) return J;
    const Eigen::MatrixXd own = body_jacobian(system(), at, body, X_WB * p_B);
    J.middleCols(system().v_offset(tree), own.cols()) = own;
    return evaluated(J);
  }

  /// Returns the rate of that Jacobian while the system moves at its velocities [6 x nv].
  Matrix6Xd jacobian_rate(const SystemKinematics& at, int body, const Eigen::Vector3d& p_B) const {
    const Body& own = system().bodies()[static_cast<std::size_t>(body)];
    Matrix6Xd rate = Matrix6Xd::Zero(6, system().num_velocities());
    if (own.articulation < 0) return rate;
    const auto a = static_cast<std::size_t>(own.articulation);
    const Articulation& tree = system().articulations()[a];
    Eigen::MatrixXd of_tree(6, tree.num_velocities());
    frame_jacobian_rate(tree, at.trees[a], own.link, at.X_WB[static_cast<std::size_t>(body)] * p_B,
                        of_tree);
    rate.middleCols(system().v_offset(own.articulation), of_tree.cols()) = of_tree;
    return evaluated(rate);
  }

  Vector6d twist(int body, const Eigen::Vector3d& p_B) {
    const SystemKinematics& at = now();
    return evaluated(body_velocity(system(), at, body,
                                   at.X_WB[static_cast<std::size_t>(body)] * p_B, state().v));
  }

  Eigen::MatrixXd mass_matrix(const SystemKinematics& at) const {
    return evaluated(compute_mass_matrix(system(), at).to_dense());
  }

  /// Returns C(q, v) v - gravity [nv].
  Eigen::VectorXd bias(const SystemKinematics& at, const Eigen::VectorXd& v) const {
    Eigen::VectorXd result(system().num_velocities());
    for (std::size_t a = 0; a < system().articulations().size(); ++a) {
      const Articulation& tree = system().articulations()[a];
      const Eigen::Index v0 = system().v_offset(static_cast<int>(a)), n = tree.num_velocities();
      result.segment(v0, n) = tree.inverse_dynamics(at.trees[a], v.segment(v0, n),
                                                    Eigen::VectorXd::Zero(n), system().gravity());
    }
    return evaluated(std::move(result));
  }

  /// Returns the last step's report, or null before the first one. The simulator holds it.
  const StepReport* last_report() const { return simulator_->last_report().get(); }

  /// Returns the poses of the bodies where the last step found its contacts.
  const std::vector<Pose>& poses_of_contacts(const StepReport& report) {
    now();
    const State& start = *report.start;
    const bool is_before = known_before_ && report.evaluation_velocity.isZero(0.0) &&
                           before_.time == start.time && before_.q == start.q;
    if (!is_before) {
      poses_of_contacts_ = amontons::poses_of_contacts(
          system(), start.q, report.evaluation_velocity, report.step, start.time);
    }
    return is_before ? before_.X_WB : poses_of_contacts_;
  }

  /// Returns the system as it was in the last step: a program may have changed it since.
  const System& system_of(const StepReport& report) {
    const auto is_as = [&report](const System& own) {
      const Commands &now = own.commands(), &then = report.commands;
      const auto same = [](const TargetCommand& a, const TargetCommand& b) {
        return a.servo == b.servo && a.target == b.target && a.target_rate == b.target_rate;
      };
      return now.changes == then.changes && std::ranges::equal(now.targets, then.targets, same);
    };
    if (is_as(system())) {
      of_step_.reset();
      return system();
    }
    if (!of_step_ || !is_as(*of_step_)) {
      of_step_ = std::make_unique<System>(system());
      of_step_->set_commands(report.commands);
    }
    return *of_step_;
  }

  /// Returns the last step's report. @throws NoStepError without one.
  const StepReport& report() const {
    const StepReport* last = last_report();
    if (last == nullptr) throw NoStepError();
    return *last;
  }

 private:
  static void require_finite(const SystemKinematics& at) {
    for (const Pose& X_WB : at.X_WB) evaluated(X_WB.translation);
  }

  const Simulator* simulator_;
  bool known_ = false, known_before_ = false;
  SystemKinematics kinematics_, before_, other_;
  std::vector<Pose> poses_of_contacts_;
  Eigen::VectorXd v_;
  std::vector<PropertyChange> changes_;
  std::unique_ptr<System> of_step_;  // null: the system is as it was
};

}  // namespace amontons::python
