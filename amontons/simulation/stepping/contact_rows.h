#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/math/block_sparse_matrix.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <functional>

namespace amontons {

/// Adds the block row (t1, t2, n) of a contact, whose product with v is the velocity of body B
/// against body A at the contact point, in the contact's axes: J = R_CW (J_B - J_A)  [3 x nv].
/// @param column_of  returns the first column of a tree, by its articulation.
void add_contact_rows(const System& system, const SystemKinematics& kinematics,
                      const Contact& contact, const std::function<Eigen::Index(int)>& column_of,
                      BlockSparseMatrix& jacobian);

}  // namespace amontons
