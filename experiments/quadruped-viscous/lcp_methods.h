#pragma once

#include "amontons/optimization/lcp/modified_pivoting.h"
#include "amontons/simulation/system/step_report.h"

#include <vector>

namespace amontons::experiments {

constexpr double kViscousFriction = 0.1;  // of the paper [N s/m]

/// The LCP of a step by modified pivoting and by Lemke's method, both from G, a_0 and s to a.
struct LcpMethods {
  int problems = 0;
  double pivoting_s = 0.0, lemke_s = 0.0;  ///< processor times of all problems [s]
  double departure = 0.0;  ///< largest difference of the velocities, in the norm of M
  long pivots = 0, lemke_pivots = 0;

  /// Compares both on the problem between impulses and velocities.
  void compare(const ContactProblem& problem);
  /// Compares both on the problem between forces and accelerations, at the start of a step.
  void compare_forces(const StepReport& report);

 private:
  void compare(const ContactProblem& problem, const std::vector<char>& touching);

  ModifiedPivoting method_;
  FactoredLcpSolution solution_;
};

/// Returns the largest departure of p_t from -h mu_v u_t, with the paper's mu_v, over h [N]. A
/// contact without a load has a share of it or none, and one that stays open has none.
double departure_from_drag(const StepReport& report);

}  // namespace amontons::experiments
