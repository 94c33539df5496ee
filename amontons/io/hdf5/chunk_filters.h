#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace amontons::io {

/// Masks of H5Dwrite_chunk() for a dataset with the filters shuffle, deflate and Fletcher-32: they
/// tell which of them, counted from the lowest bit, have left the chunk as it was.
inline constexpr unsigned kAllFilters = 0, kChecksumAlone = 0b011;
/// Size of the checksum behind the other bytes of a chunk [bytes].
inline constexpr std::size_t kChecksumBytes = 4;

/// Writes the checksum of HDF5's filter Fletcher-32 into the last four bytes of a stored chunk, of
/// those before [Fletcher 1982]: both sums over words of two bytes, the higher one first, modulo
/// 65535. It finds every flipped bit.
void put_checksum(std::span<std::byte> stored);

/// Makes of a chunk what HDF5's filters make of it, for H5Dwrite_chunk(). The memory of zlib is
/// kept from chunk to chunk.
class ChunkCompressor {
 public:
  /// @throws std::runtime_error if zlib has no memory.
  ChunkCompressor();
  ~ChunkCompressor();
  ChunkCompressor(const ChunkCompressor&) = delete;
  ChunkCompressor& operator=(const ChunkCompressor&) = delete;

  /// Returns the bytes to store, valid until the next call: what shuffle, deflate and Fletcher-32
  /// make of a chunk. First come the lowest bytes of all numbers, then their second bytes and so
  /// on; zlib then compresses them at its fastest level, since others take longer and save little.
  /// @param cell_size  bytes of a number; the chunk holds whole numbers.
  /// @throws std::runtime_error if zlib fails.
  std::span<const std::byte> compress(std::span<const std::byte> chunk, std::size_t cell_size);
  /// Returns a chunk as it is with its checksum behind it, valid until the next call.
  std::span<const std::byte> with_checksum(std::span<const std::byte> chunk);

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
