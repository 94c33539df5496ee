#include "amontons/optimization/sparse/panel_product.h"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <string>

namespace amontons {
namespace {

// Makes panels with whole tiles of memory behind them that must not matter.
Eigen::MatrixXd panel(Eigen::Index rows, Eigen::Index columns, double beyond) {
  Eigen::MatrixXd values =
      Eigen::MatrixXd::Constant(round_up(rows, kTileRows) + kTileColumns, columns, beyond);
  values.topRows(rows) = Eigen::MatrixXd::Random(rows, columns);
  return values;
}

Eigen::MatrixXd multiply(const PanelKernel& kernel, const Eigen::MatrixXd& A,
                         const Eigen::MatrixXd& B, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd C =
      Eigen::MatrixXd::Zero(round_up(rows, kTileRows), round_up(columns, kTileColumns));
  kernel.multiply({A.data(), A.outerStride()}, {B.data(), B.outerStride()}, rows, columns, A.cols(),
                  C.data(), C.outerStride());
  return C.topLeftCorner(rows, columns);
}

}  // namespace

TEST_CASE(
    "A product of panels is the sum of products in their order, to the same bits on vectors "
    "of any width") {
  for (const Eigen::Index rows : {1, 6, 16, 17, 90}) {
    for (const Eigen::Index columns : {1, 6, 7, 30}) {
      for (const Eigen::Index inner : {1, 6, 48}) {
        const Eigen::MatrixXd A = panel(rows, inner, 1e300), B = panel(columns, inner, -1e300);
        for (const PanelKernel& kernel : panel_kernels()) {
          CAPTURE(rows, columns, inner, std::string(kernel.name));
          const Eigen::MatrixXd C = multiply(kernel, A, B, rows, columns);
          bool same = true;
          for (Eigen::Index i = 0; i < rows; ++i) {
            for (Eigen::Index j = 0; j < columns; ++j) {
              double sum = 0.0;
              for (Eigen::Index k = 0; k < inner; ++k) sum += A(i, k) * B(j, k);
              same = same && sum == C(i, j);
            }
          }
          CHECK(same);
        }
      }
    }
  }
}

}  // namespace amontons
