#pragma once

#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <string>

namespace amontons::python {

/// Reads one quantity after each step of a motion: a sensor of a model by its name, or a kind with
/// the name of a body (`imu:BODY`, `contact_wrench:BODY`, `pose:BODY`), or `joint_efforts`.
class BatchSensor {
 public:
  /// @throws UnknownNameError  for a name that is neither.
  BatchSensor(const System& system, const std::string& name);

  int size() const { return size_; }  ///< numbers of a reading

  /// Returns the reading at the end of a step, or of a state without one. A mean over the step is
  /// NaN without a step, and in an impact, which takes no time.
  Eigen::VectorXd read(const System& system, const StepReport& report) const;

 private:
  /// @throws NoStepError  for such a mean.
  Eigen::VectorXd reading(const System& system, const StepReport& report) const;

  enum class Kind { Model, Imu, ContactWrench, Pose, JointEfforts };

  Kind kind_ = Kind::Model;
  int index_ = -1;  ///< of the body, or of the model's sensor
  int size_ = 0;
};

}  // namespace amontons::python
