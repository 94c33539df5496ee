#pragma once

#include "amontons/io/common/number_range.h"
#include "amontons/io/hdf5/chunk_filters.h"
#include "amontons/io/hdf5/hdf5_handle.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace amontons::io {

/// Names the type of the numbers of a column in the file.
enum class CellType { Float64, Int64, Int32, Uint32, Uint8 };

/// Returns the type in the file of a C++ type. Truth values and enumerators are stored as bytes.
template <typename T>
constexpr CellType cell_type() {
  if constexpr (std::is_same_v<T, double>)
    return CellType::Float64;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return CellType::Int64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return CellType::Int32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return CellType::Uint32;
  else {
    static_assert(std::is_same_v<T, bool> || std::is_enum_v<T>);
    return CellType::Uint8;
  }
}
/// Returns the size of one number [bytes].
std::size_t cell_size(CellType type);

/// Writes a dataset [T, ...] that grows by rows. Rows gather in memory until write_rows().
class ColumnWriter {
 public:
  /// Creates the dataset, empty, with chunks of at most `chunk_rows` rows. Chunks have a checksum;
  /// those of wide rows are compressed where their numbers repeat.
  /// @param records_per_row  expected number of rows of the dataset for each row of the run.
  ColumnWriter(const Hdf5Handle& file, const std::string& name, CellType type,
               std::vector<hsize_t> row_shape, std::size_t chunk_rows, std::size_t records_per_row);

  /// Closes the dataset: none may be open when SWMR mode begins.
  void close() { dataset_ = Hdf5Handle(); }
  /// Opens the dataset again. @throws OutputError.
  void open(const Hdf5Handle& file);

  /// Gathers one row, and compresses each chunk that is full.
  /// @throws std::invalid_argument if its size [bytes] is another.
  void append(const void* row, std::size_t num_bytes, ChunkCompressor& compressor);
  /// Moves the gathered rows into the file and flushes the dataset. @throws OutputError.
  void write_rows(const std::string& path, ChunkCompressor& compressor);
  /// Returns the memory of the gathered rows [bytes].
  std::size_t buffered_bytes() const { return buffer_.size() + whole_bytes_; }
  /// Returns a bound on the growth of the file by write_rows() [bytes], without indices.
  std::size_t bytes_needed() const { return buffered_bytes() + 2 * chunk_bytes_; }

 private:
  /// Writes the gathered rows as they are. Returns false where HDF5 fails.
  bool write_gathered_rows();
  /// Holds a chunk as the file stores it.
  struct StoredChunk {
    std::vector<std::byte> bytes;
    unsigned filters = 0;
  };

  /// Writes the chunks of all rows in memory. Returns false where HDF5 fails.
  bool write_chunks(ChunkCompressor& compressor);
  /// Returns the chunk of some rows, compressed if that pays.
  StoredChunk stored_chunk(std::span<const std::byte> rows, ChunkCompressor& compressor) const;
  /// Returns a chunk whose last rows are still to come: no numbers, as HDF5 fills it.
  std::vector<std::byte> whole_chunk(std::span<const std::byte> rows) const;
  /// Returns true if compression shortens the rows of a chunk enough for its time.
  bool is_worth_compressing(std::span<const std::byte> rows) const;

  std::string name_;
  CellType type_;
  std::vector<hsize_t> row_shape_;
  bool is_compressed_ = false;
  std::size_t row_bytes_ = 0, chunk_bytes_ = 0, chunk_rows_ = 0;
  hsize_t num_written_ = 0, num_gathered_ = 0;
  Hdf5Handle dataset_;
  /// Rows that are gathered. Where chunks are compressed they are those of the last, unfinished
  /// chunk, also if they are written: it is written again with the rows that follow.
  std::vector<std::byte> buffer_;
  std::vector<StoredChunk> whole_;  // full chunks that are gathered and compressed
  std::size_t whole_bytes_ = 0;
};

/// Reads a dataset [T, ...] by rows, many at a time.
class ColumnReader {
 public:
  /// @param range  numbers that the dataset may hold (check()).
  /// @throws ParseError if the dataset is absent or holds another type.
  ColumnReader(const Hdf5Handle& file, const std::string& path, const std::string& name,
               CellType type, const NumberRange& range = {});

  const std::string& name() const { return name_; }
  std::size_t num_rows() const { return num_rows_; }
  std::size_t cells_per_row() const { return cells_per_row_; }
  std::size_t row_bytes() const { return cells_per_row_ * cell_size(type_); }
  /// Returns the bytes of one row, valid until the next call. @throws ParseError.
  const std::byte* row(std::size_t index);
  /// Compares the numbers of a row of the dataset, which belongs to a row of the run, with the
  /// range.
  /// @param claims  that row claims its law.
  /// @throws ParseError naming the dataset, the number and the row of the run.
  void check(std::size_t index, std::size_t run_row, bool claims = true);

 private:
  /// Returns the first row of the last chunk of a run that is being written, or whose writer was
  /// killed; else the number of rows. This chunk is written in place whenever rows are added. A
  /// reader may find it half written; then its checksum is wrong, and the rows before have stayed.
  std::size_t first_unfinished_row() const;
  /// Fetches a row, and those that follow it, into the buffer. @throws ParseError.
  void load(std::size_t index);
  /// Reads the rows that the buffer is to hold, with or without their checksums. Returns false if
  /// they cannot be read.
  bool read_loaded(H5Z_EDC_t checksums);

  std::string path_, name_;
  CellType type_;
  NumberRange range_;
  std::size_t num_rows_ = 0, cells_per_row_ = 1, first_unfinished_ = 0;
  std::vector<hsize_t> shape_;
  Hdf5Handle dataset_;
  std::size_t first_loaded_ = 0, num_loaded_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace amontons::io
