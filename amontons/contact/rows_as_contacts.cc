#include "amontons/contact/rows_as_contacts.h"

#include "amontons/contact/contact_law.h"
#include "amontons/math/block_diagonal_factor.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

void append(VectorXd& values, Index count) {
  const Index size = values.size();
  values.conservativeResize(size + count);
  values.tail(count).setZero();
}

Index num_compliant(const ContactProblem& problem) {
  return static_cast<Index>(std::count_if(problem.bounded_rows.begin(), problem.bounded_rows.end(),
                                          [](const BoundedRow& r) { return r.compliance > 0.0; }));
}

Contact as_contact(const BoundedRow& row) {
  Contact contact;
  contact.key = key_of(row);
  contact.gap = row.kind == BoundedRowKind::Limit ? row.gap : kTouchingGap;
  contact.restitution = row.restitution;
  contact.cohesion = row.kind == BoundedRowKind::Limit ? 0.0 : row.upper;
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

/// Impulses [nb] of rows as those of contacts, appended.
VectorXd with_rows(const ContactProblem& problem, const VectorXd& contacts, const VectorXd& rows) {
  VectorXd result = contacts;
  append(result, 3 * rows.size());
  for (Index i = 0; i < rows.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[static_cast<std::size_t>(i)];
    result(contacts.size() + 3 * i + component_of(row)) = rows(i);
  }
  return result;
}

VectorXd rows_of(const ContactProblem& problem, const VectorXd& impulses) {
  const Index first = problem.contact_jacobian.rows();
  VectorXd rows(static_cast<Index>(problem.bounded_rows.size()));
  for (Index i = 0; i < rows.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[static_cast<std::size_t>(i)];
    rows(i) = impulses(first + 3 * i + component_of(row));
  }
  return rows;
}

}  // namespace

void rows_as_contacts(const ContactProblem& problem, ContactProblem& result) {
  result = problem;
  result.bounded_rows.clear();
  const Index servos = num_compliant(problem), nv = problem.mass_matrix.size();
  result.bounded_jacobian.reset(nv + servos);
  if (servos > 0) {
    append(result.velocity, servos);
    append(result.free_velocity, servos);
    result.contact_jacobian.reset(nv + servos);
    copy_rows(problem.contact_jacobian, result.contact_jacobian);
    result.joint_jacobian.reset(nv + servos);
    copy_rows(problem.joint_jacobian, result.joint_jacobian);
  }
  append(result.contact_bias, 3 * static_cast<Index>(problem.bounded_rows.size()));
  Index next_coordinate = nv;
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[i];
    result.contacts.push_back(as_contact(row));
    const Index first = result.contact_jacobian.add_block_row(3);
    for (const BlockSparseMatrix::Block& block : problem.bounded_jacobian.block_row(i)) {
      result.contact_jacobian.block_at(block.col, block.num_cols).row(component_of(row)) =
          problem.bounded_jacobian.values(block);
    }
    result.contact_bias(first) = row.kind == BoundedRowKind::Limit ? 0.0 : row.offset;
    if (!(row.compliance > 0.0)) continue;
    result.mass_matrix.add_zero_block(1, std::vector<int>{-1})(0, 0) = 1.0 / row.compliance;
    result.contact_jacobian.block_at(next_coordinate++, 1)(0, 0) = 1.0;
  }
}

ContactProblem rows_as_contacts(const ContactProblem& problem) {
  ContactProblem result;
  rows_as_contacts(problem, result);
  return result;
}

ContactSolution rows_as_contacts(const ContactProblem& problem, const ContactSolution& solution) {
  ContactSolution result = solution;
  result.impulses = with_rows(problem, solution.impulses, solution.bounded_impulses);
  if (solution.compression_impulses.size() + solution.bounded_compression.size() > 0) {
    result.compression_impulses =
        with_rows(problem, solution.compression_impulses, solution.bounded_compression);
  }
  result.bounded_impulses.resize(0);
  result.bounded_compression.resize(0);
  result.bounded_modes.clear();
  result.modes.insert(result.modes.end(), solution.bounded_modes.begin(),
                      solution.bounded_modes.end());
  Index next = solution.velocity.size();
  append(result.velocity, num_compliant(problem));
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const double R = problem.bounded_rows[i].compliance;
    if (R > 0.0) result.velocity(next++) = R * solution.bounded_impulses(static_cast<Index>(i));
  }
  return result;
}

ContactSolution contacts_as_rows(const ContactProblem& problem, const ContactSolution& solution) {
  ContactSolution result = solution;
  const Index rows = problem.contact_jacobian.rows();
  result.impulses = solution.impulses.head(rows);
  result.bounded_impulses = rows_of(problem, solution.impulses);
  if (solution.compression_impulses.size() > 0) {
    result.compression_impulses = solution.compression_impulses.head(rows);
    result.bounded_compression = rows_of(problem, solution.compression_impulses);
  }
  const auto nc = static_cast<std::ptrdiff_t>(problem.num_contacts());
  result.modes.resize(problem.num_contacts());
  result.bounded_modes.assign(solution.modes.begin() + nc, solution.modes.end());
  result.velocity = solution.velocity.head(problem.mass_matrix.size());
  return result;
}

ContactProblem with_rows_given(const ContactProblem& problem, const VectorXd& rows) {
  ContactProblem result = problem;
  VectorXd change = problem.bounded_jacobian.transpose_times(rows);
  BlockDiagonalFactor(problem.mass_matrix).solve_in_place(change);
  result.free_velocity += change;
  result.bounded_rows.clear();
  result.bounded_jacobian.reset(problem.mass_matrix.size());
  return result;
}

}  // namespace amontons
