#include "amontons/io/problem/symmetry.h"

#include "amontons/io/common/parse_number.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons::io {
namespace {

// Largest asymmetry that counts as rounding [-].
constexpr double kMostAsymmetry = 0.1;

/// Holds two entries of a matrix that symmetry would make one.
struct EntryPair {
  Eigen::Index row, column;
  double above, below;  ///< W_ij and W_ji
  double size;          ///< largest of both and the geometric mean of their diagonal entries

  double difference() const { return std::abs(above - below); }
};

/// Returns the pairs of a matrix that differ, column by column.
std::vector<EntryPair> differing_entries(const Eigen::SparseMatrix<double>& matrix) {
  const Eigen::SparseMatrix<double> transposed = matrix.transpose();
  const Eigen::SparseMatrix<double> skew = matrix - transposed;
  const Eigen::VectorXd diagonal = matrix.diagonal();
  std::vector<EntryPair> pairs;
  for (Eigen::Index j = 0; j < skew.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(skew, j); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      const Eigen::Index i = entry.row();
      const double above = matrix.coeff(i, j), below = matrix.coeff(j, i);
      const double mean = std::sqrt(std::abs(diagonal(i))) * std::sqrt(std::abs(diagonal(j)));
      pairs.push_back({i, j, above, below, std::max({mean, std::abs(above), std::abs(below)})});
    }
  }
  return pairs;
}

}  // namespace

std::string describe_asymmetry(const Eigen::SparseMatrix<double>& matrix, const std::string& name) {
  for (const EntryPair& pair : differing_entries(matrix)) {
    if (pair.difference() <= kMostAsymmetry * pair.size) continue;
    const std::string row = std::to_string(pair.row), column = std::to_string(pair.column);
    return name + " is not symmetric: [" + row + ", " + column + "] is " +
           shortest_text(pair.above) + ", [" + column + ", " + row + "] is " +
           shortest_text(pair.below);
  }
  return "";
}

double largest_asymmetry(const Eigen::SparseMatrix<double>& matrix) {
  double largest = 0.0;
  for (const EntryPair& pair : differing_entries(matrix)) {
    largest = std::max(largest, pair.difference() / pair.size);
  }
  return largest;
}

}  // namespace amontons::io
