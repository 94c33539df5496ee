#pragma once

#include <Eigen/SparseCore>

#include <string>

namespace amontons::io {

/// Returns which entry of a matrix of a file differs from that of its transpose by more than a
/// tenth of the geometric mean of their diagonal entries (where that is zero: of the larger one),
/// else "". Less counts as rounding: the files of FCLIB's own collection come from solvers of low
/// precision and have up to 0.005.
/// @param name  of the matrix, for the sentence.
std::string describe_asymmetry(const Eigen::SparseMatrix<double>& matrix, const std::string& name);

/// Returns the largest |W_ij - W_ji| of a square matrix, in parts of the geometric mean of their
/// diagonal entries or of the larger of both entries, whichever is more [-].
double largest_asymmetry(const Eigen::SparseMatrix<double>& matrix);

}  // namespace amontons::io
