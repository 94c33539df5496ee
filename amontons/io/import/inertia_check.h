#pragma once

#include <Eigen/Core>

#include <string>

namespace amontons::io {

/// What keeps a symmetric matrix from being the inertia of a rigid body about its center of mass:
/// a principal moment that is not positive, or one that exceeds the sum of the other two (no
/// distribution of positive mass has that). Empty if nothing does; else it follows the name of the
/// quantity, e.g. "is not positive definite: ...".
std::string inertia_fault(const Eigen::Matrix3d& inertia);

/// The parts of the above, for inputs that are judged more leniently.
bool is_positive_definite(const Eigen::Matrix3d& inertia);
bool satisfies_triangle_inequality(const Eigen::Matrix3d& inertia);

}  // namespace amontons::io
