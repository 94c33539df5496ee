#pragma once

#include "amontons/optimization/sparse/elimination_plan.h"
#include "amontons/optimization/sparse/panel_elimination.h"
#include "amontons/optimization/sparse/panel_layout.h"

#include <Eigen/Core>

#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Factors a block-sparse square matrix with a symmetric pattern: L L' where it is symmetric
/// positive definite, L S L' with signs S where it is symmetric quasidefinite, else L U by blocks,
/// with pivoting inside the diagonal blocks only.
///
/// The blocks are the nodes of a graph, e.g. bodies that share a contact. Nodes with the same
/// neighbors are eliminated together, as a supernode, by products of dense panels. The order of
/// elimination and the fill-in depend on the pattern alone. They are kept as long as the pattern
/// stays; so is all memory.
class BlockFactorization {
 public:
  /// Prepares for matrices with the diagonal blocks of sizes `sizes` and off-diagonal blocks (i, j)
  /// and (j, i) for every pair. Does nothing if that is the current pattern.
  void set_pattern(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs);

  /// Sets every entry to zero.
  void clear();

  /// Returns the entries of block (i, j), column-major [size_i x size_j], to be filled before
  /// factor(). For a symmetric matrix only the blocks with is_stored() are read.
  Eigen::Map<Eigen::MatrixXd> block(int i, int j);

  /// Returns true if a symmetric matrix is given by block (i, j) rather than by its transpose (j,
  /// i).
  bool is_stored(int i, int j) const {
    return plan_.position[static_cast<std::size_t>(i)] >=
           plan_.position[static_cast<std::size_t>(j)];
  }

  /// Factors the matrix of the present entries.
  /// @returns false where a diagonal block is singular or, if symmetric, not positive definite.
  /// @throws Stopped if the thread was asked to stop; the given entries stay.
  bool factor(bool symmetric);

  /// Factors a symmetric quasidefinite matrix, given like a symmetric one: up to the order of its
  /// rows [-A B'; B C] with A and C + B A^-1 B' positive definite, and every leading part of each
  /// node's rows of this kind [Vanderbei 1995].
  /// @returns false where a pivot is zero or not finite.
  /// @throws Stopped as factor().
  bool factor_quasidefinite();

  /// Returns the sign of the determinant of the matrix that was factored, 1 or -1.
  int determinant_sign() const;

  /// Computes x <- A^-1 x.
  void solve(Eigen::Ref<Eigen::VectorXd> x);

  int num_nodes() const { return static_cast<int>(sizes_.size()); }

  /// Returns the number of entries in the blocks of L and U that are not zero.
  std::size_t num_entries() const { return layout_.num_entries; }

 private:
  using Panel = PanelLayout::Panel;
  using Update = PanelLayout::Update;

  /// Places a block of the given matrix in the panels.
  struct Given {
    int row = 0, column = 0;   // nodes
    std::size_t values = 0;    // offset in given_
    PanelLayout::Place place;  // place of L(row, column), or of L(column, row) where that is below
  };

  /// Names what is known of the matrix.
  enum class Kind : char { General, PositiveDefinite, Quasidefinite };

  bool factor(Kind kind);
  bool is_symmetric() const { return kind_ != Kind::General; }
  void arrange_given();
  void fill_panels();
  void update_ancestors(const Panel& panel);
  void subtract_product(const Panel& panel, const Update& update, const double* A, const double* B,
                        std::vector<double>& store);
  void solve_lower(const Panel& panel);
  void solve_upper(const Panel& panel);

  std::vector<int> sizes_;                  // rows of each node, as given
  std::vector<std::pair<int, int>> pairs_;  // as given
  EliminationPlan plan_;
  PanelLayout layout_;
  std::vector<Eigen::Index> first_rows_;  // node -> first row, as given
  NodeGraph graph_;
  std::vector<Given> blocks_;          // by column node, rows ascending
  std::vector<double> given_;          // entries of the blocks
  std::vector<double> lower_, upper_;  // panels of L, and of U transposed or of L S
  std::vector<double> signs_;          // S
  std::vector<int> pivots_;            // row exchanges inside each diagonal block of L U
  std::vector<double> product_;        // product of two panels
  PanelElimination elimination_;
  Eigen::VectorXd solution_, segment_;  // x in the order of elimination; a panel's rows of it
  Kind kind_ = Kind::General;
};

}  // namespace amontons
