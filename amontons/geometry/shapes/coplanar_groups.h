#pragma once

#include "amontons/geometry/shapes/hull_facets.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Gives each facet of a surface the number of its group of coplanar neighbors. The number is that
/// of the facet from which the group was grown, the largest among them. A facet joins if its
/// corners lie within `tolerance` [m] of that facet's plane and it is turned by 60 degrees
/// at most. A needle thinner than the tolerance has no reliable normal, so its turn does
/// not matter.
/// @param neighbors  per facet, the facets across its sides, -1 where there is none.
std::vector<int> group_coplanar(const std::vector<Eigen::Vector3d>& points,
                                const std::vector<FacetLoop>& facets,
                                const std::vector<std::vector<int>>& neighbors, double tolerance);

}  // namespace amontons
