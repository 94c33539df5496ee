#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"

namespace amontons::io {

/// Rebuilds the step behind a row of a run and compares.
class StepVerifier {
 public:
  /// @throws std::invalid_argument naming what is wrong with the scene.
  StepVerifier(const Scene& scene, VerificationChecks& checks) : step_(scene), checks_(&checks) {}

  const System& system() const { return step_.system(); }
  void check_initial(const RunRow& row);
  void check_step(const RunRow& row);

 private:
  void check_times(const RunRow& row);
  void check_motion(const RunRow& row);
  /// Poses of the bodies, overlaps and joint errors that the step has left; kinematics there.
  const SystemKinematics& check_end(const RunRow& row);

  RebuiltStep step_;
  VerificationChecks* checks_;
};

}  // namespace amontons::io
