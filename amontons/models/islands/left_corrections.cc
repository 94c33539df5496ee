#include "amontons/models/islands/left_corrections.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_name.h"
#include "amontons/models/common/solution_assembly.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace amontons {
namespace {

// Impulses a thousand times as long as what they change squeeze bodies between contacts, and turn
// joints near a singular pose at any rate. This is their rounding [-] (Certificate::rounding).
constexpr double kMostRounding = 1e3 * std::numeric_limits<double>::epsilon();

// Speeds that are no faster than others [-], and those that are clearly slower.
constexpr double kNoFaster = 1.1, kSlower = 0.8;

/// Returns the largest velocity of an answer [m/s, rad/s]; infinite where it is not a number. The
/// kinetic energy would not see joints that turn against each other in a singular pose.
double fastest(const CertifiedSolution& certified) {
  const Eigen::VectorXd& v = certified.solution.velocity;
  return v.allFinite() ? v.lpNorm<Eigen::Infinity>() : std::numeric_limits<double>::infinity();
}

/// Returns the kinetic energy at a velocity [J].
double kinetic_energy(const ContactProblem& problem, const Eigen::VectorXd& v) {
  return 0.5 * v.dot(problem.mass_matrix * v);
}

/// Puts attempts and iterations of an earlier solution before those of a later one.
void keep_attempts(const ContactSolution& earlier, ContactSolution& later) {
  later.iterations += earlier.iterations;
  later.attempts.insert(later.attempts.begin(), earlier.attempts.begin(), earlier.attempts.end());
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
    const Contact& contact = problem.contacts[i];
    const bool is_deep = problem.gamma * contact.gap <= -problem.overlap_speed * problem.step;
    if (is_deep || problem.is_blocked(contact)) continue;
    for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(i)) {
      result.block_at(block.col, block.num_cols) = problem.contact_jacobian.values(block);
    }
  }
  return result;
}

/// Returns the problem with blocked overlaps and limits as contacts that touch.
ContactProblem without_blocked_overlaps(const ContactProblem& problem) {
  ContactProblem result = problem;
  for (Contact& contact : result.contacts) {
    if (problem.is_blocked(contact)) contact.gap = 0.0;
  }
  for (BoundedRow& row : result.bounded_rows) {
    if (problem.is_blocked(row)) row.gap = 0.0;
  }
  return result;
}

// Overlaps that are named at most: a crowd has thousands.
constexpr int kMostNamed = 20;

/// Names the overlaps that no motion opens: "no motion opens contact 0 (bodies 1, 2)".
std::string name_blocked(const ContactProblem& problem) {
  std::string text = "no motion opens", separator = " ";
  int num_blocked = 0;
  const auto add = [&](const std::string& name) {
    if (++num_blocked > kMostNamed) return;
    text += separator + name;
    separator = ", ";
  };
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (problem.is_blocked(problem.contacts[i])) add(contact_name(problem, i));
  }
  for (const BoundedRow& row : problem.bounded_rows) {
    if (problem.is_blocked(row)) add("the limit of joint coordinate " + std::to_string(row.index));
  }
  const int more = num_blocked - kMostNamed;
  return more > 0 ? text + " and " + std::to_string(more) + " more" : text;
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
        calm_(without_blocked_overlaps(problem)) {}

  /// Leaves blocked overlaps; returns whether that was solved.
  bool leave_blocked() { return attempt(); }

  /// Leaves overlaps, then errors of loops, then pushes no more where an overlap is deep.
  void leave_all(const ContactProblem& problem) {
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
  /// Keeps the answer to the problem as it is now, after the attempts before; returns whether it
  /// was solved by impulses that are no squeeze.
  bool attempt() {
    const ContactSolution before = std::move(answer_.solution);
    scaling_.compute(calm_);
    answer_ = model_.solve_certified(calm_, scaling_, warm_start_, tolerance_, memory_);
    keep_attempts(before, answer_.solution);
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

/// Returns the status of an answer of another model than the one asked: a success is Safe there.
SolveStatus as_safe(SolveStatus status) {
  return answers_law_asked(status) ? SolveStatus::Safe : status;
}

/// Replaces the certified answer by another. The report keeps what was tried.
/// @param asked   law that was asked.
/// @param own     status of the other answer; it stays where the answer meets its law in the
/// problem asked: the motion may open by itself what corrections cannot.
/// @param missed  status that says how it answers the problem elsewhere.
void replace(const ContactProblem& problem, const ProblemScaling& scaling, const ContactLaw& asked,
             SolveStatus own, SolveStatus missed, double tolerance, CertifiedSolution& answer,
             CertifiedSolution& certified) {
  ContactSolution solution = std::move(answer.solution);
  keep_attempts(certified.solution, solution);
  certified.certificate = certify(problem, scaling, solution, tolerance);
  // An iterate that misses the law without corrections may meet it in the problem asked, whose
  // scales are others.
  if (!claims_law(own) && solution.law.kind == asked.kind) own = SolveStatus::Converged;
  const bool is_met = claims_law(own) && certified.certificate.holds;
  solution.status = is_met ? own : missed;
  certified.certificate.require(is_met || missed == SolveStatus::Safe);
  certified.solution = std::move(solution);
}

}  // namespace

CertifiedSolution solve_blocked(const ContactModel& model, const ContactProblem& problem,
                                const Eigen::VectorXd& warm_start, double tolerance,
                                ModelMemory& memory, ProblemScaling& scaling) {
  CertifiedSolution certified;
  certified.solution.status = SolveStatus::Infeasible;
  certified.solution.attempts.push_back(
      {"motion of overlaps", SolveStatus::Infeasible, 0, 0.0, name_blocked(problem)});
  CalmAnswer calm(model, problem, warm_start, tolerance, memory, scaling);
  if (!calm.leave_blocked()) calm.leave_all(problem);
  scaling.compute(problem);
  CertifiedSolution& answer = calm.answer();
  replace(problem, scaling, model.traits().law, answer.solution.status, SolveStatus::Infeasible,
          tolerance, answer, certified);
  return certified;
}

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
  calm.leave_all(problem);
  scaling.compute(problem);
  // An answer that no solver reached is taken only where it moves less.
  CertifiedSolution& answer = calm.answer();
  if (!answer.certificate.holds && !(fastest(answer) < fastest(certified))) return;
  replace(problem, scaling, model.traits().law, answer.solution.status, status, tolerance, answer,
          certified);
}

void slow_down(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
               const ContactLaw& asked, double tolerance, const BodySpeeds& speeds,
               const std::vector<int>& blocks, ProblemScaling& scaling,
               CertifiedSolution& certified) {
  if (!problem.opens_overlaps()) return;
  // Without energy of its own an opening makes nothing fast: bodies of a chain may be, for others.
  const double energy = kinetic_energy(problem, certified.solution.velocity);
  if (energy <= std::max(kinetic_energy(problem, problem.velocity),
                         kinetic_energy(problem, problem.free_velocity))) {
    return;
  }
  const auto fastest_of = [&](const Eigen::VectorXd& v) {
    return v.allFinite() ? speeds.fastest(blocks, v) : std::numeric_limits<double>::infinity();
  };
  const double before = std::max(fastest_of(problem.velocity), fastest_of(problem.free_velocity));
  const double speed = fastest_of(certified.solution.velocity);
  if (speed <= kNoFaster * std::max(before, problem.overlap_speed)) return;

  // Without friction, first with the openings asked.
  ModelSettings settings;
  settings.tolerance = tolerance;
  if (asked.restitution != RestitutionLaw::Stronge) settings.restitution = asked.restitution;
  const std::unique_ptr<ContactModel> model = make_model("frictionless", settings);
  const std::unique_ptr<ModelMemory> memory = model->make_memory();
  CalmAnswer calm(*model, problem, warm_start, tolerance, *memory, scaling);
  const bool is_solved = calm.leave_blocked();
  const double opening = fastest_of(calm.answer().solution.velocity);
  const bool opens = is_solved && opening <= kNoFaster * (before + problem.overlap_speed);
  if (!opens) calm.leave_all(problem);
  scaling.compute(problem);
  CertifiedSolution& answer = calm.answer();
  if (!(fastest_of(answer.solution.velocity) < kSlower * speed)) return;
  const bool is_safe = opens && !problem.has_blocked_overlaps();
  const SolveStatus own = asked.kind == LawKind::Frictionless ? answer.solution.status
                                                              : as_safe(answer.solution.status);
  replace(problem, scaling, asked, own, is_safe ? SolveStatus::Safe : SolveStatus::Infeasible,
          tolerance, answer, certified);
  if (!is_solved || opens) return;
  certified.solution.attempts.push_back(
      {kOpeningTooFast, SolveStatus::Infeasible, 0, 0.0,
       "opens all and moves a point at " + std::to_string(opening) + " m/s"});
}

}  // namespace amontons
