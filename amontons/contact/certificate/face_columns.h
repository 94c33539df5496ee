#pragma once

#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns what each normal row of some contacts changes besides the joints and the held tangents,
/// which take any impulse: column j is the row of contact j of N L^-1 / sqrt(w), less its part in
/// the span of those, in an orthonormal basis that all columns together span [rank x n].
/// @param held     contacts whose tangents are held.
/// @param normals  contacts of the columns; their rows must not be zero.
Eigen::MatrixXd face_columns(const ProblemScaling& scaling, const std::vector<int>& held,
                             const std::vector<int>& normals);

/// Writes row `row` (0 to 2) of a contact's block of J_C L^-1 as a vector over all velocities.
void write_contact_row(const ProblemScaling& scaling, int contact, Eigen::Index row,
                       Eigen::VectorXd& x);

}  // namespace amontons
