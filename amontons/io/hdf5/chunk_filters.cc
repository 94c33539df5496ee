#include "amontons/io/hdf5/chunk_filters.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <zlib.h>

namespace amontons::io {
namespace {

/// Writes byte k of every number in one run, for each k.
void shuffle(std::span<const std::byte> chunk, std::size_t cell_size,
             std::vector<std::byte>& shuffled) {
  const std::size_t num_cells = chunk.size() / cell_size;
  shuffled.resize(chunk.size());
  for (std::size_t k = 0; k < cell_size; ++k) {
    std::byte* run = shuffled.data() + k * num_cells;
    for (std::size_t i = 0; i < num_cells; ++i) run[i] = chunk[i * cell_size + k];
  }
}

/// Returns a sum modulo 65535, where 65535 itself takes the place of a 0 that is none.
std::uint64_t reduced(std::uint64_t sum) { return sum == 0 ? 0 : (sum - 1) % 65535 + 1; }

}  // namespace

void put_checksum(std::span<std::byte> stored) {
  const std::span<const std::byte> bytes = stored.first(stored.size() - kChecksumBytes);
  // A missing second byte counts as zero. So many words leave room in the sums of 64 bits.
  constexpr std::size_t kWordsAtOnce = 65536;
  std::uint64_t sum = 0, sum_of_sums = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += 2 * kWordsAtOnce) {
    const std::size_t end = std::min(begin + 2 * kWordsAtOnce, bytes.size());
    for (std::size_t i = begin; i < end; i += 2) {
      sum += std::to_integer<std::uint64_t>(bytes[i]) << 8;
      if (i + 1 < end) sum += std::to_integer<std::uint64_t>(bytes[i + 1]);
      sum_of_sums += sum;
    }
    sum = reduced(sum);
    sum_of_sums = reduced(sum_of_sums);
  }
  // The checksum is little-endian.
  const std::uint64_t checksum = sum_of_sums << 16 | sum;
  for (std::size_t k = 0; k < kChecksumBytes; ++k) {
    stored[bytes.size() + k] = static_cast<std::byte>(checksum >> 8 * k);
  }
}

struct ChunkCompressor::Stream {
  z_stream state{};
};

ChunkCompressor::ChunkCompressor() : stream_(std::make_unique<Stream>()) {
  if (deflateInit(&stream_->state, Z_BEST_SPEED) != Z_OK)
    throw std::runtime_error("zlib has no memory");
}

ChunkCompressor::~ChunkCompressor() { deflateEnd(&stream_->state); }

std::span<const std::byte> ChunkCompressor::compress(std::span<const std::byte> chunk,
                                                     std::size_t cell_size) {
  shuffle(chunk, cell_size, shuffled_);
  z_stream& zlib = stream_->state;
  if (deflateReset(&zlib) != Z_OK) throw std::runtime_error("zlib cannot begin a chunk");
  // The bound has room for the whole chunk, so that one call ends it.
  result_.resize(deflateBound(&zlib, static_cast<uLong>(shuffled_.size())) + kChecksumBytes);
  zlib.next_in = reinterpret_cast<Bytef*>(shuffled_.data());
  zlib.avail_in = static_cast<uInt>(shuffled_.size());
  zlib.next_out = reinterpret_cast<Bytef*>(result_.data());
  zlib.avail_out = static_cast<uInt>(result_.size() - kChecksumBytes);
  if (deflate(&zlib, Z_FINISH) != Z_STREAM_END)
    throw std::runtime_error("zlib cannot compress a chunk");
  const std::span<std::byte> stored = std::span(result_).first(result_.size() - zlib.avail_out);
  put_checksum(stored);
  return stored;
}

std::span<const std::byte> ChunkCompressor::with_checksum(std::span<const std::byte> chunk) {
  result_.assign(chunk.begin(), chunk.end());
  result_.resize(chunk.size() + kChecksumBytes);
  put_checksum(result_);
  return result_;
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
