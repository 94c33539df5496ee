#include "amontons/contact/contact_law.h"

#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace amontons {

const char* to_string(LawKind kind) {
  switch (kind) {
    case LawKind::Frictionless:
      return "frictionless";
    case LawKind::Pyramid:
      return "pyramid";
    case LawKind::ConvexPyramid:
      return "convex-pyramid";
    case LawKind::Coulomb:
      return "coulomb";
    case LawKind::ConvexCone:
      return "convex-cone";
    case LawKind::MaximumDissipation:
      return "maximum-dissipation";
    case LawKind::NoSlip:
      return "no-slip";
    case LawKind::Viscous:
      return "viscous";
    case LawKind::LiteralDissipation:
      return "literal-dissipation";
    case LawKind::Impact:
      return "impact";
  }
  throw std::invalid_argument("to_string: no such LawKind: " +
                              std::to_string(static_cast<int>(kind)));
}

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
  return kind == LawKind::MaximumDissipation || kind == LawKind::LiteralDissipation;
}

bool is_single_contact_law(LawKind kind) {
  return !dissipates_most(kind) && kind != LawKind::NoSlip && kind != LawKind::Impact;
}

bool has_polygon(LawKind kind) {
  return kind == LawKind::Pyramid || kind == LawKind::ConvexPyramid;
}

bool has_coulomb_friction(LawKind kind) {
  return kind != LawKind::Frictionless && kind != LawKind::NoSlip && kind != LawKind::Viscous;
}

Eigen::Matrix2Xd directions_of(const ContactLaw& law) {
  return has_polygon(law.kind) ? polygon_directions(law.directions) : Eigen::Matrix2Xd();
}

Eigen::Vector3d project_on_cone(const Eigen::Vector3d& p, double mu, double friction_offset) {
  const double tangential = p.head<2>().norm();
  if (p.z() >= 0.0 && tangential <= mu * p.z() + friction_offset) return p;
  const double foot = (p.z() + mu * (tangential - friction_offset)) / (1.0 + mu * mu);
  Eigen::Vector3d result(p.x(), p.y(), std::max(foot, 0.0));
  const double radius = mu * result.z() + friction_offset;
  if (tangential > radius) result.head<2>() *= radius / tangential;
  return result;
}

}  // namespace amontons
