#include "amontons/io/problem/block_matrix_file.h"

#include "amontons/io/problem/contact_problem_group.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::io {
namespace {

/// Rows of one block row at most: with columns that fit into memory no product overflows.
constexpr std::int64_t kMaxRows = 1 << 20;

}  // namespace

void write_mass_matrix(const Hdf5Handle& parent, const BlockDiagonalMatrix& matrix) {
  // The blocks lie one after the other, each by columns, so that only their sizes are needed to
  // find them.
  std::vector<std::int64_t> sizes;
  std::vector<std::int32_t> parents;
  std::vector<double> values;
  for (const BlockDiagonalMatrix::Block& block : matrix.blocks()) {
    sizes.push_back(block.matrix.rows());
    parents.insert(parents.end(), block.parents.begin(), block.parents.end());
    values.insert(values.end(), block.matrix.data(), block.matrix.data() + block.matrix.size());
  }
  const Hdf5Handle group = create_group(parent, "mass_matrix");
  write_vector(group, "block_sizes", sizes);
  write_vector(group, "parents", parents);
  write_vector(group, "values", values);
}

BlockDiagonalMatrix read_mass_matrix(const Hdf5Handle& parent) {
  // A file from elsewhere may be damaged: each block is checked against what the datasets hold.
  const Hdf5Handle group = open_group(parent, "mass_matrix");
  const std::vector<std::int64_t> sizes = read_long_ints(group, "block_sizes");
  const std::vector<std::int32_t> parents = read_ints(group, "parents");
  const std::vector<double> values = read_doubles(group, "values");
  BlockDiagonalMatrix matrix;
  std::size_t next_value = 0, next_parent = 0;
  for (const std::int64_t size : sizes) {
    // The number of parents bounds n first, so that n^2 cannot overflow.
    const auto n = static_cast<std::size_t>(size);
    if (size < 0 || n > parents.size() - next_parent || n * n > values.size() - next_value) {
      fail_in_problem(group, "mass_matrix is incomplete");
    }
    const auto first = parents.begin() + static_cast<std::ptrdiff_t>(next_parent);
    matrix.add_block(Eigen::Map<const Eigen::MatrixXd>(values.data() + next_value, size, size),
                     {first, first + size});
    next_value += n * n;
    next_parent += n;
  }
  if (next_parent != parents.size() || next_value != values.size()) {
    fail_in_problem(group, "mass_matrix has numbers that belong to no block");
  }
  return matrix;
}

void write_jacobian(const Hdf5Handle& parent, const char* name, const BlockSparseMatrix& jacobian) {
  // The sparsity pattern goes into four lists of integers, the entries into one list of numbers.
  std::vector<std::int64_t> row_sizes, blocks_per_row, columns, column_counts;
  std::vector<double> values;
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    row_sizes.push_back(jacobian.num_rows(r));
    blocks_per_row.push_back(static_cast<std::int64_t>(jacobian.block_row(r).size()));
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      columns.push_back(block.col);
      column_counts.push_back(block.num_cols);
      const BlockSparseMatrix::ConstBlockMap map = jacobian.values(block);
      values.insert(values.end(), map.data(), map.data() + map.size());
    }
  }
  // The number of columns nv is an attribute: no block needs to reach the last column.
  const Hdf5Handle group = create_group(parent, name);
  write_attribute(group, "columns", static_cast<std::int64_t>(jacobian.cols()));
  write_vector(group, "row_sizes", row_sizes);
  write_vector(group, "blocks_per_row", blocks_per_row);
  write_vector(group, "block_columns", columns);
  write_vector(group, "block_widths", column_counts);
  write_vector(group, "values", values);
}

BlockSparseMatrix read_jacobian(const Hdf5Handle& parent, const char* name,
                                Eigen::Index num_velocities) {
  // All lists are read first: their lengths must agree before any entry is taken from them.
  const Hdf5Handle group = open_group(parent, name);
  const std::vector<std::int64_t> row_sizes = read_long_ints(group, "row_sizes");
  const std::vector<std::int64_t> blocks_per_row = read_long_ints(group, "blocks_per_row");
  const std::vector<std::int64_t> columns = read_long_ints(group, "block_columns");
  const std::vector<std::int64_t> widths = read_long_ints(group, "block_widths");
  const std::vector<double> values = read_doubles(group, "values");
  const std::int64_t num_columns = read_int_attribute(group, "columns");
  if (blocks_per_row.size() != row_sizes.size() || widths.size() != columns.size()) {
    fail_in_problem(group, std::string(name) + " is incomplete");
  }
  // The mass matrix has as many columns as a Jacobian, so that the file bounds their number.
  if (num_columns < 0 || num_columns > num_velocities) {
    fail_in_problem(group, std::string(name) + " has " + std::to_string(num_columns) +
                               " columns, the mass matrix " + std::to_string(num_velocities));
  }
  BlockSparseMatrix jacobian(num_columns);
  // Block rows are rebuilt in order; each takes its blocks from the front of the remaining lists.
  std::size_t next_block = 0, next_value = 0;
  for (std::size_t r = 0; r < row_sizes.size(); ++r) {
    if (row_sizes[r] < 0 || row_sizes[r] > kMaxRows) {
      fail_in_problem(group, std::string(name) + " has a block row of " +
                                 std::to_string(row_sizes[r]) + " rows");
    }
    jacobian.add_block_row(row_sizes[r]);
    for (std::int64_t b = 0; b < blocks_per_row[r]; ++b, ++next_block) {
      // A block that exceeds the lists or the columns belongs to a damaged file.
      if (next_block >= columns.size() || widths[next_block] < 0 ||
          widths[next_block] > num_columns || columns[next_block] < 0 ||
          columns[next_block] > num_columns - widths[next_block]) {
        fail_in_problem(group, std::string(name) + " is incomplete");
      }
      const auto size = static_cast<std::size_t>(row_sizes[r] * widths[next_block]);
      if (size > values.size() - next_value) {
        fail_in_problem(group, std::string(name) + " is incomplete");
      }
      jacobian.add_block(columns[next_block],
                         Eigen::Map<const Eigen::MatrixXd>(values.data() + next_value, row_sizes[r],
                                                           widths[next_block]));
      next_value += size;
    }
  }
  if (next_block != columns.size() || next_value != values.size()) {
    fail_in_problem(group, std::string(name) + " has numbers that belong to no block");
  }
  return jacobian;
}

}  // namespace amontons::io
