#include "amontons/contact/operators/independent_joint_rows.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

// Sines [-] of the geometry: of rounding, with room; the share of the joints' errors; the largest.
constexpr double kRoundingSine = 1e-5, kShareOfErrors = 0.1, kLargestSine = 1e-3;

// And in the scaling: below it a row's part of its own is rounding.
constexpr double kMinPart = 1e-9;

// J' with the rows of J at unit length, and their lengths before.
Eigen::MatrixXd unit_rows(const Eigen::MatrixXd& jacobian, Eigen::VectorXd& lengths) {
  Eigen::MatrixXd rows = jacobian.transpose();
  lengths = rows.colwise().norm();
  for (Index j = 0; j < rows.cols(); ++j) {
    if (lengths(j) > 0.0) rows.col(j) /= lengths(j);
  }
  return rows;
}

// Joint errors as angles [rad].
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
  const Eigen::MatrixXd J = jacobian.to_dense();
  kept.whitened = J.transpose();
  mass_factor.whiten_in_place(kept.whitened);

  Eigen::VectorXd lengths;
  Eigen::MatrixXd left = unit_rows(J, lengths);  // what of each row is not among those chosen
  kept.angle = largest_angle(jacobian, error, lengths);
  const double least_sine = std::clamp(kShareOfErrors * kept.angle, kRoundingSine, kLargestSine);
  for (Index round = 0; round < left.cols(); ++round) {
    Index next = 0;
    const double sine = left.colwise().norm().maxCoeff(&next);
    if (!(sine > least_sine)) break;
    const Eigen::VectorXd direction = left.col(next) / sine;
    left -= direction * (direction.transpose() * left).eval();
    left.col(next).setZero();
    const double length = kept.whitened.col(next).norm();
    if (kept.factor.add(kept.whitened.col(next), kMinPart * length)) kept.indices.push_back(next);
  }
  return kept;
}

}  // namespace amontons
