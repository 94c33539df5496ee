#include "amontons/io/hdf5/chunk_filters.h"

#include <zlib.h>

#include <cstring>
#include <stdexcept>

namespace amontons::io {
namespace {

/// Returns the bytes with byte k of every number in one run.
std::vector<std::byte> shuffle(std::span<const std::byte> chunk, std::size_t cell_size) {
  const std::size_t num_cells = chunk.size() / cell_size;
  std::vector<std::byte> result(chunk.size());
  for (std::size_t k = 0; k < cell_size; ++k) {
    std::byte* run = result.data() + k * num_cells;
    for (std::size_t i = 0; i < num_cells; ++i) run[i] = chunk[i * cell_size + k];
  }
  return result;
}

}  // namespace

std::vector<std::byte> shuffle_and_deflate(std::span<const std::byte> chunk,
                                           std::size_t cell_size) {
  const std::vector<std::byte> shuffled = shuffle(chunk, cell_size);
  uLongf size = compressBound(static_cast<uLong>(shuffled.size()));
  std::vector<std::byte> result(size);
  const int status = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(shuffled.data()),
                               static_cast<uLong>(shuffled.size()), Z_BEST_SPEED);
  if (status != Z_OK) throw std::runtime_error("zlib cannot compress a chunk");
  result.resize(size);
  return result;
}

double repeated_share(std::span<const std::byte> rows, std::size_t row_bytes,
                      std::size_t cell_size) {
  if (rows.size() <= row_bytes) return 0.0;
  std::size_t repeated = 0;
  for (std::size_t at = row_bytes; at < rows.size(); at += cell_size) {
    if (std::memcmp(&rows[at], &rows[at - row_bytes], cell_size) == 0) ++repeated;
  }
  return static_cast<double>(repeated * cell_size) / static_cast<double>(rows.size() - row_bytes);
}

}  // namespace amontons::io
