#pragma once

#include "amontons/contact/certificate/residual.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <limits>

namespace amontons {

struct CertificateWorkspace;

/// Energy that contact may seem to create by the rounding of sums, relative to the energies summed
/// [-] (energy_allowance(), energy_bound.h).
inline constexpr double kEnergyTolerance = 1e-10;

/// Holds how far a solution is from the laws it claims, recomputed from problem and claimed law
/// alone. docs/theory/certificate.md defines every residual. Section 11 of docs/theory.md lists
/// what each law is measured by.
///
/// Residuals are dimensionless: impulses enter as velocities w p, and velocities are divided by V
/// (contact_scales.h). Each residual is the maximum over contacts, so that a heavy body cannot hide
/// a light one. A value that is not finite counts as infinity.
///
/// Normal law: min(w p_n, u_n + s - mu sigma) = 0; sigma is 0, or in the convex relaxations the
/// slip speed. Friction law: w p_t = Proj(w p_t - u_t) on the polygon or disc of radius mu w p_n.
/// Both vanish if and only if the law holds.
///
/// Restitution, viscous friction and bounded rows change both laws, or add a second phase
/// (certified_phase.h). Maximum dissipation, no slip and impacts have residuals of their own
/// (dissipation_residual.h, impact_residual.h). A mode `Impact` where nothing may bounce counts as
/// a normal residual of 1.
///
/// Residuals are known up to the rounding of what they are computed from. An overlap counts less
/// its rounding (ContactProblem::gap_rounding()), so that a gap of rounding misses no law.
/// Impulses that cancel leave rounding of their own, `rounding`. An answer for which it exceeds
/// the tolerance proves nothing, and is not certified.
///
/// Contacts beyond the law's activation gap must carry no impulse and are not certified otherwise.
/// Contacts that touch no moving body are not certified.
struct Certificate {
  Residual normal;          ///< natural map of the normal law / V
  Residual friction;        ///< natural map of the friction law / V
  Residual limit;           ///< natural map of joint limits / V (bounded_row.h); `where`: the row
  Residual joint_friction;  ///< the same, of dry joint friction and saturated servos
  Residual joint;  ///< |J v+ - joint_target| per joint row, relative to the row's velocity in the
                   ///< free motion, its target and what contact does to it (not below 1e-6 of
                   ///< the terms)
  Residual dynamics;  ///< |v+ - v_free - M^-1 (J_C'p + J'c + L'f)| per articulation in the norm of
                      ///< M, relative to |v+| + |v_free| (not below 1e-6 of the impulses' terms)
  Residual dissipation;  ///< max (mu p_n |u_t| + p_t . u_t) [J], relative to 1 + kinetic energy
  Residual coulomb;      ///< |w p - Proj_K(w p - (u + (s + mu |u_t|) n))| / V, exact Coulomb law;
                         ///< information only. With Poisson: of the compression phase; of an
                         ///< impact with the speed at which the contact parts as its rebound
  /// Largest violation of an inequality of contacts and joints' rows / V: overlap -(u_n + s), pull
  /// -w p_n, and w times the distance of p_t from its friction set, if the law has one. It is zero
  /// for laws of collisions. Under maximum dissipation rows of joints count with their whole
  /// residual.
  Residual inequality;
  /// Distance from the law that was asked: its residual at this solution (law_distance.h). It is
  /// information only; the solver of islands sets it.
  Residual law_distance;
  /// Rounding of the velocities by impulses that cancel: eps times the sum of their lengths in the
  /// norm of M^-1, relative to the fastest articulation of the island (rounding_residual()).
  /// `where`: the articulation. In contact space it is eps |W| |p| / V, by contacts.
  Residual rounding{0.0, -1};
  /// [J] kinetic energy above the sharp bound [Anitescu, Miller, Hart 2003, eq. 2.14,
  /// with errata AH-6], negative if below:
  ///   v+'M (v+ - v_free) + p . contact_bias + c . joint_bias - stabilization - restitution,
  /// where the first term is KE(v+) - KE(v_free) + |v+ - v_free|^2 / 2 and restitution is
  /// sum p_n rebound (Poisson: the sum over both phases, with restitution (e p_c,n) u_n), but at
  /// most |v+ - v_free|^2 / 2 + max(0, KE(v) - KE(v_free)): an impact never adds energy.
  double energy_gained = std::numeric_limits<double>::quiet_NaN();
  double stabilization_work = 0.0;  ///< [J] sum p_n max(0, -s) + |c . gamma Theta/h|
  double restitution_work = 0.0;    ///< [J] largest energy that restitution may inject, as above
  double kinetic_energy = 0.0;      ///< [J] of v_free
  double change_energy = 0.0;       ///< [J] |v+ - v_free|^2 / 2 in the norm of M
  double infeasibility = 0.0;   ///< I(q+) = max(overlap, |Theta|) [m or rad]; set by the simulator
  int missed_contacts = 0;      ///< overlaps without a contact, and passages; set there too
  double missed_overlap = 0.0;  ///< depth of the deepest of them [m]; NaN: unknown
  int missed_body_a = -1, missed_body_b = -1;  ///< its bodies, by index in the system; -1: none
  // Positions and energy of the whole step (simulation/stepping/motion_certificate.h).
  Residual loop;  ///< error of a row of J that the step has widened / its lever; `where`: the row
  /// Overlap that the step has deepened / size of the smaller body; `where`: the pair's contact.
  Residual overlap;
  /// Deepest overlap that sticking contacts hold under `NoSlip` (held_overlaps.h) [m]; `where`: the
  /// contact. It is information only.
  Residual held_overlap{0.0, -1};
  double energy_created = 0.0;  ///< [J] energy of the step without a cause, beyond its allowance
  bool holds = false;  ///< the claimed law holds: every certified residual within tolerance

  /// Sets `holds` from all residuals: each but dissipation, coulomb and law_distance is at most
  /// `tolerance`, energy_gained at most energy_allowance(), and no contact is missed.
  /// @param within  bound claimed for the natural maps of the laws (ContactLaw::within), where it
  /// exceeds the tolerance. Contact then adds no energy to the free motion: the bound is that of
  /// energy_gained - change_energy, since the sharp one presumes the law itself.
  void set_holds(double tolerance, double within = 0.0);

  /// Sets `holds` from the residuals of contact laws alone, for problems without bodies.
  void set_holds_by_laws(double tolerance, double within = 0.0);

  /// Returns the largest residual of the laws of contacts and joints' rows [-].
  double worst_of_laws() const;

  /// Withdraws `holds` where a further condition fails.
  void require(bool condition);

  /// Keeps the worse of both residuals each. Contact indices must be those of the whole problem.
  void merge(const Certificate& other);
};

/// Returns the certificate of a solution by the law that it claims.
/// @param tolerance  see Certificate::set_holds(); also the impulse w p_n / V above which a contact
/// counts as loaded [-].
/// @throws std::invalid_argument if the sizes of the solution do not fit.
Certificate certify(const ContactProblem& problem, const ContactSolution& solution,
                    double tolerance);

/// Returns the same certificate from the scaling of that problem, which is not computed again.
Certificate certify(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSolution& solution, double tolerance);
/// Returns the same with memory that is kept (certificate_workspace.h).
Certificate certify(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSolution& solution, double tolerance, CertificateWorkspace& work);

}  // namespace amontons
