#include "amontons/geometry/signed_distance.h"

#include "amontons/geometry/convex_core.h"
#include "amontons/geometry/half_space_contact.h"
#include "amontons/geometry/height_field_contact.h"
#include "amontons/geometry/separation.h"

#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Vector3d;

bool is_unbounded(const Shape& shape) {
  return std::holds_alternative<HalfSpace>(shape) ||
         std::holds_alternative<std::shared_ptr<const HeightField>>(shape);
}

SignedDistance in_world(const narrow_phase::Separation& found, const Vector3d& origin_W) {
  return {found.distance, found.normal, found.a + origin_W, found.b + origin_W};
}

SignedDistance swapped(const SignedDistance& found) {
  return {found.distance, -found.normal_W, found.p_B_W, found.p_A_W};
}

/// @param ground  half-space or height field.
SignedDistance above_ground(const Shape& ground, const Pose& X_WG, const Shape& shape,
                            const Pose& X_WS) {
  const Vector3d& origin_W = X_WS.translation;
  const narrow_phase::ConvexCore core = narrow_phase::make_core(shape, X_WS, origin_W);
  if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&ground)) {
    const Pose X_FT{X_WG.rotation, X_WG.translation - origin_W};
    return in_world(narrow_phase::height_field_separation(**field, X_FT, core), origin_W);
  }
  const narrow_phase::Plane plane =
      narrow_phase::make_plane(std::get<HalfSpace>(ground), X_WG, origin_W);
  return in_world(narrow_phase::separation(plane, core), origin_W);
}

}  // namespace

SignedDistance signed_distance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  if (is_unbounded(A) && is_unbounded(B)) {
    throw std::invalid_argument("no signed distance between " + shape_type_name(A) + " and " +
                                shape_type_name(B) + ": one shape must be bounded");
  }
  if (is_unbounded(A)) return above_ground(A, X_WA, B, X_WB);
  if (is_unbounded(B)) return swapped(above_ground(B, X_WB, A, X_WA));
  const Vector3d& origin_W = X_WA.translation;
  const narrow_phase::ConvexCore core_A = narrow_phase::make_core(A, X_WA, origin_W);
  const narrow_phase::ConvexCore core_B = narrow_phase::make_core(B, X_WB, origin_W);
  return in_world(narrow_phase::separation({core_A, core_B}), origin_W);
}

}  // namespace amontons
