#pragma once

#include "amontons/simulation/system/property_change.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace amontons::python {

/// Finds the properties that the parameters of a rollout set, by scenes with other values of them.
class OverriddenProperties {
 public:
  /// @param scene   without the parameters.
  /// @param probes  the same with other values of the parameters; empty: there are none.
  OverriddenProperties(const Scene& scene, const std::vector<const Scene*>& probes);

  /// Gives changes of a state the values of a motion's own scene where parameters set them:
  /// parameters are given later than the state.
  /// @param own  system of that scene, without changes.
  void apply(const System& own, std::vector<PropertyChange>& changes) const;

 private:
  std::unique_ptr<System> given_;  // null: there are no probes
  std::vector<std::unique_ptr<System>> probes_;
};

}  // namespace amontons::python
