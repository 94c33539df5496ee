#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace amontons::io {

/// Mask of H5Dwrite_chunk() for a chunk that none of its filters has changed.
inline constexpr unsigned kNoFilters = 0xffffffff;

/// Makes of a chunk what HDF5's filters shuffle and deflate make of it, for H5Dwrite_chunk(). The
/// memory of zlib is kept from chunk to chunk.
class ChunkCompressor {
 public:
  /// @throws std::runtime_error if zlib has no memory.
  ChunkCompressor();
  ~ChunkCompressor();
  ChunkCompressor(const ChunkCompressor&) = delete;
  ChunkCompressor& operator=(const ChunkCompressor&) = delete;

  /// Returns the bytes to store, valid until the next call. First come the lowest bytes of all
  /// numbers, then their second bytes and so on; zlib then compresses them at its fastest level,
  /// since others take longer and save little.
  /// @param cell_size  bytes of a number; the chunk holds whole numbers.
  /// @throws std::runtime_error if zlib fails.
  std::span<const std::byte> compress(std::span<const std::byte> chunk, std::size_t cell_size);

 private:
  struct Stream;  ///< zlib's

  std::unique_ptr<Stream> stream_;
  std::vector<std::byte> shuffled_, result_;
};

/// Returns the share of numbers that equal the number one row above bit for bit, in [0, 1]: 0 for a
/// single row.
/// @param row_bytes  size of a row, a multiple of `cell_size`.
double repeated_share(std::span<const std::byte> rows, std::size_t row_bytes,
                      std::size_t cell_size);

}  // namespace amontons::io
