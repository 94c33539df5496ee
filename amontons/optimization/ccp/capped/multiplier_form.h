#pragma once

#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/capped/symmetric_block.h"
#include "amontons/optimization/sparse/block_factorization.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Solves the two velocities of BodyFrictionKernel with dv eliminated. Unknown are dw and m, the
/// change of the multipliers that dv causes:
///
///   dv = dw + G_n' m - f,   dv + H dw = g,   m + Lambda G_n dv = -e
///
/// With R = Lambda^(1/2) and m = R y they are symmetric and positive definite:
///
///   [ 1 + H    G_n' R             ] [ dw ]   [ g + f             ]
///   [ R G_n    1 + R G_n G_n' R   ] [ y  ] = [ R G_n f - R^-1 e  ]
///
/// Bodies and contacts are the nodes. Two parts of this graph are separated by the contacts between
/// them, of one row each, where the graph of bodies is separated by bodies of twelve. Heaps of
/// spheres fill in with a fraction of the work.
class MultiplierForm {
 public:
  /// Returns true if contacts are few enough beside the bodies for this form to save work.
  static bool saves_work(const BodySpaceOperator& rows);

  /// Starts with the rows of a problem, which must stay.
  void reset(const BodySpaceOperator& rows);

  /// Factors the matrix.
  /// @param D       [n]
  /// @param slopes  Lambda [n]
  /// @returns false where it is singular.
  bool factor(std::span<const SymmetricBlock> D, const Eigen::VectorXd& slopes);

  /// Solves the equations; f, g and e come in dv, dw and m. Where a slope is 0, so is e.
  void solve(Eigen::VectorXd& dv, Eigen::VectorXd& dw, Eigen::VectorXd& m);

 private:
  /// Gives two contacts that share bodies, and (G_n G_n')_ij.
  struct Neighbors {
    int i = 0, j = 0;
    double product = 0.0;
  };

  void find_neighbors();
  int node_of(std::size_t contact) const {
    return static_cast<int>(rows_->body_sizes().size() + contact);
  }

  const BodySpaceOperator* rows_ = nullptr;
  std::vector<Neighbors> neighbors_;  // i < j, ascending
  Eigen::VectorXd squares_;           // (G_n G_n')_ii
  Eigen::VectorXd roots_;             // R
  BlockFactorization factor_;
  Eigen::VectorXd both_, scratch_, given_;  // unknowns, node by node; [3 n]; f
};

}  // namespace amontons
