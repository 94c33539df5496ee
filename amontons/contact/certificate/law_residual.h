#pragma once

#include "amontons/contact/contact_law.h"

#include <Eigen/Core>

namespace amontons {

/// Holds one contact as a law reads it.
struct ContactState {
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();   ///< p, frame (t1, t2, n) [N s]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< u, same frame [m/s]
  double gap_speed = 0.0;                              ///< s, of the condition u_n + s >= 0 [m/s]
  double friction = 0.0;                               ///< mu [-]
  double inverse_mass = 0.0;                           ///< w, turns impulses into velocities [1/kg]
  double given_load = 0.0;       ///< normal impulse that loads friction besides p_n [N s]
  double friction_offset = 0.0;  ///< largest |p_t| without a load [N s]
  bool sticks = false;           ///< on the list of the law `NoSlip`: u_t = 0, whatever p_t
};

/// Holds natural maps of a contact law [m/s]; both are zero if and only if the law holds.
struct LawResidual {
  double normal = 0.0;
  double friction = 0.0;
};

/// Returns the natural maps of a law at one contact.
/// @param directions  polygon_directions(law.directions); not read by the laws without a polygon.
/// @throws std::invalid_argument for the laws that are not relations at one contact.
LawResidual law_residual(LawKind kind, const Eigen::Matrix2Xd& directions,
                         const ContactState& contact);

/// Returns the largest violation of an inequality at one contact [m/s], of the laws measured by
/// natural maps and of `NoSlip`: overlap -(u_n + s), pull -w p_n, or w times the distance of p_t
/// from its friction set, if there is one. It is at most the larger natural map.
double inequality_violation(LawKind kind, const Eigen::Matrix2Xd& directions,
                            const ContactState& contact);

/// Returns the slip speed sigma by which a convex relaxation lifts the normal condition, u_n + s -
/// mu sigma [m/s]. It is |u_t| on the cone, max_k d_k . u_t on a polygon, and 0 for the other laws.
double slip_speed(LawKind law, const Eigen::Matrix2Xd& directions, const Eigen::Vector2d& u_t);

/// Returns |w p - Proj_K(w p - (u + (s + mu |u_t|) n))|, the distance from the exact Coulomb law
/// [m/s] [De Saxce, Feng 1998].
double de_saxce_residual(const ContactState& contact);

}  // namespace amontons
