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

/// Holds forces and accelerations of Coulomb contact at one instant.
struct ContactForces {
  /// Converged; Infeasible where there are no forces; Stalled where none were found.
  SolveStatus status = SolveStatus::NotRun;
  SlidingLaw law = SlidingLaw::Determined;  ///< unique, several solutions, or none
  Eigen::VectorXd acceleration;             ///< vdot [nv]
  Eigen::VectorXd forces;        ///< [3 nc] on body B, frame (t1, t2, n), viscous drag included [N]
  std::vector<ForceMode> modes;  ///< modes of the motion that follows [nc]
};

/// Solves contact with Coulomb and viscous friction between forces and accelerations [Drumwright
/// 2015, sec. III-B; Trinkle, Pang, Sudarsky, Lo 1997]:
///
///   M vdot = f + N'f_n + S'f_s + T'f_t - Q'mu f_n - S'theta mu_v S v - T'theta mu_v T v,
///   0 <= f_n  perp  N vdot + Ndot v >= 0.
///
/// theta is the share of viscous friction that the loads ask for (drag_of_forces.h).
/// A contact that slides carries mu f_n against its slip (Q). One without slip sticks, or begins to
/// slide against mu f_n, by Coulomb's law between (f_s, f_t) and the tangents' acceleration.
///
/// Where all contacts of an island slide, up to eight, all solutions are found. None is Painleve's
/// *inconsistent* configuration. Several whose contacts part differently are the *ambiguous* one,
/// of which that with the least load is returned. Loads may be undetermined while all contacts stay
/// (a box that spins on its corners). That is no ambiguity: the least ones are returned. Lemke's
/// method solves islands of more sliding contacts.
///
/// Where some stick, `coulomb` finds the forces for prescribed friction of those that slide. Those
/// forces give new friction, until nothing changes; strongly coupled ones may not be found.
class CoulombAcceleration {
 public:
  CoulombAcceleration();

  /// Solves for forces and accelerations.
  /// @param problem, forces, contact_rate  as acceleration_problem() takes them; no joint rows.
  /// @param slip_speed  speed below which a contact counts as without slip [m/s].
  /// @throws std::invalid_argument if sizes disagree or there are joint rows.
  ContactForces solve(const ContactProblem& problem,
                      const Eigen::Ref<const Eigen::VectorXd>& forces,
                      const Eigen::Ref<const Eigen::VectorXd>& contact_rate,
                      double slip_speed) const;

 private:
  std::unique_ptr<ContactModel> sticking_;
};

/// Holds the solution of an island of contacts that all slide.
struct SlidingSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< as in ContactForces
  SlidingLaw law = SlidingLaw::Determined;   ///< unique, several solutions, or none
  Eigen::VectorXd loads;                     ///< f [n] [N]
};
/// Solves 0 <= f perp K f + b >= 0, the law of an island of contacts that all slide.
SlidingSolution solve_sliding(const Eigen::MatrixXd& K, const Eigen::VectorXd& b);

}  // namespace amontons
