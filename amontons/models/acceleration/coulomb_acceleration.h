#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/sliding_law.h"
#include "amontons/math/solve_status.h"
#include "amontons/models/acceleration/force_modes.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace amontons {

/// What Coulomb contact does at one instant.
struct ContactForces {
  /// Converged; Infeasible where there are no forces; Stalled where none were found.
  SolveStatus status = SolveStatus::NotRun;
  SlidingLaw law = SlidingLaw::Determined;  ///< whether there were several answers, or none
  Eigen::VectorXd acceleration;             ///< vdot [nv]
  Eigen::VectorXd forces;        ///< [3 nc] on body B, frame (t1, t2, n), viscous drag included [N]
  std::vector<ForceMode> modes;  ///< [nc], by which it goes on
};

/// Contact with Coulomb and viscous friction between forces and accelerations [Drumwright 2015,
/// sec. III-B; Trinkle, Pang, Sudarsky, Lo 1997]:
///
///   M vdot = f + N'f_n + S'f_s + T'f_t - Q'mu f_n - S'mu_v S v - T'mu_v T v,
///   0 <= f_n  perp  N vdot + Ndot v >= 0,
///
/// a contact that slides carries mu f_n against its slip (Q); one without slip sticks, or begins to
/// slide against mu f_n, by Coulomb's law between (f_s, f_t) and the tangents' acceleration.
///
/// Where all contacts of an island slide, up to eight, all solutions are found: none is Painleve's
/// *inconsistent* configuration, several whose contacts part differently the *ambiguous* one, of
/// which that with the least load is returned. Loads that are not determined while all contacts
/// stay (a box that spins on its corners) are no ambiguity: the least ones are returned. More
/// contacts that slide are Lemke's method's. Where some stick, `coulomb` finds the forces for
/// given friction of those that slide, and this from those, until nothing changes; strongly
/// coupled ones may not be found.
class CoulombAcceleration {
 public:
  CoulombAcceleration();

  /// @param problem, forces, contact_rate  as acceleration_problem() takes them; no joint rows.
  /// @param slip_speed  below which a contact counts as without slip [m/s].
  /// @throws std::invalid_argument if sizes disagree or there are joint rows.
  ContactForces solve(const ContactProblem& problem,
                      const Eigen::Ref<const Eigen::VectorXd>& forces,
                      const Eigen::Ref<const Eigen::VectorXd>& contact_rate,
                      double slip_speed) const;

 private:
  std::unique_ptr<ContactModel> sticking_;
};

/// The law of an island of contacts that all slide: 0 <= f perp K f + b >= 0.
struct SlidingSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< as of ContactForces
  SlidingLaw law = SlidingLaw::Determined;   ///< whether there were several answers, or none
  Eigen::VectorXd loads;                     ///< f [n]
};
SlidingSolution solve_sliding(const Eigen::MatrixXd& K, const Eigen::VectorXd& b);

}  // namespace amontons
