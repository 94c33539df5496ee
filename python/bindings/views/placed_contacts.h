#pragma once

#include "amontons/simulation/detection/contact_places.h"
#include "python/bindings/model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::python {

/// Finds where the contacts of the last step lie on the bodies of a simulator, where they are now.
/// The places stay until the simulator steps or changes.
class PlacedContacts {
 public:
  /// Returns the places of the contacts of the last step's report, in its order.
  const std::vector<ContactPlace>& of(Model& model, const StepReport& report);

 private:
  /// Returns true if the places are those of this report, at the positions and the time.
  bool are_of(const StepReport& report, const State& now) const;
  /// Notes what they depend on.
  void note(const StepReport& report, const State& now);

  bool known_ = false;
  std::vector<ContactPlace> then_, now_;  // where the step found them, and where they are
  Eigen::VectorXd q_start_, evaluation_velocity_, q_now_;
  double time_start_ = 0.0, step_ = 0.0, time_now_ = 0.0;
};

}  // namespace amontons::python
