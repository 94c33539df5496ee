#include "amontons/models/formulation/contacts_on_bodies.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

VectorXd contacts_on_bodies(const ProblemScaling& scaling, std::span<const int> contacts,
                            BodySpaceOperator& rows) {
  const BlockDiagonalFactor& factor = scaling.mass_factor;
  std::vector<int> sizes;
  for (std::size_t b = 0; b < factor.num_blocks(); ++b) {
    sizes.push_back(static_cast<int>(factor.block(b).matrix.rows()));
  }
  rows.reset(sizes);
  for (const int contact : contacts) {
    rows.add_block();
    for (const BlockSparseMatrix::Block& block :
         scaling.contact_rows.block_row(static_cast<std::size_t>(contact))) {
      const double* values = scaling.contact_rows.values(block).data();
      std::copy(values, values + 3 * block.num_cols,
                rows.add_part(static_cast<int>(factor.block_of_row(block.col))));
    }
  }
  rows.finish();
  VectorXd root(rows.num_blocks());
  for (int k = 0; k < rows.num_blocks(); ++k) {
    root(k) = std::sqrt(rows.diagonal(k).trace() / 3.0);
    rows.scale_block(k, 1.0 / root(k));
  }
  return root;
}

bool can_lift_all(const ProblemScaling& scaling, std::span<const int> contacts) {
  constexpr double kSoftness = 1e-6;  // [-] of W, whose blocks have trace 3
  constexpr double kRounding = 1e-9;  // share of the speed
  constexpr int kRefinements = 12;
  BodySpaceOperator rows;
  const VectorXd root = contacts_on_bodies(scaling, contacts, rows);
  const Index n = root.size();
  if (n == 0) return true;
  Eigen::Matrix3d stiffness = Eigen::Matrix3d::Zero();
  stiffness(2, 2) = 1.0 / kSoftness;
  if (!rows.factor(std::vector<Eigen::Matrix3d>(contacts.size(), stiffness), true)) return false;
  // (N N' + softness) r = what is left of the lift, again and again: u = N N' r lifts.
  VectorXd left = VectorXd::Zero(3 * n), response, u;
  for (Index k = 0; k < n; ++k) left(3 * k + 2) = 1.0 / root(k);
  double missed = 1.0;
  for (int refinement = 0; refinement < kRefinements; ++refinement) {
    rows.solve(-left / kSoftness, response, u);
    const double before = missed;
    missed = 0.0;
    for (Index k = 0; k < n; ++k) {
      left(3 * k + 2) -= u(3 * k + 2);
      missed = std::max(missed, std::abs(left(3 * k + 2)) * root(k));
    }
    if (missed <= kRounding) return true;
    if (!(missed < 0.5 * before)) return false;
  }
  return false;
}

}  // namespace amontons
