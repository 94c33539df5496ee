#pragma once

#include "amontons/io/replay/replay_html.h"

#include <Eigen/Geometry>

#include <vector>

namespace amontons::io {

/// Describes the region that the moving bodies of some runs occupy [m].
struct Extent {
  Eigen::AlignedBox3d box;
  double radius = 1.0;       ///< half the diagonal of the box
  double body_radius = 0.2;  ///< the median radius of a body about its origin
};

/// Returns the radius [m] about the body's origin that encloses the shape; 0 for a half-space.
double reach_of(const ReplayShape& shape);

/// Returns the pose of a body in a frame.
Pose pose_in(const ReplayFrame& frame, std::size_t body);

/// Returns the region over all frames, as the replay page measures it.
///
/// It has most of the first frame and 96 % of the later positions. One body that flies away
/// therefore does not shrink the picture.
Extent measure_extent(const std::vector<ReplayRun>& runs);

/// Returns the point that a scene is drawn about, so that single precision suffices: zero, unless
/// the scene is more than a thousand of its radii away. Lines of grids stay where they are.
Eigen::Vector3d drawing_origin(const Extent& extent);

/// Returns the box [m] of the moving bodies in one frame; empty without any.
Eigen::AlignedBox3d box_in(const ReplayRun& run, const ReplayFrame& frame);

}  // namespace amontons::io
