#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Describes the collision of two bodies at one point, in impulse space, in the contact's frame
/// (t1, t2, n) [Routh 1860; Keller 1986; Mirtich 1996, thesis, ch. 3].
///
/// The normal impulse p_n plays the part of time. Positions stay constant; the relative velocity
/// follows
///
///   du/dp_n = K (-mu u_t/|u_t|, 1)                      while it slides,
///   u_t = 0, du_n/dp_n = 1 / (K^-1)_nn                  once it sticks.
///
/// It sticks where |u_t| = 0 and |K_tt^-1 K_tn| <= mu. Else it slides on at once (reverse slip),
/// along the one direction e in which K_tn - mu K_tt e = g e with g > 0. The path u_t(p_n) is the
/// gradient flow, in the scaling K_tt^-1, of the convex mu |u_t| - (K_tt^-1 K_tn) . u_t. It
/// therefore exists, is unique, and two paths that meet stay together.
///
/// Compression ends where u_n rises to zero; if u_n falls below zero again, compression continues.
/// Let c mark the end of compression and W the work of the normal impulse (integral of u_n dp_n).
/// Then the collision ends where
///
///   Stronge  W = (1 - e^2) W_c         (never gains energy)
///   Poisson  p_n = (1 + e) p_n,c
///   Newton   u_n = -e u_n(0), or W = 0 where that is first
///
/// So none of them gains energy. Friction may turn slip into rebound, of which Newton's law alone
/// would give back more than compression took [Kane, Levinson 1985].
///
/// A point is jammed if it sticks and no normal impulse moves it (1 / (K^-1)_nn = 0). An example is
/// a hinged rod that wedges itself against the ground. A jammed point ends without a rebound.
struct Collision {
  Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero();  ///< K, symmetric, >= 0 [1/kg]
  Eigen::Vector3d velocity =
      Eigen::Vector3d::Zero();  ///< u before the collision, B against A [m/s]
  double friction = 0.0;        ///< mu [-], >= 0
  double restitution = 0.0;     ///< e [-], in [0, 1]
  RestitutionLaw law = RestitutionLaw::Stronge;
};

/// Returns the collision that gives back all of the work of compression, W = 0.
inline Collision lossless_collision(const Collision& collision) {
  Collision result = collision;
  result.law = RestitutionLaw::Stronge;
  result.restitution = 1.0;
  return result;
}

/// Returns the collision of one contact of an impact. A contact that approaches no faster than the
/// problem's rest_speed has no restitution; limits of joints always have theirs.
/// @param inverse_inertia  K of the contact, loop joints kept (ContactSpace::delassus()) [1/kg].
/// @param velocity         u before the collision [m/s].
inline Collision collision_of(const ContactProblem& problem, std::size_t contact,
                              const Eigen::Matrix3d& inverse_inertia,
                              const Eigen::Vector3d& velocity, RestitutionLaw law) {
  const Contact& own = problem.contacts[contact];
  const bool bounces = own.is_joint_row || -velocity.z() > problem.rest_speed;
  return {inverse_inertia, velocity, own.friction, bounces ? own.restitution : 0.0, law};
}

/// Share of trace(K)/3 below which 1 / (K^-1)_nn counts as zero [-]. Below it rounding decides.
inline constexpr double kJammed = 1e-10;

}  // namespace amontons
