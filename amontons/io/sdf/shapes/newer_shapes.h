#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <Eigen/Core>
#include <tinyxml2.h>

#include <string>
#include <vector>

namespace amontons::io {

// Shapes of SDF that libsdformat 12 does not know.

/// Name of the element that holds all polylines of a geometry, as one text.
inline constexpr const char* kPolylines = "amontons:polylines";

/// Gives the shapes that Drake adds to the format the form that it has for them: <drake:capsule>
/// and <drake:ellipsoid>, with semi-axes a, b, c, become <capsule> and <ellipsoid>.
void rename_drake_shapes(tinyxml2::XMLElement& sdf);

/// Replaces the <polyline>s of each geometry by one element kPolylines with a text that
/// polylines_of() reads. Heights that differ are a finding: that of the first counts, as in Gazebo.
/// @param sdf  checked, the user data of each element being its original.
/// @throws ParseError for a polyline of fewer than three points.
void join_polylines(tinyxml2::XMLElement& sdf, const std::string& file, ImportLedger& ledger);

/// Holds the polylines of a geometry.
struct Polylines {
  double height = 0.0;                                   ///< [m]
  std::vector<std::vector<Eigen::Vector2d>> loops = {};  ///< points [m] of each
};

/// Returns the polylines of a text that join_polylines() has written.
Polylines polylines_of(const std::string& text);

}  // namespace amontons::io
