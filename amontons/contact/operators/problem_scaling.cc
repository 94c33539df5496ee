#include "amontons/contact/operators/problem_scaling.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_scales.h"
#include "amontons/contact/operators/joint_speeds.h"
#include "amontons/contact/operators/whitened_jacobian.h"
#include "amontons/contact/rows_as_contacts.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

/// Writes w_i of all contacts [1/kg]: a third of |G_i|^2, of a joint's row all of it.
void measure_inverse_masses(const std::vector<Contact>& contacts,
                            const BlockSparseMatrix& contact_rows, Eigen::VectorXd& result) {
  result.resize(static_cast<Index>(contact_rows.num_block_rows()));
  for (std::size_t i = 0; i < contact_rows.num_block_rows(); ++i) {
    double trace = 0.0;
    for (const BlockSparseMatrix::Block& block : contact_rows.block_row(i)) {
      contact_rows.visit(block, [&trace](const auto& G) { trace += G.squaredNorm(); });
    }
    // A joint's row in the form of a contact is alone in its block.
    result(static_cast<Index>(i)) = contacts[i].is_joint_row ? trace : trace / 3.0;
  }
}

/// Returns the sum of the absolute terms of one contact's velocity and gap, in its largest row
/// [m/s].
double sum_of_terms(const ContactProblem& problem, double gap_speed, std::size_t contact) {
  Eigen::Vector3d terms = problem.contact_bias.segment<3>(ContactProblem::row(contact)).cwiseAbs();
  terms.z() += std::abs(gap_speed);
  for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(contact)) {
    problem.contact_jacobian.visit(block, [&](const auto& J) {
      constexpr int kCols = std::decay_t<decltype(J)>::ColsAtCompileTime;
      terms += J.cwiseAbs().lazyProduct(
          problem.free_velocity.segment<kCols>(block.col, block.num_cols).cwiseAbs());
    });
  }
  return terms.maxCoeff();
}

/// Returns the root of twice the energy that a joint's row may give by its impulse [sqrt(J)]: what
/// stops a limit, or keeps another row at rest within its bound.
double root_energy_of_row(const ContactProblem& problem, const ProblemScaling& scaling, Index i) {
  const double w = scaling.scales.inverse_mass(i);
  if (!(w > 0.0)) return 0.0;
  const Eigen::Vector3d u = scaling.free_contact_velocity.segment<3>(3 * i);
  const double limit = std::max(0.0, -(u.z() + scaling.gap_speeds(i))) / w;
  const double other = std::min(u.head<2>().norm() / w,
                                problem.contacts[static_cast<std::size_t>(i)].friction_offset);
  return std::sqrt(w) * std::max(limit, other);
}

}  // namespace

/// V of a contact is the largest speed of its island; that of a joint's row is the one of
/// BoundedRowScaling.
void ProblemScaling::measure_speeds(const ContactProblem& problem) {
  const ProblemScaling& scaling = *this;
  auto& [island, pushing, largest, fastest] = scratch_;
  const Index nc = static_cast<Index>(problem.num_contacts());
  islands_of_rows(problem, problem.contact_jacobian, island);
  const bool has_joint_rows =
      std::any_of(problem.contacts.begin(), problem.contacts.end(),
                  [](const Contact& contact) { return contact.is_joint_row; });
  largest.assign(problem.mass_matrix.num_blocks(), 0.0);
  if (has_joint_rows) fastest = pushing;
  for (Index i = 0; i < nc; ++i) {
    const std::size_t contact = static_cast<std::size_t>(i);
    if (island[contact] < 0) continue;
    // The largest of |u_free|, -s, the rebound, and a share of the terms below which these
    // are rounding.
    const double speed =
        std::max({scaling.free_contact_velocity.segment<3>(3 * i).norm(), -scaling.gap_speeds(i),
                  scaling.rebound.speed(i),
                  kMinScaleShare * sum_of_terms(problem, scaling.gap_speeds(i), contact),
                  rest_speed_of_row(scaling.scales.inverse_mass(i),
                                    problem.contacts[contact].friction_offset, problem.step)});
    // Units of joints' rows differ: between them and contacts speeds are compared as |u| / sqrt(w)
    // [sqrt(J)].
    const std::size_t own = static_cast<std::size_t>(island[contact]);
    if (!problem.contacts[contact].is_joint_row) {
      largest[own] = std::max(largest[own], speed);
    } else {
      pushing[own] = std::max(pushing[own], root_energy_of_row(problem, scaling, i));
      fastest[own] = std::max(fastest[own], least_root_energy(problem, mass_factor, free_momentum,
                                                              problem.contact_jacobian, contact));
    }
    if (has_joint_rows && scaling.scales.inverse_mass(i) > 0.0) {
      fastest[own] = std::max(fastest[own], speed / std::sqrt(scaling.scales.inverse_mass(i)));
    }
  }
  Eigen::VectorXd& result = scales.speed;
  result.resize(nc);
  for (Index i = 0; i < nc; ++i) {
    // A joint's row takes sqrt(w) times the island's value; a contact at least what its joints may
    // give it.
    const int own = island[static_cast<std::size_t>(i)];
    if (own < 0) {
      result(i) = 0.0;
    } else if (problem.contacts[static_cast<std::size_t>(i)].is_joint_row) {
      result(i) =
          std::sqrt(scaling.scales.inverse_mass(i)) * fastest[static_cast<std::size_t>(own)];
    } else {
      const double by_joints =
          std::sqrt(scaling.scales.inverse_mass(i)) * pushing[static_cast<std::size_t>(own)];
      result(i) = std::max(largest[static_cast<std::size_t>(own)], by_joints);
    }
  }
}

void ProblemScaling::compute(const ContactProblem& problem) {
  mass_factor.compute(problem.mass_matrix);
  whiten_jacobian(problem.contact_jacobian, mass_factor, contact_rows);
  whiten_jacobian(problem.joint_jacobian, mass_factor, joint_rows);
  independent_joints =
      independent_joint_rows(problem.joint_jacobian, problem.joint_error, mass_factor);
  measure(problem);
}

void ProblemScaling::compute(const ContactProblem& contacts, const ContactProblem& rows,
                             const ProblemScaling& scaling_of_rows) {
  // Compliances of servos add coordinates to M, so that its factor differs.
  if (contacts.mass_matrix.size() != rows.mass_matrix.size()) return compute(contacts);
  mass_factor = scaling_of_rows.mass_factor;
  contact_rows = scaling_of_rows.contact_rows;
  joint_rows = scaling_of_rows.joint_rows;
  independent_joints = scaling_of_rows.independent_joints;
  // The whitened rows of joints become those of contacts, in the component that each occupies.
  const BlockSparseMatrix& L = scaling_of_rows.bounded.rows;
  for (std::size_t r = 0; r < rows.bounded_rows.size(); ++r) {
    contact_rows.add_block_row(3);
    for (const BlockSparseMatrix::Block& block : L.block_row(r)) {
      contact_rows.block_at(block.col, block.num_cols).row(component_of(rows.bounded_rows[r])) =
          L.values(block);
    }
  }
  measure(contacts);
}

void ProblemScaling::add_drag(const DampedStep& step, const ProblemScaling& scaling) {
  damped = &step;
  rebound = scaling.rebound;
  may_bounce = scaling.may_bounce;
}

/// Computes everything but the factor and the whitened rows.
void ProblemScaling::measure(const ContactProblem& problem) {
  damped = nullptr;
  // Free motion, restitution and gaps come first: the speeds V need them.
  problem.mass_matrix.times(problem.free_velocity, free_momentum);
  problem.contact_velocities(problem.free_velocity, free_contact_velocity);
  find_rebound(problem, free_contact_velocity, rebound);
  problem.stabilized_gaps(gap_speeds);
  measure_inverse_masses(problem.contacts, contact_rows, scales.inverse_mass);
  joint_root_energies(problem, joint_rows, scratch_.pushing);
  bounded.compute(problem, mass_factor, free_momentum, scratch_.pushing);
  measure_speeds(problem);
  // A contact may bounce if it approaches above its rest speed and can close its gap at the speed
  // V.
  may_bounce.resize(problem.num_contacts());
  is_elastic.resize(problem.num_contacts());
  for (std::size_t i = 0; i < may_bounce.size(); ++i) {
    const Index row = static_cast<Index>(i);
    const Contact& contact = problem.contacts[i];
    is_elastic[i] = contact.restitution > 0.0;
    if (!is_elastic[i]) {
      may_bounce[i] = 0;
      continue;
    }
    const double rest_speed =
        contact.is_joint_row
            ? rest_speed_of_limit(free_contact_velocity(3 * row + 2), rebound.approach(row))
            : problem.rest_speed;
    may_bounce[i] = rebound.approach(row) > rest_speed && gap_speeds(row) <= scales.speed(row);
  }
}

}  // namespace amontons
