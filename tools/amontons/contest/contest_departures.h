#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/simulation/system/step_report.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace amontons::cli {

/// Holds the largest departures of the contacts of a run from Coulomb's law, each kind with its
/// prediction by a law. Problem and solution alone give them; departures within rounding are 0.
struct LawDepartures {
  /// Holds a gap that a contact under load opens in a step without bouncing, h (u_n + s), and h mu
  /// |u_t| there, which is the gap of the convex relaxation [m].
  struct Lift {
    double gap = 0.0, predicted = 0.0, time = 0.0;
  } lift;
  /// Holds the angle between friction and the line of slip, and that between the slip and the
  /// nearest direction of the law's polygon there [rad].
  struct Bias {
    double angle = 0.0, to_direction = 0.0, time = 0.0;
    int directions = 0;  ///< 0: the law has no polygon
    LawKind law = LawKind::Coulomb;
  } bias;
  /// Holds 1 - |p_t| / (mu p_n) of a contact that slides, viscous drag left out.
  struct Deficit {
    double share = 0.0, time = 0.0;
    double energy = 0.0;  ///< sum of mu p_n |u_t| + p_t . u_t over the run [J]
  } deficit;
  /// Holds friction beyond the cone: |p_t| where mu p_n is less [N s].
  struct Excess {
    double friction = 0.0, bound = 0.0, time = 0.0;
  } excess;
  /// Describes the bound of maximum dissipation on normal impulses: the steps in which it was
  /// active and the solution not Coulomb's, and its largest multiplier there. The multiplier is the
  /// decrease of energy for 1 N s more [m/s = J/(N s)].
  struct Cap {
    std::int64_t steps = 0;
    double price = 0.0, time = 0.0;
  } cap;
  /// Says how the steps are made, whatever the law.
  struct Stepping {
    double activation_gap = 0.0;  ///< gap of the last step beyond which contacts are left out [m]
    double gamma = 0.0;           ///< share of an overlap that a step removes
    bool ahead = false;           ///< J and gaps of a predicted position
  } stepping;
  double drag = 0.0;  ///< largest viscous impulse h mu_v |u_t| [N s]
  std::int64_t steps = 0;
  std::map<LawKind, std::int64_t>
      laws;  ///< laws that the solutions claim, with the number of steps
};

/// Measures the departures over a run.
class DepartureObserver : public Observer {
 public:
  void observe(const StepReport& report) override;
  const LawDepartures& departures() const { return found_; }

 private:
  // u_start and u: the contact's velocity before and after the step [m/s].
  void observe_contact(const StepReport& report, std::size_t contact, double scale,
                       const Eigen::Vector3d& u_start, const Eigen::Vector3d& u);
  LawDepartures found_;
};

/// Returns sentences that name the departures and tell if the law predicts them.
/// @param reference  of the run that it is compared with.
/// @param coulomb  the certificate's distance to Coulomb's law at its worst.
std::vector<std::string> explain(const LawDepartures& departures, const LawDepartures& reference,
                                 double coulomb);

}  // namespace amontons::cli
