#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Recognizes Painleve's configurations. There Coulomb's law between forces and accelerations does
/// not determine sustained sliding contacts [Drumwright 2015, sec. III-B]. A sliding contact
/// carries f (n - mu d), d the direction of its slip, so that
///
///   0 <= f perp K f + b >= 0,   K = N M^-1 (N - mu D)',   b = N a_free + Ndot v
///
/// may have one solution, none or several. Ndot v is the acceleration of a gap at constant
/// velocities [m/s^2]. It comes from the gaps a tenth of a millisecond later.
class SlidingForces {
 public:
  /// @param touching  gap within which contacts touch [m].
  SlidingForces(const System& system, double touching)
      : system_(&system), detector_(system), touching_(touching) {}

  /// Returns the worst result of all islands whose touching contacts all slide, up to eight of
  /// them, and that have no joint rows. Other islands count as determined.
  /// @param problem     problem of a step from `start`, its contacts at the start.
  /// @param rest_speed  speed below which a contact neither slides nor leaves [m/s].
  SlidingLaw assess_sliding(const SystemKinematics& start, const ContactProblem& problem,
                            double rest_speed);

 private:
  /// Computes Ndot v of the given contacts; returns false if a contact has changed its feature.
  bool compute_gap_accelerations(const ContactProblem& problem,
                                 const std::vector<std::size_t>& contacts, Eigen::VectorXd& result);

  const System* system_;
  ContactDetector detector_;
  double touching_;
  SystemKinematics later_;
  std::vector<Contact> contacts_later_;
};

}  // namespace amontons
