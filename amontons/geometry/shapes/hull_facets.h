#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// The corners of one facet as indices of points, counterclockwise seen from outside.
using FacetLoop = std::vector<int>;

/// The facets of the convex hull of finite points that span space, straight from qhull: facets that
/// are coplanar within rounding are one, but a corner may lie in the middle of an edge or facet.
/// @throws std::runtime_error with qhull's own words if it gives up.
std::vector<FacetLoop> compute_hull_facets(const std::vector<Eigen::Vector3d>& points);

/// Several coplanar facets as one.
struct MergedFacet {
  FacetLoop corners;
  Eigen::Vector3d normal;  ///< unit, outward: of the largest facet among them
};

/// Joins neighboring facets whose corners lie within `tolerance` [m] of the plane of the largest
/// among them, and drops the corners that no longer bend: those with fewer than three facets around
/// them. Every edge of the result is shared by two facets in opposite directions.
///
/// Normals are those of facets of the hull, which support all points, and not fitted to the corners
/// that were joined: on a narrow facet, corners that are off by the tolerance would tilt it.
/// @throws std::runtime_error if the facets given do not form a closed surface.
std::vector<MergedFacet> merge_coplanar_facets(const std::vector<Eigen::Vector3d>& points,
                                               const std::vector<FacetLoop>& facets,
                                               double tolerance);

/// Area vector of a loop [m^2]: normal times area, summed over triangles at the loop's first
/// corner.
Eigen::Vector3d area_vector(const std::vector<Eigen::Vector3d>& points, const FacetLoop& loop);

/// Unit normal of a flat loop, exact to rounding of its longest diagonal also for needles.
Eigen::Vector3d loop_normal(const std::vector<Eigen::Vector3d>& points, const FacetLoop& loop);

}  // namespace amontons
