#include "amontons/contact/contact_law.h"

#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

/// One row per law, in the order of LawKind.
constexpr LawTraits kLaws[] = {
    {
        // 0 <= p_n perp u_n + s >= 0, p_t = 0.
        .kind = LawKind::Frictionless,
        .name = "frictionless",
        .residual = LawResidualKind::NaturalMaps,
        .is_single_contact = true,
        .has_coulomb_friction = false,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::Drag,
        .has_reaction_cone = true,
    },
    {
        // The same with p_t in mu p_n conv{d_k}, where it dissipates most.
        .kind = LawKind::Pyramid,
        .name = "pyramid",
        .residual = LawResidualKind::NaturalMaps,
        .is_single_contact = true,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Polygon,
        .lifts = false,
        .viscous = ViscousFriction::Drag,
        .has_reaction_cone = true,
    },
    {
        // 0 <= p_n perp u_n + s - mu max_k d_k . u_t >= 0, friction as in Pyramid.
        .kind = LawKind::ConvexPyramid,
        .name = "convex-pyramid",
        .residual = LawResidualKind::NaturalMaps,
        .is_single_contact = true,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Polygon,
        .lifts = true,
        .viscous = ViscousFriction::Drag,
        .has_reaction_cone = true,
    },
    {
        // 0 <= p_n perp u_n + s >= 0, |p_t| <= mu p_n, p_t = -mu p_n u_t / |u_t| where it slides.
        .kind = LawKind::Coulomb,
        .name = "coulomb",
        .residual = LawResidualKind::NaturalMaps,
        .is_single_contact = true,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::Drag,
        .has_reaction_cone = true,
    },
    {
        // 0 <= p_n perp u_n + s - mu |u_t| >= 0, friction as in Coulomb.
        .kind = LawKind::ConvexCone,
        .name = "convex-cone",
        .residual = LawResidualKind::NaturalMaps,
        .is_single_contact = true,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Disc,
        .lifts = true,
        .viscous = ViscousFriction::Drag,
        .has_reaction_cone = true,
    },
    {
        // min 1/2 p'A p + b0'p over the cones, A_N p + b_N + s >= 0, and sum p_n at most that of
        // phase I.
        .kind = LawKind::MaximumDissipation,
        .name = "maximum-dissipation",
        .residual = LawResidualKind::Dissipation,
        .is_single_contact = false,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::AdditiveBound,
        .has_reaction_cone = false,
    },
    {
        // 0 <= p_n perp u_n + s >= 0, u_t = 0 at listed contacts, p_t = 0 at the others.
        .kind = LawKind::NoSlip,
        .name = "no-slip",
        .residual = LawResidualKind::StickingList,
        .is_single_contact = false,
        .has_coulomb_friction = false,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::Drag,
        .has_reaction_cone = false,
    },
    {
        // Frictionless but for p_t = -h mu_v u_t.
        .kind = LawKind::Viscous,
        .name = "viscous",
        .residual = LawResidualKind::NaturalMaps,
        .is_single_contact = true,
        .has_coulomb_friction = false,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::Drag,
        .has_reaction_cone = true,
    },
    {
        // Maximum dissipation whose friction keeps |p_t|^2 <= (mu p_n)^2 + (h mu_v |b_t|)^2.
        .kind = LawKind::LiteralDissipation,
        .name = "literal-dissipation",
        .residual = LawResidualKind::Dissipation,
        .is_single_contact = false,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::LiteralBound,
        .has_reaction_cone = false,
    },
    {
        // The sum of the impulses of collisions one after the other (collision.h).
        .kind = LawKind::Impact,
        .name = "impact",
        .residual = LawResidualKind::Collisions,
        .is_single_contact = false,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::None,
        .has_reaction_cone = false,
    },
    {
        // Maximum dissipation with one sum of p_n, and one bound, for the contacts of all islands.
        .kind = LawKind::SystemDissipation,
        .name = "system-dissipation",
        .residual = LawResidualKind::Dissipation,
        .is_single_contact = false,
        .couples_islands = true,
        .has_coulomb_friction = true,
        .friction_set = FrictionSet::Disc,
        .lifts = false,
        .viscous = ViscousFriction::AdditiveBound,
        .has_reaction_cone = false,
    },
};

/// Returns true if the place of each row is the code of its law, which files store.
constexpr bool has_one_row_per_law_in_order() {
  if (std::size(kLaws) != static_cast<std::size_t>(kLastLaw) + 1) return false;
  for (std::size_t i = 0; i < std::size(kLaws); ++i) {
    if (kLaws[i].kind != static_cast<LawKind>(i)) return false;
  }
  return true;
}
static_assert(has_one_row_per_law_in_order());

}  // namespace

const LawTraits& law_traits(LawKind kind) {
  const auto row = static_cast<std::size_t>(kind);
  if (row < std::size(kLaws)) return kLaws[row];
  throw std::invalid_argument("law_traits: no such LawKind: " +
                              std::to_string(static_cast<int>(kind)));
}

const char* to_string(LawKind kind) { return law_traits(kind).name; }

const char* to_string(RestitutionLaw law) {
  switch (law) {
    case RestitutionLaw::Newton:
      return "newton";
    case RestitutionLaw::Poisson:
      return "poisson";
    case RestitutionLaw::Stronge:
      return "stronge";
  }
  throw std::invalid_argument("to_string: no such RestitutionLaw: " +
                              std::to_string(static_cast<int>(law)));
}

bool dissipates_most(LawKind kind) {
  return law_traits(kind).residual == LawResidualKind::Dissipation;
}

bool is_single_contact_law(LawKind kind) { return law_traits(kind).is_single_contact; }

bool couples_islands(LawKind kind) { return law_traits(kind).couples_islands; }

bool has_polygon(LawKind kind) { return law_traits(kind).friction_set == FrictionSet::Polygon; }

bool has_coulomb_friction(LawKind kind) { return law_traits(kind).has_coulomb_friction; }

bool lifts(LawKind kind) { return law_traits(kind).lifts; }

bool is_round_coulomb_law(LawKind kind) {
  const LawTraits& law = law_traits(kind);
  return law.residual == LawResidualKind::NaturalMaps && law.has_coulomb_friction &&
         law.friction_set == FrictionSet::Disc && !law.lifts;
}

bool is_collision_law(LawKind kind) {
  return law_traits(kind).residual == LawResidualKind::Collisions;
}

Eigen::Matrix2Xd directions_of(const ContactLaw& law) {
  return has_polygon(law.kind) ? polygon_directions(law.directions) : Eigen::Matrix2Xd();
}

Eigen::Vector3d project_on_cone(const Eigen::Vector3d& p, double mu, double friction_offset) {
  const double tangential = p.head<2>().norm();
  if (p.z() >= 0.0 && tangential <= mu * p.z() + friction_offset) return p;
  // The foot of the perpendicular on the mantle; below p_n = 0 the point of the disc there is
  // nearest.
  const double foot = (p.z() + mu * (tangential - friction_offset)) / (1.0 + mu * mu);
  Eigen::Vector3d result(p.x(), p.y(), std::max(foot, 0.0));
  // The tangential part keeps its direction.
  const double radius = mu * result.z() + friction_offset;
  if (tangential > radius) result.head<2>() *= radius / tangential;
  return result;
}

}  // namespace amontons
