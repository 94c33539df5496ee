#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns the columns that Gram-Schmidt with pivoting chooses, in its order: each round takes the
/// one with the largest part orthogonal to those chosen (the first, if several are), until that
/// part is not above a bound.
/// @param left   columns [m x n]; they are overwritten.
/// @param least  bound on the length of the part; a sine for columns of unit length.
std::vector<Eigen::Index> independent_columns(Eigen::MatrixXd& left, double least);

}  // namespace amontons
