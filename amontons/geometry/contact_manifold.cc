#include "amontons/geometry/contact_manifold.h"

#include "amontons/geometry/convex_core.h"
#include "amontons/geometry/convex_manifold.h"
#include "amontons/geometry/half_space_contact.h"
#include "amontons/geometry/height_field_contact.h"

#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;

bool is_unbounded(const Shape& shape) {
  return std::holds_alternative<HalfSpace>(shape) ||
         std::holds_alternative<std::shared_ptr<const HeightField>>(shape);
}

/// @param ground  half-space or height field, taken as A.
void manifold_with_ground(const Shape& ground, const Pose& X_WG, const Shape& shape,
                          const Pose& X_WS, double horizon, Contacts& contacts) {
  const Vector3d& origin_W = X_WS.translation;
  const narrow_phase::ConvexCore core = narrow_phase::make_core(shape, X_WS, origin_W);
  if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&ground)) {
    const Pose X_FT{X_WG.rotation, X_WG.translation - origin_W};
    return narrow_phase::height_field_manifold(**field, X_FT, core, horizon, contacts);
  }
  const narrow_phase::Plane plane =
      narrow_phase::make_plane(std::get<HalfSpace>(ground), X_WG, origin_W);
  narrow_phase::half_space_manifold(plane, core, horizon, contacts);
}

}  // namespace

void find_contact_manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                           double horizon, Contacts& contacts) {
  const std::size_t first = contacts.size();
  Vector3d origin_W = X_WA.translation;
  if (is_unbounded(A) && is_unbounded(B)) {
    throw std::invalid_argument("no contact manifold of " + shape_type_name(A) + " and " +
                                shape_type_name(B) + ": one shape must be bounded");
  }
  if (is_unbounded(A)) {
    origin_W = X_WB.translation;
    manifold_with_ground(A, X_WA, B, X_WB, horizon, contacts);
  } else if (is_unbounded(B)) {
    manifold_with_ground(B, X_WB, A, X_WA, horizon, contacts);
    for (std::size_t k = first; k < contacts.size(); ++k) {
      contacts[k].normal_W = -contacts[k].normal_W;
    }
  } else {
    const narrow_phase::ConvexCore core_A = narrow_phase::make_core(A, X_WA, origin_W);
    const narrow_phase::ConvexCore core_B = narrow_phase::make_core(B, X_WB, origin_W);
    narrow_phase::convex_manifold({core_A, core_B}, horizon, contacts);
  }
  for (std::size_t k = first; k < contacts.size(); ++k) contacts[k].position_W += origin_W;
}

}  // namespace amontons
