#include "amontons/io/hdf5/sparse_matrix_file.h"

#include "amontons/io/common/parse_error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

// Values of nz that mark compressed formats; others are the number of triplets.
constexpr int kCompressedColumns = -1, kCompressedRows = -2;

/// Rows or columns that a matrix may have without as many entries.
constexpr std::size_t kFreeSize = 1 << 16;

/// Writes one integer as a dataset, as FCLIB does.
void write_int(const Hdf5Handle& group, const char* name, std::int64_t value) {
  const std::array<std::int32_t, 1> values = {static_cast<std::int32_t>(value)};
  write_vector(group, name, values);
}

/// Reads one sparse matrix from its group.
class SparseReader {
 public:
  SparseReader(const Hdf5Handle& group, std::string name) : group_(group), name_(std::move(name)) {}

  /// Returns the matrix. Negative sizes are not known beforehand.
  Eigen::SparseMatrix<double> read(Eigen::Index num_rows, Eigen::Index num_cols) {
    const int rows = read_int("m"), cols = read_int("n"), nz = read_int("nz");
    if (rows < 0 || cols < 0 || nz < kCompressedRows) fail("sizes are not valid");
    // Sizes cost memory whatever the number of entries, so that they are checked first.
    if ((num_rows >= 0 && rows != num_rows) || (num_cols >= 0 && cols != num_cols)) {
      fail("it is " + std::to_string(rows) + " x " + std::to_string(cols) + ", expected " +
           std::to_string(num_rows < 0 ? rows : num_rows) + " x " +
           std::to_string(num_cols < 0 ? cols : num_cols));
    }
    p_ = read_ints(group_, "p");
    i_ = read_ints(group_, "i");
    x_ = read_doubles(group_, "x");
    // A size that nothing else gives must have entries for its rows and columns.
    const std::size_t most = std::max(kFreeSize, x_.size());
    if ((num_rows < 0 && static_cast<std::size_t>(rows) > most) ||
        (num_cols < 0 && static_cast<std::size_t>(cols) > most)) {
      fail("it is " + std::to_string(rows) + " x " + std::to_string(cols) + ", but has only " +
           std::to_string(x_.size()) + " entries");
    }
    if (nz >= 0) {
      add_triplets(static_cast<std::size_t>(nz));
    } else {
      add_compressed(nz == kCompressedRows,
                     static_cast<std::size_t>(nz == kCompressedRows ? rows : cols));
    }
    // Indices come from a file, and setFromTriplets checks them by assertions only.
    for (const Eigen::Triplet<double>& entry : entries_) {
      if (entry.row() < 0 || entry.row() >= rows || entry.col() < 0 || entry.col() >= cols) {
        fail("an index lies outside the matrix");
      }
    }
    Eigen::SparseMatrix<double> matrix(rows, cols);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    return matrix;
  }

 private:
  /// Throws a ParseError that names the matrix.
  [[noreturn]] void fail(const std::string& message) const {
    throw ParseError(file_name(group_), 0, 0, "sparse matrix '" + name_ + "': " + message);
  }

  /// Returns the one integer of a dataset.
  int read_int(const char* name) const {
    const std::vector<std::int32_t> values = read_ints(group_, name);
    if (values.size() != 1) fail(std::string(name) + " must be one number");
    return values[0];
  }

  /// Adds an entry; explicit zeros are dropped.
  void add(int row, int col, double value) {
    if (value != 0.0) entries_.emplace_back(row, col, value);
  }

  /// Adds the entries (i[k], p[k], x[k]).
  void add_triplets(std::size_t count) {
    if (p_.size() < count || i_.size() < count || x_.size() < count) fail("triplets are missing");
    for (std::size_t k = 0; k < count; ++k) add(i_[k], p_[k], x_[k]);
  }

  /// Adds the entries of compressed columns or rows: p[k] to p[k + 1] are those of the k-th one.
  void add_compressed(bool by_rows, std::size_t count) {
    if (p_.size() < count + 1) fail("p is too short");
    for (std::size_t outer = 0; outer < count; ++outer) {
      if (p_[outer] < 0 || p_[outer + 1] < p_[outer] ||
          static_cast<std::size_t>(p_[outer + 1]) > std::min(i_.size(), x_.size())) {
        fail("p is not valid");
      }
      for (auto k = static_cast<std::size_t>(p_[outer]);
           k < static_cast<std::size_t>(p_[outer + 1]); ++k) {
        const int at = static_cast<int>(outer);
        add(by_rows ? at : i_[k], by_rows ? i_[k] : at, x_[k]);
      }
    }
  }

  const Hdf5Handle& group_;
  const std::string name_;
  std::vector<std::int32_t> p_, i_;
  std::vector<double> x_;
  std::vector<Eigen::Triplet<double>> entries_;
};

}  // namespace

void write_sparse_matrix(const Hdf5Handle& parent, const std::string& name,
                         const Eigen::SparseMatrix<double>& matrix) {
  // Compressed form has no gaps, so that the three arrays can be written as they are.
  Eigen::SparseMatrix<double> compressed = matrix;
  compressed.makeCompressed();
  const auto nonzeros = static_cast<std::size_t>(compressed.nonZeros());
  const Hdf5Handle group = create_group(parent, name);
  write_int(group, "m", compressed.rows());
  write_int(group, "n", compressed.cols());
  write_int(group, "nz", kCompressedColumns);
  write_int(group, "nzmax", compressed.nonZeros());
  write_vector(group, "p",
               std::span<const std::int32_t>(compressed.outerIndexPtr(),
                                             static_cast<std::size_t>(compressed.cols()) + 1));
  write_vector(group, "i", std::span<const std::int32_t>(compressed.innerIndexPtr(), nonzeros));
  write_vector(group, "x", std::span<const double>(compressed.valuePtr(), nonzeros));
}

Eigen::SparseMatrix<double> read_sparse_matrix(const Hdf5Handle& parent, const std::string& name,
                                               Eigen::Index num_rows, Eigen::Index num_cols) {
  // The reader refers to the group, which outlives it here.
  const Hdf5Handle group = open_group(parent, name);
  return SparseReader(group, name).read(num_rows, num_cols);
}

}  // namespace amontons::io
