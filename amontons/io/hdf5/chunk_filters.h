#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace amontons::io {

/// Mask of H5Dwrite_chunk() for a chunk that none of its filters has changed.
inline constexpr unsigned kNoFilters = 0xffffffff;

/// Returns the bytes that HDF5's filters shuffle and deflate make of a chunk, for
/// H5Dwrite_chunk(). First come the lowest bytes of all numbers, then their second bytes and so on;
/// zlib then compresses them at its fastest level, since others take longer and save little.
/// @param cell_size  bytes of a number; the chunk holds whole numbers.
std::vector<std::byte> shuffle_and_deflate(std::span<const std::byte> chunk, std::size_t cell_size);

/// Returns the share of numbers that equal the number one row above bit for bit, in [0, 1]: 0 for a
/// single row.
/// @param row_bytes  size of a row, a multiple of `cell_size`.
double repeated_share(std::span<const std::byte> rows, std::size_t row_bytes,
                      std::size_t cell_size);

}  // namespace amontons::io
