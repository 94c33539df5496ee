#pragma once

#include "amontons/contact/certificate/residual.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <limits>

namespace amontons {

/// Energy that contact may seem to create, relative to 1 J + kinetic energy: the rounding of sums.
inline constexpr double kEnergyTolerance = 1e-10;

/// How far an answer is from the laws, recomputed from problem and claimed law alone.
///
/// Dimensionless residuals, the same in any units of mass and length. An impulse is measured as the
/// velocity w p, and velocities are divided by V (contact_scales.h: w, V; V is the largest speed of
/// the island's free motion, not below 1e-6 of the terms it is summed from). Each residual is the
/// maximum over contacts, so that a heavy body cannot hide a light one. A value that is not finite
/// counts as infinity.
///
/// Normal law: min(w p_n, u_n + s - mu sigma) = 0, sigma = 0 or, in the convex relaxations, the
/// slip speed (max_k d_k . u_t on a polygon, |u_t| on the cone). Friction law: w p_t is its own
/// projection, w p_t = Proj(w p_t - u_t), on the polygon or disc of radius mu w p_n. Both vanish if
/// and only if the law holds; for Coulomb's that is De Saxce's condition, without its bad
/// conditioning at large mu.
///
/// Restitution. A contact *bounces* if it may (problem_scaling.h, may_bounce) and it carries a
/// normal impulse. Newton: its s is min(s, -rebound), so that it leaves at the rebound's speed
/// (rebound.h), or faster where an overlap asks for that. Poisson: the compression p_c obeys the
/// law with min(s, 0) in place of s and the velocity that belongs to p_c; then c_x = p_n - (1 + e)
/// p_c,n (e in this step: rebound.h) obeys 0 <= c_x perp u_n + s >= 0, and p_t - p_c,t the friction
/// law at the load e p_c,n + c_x; both phases are judged. A mode `Impact` where nothing may bounce
/// counts as a normal residual of 1.
///
/// Maximum dissipation: both residuals are residuals of its optimality conditions, with multipliers
/// from the answer's witness (dissipation_residual.h); what is left of the cap counts as a normal
/// residual. Its energy bound is that of kinetic energy itself, KE(v+) - KE(v_free), with phase I's
/// impulses in the stabilization work, and restitution may inject nothing: a smaller share of e is
/// claimed where the whole would.
///
/// No slip: the friction residual is |u_t| / V at the contacts that the answer lists as sticking
/// (its modes: contact_solution.h), w |p_t| / V at all others; only contacts that touch and have
/// friction may be listed.
///
/// Impact: collisions one after the other (impact_residual.h). Normal: what pulls or still
/// approaches; friction: what leaves the cone; where an island has one contact only, both are what
/// misses the impulse of its collision, integrated anew (collision_law.h). Kinetic energy may not
/// grow at all under Stronge's law; what Poisson's and Newton's add is the restitution_work.
///
/// Viscous friction at touching contacts adds -h mu_v u_t to the impulse of each of these laws:
/// they are judged with p_t + h mu_v u_t (in Poisson's second phase: of the change of u_t) in place
/// of p_t. Maximum dissipation has its own bound for it.
///
/// Bounded rows are judged by |w p - Proj(w p - (u + s + R p))| / V with w and V of their own
/// (bounded_row_scaling.h), where there are contacts, too, in the form of contacts
/// (rows_as_contacts.h): then limits bounce as contacts do, and under maximum dissipation they are
/// part of its program, outside the cap. Dry friction and servos act in the first phase of Poisson
/// restitution alone: the second takes no time.
///
/// Contacts beyond the law's activation gap must carry no impulse and are not judged otherwise;
/// contacts that touch no moving body are not judged.
struct Certificate {
  Residual normal;          ///< natural map of the normal law / V
  Residual friction;        ///< natural map of the friction law / V
  Residual limit;           ///< natural map of joint limits / V (bounded_row.h); `where`: the row
  Residual joint_friction;  ///< the same of dry joint friction and of servos at their effort limit
  Residual joint;  ///< |J v+ - joint_target| per joint row, relative to the row's velocity in the
                   ///< free motion, its target and what contact does to it (not below 1e-6 of
                   ///< the terms)
  Residual dynamics;     ///< |v+ - v_free - M^-1 (J_C'p + J'c)| per articulation in the norm of M,
                         ///< relative to |v+| + |v_free| (not below 1e-6 of the impulses' terms)
  Residual dissipation;  ///< max (mu p_n |u_t| + p_t . u_t) [J], relative to 1 + kinetic energy
  Residual coulomb;      ///< |w p - Proj_K(w p - (u + (s + mu |u_t|) n))| / V, exact Coulomb law;
                         ///< information only. With Poisson: of the compression phase; of an
                         ///< impact with the speed at which the contact parts as its rebound
  /// [J] kinetic energy above the sharp bound [Anitescu, Miller, Hart 2003, eq. 2.14,
  /// with errata AH-6], negative if below:
  ///   v+'M (v+ - v_free) + p . contact_bias + c . joint_bias - stabilization - restitution,
  /// where the first term is KE(v+) - KE(v_free) + |v+ - v_free|^2 / 2 and restitution is
  /// sum p_n rebound (Poisson: the sum over both phases, with restitution (e p_c,n) u_n).
  double energy_gained = std::numeric_limits<double>::quiet_NaN();
  double stabilization_work = 0.0;  ///< [J] sum p_n max(0, -s) + |c . gamma Theta/h|
  double restitution_work = 0.0;    ///< [J] what restitution may inject, as above
  double kinetic_energy = 0.0;      ///< [J] of v_free
  double infeasibility = 0.0;  ///< I(q+) = max(overlap, |Theta|) [m or rad]; set by the simulator
  int missed_contacts = 0;     ///< overlaps that no contact of this step foresaw; set by it too
  bool holds = false;          ///< the claimed law holds: every certified residual within tolerance

  /// Sets `holds` from all residuals: each but dissipation and coulomb is at most `tolerance`,
  /// energy_gained at most kEnergyTolerance (1 + kinetic_energy), and no contact is missed.
  void set_holds(double tolerance);

  /// Sets `holds` from the residuals of contact laws alone, for problems without bodies.
  void set_holds_by_laws(double tolerance);

  /// Withdraws `holds` where a further condition fails.
  void require(bool condition);

  /// Keeps the worse of both residuals each; contact indices are those of the whole problem.
  void merge(const Certificate& other);
};

/// @param tolerance  see Certificate::set_holds(); also the impulse w p_n / V above which a contact
/// counts as loaded.
/// @throws std::invalid_argument if the sizes of the solution do not fit.
Certificate certify(const ContactProblem& problem, const ContactSolution& solution,
                    double tolerance);

/// The same, with the scaling of that problem at hand.
Certificate certify(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSolution& solution, double tolerance);

}  // namespace amontons
