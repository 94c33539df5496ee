#include "amontons/optimization/ccp/capped/capped_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {

using Eigen::Vector3d;

double speed_scale(const CappedContacts& contacts) {
  double largest = std::numeric_limits<double>::min();
  for (const double speed : contacts.q) largest = std::max(largest, std::abs(speed));
  for (const double speed : contacts.c) largest = std::max(largest, std::abs(speed));
  return largest;
}

Vector3d nearest_reaction(const CappedContacts& contacts, Eigen::Index i, const Vector3d& r) {
  const Cone& own = contacts.cone(i);
  if (contacts.may_press(i)) return project(own, r);
  return project({ConeKind::Friction, 0.0, own.friction_offset}, Vector3d(r.x(), r.y(), 0.0));
}

CappedFrictionSettings capped_friction_settings(double residual, std::optional<int> limit) {
  constexpr double kLeastTolerance = 1e-13;  // [-] that rounding allows
  CappedFrictionSettings settings;
  settings.tolerance = std::min(settings.tolerance, std::max(residual, kLeastTolerance));
  settings.target_residual = std::min(settings.target_residual, residual);
  if (limit) {
    settings.max_interior_steps = std::min(settings.max_interior_steps, *limit);
    settings.max_newton_steps =
        std::min(settings.max_newton_steps, *limit - settings.max_interior_steps);
    settings.max_steps = std::min(settings.max_steps, *limit);
  }
  return settings;
}

}  // namespace amontons
