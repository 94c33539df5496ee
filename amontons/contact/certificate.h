#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <limits>

namespace amontons {

/// A judged quantity and where it is worst.
struct Figure {
  double value = std::numeric_limits<double>::quiet_NaN();   ///< NaN until measured
  int where = -1;                                            ///< contact (or joint row) index; -1: none
};

/// How far an answer is from the laws, recomputed from problem and claimed law alone.
///
/// Dimensionless figures. With w_i = trace(A_ii)/3 (A_ii the contact's own 3x3 block of J_C M^-1 J_C') an
/// impulse is measured as the velocity w_i p_i, and every velocity is divided by V, the largest
/// |contact velocity of the free motion| of the island (at least 1e-7 of the terms it is summed from).
/// Each figure is the maximum over contacts, so that a heavy body cannot hide a light one.
struct Certificate {
  Figure normal;           ///< |min(w p_n, u_n + s)| / V, the scaled natural map of the normal law
  Figure friction;         ///< natural map of the friction law claimed / V
  Figure joint;            ///< |J v+ + bias + gamma Theta/h| / V over joint rows
  Figure dynamics;         ///< |v+ - v_free - M^-1 (J_C'p + J'c)|, relative to |v+| + |v_free|
  Figure dissipation;      ///< max (mu p_n |u_t| + p_t . u_t) in J, relative to 1 + kinetic energy
  Figure coulomb;          ///< natural map of the exact Coulomb law (round cone) / V; information only
  double energy_gained = std::numeric_limits<double>::quiet_NaN();
                           ///< [J] kinetic energy above the sharp bound (errata 004 no. 6): what
                           ///< contact added beyond what stabilization and restitution injected
  double stabilization_work = 0.0;  ///< [J] sum p_n max(0, -s) + |c . gamma Theta/h|
  double infeasibility = 0.0;       ///< I(q+) = max(overlap, |Theta|) [m or rad]; set by the simulator
  int missed_contacts = 0;          ///< overlaps that no contact of this step foresaw; set by it too
  bool claimed = false;    ///< every judged figure within tolerance

  /// Widens each figure to the worse of both; contact indices are those of the whole problem.
  void merge(const Certificate& other);
};

/// @param tolerance  bounds normal, friction, joint and dynamics (dimensionless); energy_gained must
/// be at most 1e-10 (1 + kinetic energy of v_free).
Certificate certify(const ContactProblem& problem, const ContactSolution& solution,
                    double tolerance);

}  // namespace amontons
