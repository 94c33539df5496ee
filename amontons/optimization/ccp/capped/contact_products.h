#pragma once

#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/capped/symmetric_block.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// Computes H += G_row' P and Q += slope n_row' n_column, P = D G_column, for two parts of a
/// contact. H and Q point to the entries of their block, `stride` apart from column to column.
struct PairOfParts {
  const double *row, *product, *column;
  int rows, columns;
  double slope;

  template <int Size>
  void add_fixed(double* H, double* Q, Eigen::Index stride) const {
    using Block = Eigen::Map<Eigen::Matrix<double, Size, Size>, 0, Eigen::OuterStride<>>;
    using Part = Eigen::Map<const Eigen::Matrix<double, 3, Size>>;
    Block(H, Eigen::OuterStride<>(stride)).noalias() +=
        Part(row).transpose().lazyProduct(Part(product));
    if (slope == 0.0) return;
    const Eigen::Matrix<double, 1, Size> scaled = slope * Part(column).row(2);
    Block(Q, Eigen::OuterStride<>(stride)).noalias() +=
        Part(row).row(2).transpose().lazyProduct(scaled);
  }

  void add(double* H, double* Q, Eigen::Index stride) const {
    // Products of free bodies are unrolled.
    if (rows == 6 && columns == 6) return add_fixed<6>(H, Q, stride);
    for (int c = 0; c < columns; ++c) {
      const double normal = slope * column[3 * c + 2];
      for (int r = 0; r < rows; ++r) {
        const double* own = row + 3 * r;
        const double* of_column = product + 3 * c;
        H[c * stride + r] += own[0] * of_column[0] + own[1] * of_column[1] + own[2] * of_column[2];
        if (slope != 0.0) Q[c * stride + r] += own[2] * normal;
      }
    }
  }
};

/// Points to the first entries of a pair's block in H and Q; Q is not read where no contact has a
/// slope.
struct Places {
  double *H = nullptr, *Q = nullptr;
  Eigen::Index stride = 0;
};

/// Adds all contacts to H = G' D G and Q = G_n' diag(slopes) G_n: calls place(row part, column
/// part), which returns the Places of their block, or none.
template <typename Place>
void add_contacts(const BodySpaceOperator& rows, std::span<const SymmetricBlock> D,
                  const Eigen::VectorXd& slopes, const Place& place) {
  Eigen::Matrix3Xd product;
  for (std::size_t i = 0; i < D.size(); ++i) {
    const double slope = slopes(static_cast<Eigen::Index>(i));
    if (slope == 0.0 && D[i].is_zero()) continue;
    const Eigen::Matrix3d own = D[i].matrix();
    for (const BodySpaceOperator::Part& column : rows.parts(i)) {
      const auto values = rows.values(column);
      product.resize(3, column.size);
      for (int c = 0; c < column.size; ++c) {
        product.col(c).noalias() = own.lazyProduct(values.col(c));
      }
      for (const BodySpaceOperator::Part& row : rows.parts(i)) {
        const Places places = place(row, column);
        if (places.H == nullptr) continue;
        PairOfParts{
            rows.values(row).data(), product.data(), values.data(), row.size, column.size, slope}
            .add(places.H, places.Q, places.stride);
      }
    }
  }
}

}  // namespace amontons
