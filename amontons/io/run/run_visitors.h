#pragma once

#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_shapes.h"
#include "amontons/io/run/storage/run_columns.h"

#include <Eigen/Core>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace amontons::io {

/// Visitor of run_datasets.h that creates one ColumnWriter per field.
class ColumnCreator {
 public:
  ColumnCreator(const Hdf5Handle& file, std::size_t chunk_rows, std::vector<ColumnWriter>& columns,
                std::size_t records_per_row = 1)
      : file_(&file),
        chunk_rows_(chunk_rows),
        records_per_row_(records_per_row),
        columns_(&columns) {}

  template <typename T>
  void operator()(const char* name, const T&) {
    create(name, cell_type<T>(), {});
  }
  void operator()(const char* name, const Eigen::Vector3d&) {
    create(name, CellType::Float64, {3});
  }
  void operator()(const char* name, const Eigen::VectorXd& field, int inner = 0) {
    const auto n = static_cast<hsize_t>(field.size());
    std::vector<hsize_t> shape{n};
    if (inner > 0) shape = {n / static_cast<hsize_t>(inner), static_cast<hsize_t>(inner)};
    create(name, CellType::Float64, std::move(shape));
  }

 private:
  void create(const char* name, CellType type, std::vector<hsize_t> shape) {
    columns_->emplace_back(*file_, name, type, std::move(shape), chunk_rows_, records_per_row_);
  }

  const Hdf5Handle* file_;
  std::size_t chunk_rows_, records_per_row_;
  std::vector<ColumnWriter>* columns_;
};

/// Visitor that appends the bytes of each field.
class BytesAppender {
 public:
  explicit BytesAppender(std::vector<std::byte>& bytes) : bytes_(&bytes) {}

  template <typename T>
  void operator()(const char*, const T& field) {
    append(&field, sizeof(T));
  }
  void operator()(const char*, const Eigen::Vector3d& field) {
    append(field.data(), 3 * sizeof(double));
  }
  void operator()(const char*, const Eigen::VectorXd& field, int = 0) {
    append(field.data(), static_cast<std::size_t>(field.size()) * sizeof(double));
  }

 private:
  void append(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_->insert(bytes_->end(), bytes, bytes + size);
  }

  std::vector<std::byte>* bytes_;
};

/// Visitor that appends a row to the columns.
///
/// Columns are found by their position: the visit must have the order of their creation.
class ColumnAppender {
 public:
  ColumnAppender(std::vector<ColumnWriter>& columns, ChunkCompressor& compressor)
      : next_(columns.begin()), compressor_(&compressor) {}

  template <typename T>
  void operator()(const char*, const T& field) {
    if constexpr (cell_type<T>() == CellType::Uint8) {
      const auto byte = static_cast<std::uint8_t>(field);
      (next_++)->append(&byte, 1, *compressor_);
    } else {
      (next_++)->append(&field, sizeof(T), *compressor_);
    }
  }
  void operator()(const char*, const Eigen::Vector3d& field) {
    (next_++)->append(field.data(), sizeof(double) * 3, *compressor_);
  }
  void operator()(const char*, const Eigen::VectorXd& field, int = 0) {
    const std::size_t size = static_cast<std::size_t>(field.size());
    (next_++)->append(field.data(), sizeof(double) * size, *compressor_);
  }

 private:
  std::vector<ColumnWriter>::iterator next_;
  ChunkCompressor* compressor_;
};

/// Visitor that opens one ColumnReader per field.
class ColumnOpener {
 public:
  ColumnOpener(const Hdf5Handle& file, const std::string& path, std::vector<ColumnReader>& columns)
      : file_(&file), path_(&path), columns_(&columns) {}

  template <typename T>
  void operator()(const char* name, const T&, int = 0) {
    if constexpr (std::is_same_v<T, Eigen::Vector3d> || std::is_same_v<T, Eigen::VectorXd>) {
      columns_->emplace_back(*file_, *path_, name, CellType::Float64, range_of(name));
      if (std::is_same_v<T, Eigen::Vector3d> && columns_->back().cells_per_row() != 3) {
        throw ParseError(*path_, 0, 0, std::string(name) + " must have three numbers per row");
      }
    } else {
      columns_->emplace_back(*file_, *path_, name, cell_type<T>(), range_of(name));
      if (columns_->back().cells_per_row() != 1) {
        throw ParseError(*path_, 0, 0, std::string(name) + " must have one number per row");
      }
    }
  }

 private:
  const Hdf5Handle* file_;
  const std::string* path_;
  std::vector<ColumnReader>* columns_;
};

/// Compares the numbers of one row of some datasets, which belongs to a row of the run, with what
/// the format allows (ColumnReader::check()). @throws ParseError.
inline void check_columns(std::vector<ColumnReader>& columns, std::size_t index,
                          std::size_t run_row, bool claims = true) {
  for (ColumnReader& column : columns) column.check(index, run_row, claims);
}

/// Visitor that fills the fields of a row from the columns, in the order of their opening. It takes
/// numbers as they are, so that check_columns() comes before their use.
class ColumnFiller {
 public:
  ColumnFiller(std::vector<ColumnReader>& columns, std::size_t row)
      : next_(columns.begin()), row_(row) {}

  template <typename T>
  void operator()(const char*, T& field) {
    const std::byte* bytes = (next_++)->row(row_);
    if constexpr (cell_type<T>() == CellType::Uint8) {
      field = static_cast<T>(std::to_integer<std::uint8_t>(*bytes));
    } else {
      std::memcpy(&field, bytes, sizeof(T));
    }
  }
  void operator()(const char*, Eigen::Vector3d& field) {
    std::memcpy(field.data(), (next_++)->row(row_), sizeof(double) * 3);
  }
  void operator()(const char*, Eigen::VectorXd& field, int = 0) {
    ColumnReader& column = *next_++;
    field.resize(static_cast<Eigen::Index>(column.cells_per_row()));
    if (field.size() > 0) std::memcpy(field.data(), column.row(row_), column.row_bytes());
  }

 private:
  std::vector<ColumnReader>::iterator next_;
  std::size_t row_;
};

}  // namespace amontons::io
