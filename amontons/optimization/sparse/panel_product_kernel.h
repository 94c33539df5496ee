#pragma once

#include "amontons/optimization/sparse/panel_product.h"

#include <cstring>

namespace amontons {

/// Implements multiply_by_transposed() with vectors of kLanes doubles. Each width is compiled in a
/// file of its own, for processors that have it. Nothing else may be defined there: the linker
/// might choose that definition for all processors.
template <int kLanes>
struct PanelMultiplier {
  typedef double Vector __attribute__((vector_size(kLanes * sizeof(double))));
  static constexpr std::ptrdiff_t kRows = 2 * kLanes;  // rows of a tile: two vectors

  /// Computes the product tile by tile.
  static void multiply(const PanelView& A, const PanelView& B, std::ptrdiff_t rows,
                       std::ptrdiff_t columns, std::ptrdiff_t inner, double* C,
                       std::ptrdiff_t stride_C) {
    for (std::ptrdiff_t j = 0; j < columns; j += kTileColumns) {
      for (std::ptrdiff_t i = 0; i < rows; i += kRows) {
        multiply_tile(A.data + i, A.stride, B.data + j, B.stride, inner, C + j * stride_C + i,
                      stride_C);
      }
    }
  }

 private:
  /// Adds the outer products a_k b_k' of one tile in registers, then stores the tile.
  static void multiply_tile(const double* A, std::ptrdiff_t stride_A, const double* B,
                            std::ptrdiff_t stride_B, std::ptrdiff_t inner, double* C,
                            std::ptrdiff_t stride_C) {
    Vector high[kTileColumns] = {}, low[kTileColumns] = {};
    for (std::ptrdiff_t k = 0; k < inner; ++k, A += stride_A, B += stride_B) {
      Vector a, b;
      std::memcpy(&a, A, sizeof(Vector));
      std::memcpy(&b, A + kLanes, sizeof(Vector));
#pragma GCC unroll 6
      for (int j = 0; j < kTileColumns; ++j) {
        high[j] += a * B[j];
        low[j] += b * B[j];
      }
    }
#pragma GCC unroll 6
    for (int j = 0; j < kTileColumns; ++j) {
      std::memcpy(C + j * stride_C, &high[j], sizeof(Vector));
      std::memcpy(C + j * stride_C + kLanes, &low[j], sizeof(Vector));
    }
  }
};

}  // namespace amontons
