#pragma once

#include "amontons/math/short_vectors.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Holds rows [n x m] of few runs of neighboring entries each: the velocities of one body or of
/// two. A pass over all rows reads memory in its order. Memory is kept.
class SparseRows {
 public:
  using RowRef = Eigen::Ref<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;

  SparseRows() { reset(0); }
  /// Copies a dense matrix, each row as one run.
  explicit SparseRows(const Eigen::Ref<const Eigen::MatrixXd>& dense);

  /// Removes all rows.
  void reset(Eigen::Index num_cols);
  /// Starts a new row, zero, below the last one.
  void add_row();
  /// Appends entries to the last row from column `col` on, to the right of those it has.
  void add_run(Eigen::Index col, const RowRef& values);

  Eigen::Index rows() const { return static_cast<Eigen::Index>(lengths_.size()); }  ///< n
  Eigen::Index cols() const { return cols_; }                                       ///< m

  /// Returns |row|.
  double length(Eigen::Index row) const { return lengths_[static_cast<std::size_t>(row)]; }

  /// Returns row x, x [m].
  double dot(Eigen::Index row, const Eigen::VectorXd& x) const {
    const std::size_t own = static_cast<std::size_t>(row);
    const double* value = values_.data() + first_value_[own];
    double sum = 0.0;
    for (std::size_t k = first_run_[own]; k < first_run_[own + 1]; ++k) {
      const Run& run = runs_[k];
      sum += run.size == 6 ? FreeRow(value).dot(x.segment<6>(run.col))
                           : short_dot(value, x.data() + run.col, run.size);
      value += run.size;
    }
    return sum;
  }

  /// Computes x += factor row', x [m].
  void add_to(Eigen::Index row, double factor, Eigen::VectorXd& x) const;

  Eigen::VectorXd transpose_times(const Eigen::Ref<const Eigen::VectorXd>& y) const;  ///< [m]
  Eigen::MatrixXd to_dense() const;                                                   ///< [n x m]

 private:
  using FreeRow = Eigen::Map<const Eigen::Matrix<double, 6, 1>>;
  struct Run {
    int col, size;
  };

  Eigen::Index cols_ = 0;
  std::vector<std::size_t> first_run_, first_value_;  // by row, then one past the last
  std::vector<Run> runs_;
  std::vector<double> values_, lengths_;
};

}  // namespace amontons
