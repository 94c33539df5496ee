#include "amontons/math/sparse_rows.h"

#include <cmath>

namespace amontons {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SparseRows::SparseRows(const Eigen::Ref<const MatrixXd>& dense) {
  reset(dense.cols());
  for (Index i = 0; i < dense.rows(); ++i) {
    add_row();
    if (dense.cols() > 0) add_run(0, dense.row(i));
  }
}

void SparseRows::reset(Index num_cols) {
  cols_ = num_cols;
  first_run_.assign(1, 0);
  first_value_.assign(1, 0);
  runs_.clear();
  values_.clear();
  lengths_.clear();
}

void SparseRows::add_row() {
  first_run_.push_back(runs_.size());
  first_value_.push_back(values_.size());
  lengths_.push_back(0.0);
}

void SparseRows::add_run(Index col, const RowRef& values) {
  // The length of a row is updated run by run: |row|^2 is the sum of their squares.
  runs_.push_back({static_cast<int>(col), static_cast<int>(values.size())});
  double square = lengths_.back() * lengths_.back();
  for (Index k = 0; k < values.size(); ++k) {
    values_.push_back(values(k));
    square += values(k) * values(k);
  }
  lengths_.back() = std::sqrt(square);
  first_run_.back() = runs_.size();
  first_value_.back() = values_.size();
}

void SparseRows::add_to(Index row, double factor, VectorXd& x) const {
  // Runs lie one after the other: the values follow without gaps.
  const std::size_t own = static_cast<std::size_t>(row);
  const double* value = values_.data() + first_value_[own];
  for (std::size_t k = first_run_[own]; k < first_run_[own + 1]; ++k) {
    const Run& run = runs_[k];
    add_scaled(factor, value, x.data() + run.col, run.size);
    value += run.size;
  }
}

VectorXd SparseRows::transpose_times(const Eigen::Ref<const VectorXd>& y) const {
  // x = sum_i y_i row_i, without the rows that are zero in y.
  VectorXd x = VectorXd::Zero(cols_);
  for (Index i = 0; i < rows(); ++i) {
    if (y(i) != 0.0) add_to(i, y(i), x);
  }
  return x;
}

MatrixXd SparseRows::to_dense() const {
  // Each row is unpacked by add_to().
  MatrixXd result = MatrixXd::Zero(rows(), cols_);
  VectorXd row;
  for (Index i = 0; i < rows(); ++i) {
    row.setZero(cols_);
    add_to(i, 1.0, row);
    result.row(i) = row.transpose();
  }
  return result;
}

}  // namespace amontons
