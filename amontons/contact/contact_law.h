#pragma once

#include <Eigen/Core>

#include <limits>
#include <string>

namespace amontons {

/// The laws an answer can claim to satisfy. Each is a relation between a contact's impulse p and
/// its velocity u after the step; s is the stabilized gap.
enum class LawKind {
  Frictionless,   ///< 0 <= p_n perp u_n + s >= 0, p_t = 0 (but for friction_offset)
  Pyramid,        ///< the same normal law; p_t in mu p_n P, P a polygon, dissipating most
  ConvexPyramid,  ///< Anitescu-Hart relaxation on the polygon: u_n + s + mu max_i(d_i . u_t) >= 0
  Coulomb,        ///< Signorini with the round cone (De Saxce)
  ConvexCone,     ///< the relaxation on the round cone
  /// Not a relation at one contact: least kinetic energy after contact, under nonpenetration, with
  /// no more normal impulse than without friction (dissipation_residual.h)
  MaximumDissipation,
  /// Signorini's law, u_t = 0 at the contacts that the answer lists as sticking (certificate.h),
  /// p_t = 0 at all others [Drumwright 2015, sec. VI]
  NoSlip,
  Viscous,  ///< frictionless but for the viscous drag, p_t = -h mu_v u_t [Drumwright 2015, sec. IV]
  /// Maximum dissipation within the viscous bound as printed, |p_t|^2 <= (mu p_n)^2 + (h mu_v
  /// |b_t|)^2, wherever the answer within its convex hull, the additive bound, keeps it
  LiteralDissipation,
  /// Collisions one after the other, each by the law of collision.h (impact_residual.h)
  Impact
};
inline constexpr LawKind kLastLaw = LawKind::Impact;
enum class RestitutionLaw { Newton, Poisson, Stronge };

/// Which contacts `no-slip` keeps from slipping, of those that touch (no_slip_model.h).
enum class StickingList {
  Loaded,   ///< the loaded ones
  Touching  ///< all, as published
};

const char* to_string(LawKind kind);
const char* to_string(RestitutionLaw law);

/// The law that an answer claims.
struct ContactLaw {
  LawKind kind = LawKind::Frictionless;  ///< which one
  int directions = 4;                    ///< of the polygon, even, >= 4; the first is t1
  RestitutionLaw restitution = RestitutionLaw::Newton;  ///< of what bounces
  /// Contacts with a larger gap are left out: they carry no impulse and are not judged [m].
  double activation_gap = std::numeric_limits<double>::infinity();
};

/// Whether it is maximum dissipation, a law of whole islands, with either viscous bound.
bool dissipates_most(LawKind kind);

/// Whether it is a relation at each contact alone, not of a whole island.
bool is_single_contact_law(LawKind kind);

/// Whether the law bounds friction by a polygon.
bool has_polygon(LawKind kind);

/// Whether the law has friction that grows with the load, mu p_n.
bool has_coulomb_friction(LawKind kind);

/// polygon_directions(law.directions) [2 x n], or none for the laws without a polygon.
Eigen::Matrix2Xd directions_of(const ContactLaw& law);

/// The point of {p_n >= 0, |p_t| <= mu p_n + friction_offset} nearest to p = (t1, t2, n).
Eigen::Vector3d project_on_cone(const Eigen::Vector3d& p, double mu, double friction_offset = 0.0);

/// Gap up to which contacts count as touching where a law asks for touch [m]: viscous friction does
/// not act across a gap. Positions are known to rounding and to the detection of contacts, far
/// below this.
inline constexpr double kTouchingGap = 1e-6;

}  // namespace amontons
