#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons {

/// Holds what a friction problem of maximum dissipation (capped_friction.h) says of its contacts.
/// The velocity has the unit sqrt(J), and contacts are scaled so that trace(W_ii) is 3.
struct CappedContacts {
  Eigen::VectorXd q;         ///< [3 n], then rows: velocity at x = 0 [sqrt(J)]
  Eigen::VectorXd c;         ///< [n] normal speeds at x = 0
  std::vector<Cone> cones;   ///< [n], kind Friction
  std::vector<char> closed;  ///< [n] nonzero: r_i = 0; the normal condition still holds
  Eigen::VectorXd weights;   ///< a [n], >= 0, largest near 1; 0: outside the cap
  double cap = 0.0;          ///< >= 0; at 0 no contact under it may have a normal part

  Eigen::Index num_contacts() const { return c.size(); }
  const Cone& cone(Eigen::Index i) const { return cones[static_cast<std::size_t>(i)]; }
  /// Returns true if a contact carries nothing.
  bool is_closed(Eigen::Index i) const { return closed[static_cast<std::size_t>(i)] != 0; }
  /// Returns true if a contact may have a normal part.
  bool may_press(Eigen::Index i) const { return cap > 0.0 || weights(i) == 0.0; }
  /// Returns true if a contact can carry friction.
  bool has_disc(Eigen::Index i) const {
    return cone(i).friction_offset > 0.0 || (cone(i).mu > 0.0 && may_press(i));
  }
};

/// Returns the largest of |q| and |c| [sqrt(J)].
double speed_scale(const CappedContacts& contacts);

/// Returns the point of a contact's cone nearest to r, without a normal part where the cap leaves
/// none.
Eigen::Vector3d nearest_reaction(const CappedContacts& contacts, Eigen::Index i,
                                 const Eigen::Vector3d& r);

/// Holds a point with its multipliers (capped_friction.h).
struct CappedFrictionPoint {
  Eigen::VectorXd x;            ///< r, then f [3 n + m]
  Eigen::VectorXd multipliers;  ///< lambda [n]
  Eigen::VectorXd answers;      ///< phi [m]
  double price = 0.0;           ///< multiplier of the cap
  double residual = 0.0;        ///< largest entry of the natural maps of these conditions
};

/// Says when a method ends.
struct CappedFrictionSettings {
  double tolerance = 1e-10;        ///< acceptance threshold of residual / speed_scale() [-]
  double target_residual = 1e-14;  ///< target of Newton's last steps, of the same [-]
  int max_interior_steps = 60, max_newton_steps = 60;  ///< limits of one run of a method
  int max_steps = 200;                                 ///< limit of all runs together
};

/// Returns the settings for a residual, as a share of the largest speed.
/// @param limit  of the iterations of both methods together.
CappedFrictionSettings capped_friction_settings(double residual, std::optional<int> limit);

/// Says how a method ended.
struct CappedFrictionResult {
  SolveStatus status = SolveStatus::NotRun;  ///< Converged or Stalled
  int interior_steps = 0, newton_steps = 0;  ///< steps of both methods
};

}  // namespace amontons
