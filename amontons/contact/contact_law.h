#pragma once

#include <Eigen/Core>

#include <limits>
#include <string>

namespace amontons {

/// Names the laws that a solution can claim. Each is a relation between a contact's impulse p and
/// its velocity u after the step; s is the stabilized gap.
enum class LawKind {
  Frictionless,   ///< 0 <= p_n perp u_n + s >= 0, p_t = 0 (but for friction_offset)
  Pyramid,        ///< the same normal law; p_t in mu p_n P, P a polygon, dissipating most
  ConvexPyramid,  ///< Anitescu-Hart relaxation on the polygon: u_n + s - mu max_i(d_i . u_t) >= 0
  Coulomb,        ///< Signorini with the round cone (De Saxce)
  ConvexCone,     ///< the relaxation on the round cone
  /// Least kinetic energy after contact, under nonpenetration, with no more normal impulse than
  /// without friction (dissipation_residual.h). It is not a relation at one contact.
  MaximumDissipation,
  /// Signorini's law, u_t = 0 at the contacts that the solution lists as sticking
  /// (contact_solution.h), p_t = 0 at all others [Drumwright 2015, sec. VI]
  NoSlip,
  Viscous,  ///< frictionless but for the viscous drag, p_t = -h mu_v u_t [Drumwright 2015, sec. IV]
  /// Maximum dissipation within the viscous bound as printed, |p_t|^2 <= (mu p_n)^2 + (h mu_v
  /// |b_t|)^2. It can be claimed where the solution within its convex hull, the additive bound,
  /// keeps it.
  LiteralDissipation,
  /// Collisions one after the other, each by the law of collision.h (impact_residual.h)
  Impact,
  /// Maximum dissipation as printed, with one bound on the normal impulses of the whole system
  SystemDissipation
};
/// The last law; readers of files reject larger codes.
inline constexpr LawKind kLastLaw = LawKind::SystemDissipation;
/// Names the laws of restitution (collision.h).
enum class RestitutionLaw { Newton, Poisson, Stronge };

/// Selects the contacts that `no-slip` keeps from slipping, of those that touch (no_slip_model.h).
enum class StickingList {
  Loaded,   ///< the loaded ones
  Touching  ///< all, as published
};

/// Names how a certificate measures the distance of an impulse from a law.
enum class LawResidualKind {
  NaturalMaps,   ///< the natural maps of each contact, from the friction set (law_residual.h)
  StickingList,  ///< the same, but u_t where the solution lists the contact as sticking
  Dissipation,   ///< the optimality conditions of maximum dissipation (dissipation_residual.h)
  Collisions     ///< the collisions in their sequence (impact_residual.h)
};

/// Names the shape of the set that bounds p_t. Its size r [N s] is mu p_n where the law has Coulomb
/// friction, plus the friction that the contact has without a load.
enum class FrictionSet {
  Disc,    ///< |p_t| <= r
  Polygon  ///< p_t in r conv{d_k}, the directions of the polygon
};

/// Names where viscous friction enters a law.
enum class ViscousFriction {
  Drag,           ///< the drag -h mu_v u_t acts besides the law, through the inertia
  AdditiveBound,  ///< it widens the bound of friction by h mu_v |b_t|
  LiteralBound,   ///< it widens the bound as printed, |p_t|^2 <= (mu p_n)^2 + (h mu_v |b_t|)^2
  None            ///< impacts take no time, so that drag has no impulse
};

/// Holds one row of the table of laws (contact_law.cc): the facts that solvers, certificates and
/// files read. A new law starts with its row.
struct LawTraits {
  /// Names the law of the row; the place of the row is the law's code in runs.
  LawKind kind = LawKind::Frictionless;
  /// Gives the word for the law in files and messages.
  const char* name = "";
  /// Says how a certificate measures the law.
  LawResidualKind residual = LawResidualKind::NaturalMaps;
  /// The law is a relation between impulse and velocity at each contact alone, not of an island.
  bool is_single_contact = true;
  /// The law relates the contacts of all islands, which are solved and certified as one.
  bool couples_islands = false;
  /// The law has friction that grows with the load, mu p_n.
  bool has_coulomb_friction = false;
  /// Names the shape of the set that bounds friction.
  FrictionSet friction_set = FrictionSet::Disc;
  /// Slip lifts the contact, as in a convex relaxation: u_n + s - mu sigma(u_t) >= 0. The slip
  /// speed sigma [m/s] is the support function of the friction set of size 1.
  bool lifts = false;
  /// Says where viscous friction enters.
  ViscousFriction viscous = ViscousFriction::Drag;
  /// The reactions at a given velocity are a convex cone that allowed_reactions() constructs, so
  /// that intervals and least norm of the reactions can be computed.
  bool has_reaction_cone = false;
};

/// Returns the row of a law.
/// @throws std::invalid_argument if there is none.
const LawTraits& law_traits(LawKind kind);

/// Returns the word for the law in files and messages.
const char* to_string(LawKind kind);
/// Returns the word for the law of restitution in files and messages.
const char* to_string(RestitutionLaw law);

/// Describes the law that a solution claims.
struct ContactLaw {
  LawKind kind = LawKind::Frictionless;  ///< the law
  int directions = 4;                    ///< directions of the polygon, even, >= 4; the first is t1
  RestitutionLaw restitution = RestitutionLaw::Newton;  ///< law of contacts that bounce
  /// Contacts with a larger gap are left out: they carry no impulse and are not certified [m].
  double activation_gap = std::numeric_limits<double>::infinity();
  /// Bound within which the natural maps of the law are claimed to vanish [-], where it exceeds the
  /// certificate's tolerance; 0: the tolerance. All inequalities keep the tolerance.
  double within = 0.0;
};

/// Returns true for maximum dissipation, a law of whole islands, with either viscous bound.
bool dissipates_most(LawKind kind);

/// Returns true if the law is a relation at each contact alone, not of a whole island.
bool is_single_contact_law(LawKind kind);

/// Returns true if the law relates the contacts of all islands.
bool couples_islands(LawKind kind);

/// Returns true if the law bounds friction by a polygon.
bool has_polygon(LawKind kind);

/// Returns true if the law has friction that grows with the load, mu p_n.
bool has_coulomb_friction(LawKind kind);

/// Returns true if slip lifts the contact, as in a convex relaxation.
bool lifts(LawKind kind);

/// Returns true for Signorini's condition with Coulomb friction in the disc: neither a polygon nor
/// a relaxation.
bool is_round_coulomb_law(LawKind kind);

/// Returns true if the law follows collisions in their sequence.
bool is_collision_law(LawKind kind);

/// Returns polygon_directions(law.directions) [2 x n], or none for the laws without a polygon.
Eigen::Matrix2Xd directions_of(const ContactLaw& law);

/// Returns the point of {p_n >= 0, |p_t| <= mu p_n + friction_offset} nearest to p = (t1, t2, n).
Eigen::Vector3d project_on_cone(const Eigen::Vector3d& p, double mu, double friction_offset = 0.0);

}  // namespace amontons
