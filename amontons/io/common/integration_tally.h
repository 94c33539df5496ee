#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/simulation/system/step_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace amontons::io {

/// Sums over a run what the length of the steps changed of the energy.
class IntegrationTally {
 public:
  /// Counts the energies of the state that a run starts in.
  void start(const EnergyLedger& energy) { scale_ = std::max(scale_, energy.kinetic); }
  /// Counts a step.
  void add(const EnergyLedger& energy) {
    work_ += energy.integration;
    scale_ = std::max({scale_, energy.kinetic, kEnergyTolerance * std::abs(energy.potential)});
  }

  /// Returns the size of the work of integration, relative to the largest kinetic energy, or to the
  /// rounding of the potential energy where nothing moves [-].
  double share() const { return scale_ > 0.0 ? std::abs(work_) / scale_ : 0.0; }

  /// Returns a sentence where the share is more than a tenth, which a user should know of; else
  /// nothing.
  std::string text() const {
    constexpr double kNotableShare = 0.1;
    if (!(share() > kNotableShare)) return "";
    return fmt::format(
        "the length of the steps changed the energy by {:.4g} J, {:.0f} % of the largest kinetic "
        "energy; compare with shorter steps",
        work_, 100.0 * share());
  }

 private:
  double work_ = 0.0;   // of integration, summed [J]
  double scale_ = 0.0;  // largest kinetic energy, and rounding of the potential one [J]
};

}  // namespace amontons::io
