#pragma once

#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <memory>
#include <vector>

namespace amontons {

/// Moves positions out of overlaps after a step, instead of by the velocities of later steps
/// [Cline, Pai 2003]. A pass is one step of sequential quadratic programming,
///
///   min 1/2 dq' M dq   subject to   N dq >= -gap,   J dq = -Theta,   q <- q (+) dq
///
/// with the contacts at q, their normals N, and the rows of J with their errors Theta, where
/// prescribed motions stand still. Velocities stay as they are; limits of joints have no rows.
class PostStabilization {
 public:
  explicit PostStabilization(const System& system);

  /// Runs passes until no overlap is deeper than 1e-10 m and no error of J larger than 1e-12 [m or
  /// rad]. An island whose pass has no solution stays where it is.
  /// @param passes  largest number; 1 is the method as published.
  void apply(int passes, State& state);

 private:
  /// Finds the contacts with gaps up to `horizon` [m]. @returns the deepest overlap, or 0 [m].
  double find_overlaps(const State& state, double horizon);
  /// Runs one pass. @returns false if nothing could be moved.
  bool move(State& state);

  const System* system_;
  ContactDetector detector_;
  std::unique_ptr<const ContactModel> model_;
  StepEvaluation evaluation_;
};

}  // namespace amontons
