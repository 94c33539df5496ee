#include "amontons/models/islands/left_corrections.h"

#include "amontons/contact/certificate/certificate.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace amontons {
namespace {

// Impulses a thousand times as long as what they change squeeze bodies between contacts, and turn
// joints near a singular pose at any rate. This is their rounding [-] (Certificate::rounding).
constexpr double kMostRounding = 1e3 * std::numeric_limits<double>::epsilon();

/// Returns the largest velocity of an answer [m/s, rad/s]; infinite where it is not a number. The
/// kinetic energy would not see joints that turn against each other in a singular pose.
double fastest(const CertifiedSolution& certified) {
  const Eigen::VectorXd& v = certified.solution.velocity;
  return v.allFinite() ? v.lpNorm<Eigen::Infinity>() : std::numeric_limits<double>::infinity();
}

/// Returns true if the problem holds an overlap or a passed limit.
bool has_corrections(const ContactProblem& problem) {
  const auto is_passed = [](const BoundedRow& row) {
    return row.kind == BoundedRowKind::Limit && row.gap < 0.0;
  };
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const Contact& contact) { return contact.gap < 0.0; }) ||
         std::any_of(problem.bounded_rows.begin(), problem.bounded_rows.end(), is_passed);
}

/// Returns the contact Jacobian without the rows of overlaps that one step cannot remove.
BlockSparseMatrix without_deep_overlaps(const ContactProblem& problem) {
  BlockSparseMatrix result(problem.contact_jacobian.cols());
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    result.add_block_row(3);
    if (problem.stabilized_gap(i) <= -problem.overlap_speed) continue;
    for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(i)) {
      result.block_at(block.col, block.num_cols) = problem.contact_jacobian.values(block);
    }
  }
  return result;
}

/// Solves a problem with less and less to correct, until a model solves it.
class CalmAnswer {
 public:
  CalmAnswer(const ContactModel& model, const ContactProblem& problem,
             const Eigen::VectorXd& warm_start, double tolerance, ModelMemory& memory,
             ProblemScaling& scaling)
      : model_(model),
        warm_start_(warm_start),
        tolerance_(tolerance),
        memory_(memory),
        scaling_(scaling),
        calm_(problem) {}

  /// Leaves overlaps, then errors of loops, then pushes no more where an overlap is deep.
  void solve(const ContactProblem& problem) {
    calm_.overlap_speed = 0.0;
    if (attempt()) return;
    if (problem.joint_error.size() > 0) {
      calm_.joint_correction = Eigen::VectorXd::Zero(problem.joint_error.size());
      if (attempt()) return;
    }
    calm_.contact_jacobian = without_deep_overlaps(problem);
    attempt();
  }

  CertifiedSolution& answer() { return answer_; }

 private:
  /// Keeps the answer to the problem as it is now; returns whether it was solved by impulses that
  /// are no squeeze.
  bool attempt() {
    scaling_.compute(calm_);
    answer_ = model_.solve_certified(calm_, scaling_, warm_start_, tolerance_, memory_);
    return answer_.certificate.holds && answer_.certificate.rounding.value <= kMostRounding;
  }

  const ContactModel& model_;
  const Eigen::VectorXd& warm_start_;
  const double tolerance_;
  ModelMemory& memory_;
  ProblemScaling& scaling_;
  ContactProblem calm_;
  CertifiedSolution answer_;
};

}  // namespace

void leave_corrections(const ContactModel& model, const ContactProblem& problem,
                       const Eigen::VectorXd& warm_start, double tolerance, ModelMemory& memory,
                       ProblemScaling& scaling, CertifiedSolution& certified) {
  const SolveStatus status = certified.solution.status;
  if (problem.step == 0.0 || certified.certificate.holds) return;
  if (status == SolveStatus::Infeasible ? !has_corrections(problem)
                                        : problem.num_deferred_overlaps() == 0) {
    return;
  }
  CalmAnswer calm(model, problem, warm_start, tolerance, memory, scaling);
  calm.solve(problem);
  scaling.compute(problem);
  CertifiedSolution& answer = calm.answer();
  // An answer that no solver reached is taken only where it moves less.
  if (!answer.certificate.holds && !(fastest(answer) < fastest(certified))) {
    return;
  }

  // The report keeps what was tried, and the reason.
  ContactSolution solution = std::move(answer.solution);
  solution.status = status;
  solution.iterations += certified.solution.iterations;
  solution.attempts.insert(solution.attempts.begin(), certified.solution.attempts.begin(),
                           certified.solution.attempts.end());
  certified.certificate = certify(problem, scaling, solution, tolerance);
  certified.certificate.require(false);
  certified.solution = std::move(solution);
}

}  // namespace amontons
