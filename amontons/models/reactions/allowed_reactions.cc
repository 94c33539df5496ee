#include "amontons/models/reactions/allowed_reactions.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix2Xd;
using Eigen::Vector2d;

/// Adds the ray of a tangential impulse at unit load.
void add_ray(const Vector2d& tangential, GeneratedCone& cone) {
  cone.rays[static_cast<std::size_t>(cone.num_rays++)] << tangential, 1.0;
}

/// Returns the unit direction of the friction of a sliding contact, by the larger of w |p_t| and
/// |u_t|.
Vector2d sliding_direction(const ContactState& contact) {
  const Vector2d w_p_t = contact.inverse_mass * contact.impulse.head<2>();
  const Vector2d u_t = contact.velocity.head<2>();
  return w_p_t.norm() > u_t.norm() ? w_p_t.normalized() : -u_t.normalized();
}

/// Adds the corner that dissipates most. If there is no velocity along a side, the neighbor that
/// friction leans to is added too.
void add_most_dissipating(const Matrix2Xd& directions, const ContactState& contact, double speed,
                          GeneratedCone& cone) {
  const Vector2d u_t = contact.velocity.head<2>(), p_t = contact.impulse.head<2>();
  Index most = 0;
  (-u_t.transpose() * directions).maxCoeff(&most);
  Index second = -1;
  for (const Index step : {Index{1}, directions.cols() - 1}) {
    const Index k = (most + step) % directions.cols();
    const Vector2d side = directions.col(k) - directions.col(most);
    if (std::abs(u_t.dot(side)) > speed * side.norm()) continue;
    if (second < 0 || p_t.dot(directions.col(k)) > p_t.dot(directions.col(second))) second = k;
  }
  add_ray(contact.friction * directions.col(most), cone);
  if (second >= 0) add_ray(contact.friction * directions.col(second), cone);
}

}  // namespace

GeneratedCone allowed_reactions(LawKind law, const Matrix2Xd& directions,
                                const ContactState& contact, double speed) {
  if (!is_single_contact_law(law)) {
    throw std::invalid_argument(std::string("allowed reactions: ") + to_string(law) +
                                " is not a relation at one contact");
  }
  if (!law_traits(law).has_reaction_cone) {
    throw std::invalid_argument(std::string("allowed reactions: those of ") + to_string(law) +
                                " are not known as a cone");
  }
  GeneratedCone result;
  const double slack = contact.velocity.z() + contact.gap_speed -
                       contact.friction * slip_speed(law, directions, contact.velocity.head<2>());
  // A contact that opens carries nothing.
  if (std::abs(slack) > speed) return result;
  const double mu = has_coulomb_friction(law) ? contact.friction : 0.0;
  const bool sticks = contact.velocity.head<2>().norm() <= speed;
  if (!(mu > 0.0)) {
    add_ray(Vector2d::Zero(), result);
  } else if (!sticks && has_polygon(law)) {
    add_most_dissipating(directions, contact, speed, result);
  } else if (!sticks) {
    add_ray(mu * sliding_direction(contact), result);
  } else {
    result.kind = has_polygon(law) ? GeneratedCone::Kind::Polygon : GeneratedCone::Kind::Disc;
    result.radius = mu;
    if (has_polygon(law)) result.corners = static_cast<int>(directions.cols());
  }
  return result;
}

}  // namespace amontons
