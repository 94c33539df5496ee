#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/optimization/qp/small_box_qp.h"

#include <Eigen/Core>

namespace amontons {

/// Solves the bounded rows of an island without contacts. The law of bounded_row.h is the
/// optimality condition of
///
///   min 1/2 f'(A + R) f + b'f,   lower <= f <= upper,   A = L C L',   b = L v_free + s.
///
/// The velocity v_free in b keeps the loop joints. Memory is kept from problem to problem.
class BoundedRowSolver {
 public:
  /// Solves the box problem and writes the solution.
  /// @param law         law that the solution claims.
  /// @param warm_start  impulses [nb] to start from, or empty.
  /// @returns false where that is not the problem: contacts, or limits that may bounce.
  bool solve(const ContactProblem& problem, const ProblemScaling& scaling, const ContactLaw& law,
             const Eigen::Ref<const Eigen::VectorXd>& warm_start, ContactSolution& solution);

 private:
  void assemble(const ContactProblem& problem, const ProblemScaling& scaling);
  void set_bounds(const ContactProblem& problem, const ProblemScaling& scaling);
  void solve_rows(const Eigen::Ref<const Eigen::VectorXd>& warm_start, SolveAttempt& attempt);

  SmallBoxQp box_;
  Eigen::MatrixXd A_;                             // scaled, [nb x nb]
  Eigen::VectorXd b_, lower_, upper_, root_, x_;  // [nb], scaled by sqrt(w)
  Eigen::VectorXd u_;                             // velocities of the rows at the end [nb]
};

}  // namespace amontons
