#include "amontons/io/run/storage/run_columns.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

/// Returns the type of HDF5 that a number has in memory on this machine.
hid_t memory_type(CellType type) {
  switch (type) {
    case CellType::Float64:
      return H5T_NATIVE_DOUBLE;
    case CellType::Int64:
      return H5T_NATIVE_INT64;
    case CellType::Int32:
      return H5T_NATIVE_INT32;
    case CellType::Uint32:
      return H5T_NATIVE_UINT32;
    case CellType::Uint8:
      break;
  }
  return H5T_NATIVE_UINT8;
}

/// Returns the type of HDF5 that a number has in the file: little-endian on every machine.
hid_t file_type(CellType type) {
  switch (type) {
    case CellType::Float64:
      return H5T_IEEE_F64LE;
    case CellType::Int64:
      return H5T_STD_I64LE;
    case CellType::Int32:
      return H5T_STD_I32LE;
    case CellType::Uint32:
      return H5T_STD_U32LE;
    case CellType::Uint8:
      break;
  }
  return H5T_STD_U8LE;
}

/// Returns the number of cells of a shape; 1 for an empty shape.
std::size_t product(const std::vector<hsize_t>& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), hsize_t{1}, std::multiplies<>()));
}

/// Returns the number that begins at a byte.
double number_at(const std::byte* bytes, CellType type) {
  const auto as = [bytes](auto number) {
    std::memcpy(&number, bytes, sizeof number);
    return static_cast<double>(number);
  };
  switch (type) {
    case CellType::Float64:
      return as(double{});
    case CellType::Int64:
      return as(std::int64_t{});
    case CellType::Int32:
      return as(std::int32_t{});
    case CellType::Uint32:
      return as(std::uint32_t{});
    case CellType::Uint8:
      break;
  }
  return as(std::uint8_t{});
}

/// Size of a chunk at most [bytes]. HDF5 rewrites a whole chunk at each flush until it is full.
constexpr std::size_t kChunkBytes = 65536;
/// A dataset with so many bytes for each row of the run has filters that compress, and chunks of
/// few rows: each flush writes an unfinished chunk anew, and in SWMR mode HDF5 never takes the
/// space of the former one again. So a run with one step a second takes at most some 1.6 times its
/// numbers. The unfinished chunks of narrower datasets keep their place, and so are not compressed.
/// Nor are their full ones, though a crate at rest would take a fifteenth: HDF5 keeps the mask of
/// filters of a chunk that any program writes again at the same size. In small chunks the size of
/// one form is that of the other too often, and the numbers are then read through wrong filters.
constexpr std::size_t kCompressedBytes = 512, kCompressedRows = 4;
/// Share of real numbers in a chunk that must repeat for it to be compressed. Others barely shrink,
/// and deflate would take longer than the step that they come from.
constexpr double kCompressedShare = 0.25;
/// What a cell without a number reads as, since a zero would look like a value.
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
/// Amount of rows that a reader fetches at once [bytes]: few calls of HDF5, yet little memory for a
/// hundred columns.
constexpr std::size_t kReadBytes = 1 << 20;
/// Cells along one axis of a row at most; three axes of them cannot overflow.
constexpr hsize_t kMaxRowCells = 1 << 24;

}  // namespace

std::size_t cell_size(CellType type) {
  switch (type) {
    case CellType::Float64:
    case CellType::Int64:
      return 8;
    case CellType::Int32:
    case CellType::Uint32:
      return 4;
    case CellType::Uint8:
      break;
  }
  return 1;
}

ColumnWriter::ColumnWriter(const Hdf5Handle& file, const std::string& name, CellType type,
                           std::vector<hsize_t> row_shape, std::size_t chunk_rows,
                           std::size_t records_per_row)
    : name_(name),
      type_(type),
      row_shape_(std::move(row_shape)),
      row_bytes_(product(row_shape_) * cell_size(type)) {
  // The dataset is empty, grows without limit along its first axis, and is stored in chunks of
  // rows.
  std::vector<hsize_t> extent{0}, limit{H5S_UNLIMITED}, chunk{1};
  extent.insert(extent.end(), row_shape_.begin(), row_shape_.end());
  for (const hsize_t n : row_shape_) {
    // A chunk has at least one cell and may not exceed the limit.
    limit.push_back(n > 0 ? n : H5S_UNLIMITED);
    chunk.push_back(std::max<hsize_t>(1, n));
  }
  // A chunk holds as many rows as fit, but no more than the run is expected to have.
  const std::size_t bytes = std::max<std::size_t>(1, row_bytes_);
  is_compressed_ = row_bytes_ * records_per_row >= kCompressedBytes;
  if (is_compressed_) chunk_rows = std::min(chunk_rows, kCompressedRows * records_per_row);
  chunk[0] = std::clamp<std::size_t>(kChunkBytes / bytes, 1, std::max<std::size_t>(1, chunk_rows));
  chunk_rows_ = chunk[0];
  chunk_bytes_ = product(chunk) * cell_size(type);

  const Hdf5Quiet quiet;
  const Hdf5Handle space(
      H5Screate_simple(static_cast<int>(extent.size()), extent.data(), limit.data()));
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE)), layout(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_create_intermediate_group(links.id(), 1);
  H5Pset_chunk(layout.id(), static_cast<int>(chunk.size()), chunk.data());
  if (is_compressed_) {
    H5Pset_shuffle(layout.id());
    H5Pset_deflate(layout.id(), 1);  // of no account: chunks come compressed
  }
  H5Pset_fletcher32(layout.id());
  if (type == CellType::Float64) {
    H5Pset_fill_value(layout.id(), H5T_NATIVE_DOUBLE, &kNoNumber);
  }
  dataset_ = Hdf5Handle(H5Dcreate2(file.id(), name.c_str(), file_type(type), space.id(), links.id(),
                                   layout.id(), H5P_DEFAULT));
  if (!dataset_.valid())
    throw OutputError(name, "cannot create the dataset: " + hdf5_error_message());
}

void ColumnWriter::open(const Hdf5Handle& file) {
  const Hdf5Quiet quiet;
  dataset_ = Hdf5Handle(H5Dopen2(file.id(), name_.c_str(), H5P_DEFAULT));
  if (!dataset_.valid())
    throw OutputError(name_, "cannot open the dataset: " + hdf5_error_message());
}

void ColumnWriter::append(const void* row, std::size_t num_bytes, ChunkCompressor& compressor) {
  if (num_bytes != row_bytes_) {
    throw std::invalid_argument(name_ + ": a row has " + std::to_string(num_bytes) +
                                " bytes, expected " + std::to_string(row_bytes_));
  }
  const auto* bytes = static_cast<const std::byte*>(row);
  buffer_.insert(buffer_.end(), bytes, bytes + num_bytes);
  ++num_gathered_;
  // What waits for a write is compressed already: the end of a run does not take long.
  if (!is_compressed_ || buffer_.size() < chunk_bytes_) return;
  whole_.push_back(stored_chunk(buffer_, compressor));
  whole_bytes_ += whole_.back().bytes.size();
  buffer_.clear();
}

void ColumnWriter::write_rows(const std::string& path, ChunkCompressor& compressor) {
  if (num_gathered_ == 0) return;
  const Hdf5Quiet quiet;
  // The dataset grows by the gathered rows, which are then written into the new part.
  std::vector<hsize_t> extent{num_written_ + num_gathered_};
  extent.insert(extent.end(), row_shape_.begin(), row_shape_.end());
  bool done = H5Dset_extent(dataset_.id(), extent.data()) >= 0;
  // Rows of zero width have an extent but no cells to write.
  if (done && row_bytes_ > 0)
    done = is_compressed_ ? write_chunks(compressor) : write_gathered_rows();
  // Readers in SWMR mode see only what has been flushed.
  if (!done || H5Dflush(dataset_.id()) < 0) {
    const std::string reason = hdf5_error_message();
    throw OutputError(path, "cannot write " + name_ + (reason.empty() ? "" : ": " + reason));
  }
  num_written_ += num_gathered_;
  num_gathered_ = 0;
  if (!is_compressed_) buffer_.clear();
}

bool ColumnWriter::write_gathered_rows() {
  std::vector<hsize_t> start(1 + row_shape_.size(), 0), count{num_gathered_};
  start[0] = num_written_;
  count.insert(count.end(), row_shape_.begin(), row_shape_.end());
  const Hdf5Handle space(H5Dget_space(dataset_.id()));
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  return H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                             nullptr) >= 0 &&
         H5Dwrite(dataset_.id(), memory_type(type_), memory.id(), space.id(), H5P_DEFAULT,
                  buffer_.data()) >= 0;
}

// HDF5's own pipeline would compress every chunk. Here each is written as it is to be stored.
bool ColumnWriter::write_chunks(ChunkCompressor& compressor) {
  static_assert(std::endian::native == std::endian::little, "chunks hold little-endian numbers");
  std::vector<hsize_t> first(1 + row_shape_.size(), 0);
  first[0] = num_written_ - num_written_ % chunk_rows_;
  const auto write = [&](const StoredChunk& chunk) {
    const bool done = H5Dwrite_chunk(dataset_.id(), H5P_DEFAULT, chunk.filters, first.data(),
                                     chunk.bytes.size(), chunk.bytes.data()) >= 0;
    first[0] += chunk_rows_;
    return done;
  };
  if (!std::all_of(whole_.begin(), whole_.end(), write)) return false;
  whole_.clear();
  whole_bytes_ = 0;
  return buffer_.empty() || write(stored_chunk(buffer_, compressor));
}

ColumnWriter::StoredChunk ColumnWriter::stored_chunk(std::span<const std::byte> rows,
                                                     ChunkCompressor& compressor) const {
  std::span<const std::byte> chunk = rows;
  std::vector<std::byte> whole;
  if (rows.size() < chunk_bytes_) chunk = whole = whole_chunk(rows);
  std::span<const std::byte> stored;
  unsigned filters = kAllFilters;
  if (is_worth_compressing(rows)) stored = compressor.compress(chunk, cell_size(type_));
  // HDF5 keeps the mask of a chunk that is written again at the same size: each size has its own.
  if (stored.empty() || stored.size() >= chunk_bytes_ + kChecksumBytes) {
    stored = compressor.with_checksum(chunk);
    filters = kChecksumAlone;
  }
  return {{stored.begin(), stored.end()}, filters};
}

std::vector<std::byte> ColumnWriter::whole_chunk(std::span<const std::byte> rows) const {
  std::vector<std::byte> chunk(rows.begin(), rows.end());
  chunk.resize(chunk_bytes_);
  if (type_ != CellType::Float64) return chunk;
  for (std::size_t at = rows.size(); at < chunk.size(); at += sizeof kNoNumber) {
    std::memcpy(&chunk[at], &kNoNumber, sizeof kNoNumber);
  }
  return chunk;
}

// Names and indices have few digits, whether they repeat or not.
bool ColumnWriter::is_worth_compressing(std::span<const std::byte> rows) const {
  return type_ != CellType::Float64 ||
         repeated_share(rows, row_bytes_, cell_size(type_)) >= kCompressedShare;
}

ColumnReader::ColumnReader(const Hdf5Handle& file, const std::string& path, const std::string& name,
                           CellType type, const NumberRange& range)
    : path_(path), name_(name), type_(type), range_(range) {
  const Hdf5Quiet quiet;
  // The dataset must exist with the type that a run has, so that no number is converted.
  dataset_ = open_dataset(file, name);
  check_claimed_values(dataset_, name);
  const Hdf5Handle stored(H5Dget_type(dataset_.id()));
  if (H5Tequal(stored.id(), file_type(type)) <= 0) {
    throw ParseError(path, 0, 0, name + " holds another type of number than a run does");
  }
  const Hdf5Handle space(H5Dget_space(dataset_.id()));
  // The first axis counts rows; the others are the shape of one row.
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 1) throw ParseError(path, 0, 0, name + " has no rows");
  shape_.resize(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), shape_.data(), nullptr);
  num_rows_ = static_cast<std::size_t>(shape_[0]);
  for (std::size_t i = 1; i < shape_.size(); ++i) {
    if (shape_[i] > kMaxRowCells)
      throw ParseError(path, 0, 0, name + " has rows that are too wide");
  }
  cells_per_row_ = product({shape_.begin() + 1, shape_.end()});
  first_unfinished_ = first_unfinished_row();
}

std::size_t ColumnReader::first_unfinished_row() const {
  const Hdf5Handle file(H5Iget_file_id(dataset_.id())), layout(H5Dget_create_plist(dataset_.id()));
  unsigned intent = 0;
  H5Fget_intent(file.id(), &intent);
  const bool is_growing = (intent & H5F_ACC_SWMR_READ) != 0;
  if (!is_growing || num_rows_ == 0 || H5Pget_layout(layout.id()) != H5D_CHUNKED) return num_rows_;
  std::vector<hsize_t> chunk(shape_.size());
  H5Pget_chunk(layout.id(), static_cast<int>(chunk.size()), chunk.data());
  return num_rows_ - 1 - (num_rows_ - 1) % static_cast<std::size_t>(chunk[0]);
}

const std::byte* ColumnReader::row(std::size_t index) {
  if (index >= num_rows_) {
    throw ParseError(path_, 0, 0, name_ + " has no row " + std::to_string(index));
  }
  if (index < first_loaded_ || index >= first_loaded_ + num_loaded_) load(index);
  return buffer_.data() + (index - first_loaded_) * row_bytes();
}

void ColumnReader::load(std::size_t index) {
  const Hdf5Quiet quiet;
  // The row is fetched together with those that follow; if their chunks are damaged, with fewer.
  const std::size_t bytes = std::max<std::size_t>(1, row_bytes());
  num_loaded_ = std::min(num_rows_ - index, std::max<std::size_t>(1, kReadBytes / bytes));
  for (; num_loaded_ > 0; num_loaded_ /= 2) {
    first_loaded_ = index;
    buffer_.resize(num_loaded_ * bytes);
    if (read_loaded(H5Z_ENABLE_EDC)) return;
    if (index >= first_unfinished_ && read_loaded(H5Z_DISABLE_EDC)) return;
  }
  throw ParseError(path_, 0, 0, name_ + " cannot be read at row " + std::to_string(index));
}

bool ColumnReader::read_loaded(H5Z_EDC_t checksums) {
  std::vector<hsize_t> start(shape_.size(), 0), count = shape_;
  start[0] = first_loaded_;
  count[0] = num_loaded_;
  const Hdf5Handle space(H5Dget_space(dataset_.id())), transfer(H5Pcreate(H5P_DATASET_XFER));
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  return H5Pset_edc_check(transfer.id(), checksums) >= 0 &&
         H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                             nullptr) >= 0 &&
         H5Dread(dataset_.id(), memory_type(type_), memory.id(), space.id(), transfer.id(),
                 buffer_.data()) >= 0;
}

void ColumnReader::check(std::size_t index, std::size_t run_row, bool claims) {
  if (range_.of_claims && !claims) return;
  const std::byte* cells = row(index);
  const std::size_t size = cell_size(type_);
  bool has_all = true;
  for (std::size_t i = 0; i < cells_per_row_; ++i) {
    has_all = range_.has(number_at(cells + i * size, type_)) && has_all;
  }
  if (has_all) return;
  // The message names the first of the wrong numbers.
  double wrong = 0.0;
  for (std::size_t i = cells_per_row_; i-- > 0;) {
    const double number = number_at(cells + i * size, type_);
    if (!range_.has(number)) wrong = number;
  }
  const std::string message = std::isfinite(wrong)
                                  ? fmt::format("{} is {} at row {}, not within {} and {}", name_,
                                                wrong, run_row, range_.lower, range_.upper)
                                  : fmt::format("{} is not finite at row {}", name_, run_row);
  throw ParseError(path_, 0, 0, message);
}

}  // namespace amontons::io
