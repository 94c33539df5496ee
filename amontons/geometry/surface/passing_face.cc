#include "amontons/geometry/surface/passing_face.h"

#include <limits>

namespace amontons::narrow_phase {

using Eigen::Vector3d;

std::optional<ContactPoint> passing_contact(const SurfacePatch& patch, const ConvexCore& core,
                                            const ContactPoint& nearest,
                                            const ClosingMotion& motion, double slack) {
  const bool is_round = core.type == CoreType::Point || core.type == CoreType::Ellipsoid;
  if (!is_round || nearest.gap < -slack) return std::nullopt;
  // Returns the time until a gap along n closes [s], at the speed of the core's point there.
  const auto time_along = [&](const Vector3d& n, double gap) {
    const double closing = -n.dot(motion.twists[0].at(support(core, -n)));
    return closing > 0.0 ? (gap + slack) / closing : std::numeric_limits<double>::infinity();
  };
  double latest = time_along(nearest.normal_W, nearest.gap);
  if (latest >= motion.time) return std::nullopt;
  // Of the faces at the nearest point, the one that the core meets last.
  const Vector3d x = nearest.position_W - 0.5 * nearest.gap * nearest.normal_W;
  std::optional<ContactPoint> passing;
  for (const SurfacePatch::Triangle& triangle : patch.triangles) {
    const Plane& plane = patch.planes[static_cast<std::size_t>(triangle.plane)];
    const Vector3d low = support(core, -plane.normal) - core.radius * plane.normal;
    const double gap = plane.normal.dot(low) - plane.offset;
    if (gap < -slack) continue;
    const double time = time_along(plane.normal, gap);
    if (time <= latest || (patch.nearest_in(triangle, x) - x).norm() > slack) continue;
    latest = time;
    passing = ContactPoint{low - 0.5 * gap * plane.normal, plane.normal, gap, nearest.feature};
  }
  return passing;
}

}  // namespace amontons::narrow_phase
