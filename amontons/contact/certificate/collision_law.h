#pragma once

#include "amontons/contact/collision.h"

#include <Eigen/Core>

#include <optional>

namespace amontons {

/// Returns the impulse of a collision [N s], integrated from its definition for the certificate.
///
/// Variables and method differ from the model's (models/impact/collision_path.h), so that an error
/// of one shows in the other. Here u is a function of p_n, in steps that change the slip by at most
/// a quarter. Each step is the modified midpoint rule extrapolated to vanishing substeps [Gragg
/// 1965]. The result is exact to about 1e-11 of the impulse.
///
/// @returns zero where the contact does not approach; nothing where no impulse makes it part; NaN
/// where the integration has not come to its end.
std::optional<Eigen::Vector3d> collision_impulse(const Collision& collision);

}  // namespace amontons
