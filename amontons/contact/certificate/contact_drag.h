#pragma once

#include "amontons/contact/certificate/certified_phase.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// Holds where viscous friction acts in a step, by the law of loads [docs/theory.md, section 6]:
///
///   p_t = dry friction - theta h mu_v u_t,     0 <= theta <= 1,
///   theta = 1 where the contact bears a load,  theta = 0 where it stays open.
///
/// The share theta is free where a contact touches and bears nothing. Without that no step need
/// have a solution: drag may lift the contact that it acts at, and the contact closes without it.
struct ContactDrag {
  /// How far a contact is from the other case [nc] [-], in units of V (contact_scales.h):
  /// w p_n / V > 0 where it bears a load, -(u_n + s) / V < 0 where it stays open, 0 where theta is
  /// free: at contacts without drag, between both, and where the drag is below the tolerance.
  Eigen::VectorXd loads;
  /// theta [nc]: as the loads say, and where they leave it free as the impulses have it.
  Eigen::VectorXd shares;
  /// Least u_n + s at the end of a phase [nc] [m/s], less the lift of a relaxation; infinite at
  /// contacts that take no part. contact_drag() alone writes it.
  Eigen::VectorXd slack = {};
};

/// Describes contacts with viscous friction, whose loads are asked for.
struct DragQuestion {
  NormalFace face;         ///< loads and slack at the end
  Eigen::VectorXd slack;   ///< least u_n + s at the end of a phase [nc] [m/s]
  Eigen::VectorXd whole;   ///< w h mu_v |u_t|, 0 without drag [nc] [m/s]
  Eigen::VectorXd shares;  ///< theta that the impulses have [nc]
};

/// Returns loads and shares. A contact touches where its slack is at most tolerance V. Where its
/// share is not whole, it must bear no load in another solution with the same velocity either.
ContactDrag loads_of_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                          const DragQuestion& question, double tolerance);

/// Writes where viscous friction acts, judged by problem and solution alone. A contact bears a
/// load if w p_n > tolerance V, or if it touches and p_n > 0 in another solution with the same
/// velocity (contact_loads.h). It touches if u_n + s <= tolerance V at the end of the step, or at
/// the end of Poisson's compression, or if it leaves at the speed of Newton's rebound.
/// @param problem  contacts alone, or with bounded rows in their form (rows_as_contacts.h).
/// @param phases   the step as a whole, or both phases of Poisson's restitution.
/// @param drag     its memory is kept.
void find_contact_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                       const ContactSolution& solution, std::span<const CertifiedPhase> phases,
                       double tolerance, ContactDrag& drag);

/// Returns the same [nc] for a problem with or without bounded rows.
ContactDrag contact_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ContactSolution& solution, double tolerance);

}  // namespace amontons
