#pragma once

#include "amontons/math/thread_pool.h"
#include "python/bindings/overridden_changes.h"
#include "python/bindings/rollout/batch_sensor.h"
#include "python/bindings/saved_state.h"

#include <Eigen/Core>

#include <memory>
#include <string>
#include <vector>

namespace amontons::python {

/// Steps many motions side by side, one simulator each. They have the same numbers of positions and
/// velocities; a motion has the same bits for any number of threads and of other motions.
class MotionBatch {
 public:
  /// A row for each motion.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using View = Eigen::Ref<const Rows>;

  /// @param scenes  the scene of each motion; they outlive this call.
  /// @param starts  its first state and commands; empty: the start of its scene.
  /// @param overridden  properties that the scenes set whatever the starts have changed.
  /// @throws std::invalid_argument  naming the motion, for scenes and states that do not fit.
  MotionBatch(const std::vector<const Scene*>& scenes, const std::vector<SavedState>& starts,
              const OverriddenProperties& overridden, std::vector<std::string> servos,
              int num_threads);

  /// Reads these sensors after each step.
  /// @throws UnknownNameError  for a name that a motion lacks.
  /// @throws std::invalid_argument  for a sensor of another size than in the first motion.
  void read(const std::vector<std::string>& sensors);

  /// Takes a step of all motions. Where it was stopped (math/stop.h), the next call ends it. The
  /// first efforts or targets end the commands of the starts.
  /// @param efforts  along all velocities [N x nv] [N m or N]; no columns: as before.
  /// @param targets  of the servos [N x k] [rad or m]; no columns: as before.
  void step(const View& efforts, const View& targets);

  Eigen::Index num_servos() const { return static_cast<Eigen::Index>(servos_.size()); }
  int num_motions() const { return static_cast<int>(motions_.size()); }
  const Rows& q() const { return q_; }                             ///< [N x nq]
  const Rows& v() const { return v_; }                             ///< [N x nv]
  const Eigen::VectorXd& time() const { return time_; }            ///< [N] [s]
  const Eigen::VectorXd& holds() const { return holds_; }          ///< [N] 1: certificate holds
  const std::vector<Rows>& readings() const { return readings_; }  ///< [N x size] of each sensor

 private:
  struct Motion {
    std::unique_ptr<Simulator> simulator;
    std::vector<BatchSensor> sensors = {};
    int steps = 0;
    bool has_commands_of_start = true;
  };

  void note(int motion);

  std::vector<Motion> motions_;
  std::vector<std::string> servos_;
  Rows q_, v_;
  Eigen::VectorXd time_, holds_;
  std::vector<Rows> readings_;
  int goal_ = 0;
  bool is_under_way_ = false;
  ThreadPool pool_;
};

}  // namespace amontons::python
