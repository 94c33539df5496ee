#include "amontons/contact/rows_as_contacts.h"

#include "amontons/contact/contact_law.h"
#include "amontons/math/block_diagonal_factor.h"

#include <algorithm>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Appends zeros to a vector.
void append(VectorXd& values, Index count) {
  const Index size = values.size();
  values.conservativeResize(size + count);
  values.tail(count).setZero();
}

/// Returns the number of bounded rows with a compliance, each of which adds a coordinate.
Index num_compliant(const ContactProblem& problem) {
  return static_cast<Index>(std::count_if(problem.bounded_rows.begin(), problem.bounded_rows.end(),
                                          [](const BoundedRow& r) { return r.compliance > 0.0; }));
}

/// Returns the contact that represents a bounded row.
Contact as_contact(const BoundedRow& row) {
  Contact contact;
  contact.key = key_of(row);
  contact.gap = row.kind == BoundedRowKind::Limit ? row.gap : 0.0;
  contact.restitution = row.restitution;
  contact.opening_speed = row.opening_speed;
  contact.friction_offset = row.kind == BoundedRowKind::Limit ? 0.0 : row.upper;
  contact.is_joint_row = true;
  return contact;
}

/// Copies the block rows of a Jacobian into one of more columns.
void copy_rows(const BlockSparseMatrix& from, BlockSparseMatrix& to) {
  for (std::size_t r = 0; r < from.num_block_rows(); ++r) {
    to.add_block_row(from.num_rows(r));
    for (const BlockSparseMatrix::Block& block : from.block_row(r)) {
      to.block_at(block.col, block.num_cols) = from.values(block);
    }
  }
}

/// Returns the number of bounded rows without bounds, which follow the rows of J.
Index num_unbounded(const ContactProblem& problem) {
  return static_cast<Index>(problem.bounded_rows.size() - rows_with_bounds(problem).size());
}

/// Returns impulses of contacts with those of bounded rows [nb] appended, in the form of contacts.
VectorXd with_rows(const ContactProblem& problem, const VectorXd& contacts, const VectorXd& rows) {
  const std::vector<std::size_t> bounded = rows_with_bounds(problem);
  VectorXd result = contacts;
  append(result, 3 * static_cast<Index>(bounded.size()));
  for (std::size_t i = 0; i < bounded.size(); ++i) {
    // Each row has a contact of three components, of which it uses one.
    const Index slot = contacts.size() + 3 * static_cast<Index>(i);
    result(slot + component_of(problem.bounded_rows[bounded[i]])) =
        rows(static_cast<Index>(bounded[i]));
  }
  return result;
}

/// Returns the impulses of the bounded rows [nb] from those of the contact form.
/// @param unbounded  impulses of the rows without bounds.
VectorXd rows_of(const ContactProblem& problem, const VectorXd& impulses,
                 const Eigen::Ref<const VectorXd>& unbounded) {
  Index slot = problem.contact_jacobian.rows(), next = 0;
  VectorXd rows(static_cast<Index>(problem.bounded_rows.size()));
  for (Index i = 0; i < rows.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[static_cast<std::size_t>(i)];
    // Rows without bounds and contacts of rows are counted separately, both in the order of the
    // rows.
    if (row.is_unbounded()) {
      rows(i) = unbounded(next++);
    } else {
      rows(i) = impulses(slot + component_of(row));
      slot += 3;
    }
  }
  return rows;
}

/// Adds the coordinate of a compliance, of inertia 1/R and without a parent, and returns its place.
Index add_compliance(double compliance, ContactProblem& problem) {
  const Index place = problem.mass_matrix.size();
  problem.mass_matrix.add_zero_block(1, std::vector<int>{-1})(0, 0) = 1.0 / compliance;
  return place;
}

/// Adds a bounded row as a contact: L in one of its three rows, s in its bias, R p as a velocity.
void add_contact_row(const ContactProblem& problem, std::size_t i, ContactProblem& result) {
  const BoundedRow& row = problem.bounded_rows[i];
  result.contacts.push_back(as_contact(row));
  const Index first = result.contact_jacobian.add_block_row(3);
  for (const BlockSparseMatrix::Block& block : problem.bounded_jacobian.block_row(i)) {
    result.contact_jacobian.block_at(block.col, block.num_cols).row(component_of(row)) =
        problem.bounded_jacobian.values(block);
  }
  // The stabilized gap of a limit gives its s; other rows have it in the bias.
  append(result.contact_bias, 3);
  result.contact_bias(first) = row.kind == BoundedRowKind::Limit ? 0.0 : row.offset;
  if (!(row.compliance > 0.0)) return;
  result.contact_jacobian.block_at(add_compliance(row.compliance, result), 1)(0, 0) = 1.0;
}

/// Adds a row without bounds as a row of J: L v + s + R p = 0.
void add_joint_row(const ContactProblem& problem, std::size_t i, ContactProblem& result) {
  const BoundedRow& row = problem.bounded_rows[i];
  const Index first = result.joint_jacobian.add_block_row(1);
  for (const BlockSparseMatrix::Block& block : problem.bounded_jacobian.block_row(i)) {
    result.joint_jacobian.block_at(block.col, block.num_cols) =
        problem.bounded_jacobian.values(block);
  }
  append(result.joint_error, 1);
  append(result.joint_bias, 1);
  if (result.joint_correction.size() > 0) append(result.joint_correction, 1);
  result.joint_bias(first) = row.offset;
  result.joint_jacobian.block_at(add_compliance(row.compliance, result), 1)(0, 0) = 1.0;
}

}  // namespace

std::vector<std::size_t> rows_with_bounds(const ContactProblem& problem) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    if (!problem.bounded_rows[i].is_unbounded()) rows.push_back(i);
  }
  return rows;
}

void rows_as_contacts(const ContactProblem& problem, ContactProblem& result) {
  result = problem;
  result.bounded_rows.clear();
  // Compliances add columns to every matrix; without them the matrices are copies.
  const Index compliant = num_compliant(problem), nv = problem.mass_matrix.size();
  result.bounded_jacobian.reset(nv + compliant);
  if (compliant > 0) {
    append(result.velocity, compliant);
    append(result.free_velocity, compliant);
    result.contact_jacobian.reset(nv + compliant);
    copy_rows(problem.contact_jacobian, result.contact_jacobian);
    result.joint_jacobian.reset(nv + compliant);
    copy_rows(problem.joint_jacobian, result.joint_jacobian);
  }
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    // The order of the rows is that of their keys, which sort behind all contacts.
    if (problem.bounded_rows[i].is_unbounded()) {
      add_joint_row(problem, i, result);
    } else {
      add_contact_row(problem, i, result);
    }
  }
}

ContactProblem rows_as_contacts(const ContactProblem& problem) {
  ContactProblem result;
  rows_as_contacts(problem, result);
  return result;
}

ContactSolution rows_as_contacts(const ContactProblem& problem, const ContactSolution& solution) {
  ContactSolution result = solution;
  const std::vector<std::size_t> bounded = rows_with_bounds(problem);
  // Impulses of all phases, then modes and multipliers of the rows that become contacts.
  result.impulses = with_rows(problem, solution.impulses, solution.bounded_impulses);
  if (solution.compression_impulses.size() + solution.bounded_compression.size() > 0) {
    result.compression_impulses =
        with_rows(problem, solution.compression_impulses, solution.bounded_compression);
  }
  result.bounded_impulses.resize(0);
  result.bounded_compression.resize(0);
  result.bounded_modes.clear();
  for (const std::size_t i : bounded) result.modes.push_back(solution.bounded_modes[i]);
  for (std::vector<DissipationWitness>& witness : result.witnesses) {
    const std::size_t nc = problem.num_contacts();
    for (std::size_t i = 0; i < bounded.size(); ++i) witness[nc + i] = witness[nc + bounded[i]];
    witness.resize(nc + bounded.size());
  }
  if (result.restitution_shares.size() > 0) {
    const Index nc = static_cast<Index>(problem.num_contacts());
    for (std::size_t i = 0; i < bounded.size(); ++i) {
      result.restitution_shares(nc + static_cast<Index>(i)) =
          solution.restitution_shares(nc + static_cast<Index>(bounded[i]));
    }
    result.restitution_shares.conservativeResize(nc + static_cast<Index>(bounded.size()));
  }
  // The coordinate of a compliance moves by R p; rows without bounds carry their impulse as c.
  Index next = solution.velocity.size();
  append(result.velocity, num_compliant(problem));
  Index next_joint = solution.joint_impulses.size();
  append(result.joint_impulses, num_unbounded(problem));
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[i];
    const double impulse = solution.bounded_impulses(static_cast<Index>(i));
    if (row.compliance > 0.0) result.velocity(next++) = row.compliance * impulse;
    if (row.is_unbounded()) result.joint_impulses(next_joint++) = impulse;
  }
  return result;
}

ContactSolution contacts_as_rows(const ContactProblem& problem, const ContactSolution& solution) {
  ContactSolution result = solution;
  // Impulses of all phases; the contact form has those of rows without bounds behind the joints.
  const Index rows = problem.contact_jacobian.rows(), nj = problem.joint_jacobian.rows();
  const auto unbounded = solution.joint_impulses.tail(num_unbounded(problem));
  result.joint_impulses = solution.joint_impulses.head(nj);
  result.impulses = solution.impulses.head(rows);
  result.bounded_impulses = rows_of(problem, solution.impulses, unbounded);
  if (solution.compression_impulses.size() > 0) {
    result.compression_impulses = solution.compression_impulses.head(rows);
    result.bounded_compression = rows_of(problem, solution.compression_impulses, unbounded);
  }
  const std::size_t nc = problem.num_contacts(), nb = problem.bounded_rows.size();
  result.modes.resize(nc);
  result.bounded_modes.assign(nb, ContactMode::Stick);  // rows without bounds stick
  const std::vector<std::size_t> bounded = rows_with_bounds(problem);
  for (std::size_t i = 0; i < bounded.size(); ++i) {
    result.bounded_modes[bounded[i]] = solution.modes[nc + i];
  }
  for (std::vector<DissipationWitness>& witness : result.witnesses) {
    // Multipliers return to the index of their row; rows without bounds have none.
    std::vector<DissipationWitness> own(nc + nb);
    std::copy_n(witness.begin(), nc, own.begin());
    for (std::size_t i = 0; i < bounded.size(); ++i) own[nc + bounded[i]] = witness[nc + i];
    witness = std::move(own);
  }
  if (solution.restitution_shares.size() > 0) {
    result.restitution_shares.setOnes(static_cast<Index>(nc + nb));
    result.restitution_shares.head(static_cast<Index>(nc)) =
        solution.restitution_shares.head(static_cast<Index>(nc));
    for (std::size_t i = 0; i < bounded.size(); ++i) {
      result.restitution_shares(static_cast<Index>(nc + bounded[i])) =
          solution.restitution_shares(static_cast<Index>(nc + i));
    }
  }
  result.velocity = solution.velocity.head(problem.mass_matrix.size());
  return result;
}

Index component_of_joint_row(const ContactProblem& contacts, std::size_t contact) {
  for (const BlockSparseMatrix::Block& block : contacts.contact_jacobian.block_row(contact)) {
    if (!contacts.contact_jacobian.values(block).row(2).isZero(0.0)) return 2;
  }
  return 0;
}

ContactProblem with_prescribed_rows(const ContactProblem& problem, const VectorXd& impulses) {
  ContactProblem result = problem;
  // v_free + M^-1 L'f is the free motion of the contacts.
  VectorXd change = problem.bounded_jacobian.transpose_times(impulses);
  BlockDiagonalFactor(problem.mass_matrix).solve_in_place(change);
  result.free_velocity += change;
  result.bounded_rows.clear();
  result.bounded_jacobian.reset(problem.mass_matrix.size());
  return result;
}

}  // namespace amontons
