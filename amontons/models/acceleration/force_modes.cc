#include "amontons/models/acceleration/force_modes.h"

#include "amontons/math/block_diagonal_factor.h"

#include <Eigen/QR>

#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

double ForcesInModes::largest_term(const VectorXd& accelerations) const {
  return (J_.cwiseAbs() * accelerations.cwiseAbs()).lpNorm<Eigen::Infinity>();
}

VectorXd ForcesInModes::solve(const std::vector<ForceMode>& modes, const VectorXd& rate,
                              double redundant) const {
  // Each closed contact holds its normal, a sticking one its tangents too; loaded ones add unknown
  // forces.
  std::vector<VectorXd> held;        // directions that do not move, in the contacts' frames [3 nc]
  std::vector<VectorXd> directions;  // directions of forces, likewise
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const ForceMode& own = modes[c];
    const Index first = ContactProblem::row(c);
    const auto unit = [&](Index row) { return VectorXd::Unit(rate.size(), row); };
    const auto tangent = [&](const Eigen::Vector2d& along) {
      VectorXd direction = VectorXd::Zero(rate.size());
      direction.segment<2>(first) = along;
      return direction;
    };
    if (own.mode == ContactMode::Open) continue;
    held.push_back(unit(first + 2));
    if (own.mode == ContactMode::Stick) held.insert(held.end(), {unit(first), unit(first + 1)});
    if (own.shares_drag) {
      directions.push_back(tangent(own.drag));
      continue;
    }
    if (!own.is_loaded) continue;
    directions.push_back(unit(first + 2));
    if (own.mode == ContactMode::Slide) {
      directions.back() += tangent(-friction_(static_cast<Index>(c)) * own.slip);
    }
    if (own.mode == ContactMode::Stick) {
      directions.insert(directions.end(), {unit(first), unit(first + 1)});
    } else if (!own.held.isZero(0.0)) {
      held.push_back(tangent(own.held));
      directions.push_back(tangent(own.held));
    }
  }
  return least_forces(held, directions, rate, redundant);
}

/// Returns f = columns x with R (rate + J_C M^-1 J_C' columns x) = 0, R the held directions.
VectorXd ForcesInModes::least_forces(const std::vector<VectorXd>& held,
                                     const std::vector<VectorXd>& directions, const VectorXd& rate,
                                     double redundant) const {
  const auto m = static_cast<Index>(held.size()), n = static_cast<Index>(directions.size());
  if (n == 0) return VectorXd::Zero(rate.size());
  MatrixXd columns(rate.size(), n), rows(rate.size(), m);
  for (Index k = 0; k < n; ++k) columns.col(k) = directions[static_cast<std::size_t>(k)];
  for (Index k = 0; k < m; ++k) rows.col(k) = held[static_cast<std::size_t>(k)];
  const MatrixXd R = rows.transpose() * J_, moved = compliance_ * columns;
  // Lengths in M^-1, so that light and heavy bodies look alike.
  const auto unit = [](double square) { return square > 0.0 ? 1.0 / std::sqrt(square) : 1.0; };
  VectorXd row_scale(m), column_scale(n);
  const MatrixXd row_response = compliance_ * rows;
  for (Index k = 0; k < m; ++k) row_scale(k) = unit(R.row(k).dot(row_response.col(k)));
  const MatrixXd wrenches = J_.transpose() * columns;
  for (Index k = 0; k < n; ++k) column_scale(k) = unit(wrenches.col(k).dot(moved.col(k)));
  // The least-norm solution; redundant rows and columns fall below the threshold.
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(redundant);
  factor.compute(row_scale.asDiagonal() * (R * moved) * column_scale.asDiagonal());
  const VectorXd b = row_scale.cwiseProduct(rows.transpose() * rate);
  return -columns * column_scale.cwiseProduct(factor.solve(b));
}

}  // namespace amontons
