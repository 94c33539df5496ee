#include "amontons/models/formulation/sticking_rows.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// Returns the same problem with some tangent rows of contacts as rows of J behind its own.
ContactProblem with_sticking_rows(const ContactProblem& problem, const std::vector<Index>& rows) {
  // Each tangent row becomes one row of J without an error: J_t v = -bias.
  ContactProblem result = problem;
  if (result.joint_jacobian.cols() == 0) result.joint_jacobian.reset(problem.mass_matrix.size());
  const Index own = problem.joint_jacobian.rows(), more = static_cast<Index>(rows.size());
  result.joint_error.conservativeResize(own + more);
  result.joint_bias.conservativeResize(own + more);
  const bool corrected = result.joint_correction.size() > 0;
  if (corrected) result.joint_correction.conservativeResize(own + more);
  for (Index k = 0; k < more; ++k) {
    const Index row = rows[static_cast<std::size_t>(k)];
    result.joint_jacobian.add_block_row(1);
    for (const BlockSparseMatrix::Block& block :
         problem.contact_jacobian.block_row(static_cast<std::size_t>(row / 3))) {
      result.joint_jacobian.add_block(block.col,
                                      problem.contact_jacobian.values(block).row(row % 3));
    }
    result.joint_error(own + k) = 0.0;
    if (corrected) result.joint_correction(own + k) = 0.0;
    result.joint_bias(own + k) = problem.contact_bias(row);
  }
  return result;
}

/// Returns the solution of `problem` from one of that problem: the impulses of the rows become
/// friction.
ContactSolution without_sticking_rows(const ContactProblem& problem,
                                      const ContactProblem& with_rows,
                                      const std::vector<Index>& rows,
                                      const ContactSolution& solution) {
  ContactSolution result = solution;
  const Index own = problem.joint_jacobian.rows();
  // The impulse c of such a row is the contact's friction.
  const auto give = [&](const VectorXd& joint_impulses, VectorXd& impulses) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      impulses(rows[k]) += joint_impulses(own + static_cast<Index>(k));
    }
  };
  give(solution.joint_impulses, result.impulses);
  result.joint_impulses = solution.joint_impulses.head(own);
  // The solution has no c at the end of compression: it follows from the compression's impulses.
  if (solution.compression_impulses.size() > 0) {
    VectorXd velocity, joint_impulses;
    ImpulseResponse(with_rows, ProblemScaling(with_rows))
        .apply(solution.compression_impulses, velocity, joint_impulses);
    give(joint_impulses, result.compression_impulses);
  }
  return result;
}

}  // namespace

ContactSolution solve_with_sticking_rows(const ContactProblem& problem, const VectorXd& gap_speeds,
                                         const std::vector<Index>& rows,
                                         const ContactModel& frictionless) {
  const ContactProblem held = with_sticking_rows(problem, rows);
  ProblemScaling scaling(held);
  scaling.gap_speeds = gap_speeds;
  return without_sticking_rows(problem, held, rows, frictionless.solve(held, scaling, VectorXd()));
}

VectorXd slack_at(const ContactProblem& problem, const VectorXd& gap_speeds,
                  const VectorXd& velocity) {
  VectorXd slack = gap_speeds;
  const VectorXd u = problem.contact_velocities(velocity);
  for (Index i = 0; i < slack.size(); ++i) slack(i) += u(3 * i + 2);
  return slack;
}

void write_sticking_modes(const ContactProblem& problem, const std::vector<char>& list,
                          std::vector<ContactMode>& modes) {
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    ContactMode& mode = modes[c];
    if (problem.contacts[c].is_joint_row) continue;
    if (list[c]) {
      if (mode != ContactMode::Impact) mode = ContactMode::Stick;
    } else if (mode == ContactMode::Stick ||
               (mode == ContactMode::Impact && may_stick(problem.contacts[c]))) {
      mode = ContactMode::Slide;
    }
  }
}

}  // namespace amontons
