#pragma once

#include <Eigen/Core>

#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Factorization of a block-sparse square matrix with a symmetric pattern: L L' where it is
/// symmetric positive definite, else L U with pivoting inside the diagonal blocks only.
///
/// The blocks are the nodes of a graph, e.g. bodies that share a contact. The order of elimination
/// (approximate minimum degree) and the fill-in depend on the pattern alone and are kept as long as
/// the pattern stays; so is all memory.
class BlockFactorization {
 public:
  /// Prepares for matrices with the diagonal blocks of sizes `sizes` and off-diagonal blocks (i, j)
  /// and (j, i) for every pair. Does nothing if that is the current pattern.
  void set_pattern(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs);

  /// Sets every entry to zero.
  void clear();

  /// The entries of block (i, j), column-major [size_i x size_j], to be filled before factor().
  /// While symmetric, only blocks of which one is eliminated first are read: fill is_stored() ones.
  Eigen::Map<Eigen::MatrixXd> block(int i, int j);

  /// Whether a symmetric matrix is given by block (i, j) rather than by its transpose (j, i).
  bool is_stored(int i, int j) const {
    return position_[static_cast<std::size_t>(i)] >= position_[static_cast<std::size_t>(j)];
  }

  /// @returns false where a diagonal block is singular or, if symmetric, not positive definite.
  bool factor(bool symmetric);

  /// x <- A^-1 x.
  void solve(Eigen::Ref<Eigen::VectorXd> x);

  int num_nodes() const { return static_cast<int>(sizes_.size()); }
  std::size_t num_entries() const { return values_.size(); }

 private:
  struct Entry {
    int row = 0;            // position of the row's node in the order of elimination
    std::size_t lower = 0;  // offset of A(row, column), [size_row x size_column]
    std::size_t upper = 0;  // offset of A(column, row), [size_column x size_row]
  };

  void analyze(std::span<const std::pair<int, int>> pairs);
  bool factor_diagonal(int column);
  void scale_upper(int column);
  void update(int column);
  const Entry& entry(int row, int column) const;
  std::span<const Entry> column_entries(int column) const;
  int size_at(int position) const;
  Eigen::Map<Eigen::MatrixXd> diagonal(int position);

  std::vector<int> sizes_;                  // of the nodes, as given
  std::vector<std::pair<int, int>> pairs_;  // as given
  std::vector<int> position_;               // node -> position
  std::vector<int> order_;                  // position -> node
  std::vector<Eigen::Index> offsets_;       // node -> first row
  std::vector<std::size_t> diagonals_;      // position -> offset of the diagonal block
  std::vector<std::size_t> starts_;         // position -> first entry; one past the end at the end
  std::vector<Entry> entries_;              // by column, rows ascending
  std::vector<double> values_;
  std::vector<int> pivots_;                // row exchanges inside each diagonal block
  std::vector<std::size_t> pivot_starts_;  // position -> first of its pivots
  std::vector<double> segment_;            // one node's part of a right-hand side
  bool symmetric_ = false;
};

}  // namespace amontons
