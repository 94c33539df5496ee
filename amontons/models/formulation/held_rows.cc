#include "amontons/models/formulation/held_rows.h"

#include "amontons/contact/rows_as_contacts.h"
#include "amontons/math/block_diagonal_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Copies the first block rows of a Jacobian.
BlockSparseMatrix first_rows(const BlockSparseMatrix& from, std::size_t count) {
  BlockSparseMatrix result(from.cols());
  for (std::size_t r = 0; r < count; ++r) {
    result.add_block_row(from.num_rows(r));
    for (const BlockSparseMatrix::Block& block : from.block_row(r)) {
      result.block_at(block.col, block.num_cols) = from.values(block);
    }
  }
  return result;
}

}  // namespace

HeldRows::HeldRows(const ContactProblem& problem, const ContactScales& scales,
                   const VectorXd& gap_speeds, const VectorXd& offsets)
    : problem_(&problem), scales_(&scales), gap_speeds_(&gap_speeds), offsets_(&offsets) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (!problem.contacts[i].is_joint_row) {
      ++num_contacts_;
      continue;
    }
    slots_.push_back(ContactProblem::row(i) + component_of_joint_row(problem, i));
  }
  states_.assign(slots_.size(), State::AtBound);
  bounds_ = VectorXd::Zero(static_cast<Index>(slots_.size()));
}

HeldRows::NaturalMap HeldRows::natural_map(Index row, const VectorXd& impulses,
                                           const VectorXd& velocities) const {
  const Index i = slot(row) / 3;
  const double w = scales_->inverse_mass(i), point = w * impulses(slot(row));
  const double shift = is_limit(row) ? (*gap_speeds_)(i) : 0.0;
  NaturalMap map{point - velocities(slot(row)) - shift, 0.0,
                 std::numeric_limits<double>::infinity(), 0.0};
  if (!is_limit(row)) {
    map.upper = w * (*offsets_)(i);
    map.lower = -map.upper;
  }
  // A row that moves nothing has no law to miss.
  if (w > 0.0) map.missed = std::abs(point - std::clamp(map.moved, map.lower, map.upper));
  return map;
}

/// Splits one row.
void HeldRows::split(Index row, const NaturalMap& map) {
  const Index i = slot(row) / 3;
  const bool holds =
      scales_->inverse_mass(i) > 0.0 && map.moved > map.lower && map.moved < map.upper;
  states_[static_cast<std::size_t>(row)] = holds ? State::Holds : State::AtBound;
  bounds_(row) = 0.0;
  if (!holds && !is_limit(row)) {
    bounds_(row) = map.moved > 0.0 ? (*offsets_)(i) : -(*offsets_)(i);
  }
}

void HeldRows::split(const VectorXd& impulses, const VectorXd& velocities) {
  for (Index row = 0; row < num_rows(); ++row) {
    split(row, natural_map(row, impulses, velocities));
  }
}

bool HeldRows::improve(const VectorXd& impulses, const VectorXd& velocities, double tolerance,
                       bool all, bool keep) {
  bool any = false;
  for (Index row = num_rows() - 1; row >= 0 && (all || !any); --row) {
    const NaturalMap map = natural_map(row, impulses, velocities);
    if (map.missed <= tolerance * scales_->speed(slot(row) / 3)) continue;
    any = true;
    State& state = states_[static_cast<std::size_t>(row)];
    if (keep && state == State::AtBound) {
      state = State::KeepsSign;
    } else {
      split(row, map);
    }
  }
  return any;
}

bool HeldRows::release(const VectorXd& answers, const VectorXd& response, double tolerance) {
  bool any = false;
  for (const Index row : rows_with_kept_sign()) {
    const Index i = slot(row) / 3;
    const double phi = scales_->inverse_mass(i) * answers(slot(row)), psi = response(slot(row));
    if (!(phi * psi > 0.0)) continue;
    if (std::min(std::abs(phi), std::abs(psi)) <= tolerance * scales_->speed(i)) continue;
    states_[static_cast<std::size_t>(row)] = State::Holds;
    any = true;
  }
  return any;
}

std::vector<Index> HeldRows::rows_with_kept_sign() const {
  std::vector<Index> rows;
  for (Index row = 0; row < num_rows(); ++row) {
    if (states_[static_cast<std::size_t>(row)] == State::KeepsSign) rows.push_back(row);
  }
  return rows;
}

double HeldRows::sign_at_bound(Index row) const { return bounds_(row) > 0.0 ? -1.0 : 1.0; }

/// Adds rows with a kept sign as contacts whose normal condition is the sign that the bound asks
/// for.
void HeldRows::add_kept_signs(ContactProblem& result) const {
  for (const Index row : rows_with_kept_sign()) {
    const Index i = slot(row) / 3, first = result.contact_bias.size();
    const double sign = sign_at_bound(row);
    result.contacts.push_back(problem_->contacts[static_cast<std::size_t>(i)]);
    result.contacts.back().friction_offset = 0.0;
    result.contact_jacobian.add_block_row(3);
    for (const BlockSparseMatrix::Block& block :
         problem_->contact_jacobian.block_row(static_cast<std::size_t>(i))) {
      result.contact_jacobian.block_at(block.col, block.num_cols).row(2) =
          sign * problem_->contact_jacobian.values(block).row(slot(row) % 3);
    }
    result.contact_bias.conservativeResize(first + 3);
    result.contact_bias.tail<3>() << 0.0, 0.0, sign * shifted_bias(row);
  }
}

/// Returns the part of u + s + R f that is constant [m/s, rad/s].
double HeldRows::shifted_bias(Index row) const {
  return problem_->contact_bias(slot(row)) + (is_limit(row) ? (*gap_speeds_)(slot(row) / 3) : 0.0);
}

ContactProblem HeldRows::contacts_alone(const VectorXd& impulses) const {
  ContactProblem result = *problem_;
  const Index n = static_cast<Index>(num_contacts_);
  result.contacts.resize(num_contacts_);
  result.contact_bias.conservativeResize(3 * n);
  result.contact_jacobian = first_rows(problem_->contact_jacobian, num_contacts_);
  // v_free + M^-1 L'f with the impulses of earlier phases and of the rows at their bounds.
  VectorXd constant = impulses;
  constant.head(3 * n).setZero();
  const Index num_joints = problem_->joint_jacobian.rows();
  const Index num_held = std::count(states_.begin(), states_.end(), State::Holds);
  result.joint_error.conservativeResize(num_joints + num_held);
  result.joint_error.tail(num_held).setZero();
  result.joint_bias.conservativeResize(num_joints + num_held);
  Index next = num_joints;
  for (Index row = 0; row < num_rows(); ++row) {
    if (!holds(row)) {
      constant(slot(row)) += bounds_(row);
      continue;
    }
    // L v + s + R f = 0: the compliance is a coordinate of the row already.
    result.joint_jacobian.add_block_row(1);
    for (const BlockSparseMatrix::Block& block :
         problem_->contact_jacobian.block_row(static_cast<std::size_t>(slot(row) / 3))) {
      result.joint_jacobian.block_at(block.col, block.num_cols) =
          problem_->contact_jacobian.values(block).row(slot(row) % 3);
    }
    result.joint_bias(next++) = shifted_bias(row);
  }
  VectorXd change = problem_->contact_jacobian.transpose_times(constant);
  BlockDiagonalFactor(problem_->mass_matrix).solve_in_place(change);
  result.free_velocity += change;
  add_kept_signs(result);
  return result;
}

void HeldRows::write_rows(const VectorXd& joint_impulses, VectorXd& impulses) const {
  Index next = problem_->joint_jacobian.rows();
  for (Index row = 0; row < num_rows(); ++row) {
    impulses(slot(row)) = holds(row) ? joint_impulses(next++) : bounds_(row);
  }
}

}  // namespace amontons
