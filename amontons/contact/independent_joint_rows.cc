#include "amontons/contact/independent_joint_rows.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

// Sines [-]: of rounding, with room; the share of the joints' errors; and the largest.
constexpr double kRoundingSine = 1e-5, kShareOfErrors = 0.1, kLargestSine = 1e-3;

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
  kept.whitened = jacobian.to_dense().transpose();
  mass_factor.whiten_in_place(kept.whitened);
  kept.factor.reset(kept.whitened.rows());

  const Eigen::VectorXd lengths = kept.whitened.colwise().norm();
  const double least_sine = std::clamp(kShareOfErrors * largest_angle(jacobian, error, lengths),
                                       kRoundingSine, kLargestSine);
  // What of each row, at unit length, is not among those chosen.
  Eigen::MatrixXd left = kept.whitened;
  for (Index j = 0; j < left.cols(); ++j) {
    if (lengths(j) > 0.0) left.col(j) /= lengths(j);
  }
  while (static_cast<Index>(kept.indices.size()) < left.cols()) {
    Index next = 0;
    if (!(left.colwise().norm().maxCoeff(&next) > least_sine)) break;
    if (!kept.factor.add(kept.whitened.col(next), 0.0)) break;
    kept.indices.push_back(next);
    const Eigen::VectorXd direction = kept.factor.basis().rightCols<1>();
    left -= direction * (direction.transpose() * left).eval();
    left.col(next).setZero();
  }
  return kept;
}

}  // namespace amontons
