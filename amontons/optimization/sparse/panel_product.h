#pragma once

#include <cstddef>
#include <span>

namespace amontons {

/// Views columns of doubles with a distance between them, as a part of a larger matrix.
struct PanelView {
  const double* data = nullptr;
  std::ptrdiff_t stride = 0;  // distance from a column to the next [doubles]
};

/// Size of a tile [doubles]. The product of panels computes whole tiles: sixteen rows fill two of
/// the widest vectors, and six columns of them fit the registers of every processor.
inline constexpr std::ptrdiff_t kTileRows = 16, kTileColumns = 6;

/// Returns n rounded up to whole tiles.
constexpr std::ptrdiff_t round_up(std::ptrdiff_t n, std::ptrdiff_t tile) {
  return (n + tile - 1) / tile * tile;
}

/// Computes C = A B' for A [rows x inner], B [columns x inner] and C [rows x columns],
/// column-major.
///
/// Memory is read and written up to whole tiles: kTileRows rows of A and C, kTileColumns rows of B
/// and columns of C must exist. Their contents have no influence on the product itself.
///
/// The widest vectors of this processor are used. Every entry is the sum of its products in the
/// same order and without fused operations. The bits are therefore those of any other processor.
void multiply_by_transposed(const PanelView& A, const PanelView& B, std::ptrdiff_t rows,
                            std::ptrdiff_t columns, std::ptrdiff_t inner, double* C,
                            std::ptrdiff_t stride_C);

/// Names one way to compute the product, for vectors of a certain width.
struct PanelKernel {
  const char* name = "";
  void (*multiply)(const PanelView&, const PanelView&, std::ptrdiff_t, std::ptrdiff_t,
                   std::ptrdiff_t, double*, std::ptrdiff_t) = nullptr;
};

/// Returns the kernels that this processor can run, the fastest first.
std::span<const PanelKernel> panel_kernels();

}  // namespace amontons
