#include "amontons/contact/operators/independent_joint_rows.h"

#include "amontons/contact/operators/independent_columns.h"
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
  kept.sine = std::clamp(kShareOfErrors * kept.angle, kRoundingSine, kLargestSine);
  std::vector<Index> rest;
  for (Index row = 0; row < jacobian.rows(); ++row) {
    if (is_left[static_cast<std::size_t>(row)]) rest.push_back(row);
  }
  Eigen::MatrixXd left = unit(Eigen::all, rest);
  for (const Index place : independent_columns(left, kept.sine)) {
    chosen.push_back(rest[static_cast<std::size_t>(place)]);
  }
  // The same rows join the factor in the scaling M^-1, unless their part there is rounding.
  for (const Index row : chosen) {
    const double length = kept.whitened.col(row).norm();
    if (kept.factor.add(kept.whitened.col(row), kMinPart * length)) kept.indices.push_back(row);
  }
  return kept;
}

}  // namespace amontons
