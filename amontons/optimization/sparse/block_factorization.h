#pragma once

#include "amontons/optimization/sparse/elimination_plan.h"
#include "amontons/optimization/sparse/panel_elimination.h"
#include "amontons/optimization/sparse/panel_layout.h"

#include <Eigen/Core>

#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Factorization of a block-sparse square matrix with a symmetric pattern: L L' where it is
/// symmetric positive definite, else L U by blocks, with pivoting inside the diagonal blocks only.
///
/// The blocks are the nodes of a graph, e.g. bodies that share a contact. Nodes with the same
/// neighbors are eliminated together, as a supernode, by products of dense panels. The order of
/// elimination and the fill-in depend on the pattern alone and are kept as long as the pattern
/// stays; so is all memory.
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
    return plan_.position[static_cast<std::size_t>(i)] >=
           plan_.position[static_cast<std::size_t>(j)];
  }

  /// @returns false where a diagonal block is singular or, if symmetric, not positive definite.
  bool factor(bool symmetric);

  /// x <- A^-1 x.
  void solve(Eigen::Ref<Eigen::VectorXd> x);

  int num_nodes() const { return static_cast<int>(sizes_.size()); }

  /// Entries of L and U, of all blocks that are not zero in them.
  std::size_t num_entries() const { return layout_.num_entries; }

 private:
  using Panel = PanelLayout::Panel;
  using Update = PanelLayout::Update;

  /// A block of the matrix as given, and its place in the panels.
  struct Given {
    int row = 0, column = 0;   // nodes
    std::size_t values = 0;    // offset in given_
    PanelLayout::Place place;  // of L(row, column), or of L(column, row) where that is below
  };

  void arrange_given();
  void fill_panels();
  void update_ancestors(const Panel& panel);
  void subtract_product(const Panel& panel, const Update& update, const double* A, const double* B,
                        std::vector<double>& store);
  void solve_lower(const Panel& panel);
  void solve_upper(const Panel& panel);

  std::vector<int> sizes_;                  // of the nodes, as given
  std::vector<std::pair<int, int>> pairs_;  // as given
  EliminationPlan plan_;
  PanelLayout layout_;
  std::vector<Eigen::Index> first_rows_;  // node -> first row, as given
  NodeGraph graph_;
  std::vector<Given> blocks_;          // of the columns of the nodes, rows ascending
  std::vector<double> given_;          // entries of the blocks
  std::vector<double> lower_, upper_;  // panels of L, and of U transposed
  std::vector<int> pivots_;            // row exchanges inside each diagonal block of L U
  std::vector<double> product_;        // of two panels
  PanelElimination elimination_;
  Eigen::VectorXd solution_, segment_;  // in the order of elimination; a panel's rows of it
  bool symmetric_ = false;
};

}  // namespace amontons
