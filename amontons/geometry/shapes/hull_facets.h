#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Lists the corners of one facet as indices of points, counterclockwise seen from outside.
using FacetLoop = std::vector<int>;

/// Returns the points in their order, each place once: qhull might pick any of several equal ones.
std::vector<Eigen::Vector3d> distinct_points(const std::vector<Eigen::Vector3d>& points);

/// Returns the facets of the convex hull of finite points that span space, as qhull gives them.
/// Facets that are coplanar within rounding are one, but a corner may lie in the middle of an edge
/// or facet.
/// @throws std::runtime_error with the message of qhull if it fails.
std::vector<FacetLoop> compute_hull_facets(const std::vector<Eigen::Vector3d>& points);

/// Returns the indices, in ascending order, of the four points with which qhull starts: they are
/// far apart and span space, as the points must.
/// @throws std::runtime_error with the message of qhull if it fails.
std::vector<int> first_simplex(const std::vector<Eigen::Vector3d>& points);

/// Describes several coplanar facets as one.
struct MergedFacet {
  FacetLoop corners;
  Eigen::Vector3d normal;  ///< unit, outward: of the largest facet among them
};

/// Joins neighboring facets whose corners lie within `tolerance` [m] of the plane of the largest
/// among them. Corners with fewer than three facets around them lie on a straight edge and are
/// dropped. Every edge of the result is shared by two facets in opposite directions.
///
/// Normals are those of facets of the hull, which support all points, and not fitted to the corners
/// that were joined. On a narrow facet, corners that are off by the tolerance would tilt it.
/// @throws std::runtime_error if the facets given do not form a closed surface.
std::vector<MergedFacet> merge_coplanar_facets(const std::vector<Eigen::Vector3d>& points,
                                               const std::vector<FacetLoop>& facets,
                                               double tolerance);

/// Returns the area vector of a loop [m^2]: normal times area, summed over triangles at the loop's
/// first corner.
Eigen::Vector3d area_vector(const std::vector<Eigen::Vector3d>& points, const FacetLoop& loop);

/// Returns the unit normal of a flat loop, exact to rounding of its longest diagonal also for
/// needles.
Eigen::Vector3d loop_normal(const std::vector<Eigen::Vector3d>& points, const FacetLoop& loop);

}  // namespace amontons
