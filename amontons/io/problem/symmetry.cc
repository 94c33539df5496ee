#include "amontons/io/problem/symmetry.h"

#include "amontons/io/common/parse_number.h"

#include <algorithm>
#include <cmath>

namespace amontons::io {
namespace {

// Largest asymmetry that counts as rounding [-].
constexpr double kMostAsymmetry = 0.1;

}  // namespace

std::string describe_asymmetry(const Eigen::SparseMatrix<double>& matrix, const std::string& name) {
  const Eigen::SparseMatrix<double> transposed = matrix.transpose();
  const Eigen::SparseMatrix<double> skew = matrix - transposed;
  const Eigen::VectorXd diagonal = matrix.diagonal();
  for (Eigen::Index j = 0; j < skew.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(skew, j); entry; ++entry) {
      const Eigen::Index i = entry.row();
      const double size = std::sqrt(std::abs(diagonal(i))) * std::sqrt(std::abs(diagonal(j)));
      if (std::abs(entry.value()) <= kMostAsymmetry * size) continue;
      const double above = matrix.coeff(i, j), below = matrix.coeff(j, i);
      // Where the diagonal is zero the entries themselves are the scale.
      if (std::abs(entry.value()) <= kMostAsymmetry * std::max(std::abs(above), std::abs(below))) {
        continue;
      }
      const std::string row = std::to_string(i), column = std::to_string(j);
      return name + " is not symmetric: [" + row + ", " + column + "] is " + shortest_text(above) +
             ", [" + column + ", " + row + "] is " + shortest_text(below);
    }
  }
  return "";
}

double largest_asymmetry(const Eigen::SparseMatrix<double>& matrix) {
  const Eigen::SparseMatrix<double> transposed = matrix.transpose();
  const Eigen::SparseMatrix<double> skew = matrix - transposed;
  const Eigen::VectorXd diagonal = matrix.diagonal();
  double largest = 0.0;
  for (Eigen::Index j = 0; j < skew.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(skew, j); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      const Eigen::Index i = entry.row();
      const double size =
          std::max({std::sqrt(std::abs(diagonal(i))) * std::sqrt(std::abs(diagonal(j))),
                    std::abs(matrix.coeff(i, j)), std::abs(matrix.coeff(j, i))});
      largest = std::max(largest, std::abs(entry.value()) / size);
    }
  }
  return largest;
}

}  // namespace amontons::io
