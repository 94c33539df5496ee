#pragma once

#include <Eigen/Core>

#include <optional>

namespace amontons {

/// Describes a smooth surface around which a taut cord may pass: a sphere about the origin of its
/// frame, or an endless cylinder about its z axis.
struct WrapSurface {
  bool is_cylinder = false;  ///< false: a sphere
  double radius = 0.0;       ///< [m]
};

/// Holds the part of a taut cord that touches a surface, in the frame of the surface. Before it and
/// behind it the cord is straight.
struct Wrap {
  Eigen::Vector3d first, last;  ///< points where the cord meets and leaves the surface [m]
  double length = 0.0;          ///< length between them along the surface [m]
};

/// Wraps a cord from point a to point b around a surface, by the rules of MuJoCo's spatial tendons
/// (MuJoCo documentation, "XML Reference", tendon/spatial/geom).
///
/// Outside the surface the cord takes the shorter way around it, where the straight line would pass
/// through. A side point chooses the way, and wraps the cord, too, where the line passes on the
/// other side. A side point that is nearer than the radius, in the plane around which the cord
/// turns, makes it touch the surface in one point from inside, unless the line passes through.
/// Around a cylinder the cord is a helix, with the slope of its straight parts.
///
/// @param a, b  ends [m], in the frame of the surface.
/// @param side  side point [m], in the same frame; none: the shorter way.
/// @returns nothing where the cord is straight: it does not touch the surface, or an end is within.
std::optional<Wrap> wrap_cord(const WrapSurface& surface, const Eigen::Vector3d& a,
                              const Eigen::Vector3d& b, const std::optional<Eigen::Vector3d>& side);

}  // namespace amontons
