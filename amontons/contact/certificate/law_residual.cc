#include "amontons/contact/certificate/law_residual.h"

#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

/// Returns the point of a disc that is nearest to a tangential impulse, all as velocities [m/s].
Eigen::Vector2d project_on_disc(const Eigen::Vector2d& p_t, double radius) {
  if (radius == 0.0) return Eigen::Vector2d::Zero();
  const double length = p_t.norm();
  return length <= radius ? p_t : Eigen::Vector2d(p_t * (radius / length));
}

/// Returns the point of a friction set of this size that is nearest to a tangential impulse, all as
/// velocities [m/s].
Eigen::Vector2d project_on_friction_set(FrictionSet set, const Eigen::Matrix2Xd& directions,
                                        const Eigen::Vector2d& p_t, double radius) {
  switch (set) {
    case FrictionSet::Disc:
      return project_on_disc(p_t, radius);
    case FrictionSet::Polygon:
      return nearest_on_polygon(p_t, radius, directions).point;
  }
  throw std::invalid_argument("no such FrictionSet: " + std::to_string(static_cast<int>(set)));
}

/// Returns the support function of the friction set of size 1, the largest d . u_t [m/s].
double support(FrictionSet set, const Eigen::Matrix2Xd& directions, const Eigen::Vector2d& u_t) {
  switch (set) {
    case FrictionSet::Disc:
      return u_t.norm();
    case FrictionSet::Polygon:
      return (directions.transpose() * u_t).maxCoeff();
  }
  throw std::invalid_argument("no such FrictionSet: " + std::to_string(static_cast<int>(set)));
}

/// Returns the slip speed by which a law lifts the normal condition [m/s]; 0 if it does not.
double slip_speed(const LawTraits& law, const Eigen::Matrix2Xd& directions,
                  const Eigen::Vector2d& u_t) {
  return law.lifts ? support(law.friction_set, directions, u_t) : 0.0;
}

/// Returns |min(w p_n, u_n + s - mu sigma)| [m/s].
double normal_map(const LawTraits& law, const Eigen::Matrix2Xd& directions,
                  const ContactState& contact) {
  const double lift = contact.friction * slip_speed(law, directions, contact.velocity.head<2>());
  return std::abs(std::min(contact.inverse_mass * contact.impulse.z(),
                           contact.velocity.z() + contact.gap_speed - lift));
}

/// Returns w times the size of the friction set, as a velocity [m/s].
double friction_radius(const LawTraits& law, const ContactState& contact) {
  const double w = contact.inverse_mass;
  const double mu = law.has_coulomb_friction ? contact.friction : 0.0;
  const double load = std::max(0.0, contact.impulse.z() + contact.given_load);
  return mu * w * load + w * contact.friction_offset;
}

/// Returns the distance of w p_t from the projection of w p_t - u_t on the friction set [m/s].
double friction_map(const LawTraits& law, const Eigen::Matrix2Xd& directions,
                    const ContactState& contact) {
  const Eigen::Vector2d p_t = contact.inverse_mass * contact.impulse.head<2>();
  const Eigen::Vector2d u_t = contact.velocity.head<2>();
  const double radius = friction_radius(law, contact);
  return (p_t - project_on_friction_set(law.friction_set, directions, p_t - u_t, radius)).norm();
}

}  // namespace

double slip_speed(LawKind law, const Eigen::Matrix2Xd& directions, const Eigen::Vector2d& u_t) {
  return slip_speed(law_traits(law), directions, u_t);
}

LawResidual law_residual(LawKind kind, const Eigen::Matrix2Xd& directions,
                         const ContactState& contact) {
  const LawTraits& law = law_traits(kind);
  switch (law.residual) {
    case LawResidualKind::NaturalMaps:
      return {normal_map(law, directions, contact), friction_map(law, directions, contact)};
    case LawResidualKind::StickingList:
      return {normal_map(law, directions, contact), contact.sticks
                                                        ? contact.velocity.head<2>().norm()
                                                        : friction_map(law, directions, contact)};
    case LawResidualKind::Dissipation:
    case LawResidualKind::Collisions:
      break;
  }
  throw std::invalid_argument(std::string("not a law of single contacts: ") + law.name);
}

double inequality_violation(LawKind kind, const Eigen::Matrix2Xd& directions,
                            const ContactState& contact) {
  const LawTraits& law = law_traits(kind);
  const double normal = std::max(-contact.inverse_mass * contact.impulse.z(),
                                 -(contact.velocity.z() + contact.gap_speed));
  if (law.residual == LawResidualKind::StickingList) return normal;
  if (law.residual != LawResidualKind::NaturalMaps) return 0.0;
  const Eigen::Vector2d p_t = contact.inverse_mass * contact.impulse.head<2>();
  const Eigen::Vector2d nearest =
      project_on_friction_set(law.friction_set, directions, p_t, friction_radius(law, contact));
  return std::max(normal, (p_t - nearest).norm());
}

double de_saxce_residual(const ContactState& contact) {
  const Eigen::Vector3d p = contact.inverse_mass * contact.impulse;
  Eigen::Vector3d shifted = contact.velocity;
  // The velocity with De Saxce's correction, u + (s + mu |u_t|) n.
  shifted.z() += contact.gap_speed + contact.friction * contact.velocity.head<2>().norm();
  const double friction_offset = contact.inverse_mass * contact.friction_offset;
  return (p - project_on_cone(p - shifted, contact.friction, friction_offset)).norm();
}

}  // namespace amontons
