#include "amontons/models/acceleration/force_modes.h"

#include "amontons/math/block_diagonal_factor.h"

#include <Eigen/QR>

#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Share of the largest singular value below which a row repeats others [-].
constexpr double kRedundant = 1e-9;

}  // namespace

ForcesInModes::ForcesInModes(const ContactProblem& problem)
    : J_(problem.contact_jacobian.to_dense()),
      compliance_(J_.transpose()),
      friction_(static_cast<Index>(problem.num_contacts())) {
  BlockDiagonalFactor(problem.mass_matrix).solve_in_place(compliance_);
  for (Index i = 0; i < friction_.size(); ++i) {
    friction_(i) = problem.contacts[static_cast<std::size_t>(i)].friction;
  }
}

VectorXd ForcesInModes::solve(const std::vector<ForceMode>& modes, const VectorXd& rate) const {
  // Each closed contact holds its normal, a sticking one its tangents too; loaded ones add unknown
  // forces.
  std::vector<Index> rows;
  std::vector<VectorXd> directions;  // directions of forces, in the contacts' frames [3 nc]
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const ForceMode& own = modes[c];
    const Index first = ContactProblem::row(c);
    if (own.mode == ContactMode::Open) continue;
    rows.push_back(first + 2);
    if (own.mode == ContactMode::Stick) rows.insert(rows.end(), {first, first + 1});
    if (own.shares_drag) {
      VectorXd drag = VectorXd::Zero(rate.size());
      drag.segment<2>(first) = own.drag;
      directions.push_back(drag);
      continue;
    }
    if (!own.is_loaded) continue;
    VectorXd direction = VectorXd::Unit(rate.size(), first + 2);
    if (own.mode == ContactMode::Slide) {
      direction.segment<2>(first) = -friction_(static_cast<Index>(c)) * own.slip;
    }
    directions.push_back(direction);
    if (own.mode != ContactMode::Stick) continue;
    directions.push_back(VectorXd::Unit(rate.size(), first));
    directions.push_back(VectorXd::Unit(rate.size(), first + 1));
  }
  // R (rate + J_C M^-1 J_C' columns x) = 0, with the forces f = columns x.
  const auto m = static_cast<Index>(rows.size()), n = static_cast<Index>(directions.size());
  VectorXd forces = VectorXd::Zero(rate.size());
  if (n == 0) return forces;
  MatrixXd columns(rate.size(), n);
  for (Index k = 0; k < n; ++k) columns.col(k) = directions[static_cast<std::size_t>(k)];
  const MatrixXd R = J_(rows, Eigen::all), moved = compliance_ * columns;
  // Lengths in M^-1, so that light and heavy bodies look alike.
  const auto unit = [](double square) { return square > 0.0 ? 1.0 / std::sqrt(square) : 1.0; };
  VectorXd row_scale(m), column_scale(n);
  for (Index k = 0; k < m; ++k) {
    row_scale(k) = unit(R.row(k).dot(compliance_.col(rows[static_cast<std::size_t>(k)])));
  }
  const MatrixXd wrenches = J_.transpose() * columns;
  for (Index k = 0; k < n; ++k) column_scale(k) = unit(wrenches.col(k).dot(moved.col(k)));
  // The least-norm solution; redundant rows and columns fall below the threshold.
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(kRedundant);
  factor.compute(row_scale.asDiagonal() * (R * moved) * column_scale.asDiagonal());
  const VectorXd b = row_scale.cwiseProduct(rate(rows));
  return -columns * column_scale.cwiseProduct(factor.solve(b));
}

}  // namespace amontons
