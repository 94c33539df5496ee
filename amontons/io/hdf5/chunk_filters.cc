#include "amontons/io/hdf5/chunk_filters.h"

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

}  // namespace

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
  result_.resize(deflateBound(&zlib, static_cast<uLong>(shuffled_.size())));
  zlib.next_in = reinterpret_cast<Bytef*>(shuffled_.data());
  zlib.avail_in = static_cast<uInt>(shuffled_.size());
  zlib.next_out = reinterpret_cast<Bytef*>(result_.data());
  zlib.avail_out = static_cast<uInt>(result_.size());
  if (deflate(&zlib, Z_FINISH) != Z_STREAM_END)
    throw std::runtime_error("zlib cannot compress a chunk");
  return std::span(result_).first(result_.size() - zlib.avail_out);
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
