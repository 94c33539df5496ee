#pragma once

#include <Eigen/Core>

#include <string>

namespace amontons::io {

/// Returns the reason why a symmetric matrix cannot be the inertia of a rigid body about its center
/// of mass. Either a principal moment is not positive, or one exceeds the sum of the other two. No
/// distribution of positive mass has such moments. The reason follows the name of the quantity,
/// e.g. "is not positive definite: ..."; it is empty if there is none.
std::string inertia_fault(const Eigen::Matrix3d& inertia);

/// The two parts of inertia_fault, for inputs that are checked less strictly.
bool is_positive_definite(const Eigen::Matrix3d& inertia);
bool satisfies_triangle_inequality(const Eigen::Matrix3d& inertia);

}  // namespace amontons::io
