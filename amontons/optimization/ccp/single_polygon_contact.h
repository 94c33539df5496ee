#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Solves Coulomb's law on a regular polygon at one contact: r and u = W r + q.
///
/// Tries every mode of the contact: apart, sticking, along each corner's direction, between two of
/// them. Each is a linear system of at most two unknowns. Where none satisfies the law (possible by
/// rounding, or with a friction_offset), the nearest one is returned: a poor step of a sweep.
/// @param W  symmetric positive semidefinite.
/// @param cone  of kind Friction, with a polygon.
Eigen::Vector3d solve_polygon_contact(const Eigen::Matrix3d& W, const Cone& cone,
                                      const Eigen::Vector3d& q);

}  // namespace amontons
