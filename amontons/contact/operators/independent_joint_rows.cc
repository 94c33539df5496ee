#include "amontons/contact/operators/independent_joint_rows.h"

#include "amontons/contact/operators/leaf_joints.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace amontons {
namespace {

using Eigen::Index;

// Sines between rows of J [-]: a bound well above rounding, the share of the joints' errors, and
// the largest bound by errors.
constexpr double kRoundingSine = 1e-5, kShareOfErrors = 0.1, kLargestSine = 1e-3;

// Share of a row's length in the scaling M^-1 [-] below which its independent part is rounding.
constexpr double kMinPart = 1e-9;

// Share of the longest row of its joint below which a row is rounding [-]: the joint's pose lets
// nothing move along it.
constexpr double kZeroRow = 1e-13;

/// Returns J as a dense matrix, without rows that are rounding. At unit length such a row would
/// lock a direction of chance.
Eigen::MatrixXd rows_without_rounding(const BlockSparseMatrix& jacobian) {
  Eigen::MatrixXd J = jacobian.to_dense();
  for (std::size_t joint = 0; joint < jacobian.num_block_rows(); ++joint) {
    if (jacobian.num_rows(joint) == 0) continue;
    auto rows = J.middleRows(jacobian.first_row(joint), jacobian.num_rows(joint));
    const double longest = rows.rowwise().norm().maxCoeff();
    for (Index j = 0; j < rows.rows(); ++j) {
      if (rows.row(j).norm() <= kZeroRow * longest) rows.row(j).setZero();
    }
  }
  return J;
}

/// Returns J' with the rows of J at unit length, and writes their lengths.
Eigen::MatrixXd unit_rows(const Eigen::MatrixXd& jacobian, Eigen::VectorXd& lengths) {
  Eigen::MatrixXd rows = jacobian.transpose();
  lengths = rows.colwise().norm();
  for (Index j = 0; j < rows.cols(); ++j) {
    if (lengths(j) > 0.0) rows.col(j) /= lengths(j);
  }
  return rows;
}

/// Returns the largest turn of a row by the joints' errors [rad]. An error of a length becomes an
/// angle by the ratio of the longest row of its joint to its own.
double largest_angle(const BlockSparseMatrix& jacobian, const Eigen::VectorXd& error,
                     const Eigen::VectorXd& lengths) {
  double largest = 0.0;
  Index row = 0;
  for (std::size_t joint = 0; joint < jacobian.num_block_rows(); ++joint) {
    const Index n = jacobian.num_rows(joint);
    const double longest = lengths.segment(row, n).maxCoeff();
    for (Index j = row; j < row + n; ++j) {
      if (lengths(j) > 0.0) {
        largest = std::max(largest, std::abs(error(j)) * longest / lengths(j));
      }
    }
    row += n;
  }
  return largest;
}

/// Appends rows among those left by Gram-Schmidt with pivoting: each round takes the row with the
/// largest remaining sine.
/// @param unit  rows at unit length, as columns [m x nj].
void choose_by_pivoting(const Eigen::MatrixXd& unit, const std::vector<char>& is_left,
                        double least_sine, std::vector<Index>& chosen) {
  std::vector<Index> rows;
  for (std::size_t row = 0; row < is_left.size(); ++row) {
    if (is_left[row]) rows.push_back(static_cast<Index>(row));
  }
  Eigen::MatrixXd left = unit(Eigen::all, rows);  // parts that are orthogonal to those chosen
  for (Index round = 0; round < left.cols(); ++round) {
    Index next = 0;
    const double sine = left.colwise().norm().maxCoeff(&next);
    if (!(sine > least_sine)) break;
    const Eigen::VectorXd direction = left.col(next) / sine;
    left -= direction * (direction.transpose() * left).eval();
    left.col(next).setZero();
    chosen.push_back(rows[static_cast<std::size_t>(next)]);
  }
}

}  // namespace

double IndependentJointRows::implied(const Eigen::Ref<const Eigen::VectorXd>& values,
                                     Index row) const {
  // The rows kept are L_J Q' with Q orthonormal: L_J y = values, then y along the row's part in Q.
  Eigen::VectorXd along_basis = values(indices);
  factor.solve_factor(along_basis);
  return (factor.basis().transpose() * whitened.col(row)).dot(along_basis);
}

IndependentJointRows independent_joint_rows(const BlockSparseMatrix& jacobian,
                                            const Eigen::Ref<const Eigen::VectorXd>& error,
                                            const BlockDiagonalFactor& mass_factor) {
  IndependentJointRows kept;
  kept.factor.reset(mass_factor.size());
  if (jacobian.rows() == 0) return kept;
  const Eigen::MatrixXd J = rows_without_rounding(jacobian);
  kept.whitened = J.transpose();
  mass_factor.whiten_in_place(kept.whitened);

  Eigen::VectorXd lengths;
  const Eigen::MatrixXd unit = unit_rows(J, lengths);
  kept.angle = largest_angle(jacobian, error, lengths);
  // Rows at the leaves of linkages, then those that loops leave.
  std::vector<char> is_left(static_cast<std::size_t>(jacobian.rows()), 1);
  std::vector<Index> chosen;
  for (const std::size_t joint : leaf_joints(jacobian, unit)) {
    const Index first = jacobian.first_row(joint);
    for (Index row = first; row < first + jacobian.num_rows(joint); ++row) {
      chosen.push_back(row);
      is_left[static_cast<std::size_t>(row)] = 0;
    }
  }
  const double least_sine = std::clamp(kShareOfErrors * kept.angle, kRoundingSine, kLargestSine);
  choose_by_pivoting(unit, is_left, least_sine, chosen);
  // The same rows join the factor in the scaling M^-1, unless their part there is rounding.
  for (const Index row : chosen) {
    const double length = kept.whitened.col(row).norm();
    if (kept.factor.add(kept.whitened.col(row), kMinPart * length)) kept.indices.push_back(row);
  }
  return kept;
}

}  // namespace amontons
