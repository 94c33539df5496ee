#include "amontons/math/independent_rows.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Checks shape, finiteness and range.
void require_valid(const MatrixXd& gram, double relative_threshold) {
  if (gram.rows() != gram.cols()) {
    throw std::invalid_argument("independent_rows: gram is " + std::to_string(gram.rows()) + " x " +
                                std::to_string(gram.cols()) + ", must be square");
  }
  if (!gram.allFinite()) throw std::invalid_argument("independent_rows: gram is not finite");
  if (!(relative_threshold >= 1e-14 && relative_threshold < 1.0)) {
    throw std::invalid_argument("independent_rows: relative_threshold must be in [1e-14, 1), got " +
                                std::to_string(relative_threshold));
  }
}

}  // namespace

IndependentRows independent_rows(const MatrixXd& gram, double relative_threshold) {
  require_valid(gram, relative_threshold);
  const Index n = gram.rows();
  // The correlation matrix has no units: rows of different sizes compare by angles alone.
  const VectorXd lengths = gram.diagonal().cwiseMax(0.0).cwiseSqrt();
  const VectorXd inverse_lengths = (lengths.array() > 0.0).select(lengths.cwiseInverse(), 0.0);
  MatrixXd correlation = gram.selfadjointView<Eigen::Lower>();
  correlation = inverse_lengths.asDiagonal() * correlation * inverse_lengths.asDiagonal();

  // Column k of `columns` is the k-th Cholesky column over all rows, in the order of choice.
  MatrixXd columns(n, n);
  VectorXd squared_sines = (lengths.array() > 0.0).select(VectorXd::Ones(n), 0.0);
  IndependentRows kept;
  // Each round keeps the row farthest from the span of those kept: its squared sine is the pivot.
  while (static_cast<Index>(kept.indices.size()) < n) {
    Index next = 0;
    const double pivot = squared_sines.maxCoeff(&next);
    if (!(pivot > relative_threshold)) break;
    const Index k = static_cast<Index>(kept.indices.size());
    columns.col(k) = correlation.col(next);
    columns.col(k).noalias() -= columns.leftCols(k) * columns.row(next).head(k).transpose();
    // The new Cholesky column, and each row's squared sine after it is projected out.
    columns.col(k) /= std::sqrt(pivot);
    squared_sines -= columns.col(k).cwiseAbs2();
    kept.indices.push_back(next);
    for (const Index row : kept.indices) squared_sines(row) = 0.0;
  }

  // The factor is computed in ascending order, so that it does not depend on the order of choice.
  std::sort(kept.indices.begin(), kept.indices.end());
  const MatrixXd kept_correlation = correlation(kept.indices, kept.indices);
  const VectorXd kept_lengths = lengths(kept.indices);
  kept.factor = kept_lengths.asDiagonal() * MatrixXd(kept_correlation.llt().matrixL());
  return kept;
}

}  // namespace amontons
