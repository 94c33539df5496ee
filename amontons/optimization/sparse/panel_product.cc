#include "amontons/optimization/sparse/panel_product.h"

#include "amontons/optimization/sparse/panel_product_kernel.h"

#include <cstdlib>
#include <limits>
#include <vector>

namespace amontons {
namespace {

#if defined(__x86_64__)
/// Returns the widest vectors to use [bits], by the environment variable AMONTONS_VECTOR_BITS: with
/// 128 or 256 runs can be compared with those of other processors.
int most_vector_bits() {
  const char* given = std::getenv("AMONTONS_VECTOR_BITS");
  const int bits = given != nullptr ? std::atoi(given) : 0;
  return bits > 0 ? bits : std::numeric_limits<int>::max();
}
#endif

}  // namespace

// Vectors of 128 bits exist on every processor; wider ones are compiled in files of their own.
template struct PanelMultiplier<2>;
#if defined(__x86_64__)
extern template struct PanelMultiplier<4>;
extern template struct PanelMultiplier<8>;
#endif

std::span<const PanelKernel> panel_kernels() {
  // The processor is asked once; the order is that of speed.
  static const std::vector<PanelKernel> kernels = [] {
    std::vector<PanelKernel> found;
#if defined(__x86_64__)
    const int bits = most_vector_bits();
    if (bits >= 512 && __builtin_cpu_supports("avx512f")) {
      found.push_back({"AVX-512", &PanelMultiplier<8>::multiply});
    }
    if (bits >= 256 && __builtin_cpu_supports("avx2")) {
      found.push_back({"AVX2", &PanelMultiplier<4>::multiply});
    }
#endif
    found.push_back({"128 bits", &PanelMultiplier<2>::multiply});
    return found;
  }();
  return kernels;
}

void multiply_by_transposed(const PanelView& A, const PanelView& B, std::ptrdiff_t rows,
                            std::ptrdiff_t columns, std::ptrdiff_t inner, double* C,
                            std::ptrdiff_t stride_C) {
  // All kernels give the same bits, so that the choice is one of speed alone.
  static const PanelKernel fastest = panel_kernels().front();
  fastest.multiply(A, B, rows, columns, inner, C, stride_C);
}

}  // namespace amontons
