#include "amontons/contact/certificate/law_residual.h"

#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

Eigen::Vector2d project_on_disc(const Eigen::Vector2d& p_t, double radius) {
  if (radius == 0.0) return Eigen::Vector2d::Zero();
  const double length = p_t.norm();
  return length <= radius ? p_t : Eigen::Vector2d(p_t * (radius / length));
}

/// Nearest tangential impulse (as a velocity) that the law allows at this load.
Eigen::Vector2d project_on_friction_set(LawKind law, const Eigen::Matrix2Xd& directions,
                                        const Eigen::Vector2d& p_t, double radius) {
  switch (law) {
    case LawKind::Pyramid:
    case LawKind::ConvexPyramid:
      return nearest_on_polygon(p_t, radius, directions).point;
    case LawKind::Frictionless:
    case LawKind::Coulomb:
    case LawKind::ConvexCone:
    case LawKind::NoSlip:
    case LawKind::Viscous:
      return project_on_disc(p_t, radius);
    case LawKind::MaximumDissipation:
    case LawKind::LiteralDissipation:
    case LawKind::Impact:
      break;
  }
  throw std::invalid_argument(std::string("not a law of single contacts: ") + to_string(law));
}

}  // namespace

double slip_speed(LawKind law, const Eigen::Matrix2Xd& directions, const Eigen::Vector2d& u_t) {
  if (law == LawKind::ConvexPyramid) return (directions.transpose() * u_t).maxCoeff();
  if (law == LawKind::ConvexCone) return u_t.norm();
  return 0.0;
}

LawResidual law_residual(LawKind law, const Eigen::Matrix2Xd& directions,
                         const ContactState& contact) {
  const double w = contact.inverse_mass;
  const Eigen::Vector2d p_t = w * contact.impulse.head<2>();
  const Eigen::Vector2d u_t = contact.velocity.head<2>();
  const double p_n = contact.impulse.z();
  const double lift = contact.friction * slip_speed(law, directions, u_t);
  const double mu = has_coulomb_friction(law) ? contact.friction : 0.0;
  const double radius =
      mu * w * std::max(0.0, p_n + contact.given_load) + w * contact.friction_offset;
  const double normal =
      std::abs(std::min(w * p_n, contact.velocity.z() + contact.gap_speed - lift));
  if (law == LawKind::NoSlip && contact.sticks) return {normal, u_t.norm()};
  return {normal, (p_t - project_on_friction_set(law, directions, p_t - u_t, radius)).norm()};
}

double de_saxce_residual(const ContactState& contact) {
  const Eigen::Vector3d p = contact.inverse_mass * contact.impulse;
  Eigen::Vector3d shifted = contact.velocity;
  shifted.z() += contact.gap_speed + contact.friction * contact.velocity.head<2>().norm();
  const double friction_offset = contact.inverse_mass * contact.friction_offset;
  return (p - project_on_cone(p - shifted, contact.friction, friction_offset)).norm();
}

}  // namespace amontons
