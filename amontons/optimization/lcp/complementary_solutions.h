#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Finds solutions of a small linear complementarity problem 0 <= z perp M z + q >= 0 of any
/// matrix: each of the 2^n complementary bases is tried. Where there are infinitely many, vertices
/// are found.
///
/// @param tolerance  relative to the largest entries: violations up to this are rounding.
/// @param most       upper limit of the number of different solutions, > 0.
/// @throws std::invalid_argument for more than 12 unknowns, or sizes that disagree.
std::vector<Eigen::VectorXd> complementary_solutions(const Eigen::MatrixXd& M,
                                                     const Eigen::VectorXd& q, double tolerance,
                                                     std::size_t most);

}  // namespace amontons
