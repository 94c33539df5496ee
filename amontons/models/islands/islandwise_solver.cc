#include "amontons/models/islands/islandwise_solver.h"

#include "amontons/contact/certificate/law_distance.h"
#include "amontons/contact/certificate/unmoved_contact.h"
#include "amontons/contact/islands/island_comparison.h"
#include "amontons/contact/islands/island_problem.h"
#include "amontons/math/effort.h"
#include "amontons/models/islands/left_corrections.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace amontons {
namespace {

// Effort that an island has at least, where earlier solves of the step have spent most [equivalent
// factorizations].
constexpr double kLeastEffort = 20.0;

// Number of contacts below which waking other threads takes longer than they save.
constexpr std::size_t kWorthSharing = 32;

/// Copies the impulses of an island's contacts, then of its bounded rows.
void copy_island_impulses(const ContactProblem& problem, const Eigen::VectorXd& impulses,
                          const Island& island, Eigen::VectorXd& part) {
  const bool any = impulses.size() > 0;
  const auto nc = static_cast<Eigen::Index>(island.contacts.size());
  const auto nb = static_cast<Eigen::Index>(island.bounded_rows.size());
  part.resize(any ? 3 * nc + nb : 0);
  for (std::size_t i = 0; any && i < island.contacts.size(); ++i) {
    part.segment<3>(ContactProblem::row(i)) =
        impulses.segment<3>(ContactProblem::row(static_cast<std::size_t>(island.contacts[i])));
  }
  for (std::size_t i = 0; any && i < island.bounded_rows.size(); ++i) {
    part(3 * nc + static_cast<Eigen::Index>(i)) =
        impulses(problem.contact_jacobian.rows() + island.bounded_rows[i]);
  }
}

/// Returns true if a contact approaches whatever the velocity: no solution exists.
bool has_unmoved_approach(const ContactProblem& problem, const ProblemScaling& scaling,
                          const ContactLaw& law) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (unmoved_approach(problem, scaling, law, i) > 0.0) return true;
  }
  return false;
}

/// Marks the attempts from an index on: a kept answer has those of the step that found it.
void mark_as_reused(std::size_t first, std::vector<SolveAttempt>& attempts) {
  for (; first < attempts.size(); ++first) attempts[first].remark = kReusedAnswer;
}

}  // namespace

ContactSolution free_motion_solution(const ContactProblem& problem) {
  ContactSolution solution;
  free_motion_solution(problem, solution);
  return solution;
}

void free_motion_solution(const ContactProblem& problem, ContactSolution& solution) {
  solution.status = SolveStatus::Converged;
  solution.law = {};
  solution.contact_laws.clear();
  solution.impulses.setZero(problem.contact_jacobian.rows());
  solution.compression_impulses.resize(0);
  solution.witnesses.clear();
  solution.restitution_shares.resize(0);
  solution.joint_impulses.setZero(problem.joint_jacobian.rows());
  solution.bounded_impulses.setZero(problem.bounded_jacobian.rows());
  solution.bounded_compression.resize(0);
  solution.bounded_modes.assign(problem.bounded_rows.size(), ContactMode::Open);
  solution.velocity = problem.free_velocity;
  solution.modes.assign(problem.num_contacts(), ContactMode::Open);
  solution.iterations = 0;
  solution.attempts.clear();
}

Certificate vacuous_certificate() {
  Certificate certificate;
  for (Residual* residual :
       {&certificate.normal, &certificate.friction, &certificate.limit, &certificate.joint_friction,
        &certificate.joint, &certificate.dynamics, &certificate.dissipation, &certificate.coulomb,
        &certificate.inequality, &certificate.law_distance, &certificate.loop,
        &certificate.overlap}) {
    residual->value = 0.0;
  }
  certificate.energy_gained = 0.0;
  certificate.set_holds(0.0);
  return certificate;
}

void restore_indices(const ContactProblem& problem, const Island& island,
                     Certificate& certificate) {
  for (Residual* residual :
       {&certificate.normal, &certificate.friction, &certificate.dissipation, &certificate.coulomb,
        &certificate.inequality, &certificate.law_distance, &certificate.held_overlap}) {
    if (residual->where < 0) continue;
    residual->where = island.contacts[static_cast<std::size_t>(residual->where)];
  }
  // Rows of joints count bounded rows, and loop joints the rows of J.
  for (Residual* residual : {&certificate.limit, &certificate.joint_friction}) {
    if (residual->where < 0) continue;
    residual->where = island.bounded_rows[static_cast<std::size_t>(residual->where)];
  }
  if (certificate.joint.where >= 0) {
    certificate.joint.where = whole_joint_row(problem, island, certificate.joint.where);
  }
}

IslandwiseSolver::IslandwiseSolver(const ContactModel& model, ThreadPool* pool)
    : model_(&model),
      closed_form_(model.traits().closed_form),
      asked_(model.traits().law),
      pool_(pool) {}

void IslandwiseSolver::solve_island(const ContactProblem& problem, const Island& island,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    const BodySpeeds* speeds, Memory& memory,
                                    CertifiedSolution& certified) const {
  // An island that is the whole problem is solved without a copy.
  const bool whole = is_whole(problem, island);
  if (!whole) extract(problem, island, memory.part);
  const ContactProblem& own = whole ? problem : memory.part;
  copy_island_impulses(problem, warm_start, island, memory.warm_start);
  if (!memory.model) memory.model = model_->make_memory();
  std::swap(memory.model->spare, certified.solution);
  if (own.has_blocked_overlaps()) {
    certified =
        solve_blocked(*model_, own, memory.warm_start, tolerance, *memory.model, memory.scaling);
  } else {
    memory.scaling.compute(own);
    certified =
        model_->solve_certified(own, memory.scaling, memory.warm_start, tolerance, *memory.model);
    leave_corrections(*model_, own, memory.warm_start, tolerance, *memory.model, memory.scaling,
                      certified);
  }
  if (speeds != nullptr) {
    slow_down(own, memory.warm_start, asked_, tolerance, *speeds, island.blocks, memory.scaling,
              certified);
  }
  certified.certificate.law_distance = law_distance(own, memory.scaling, certified.solution,
                                                    certified.certificate, asked_, tolerance);
  if (!certified.certificate.holds && has_unmoved_approach(own, memory.scaling, asked_)) {
    certified.solution.status = SolveStatus::Infeasible;
  }
}

/// Returns true if an island rests and its solution is its warm start. Then the next step starts
/// from the same problem, and takes the same solution.
bool IslandwiseSolver::is_at_rest(const Island& island, const Eigen::VectorXd& warm_start,
                                  const CertifiedSolution& certified) {
  const ContactSolution& solution = certified.solution;
  if (!island.joint_rows.empty() || !certified.certificate.holds ||
      !solution.velocity.isZero(0.0) || warm_start.isZero(0.0)) {
    return false;
  }
  return solution.impulses.size() > 0 ? solution.iterations == 0
                                      : solution.bounded_impulses == warm_start;
}

/// Keeps the problem and the solution of an island at rest, under its first block.
void IslandwiseSolver::keep_at_rest(const ContactProblem& problem, const Island& island,
                                    double tolerance, const Memory& memory,
                                    CertifiedSolution certified) {
  std::unique_ptr<AtRest>& place = at_rest_[static_cast<std::size_t>(island.blocks.front())];
  if (!place) place = std::make_unique<AtRest>();
  place->problem = is_whole(problem, island) ? problem : memory.part;
  place->warm_start = memory.warm_start;
  place->tolerance = tolerance;
  place->certified = std::move(certified);
}

/// Returns the kept solution if the problem is the same bit by bit, else null.
const CertifiedSolution* IslandwiseSolver::kept_solution(const ContactProblem& problem,
                                                         const Island& island,
                                                         const Eigen::VectorXd& warm_start,
                                                         double tolerance) const {
  const AtRest* kept = at_rest_[static_cast<std::size_t>(island.blocks.front())].get();
  const bool same = kept != nullptr && kept->tolerance == tolerance &&
                    is_same_problem(problem, island, warm_start, kept->problem, kept->warm_start);
  return same ? &kept->certified : nullptr;
}

void IslandwiseSolver::add_turn(const Island& island) {
  if (num_turns_ == turns_.size()) turns_.emplace_back();
  turns_[num_turns_++].island = &island;
}

void IslandwiseSolver::find_turns(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                                  double tolerance, bool limits_openings, CertifiedSolution& whole,
                                  std::size_t& num_solved) {
  num_turns_ = 0;
  if (!closed_form_) {
    // Other laws may couple islands.
    if (couples_islands(asked_.kind)) {
      coupled_ = islands_of_law(problem, asked_.kind);
      for (const Island& island : coupled_) add_turn(island);
    } else {
      for (const Island& island : finder_.find(problem)) add_turn(island);
    }
    return;
  }
  const std::vector<char>& solved = single_contacts_.solve(
      problem, warm_start, *closed_form_, tolerance, limits_openings, whole, num_solved);
  // With every contact solved and no other rows, islands need not be found.
  const bool all = num_solved == problem.num_contacts() && problem.joint_jacobian.rows() == 0 &&
                   problem.bounded_rows.empty();
  if (all) return;
  for (const Island& island : finder_.find(problem)) {
    const bool is_solved =
        island.contacts.size() == 1 && solved[static_cast<std::size_t>(island.contacts[0])];
    if (!is_solved) add_turn(island);
  }
}

void IslandwiseSolver::solve_turns(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                                   double tolerance, const BodySpeeds* speeds) {
  // Large islands come first, so that threads finish at about the same time. Each result has its
  // own place: the bits do not depend on the order.
  order_.resize(num_turns_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto is_larger = [&](std::size_t a, std::size_t b) {
    return turns_[a].island->contacts.size() > turns_[b].island->contacts.size();
  };
  // A sort takes memory, which most steps do not need.
  if (!std::is_sorted(order_.begin(), order_.end(), is_larger)) {
    std::stable_sort(order_.begin(), order_.end(), is_larger);
  }
  // Each thread has its own memory; few contacts are solved by one.
  const bool shared = pool_ != nullptr && problem.num_contacts() >= kWorthSharing;
  memories_.resize(
      std::max(memories_.size(), shared ? static_cast<std::size_t>(pool_->num_threads()) : 1));
  at_rest_.resize(problem.mass_matrix.num_blocks());
  // Each island may spend what is left, whatever the others spend: the bits do not depend on the
  // threads.
  const double most = effort_of_part(kLeastEffort);
  const auto solve_one = [&](int number, int thread) {
    Turn& turn = turns_[order_[static_cast<std::size_t>(number)]];
    turn.work = {};
    const EffortBudget budget(most);
    // An island whose problem has not changed since it came to rest is not solved again.
    turn.given = kept_solution(problem, *turn.island, warm_start, tolerance);
    if (turn.given != nullptr) return;
    Memory& memory = memories_[static_cast<std::size_t>(thread)];
    solve_island(problem, *turn.island, warm_start, tolerance, speeds, memory, turn.certified);
    turn.given = &turn.certified;
    turn.work = budget.spent();
    if (is_at_rest(*turn.island, memory.warm_start, turn.certified)) {
      keep_at_rest(problem, *turn.island, tolerance, memory, turn.certified);
    }
  };
  const int count = static_cast<int>(num_turns_);
  if (shared) {
    pool_->run(count, solve_one);
  } else {
    for (int number = 0; number < count; ++number) solve_one(number, 0);
  }
}

void IslandwiseSolver::collect(const ContactProblem& problem, std::size_t num_solved,
                               CertifiedSolution& result) const {
  bool has_contact_law = num_solved > 0;
  for (std::size_t k = 0; k < num_turns_; ++k) {
    const Turn& turn = turns_[k];
    const Island& island = *turn.island;
    add_work(turn.work);
    // Collect in the order of the islands, with the indices of the whole problem.
    Certificate certificate = turn.given->certificate;
    restore_indices(problem, island, certificate);
    if (num_solved++ == 0) {
      result.certificate = certificate;
    } else {
      result.certificate.merge(certificate);
    }
    const ContactLaw before = result.solution.law;
    const std::size_t num_attempts = result.solution.attempts.size();
    scatter(problem, island, turn.given->solution, result.solution);
    if (turn.given != &turn.certified) mark_as_reused(num_attempts, result.solution.attempts);
    // Rows alone state no more of their law than its kind: directions, restitution and activation
    // gap are those of an island with contacts.
    const bool has_contacts = !island.contacts.empty();
    if (has_contacts && !has_contact_law && before.kind == turn.given->solution.law.kind) {
      result.solution.law = turn.given->solution.law;
    }
    has_contact_law = has_contact_law || has_contacts;
  }
}

CertifiedSolution IslandwiseSolver::solve(const ContactProblem& problem,
                                          const Eigen::VectorXd& warm_start, double tolerance,
                                          const BodySpeeds* speeds) {
  CertifiedSolution result;
  solve(problem, warm_start, tolerance, speeds, result);
  return result;
}

void IslandwiseSolver::solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                             double tolerance, const BodySpeeds* speeds,
                             CertifiedSolution& result) {
  // Bodies in no island keep their free motion.
  free_motion_solution(problem, result.solution);
  result.certificate = vacuous_certificate();
  std::size_t num_solved = 0;
  find_turns(problem, warm_start, tolerance, speeds != nullptr, result, num_solved);
  if (num_turns_ == 0) return;
  solve_turns(problem, warm_start, tolerance, speeds);
  collect(problem, num_solved, result);
}

CertifiedSolution solve_islands(const ContactProblem& problem, const ContactModel& model,
                                const Eigen::VectorXd& warm_start, double tolerance,
                                ThreadPool* pool) {
  return IslandwiseSolver(model, pool).solve(problem, warm_start, tolerance);
}

}  // namespace amontons
