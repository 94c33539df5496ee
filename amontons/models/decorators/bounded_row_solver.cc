#include "amontons/models/decorators/bounded_row_solver.h"

#include "amontons/contact/marks.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/optimization/qp/box_qp.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

// Slip, relative to V, below which a row counts as sticking [-]; the same as for contacts.
constexpr double kStickShare = 1e-6;

/// Returns the mode of a row: open without impulse, a closed limit sticks. Others stick where
/// u + s + R p is zero, and slide at a bound.
/// @param speed  u + s + R p.
ContactMode mode_of(const BoundedRow& row, double impulse, double speed, double V) {
  if (impulse == 0.0) return ContactMode::Open;
  if (row.kind == BoundedRowKind::Limit) return ContactMode::Stick;
  return std::abs(speed) <= kStickShare * V ? ContactMode::Stick : ContactMode::Slide;
}

/// Returns the product of two blocks of one row each, at the same columns.
double product_of_rows(const BlockSparseMatrix& G, const BlockSparseMatrix::Block& a,
                       const BlockSparseMatrix::Block& b) {
  const double* const x = G.values(a).data();
  const double* const y = G.values(b).data();
  double sum = x[0] * y[0];
  for (Index k = 1; k < a.num_cols; ++k) sum += x[k] * y[k];
  return sum;
}

/// Returns the bounded rows alone, each as the first of a contact's three rows, in a form that
/// ContactSpace reads.
ContactProblem rows_as_space(const ContactProblem& problem) {
  ContactProblem result = problem;
  const std::size_t n = problem.bounded_rows.size();
  result.contacts.resize(n);
  result.contact_bias.setZero(3 * static_cast<Index>(n));
  result.contact_jacobian.reset(problem.mass_matrix.size());
  for (std::size_t i = 0; i < n; ++i) {
    result.contact_jacobian.add_block_row(3);
    for (const BlockSparseMatrix::Block& block : problem.bounded_jacobian.block_row(i)) {
      result.contact_jacobian.block_at(block.col, block.num_cols).row(0) =
          problem.bounded_jacobian.values(block);
    }
  }
  result.bounded_rows.clear();
  result.bounded_jacobian.reset(problem.mass_matrix.size());
  return result;
}

}  // namespace

/// Computes A = L C L' and b = L v_free of the rows, the loop joints kept.
void BoundedRowSolver::assemble(const ContactProblem& problem, const ProblemScaling& scaling) {
  const BlockSparseMatrix& G = scaling.bounded.rows;
  const Index n = static_cast<Index>(problem.bounded_rows.size());
  A_.setZero(n, n);
  b_ = scaling.bounded.free_velocity;
  // With loop joints C comes from the contact space of the rows.
  if (problem.joint_jacobian.rows() > 0) {
    const ContactProblem rows = rows_as_space(problem);
    const ContactSpace space(rows);
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    const Eigen::MatrixXd W = space.delassus(all);
    for (Index i = 0; i < n; ++i) {
      b_(i) = space.free_contact_velocity()(3 * i);
      for (Index j = 0; j < n; ++j) A_(i, j) = W(3 * i, 3 * j);
    }
    return;
  }
  for (Index i = 0; i < n; ++i) {
    // Without them A_ij = G_i G_j' over the articulations that both rows touch, G = L L_M^-1.
    const auto own = G.block_row(static_cast<std::size_t>(i));
    for (Index j = i; j < n; ++j) {
      double sum = 0.0;
      for (const BlockSparseMatrix::Block& b : G.block_row(static_cast<std::size_t>(j))) {
        for (const BlockSparseMatrix::Block& a : own) {
          if (a.col == b.col) sum += product_of_rows(G, a, b);
        }
      }
      A_(i, j) = A_(j, i) = sum;
    }
  }
}

/// Adds R and s, sets the bounds, and scales each row by sqrt(A_ii + R_i), so that the diagonal is
/// 1.
void BoundedRowSolver::set_bounds(const ContactProblem& problem, const ProblemScaling& scaling) {
  const Index n = b_.size();
  lower_.resize(n);
  upper_.resize(n);
  root_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const BoundedRow& row = problem.bounded_rows[static_cast<std::size_t>(i)];
    // The unknown is x = sqrt(A_ii) f, with b and the bounds in the same unit.
    A_(i, i) += row.compliance;
    b_(i) += scaling.bounded.offset(i);
    root_(i) = A_(i, i) > 0.0 ? std::sqrt(A_(i, i)) : 1.0;
    lower_(i) = row.lower * root_(i);
    upper_(i) = row.upper * root_(i);
    b_(i) /= root_(i);
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) A_(i, j) /= root_(i) * root_(j);
  }
}

/// Solves the scaled box problem, first by pivoting.
void BoundedRowSolver::solve_rows(const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                                  SolveAttempt& attempt) {
  const Index n = b_.size();
  x_.setZero(n);
  if (warm_start.size() == n) {
    x_ = root_.cwiseProduct(warm_start).cwiseMax(lower_).cwiseMin(upper_);
  }
  attempt.solver = "box pivoting";
  attempt.status = SolveStatus::Converged;
  if (box_.solve(A_, b_, lower_, upper_, x_)) {
    attempt.iterations = box_.factorizations();
    return;
  }
  // The pivoting fails where rows depend on each other: both limits of a joint at once, or rows
  // that loops tie.
  const BoxQpSolution found = solve_box_qp({A_, b_, lower_, upper_}, {.tolerance = 1e-14});
  attempt.solver = "box program";
  attempt.status = found.residual <= 1e-10 ? SolveStatus::Converged : found.status;
  attempt.iterations = found.iterations();
  x_ = found.x;
}

bool BoundedRowSolver::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                             const ContactLaw& law,
                             const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                             ContactSolution& solution) {
  // Contacts and bounces need the form of contacts.
  const std::vector<char>& may_bounce = scaling.bounded.may_bounce;
  if (problem.num_contacts() > 0 || any_marked(may_bounce)) {
    return false;
  }
  // Solve the box problem in its scaled unknowns, and state the law that the solution claims.
  const Stopwatch watch;
  assemble(problem, scaling);
  set_bounds(problem, scaling);
  SolveAttempt attempt;
  solve_rows(warm_start, attempt);
  solution.law = law;
  solution.status = attempt.status;
  solution.iterations = attempt.iterations;
  solution.impulses.resize(0);
  solution.bounded_impulses = x_.cwiseQuotient(root_);
  if (dissipates_most(law.kind)) {
    solution.witnesses.assign(1, std::vector<DissipationWitness>(problem.bounded_rows.size()));
  }
  // v+ = v_free + M^-1 L'f; with loop joints the contact space adds their impulses.
  problem.bounded_jacobian.transpose_times(solution.bounded_impulses, solution.velocity);
  scaling.mass_factor.solve_in_place(solution.velocity);
  solution.velocity += problem.free_velocity;
  zero_resting_velocities(problem, scaling, solution.velocity);
  solution.joint_impulses.resize(0);
  if (problem.joint_jacobian.rows() > 0) {
    ContactSpace(with_prescribed_rows(problem, solution.bounded_impulses))
        .apply(Eigen::VectorXd(), solution.velocity, solution.joint_impulses);
  }
  // Modes follow from the impulses and the speeds of the rows.
  problem.bounded_jacobian.times(solution.velocity, u_);
  solution.bounded_modes.resize(problem.bounded_rows.size());
  for (std::size_t r = 0; r < problem.bounded_rows.size(); ++r) {
    const Index i = static_cast<Index>(r);
    const BoundedRow& row = problem.bounded_rows[r];
    const double impulse = solution.bounded_impulses(i);
    solution.bounded_modes[r] =
        mode_of(row, impulse, u_(i) + scaling.bounded.offset(i) + row.compliance * impulse,
                scaling.bounded.speed(i));
  }
  attempt.time_s = watch.seconds();
  solution.attempts.push_back(std::move(attempt));
  return true;
}

}  // namespace amontons
