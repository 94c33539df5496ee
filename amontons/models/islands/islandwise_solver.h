#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/math/effort.h"
#include "amontons/math/thread_pool.h"
#include "amontons/models/closed_form/single_contact_solver.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/body_speeds.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace amontons {

/// Is the remark of an attempt whose answer was kept from an earlier step: nothing was solved.
inline constexpr const char* kReusedAnswer = "reused";

/// Solves problems island by island, each with a solution and a certificate of its own; a law that
/// couples islands solves those with contacts as one. The whole solution has the weakest status,
/// and the certificate the worst residual of all. The certificate holds the distance of each island
/// from the law that the model is asked for.
///
/// An island at rest whose problem and warm start are those of an earlier step, bit by bit, takes
/// the solution of that step.
class IslandwiseSolver {
 public:
  /// @param pool  threads that share the islands, large ones first; the bits are the same for any
  /// number of them.
  explicit IslandwiseSolver(const ContactModel& model, ThreadPool* pool = nullptr);

  /// Solves a problem.
  /// @param warm_start  impulses of contacts [3 nc], then of bounded rows [nb]; or empty.
  /// @param speeds      of the bodies, if known; then no answer to overlaps is too fast
  /// (left_corrections.h).
  /// @returns the solution; contact indices of the certificate are those of the whole problem.
  CertifiedSolution solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                          double tolerance, const BodySpeeds* speeds = nullptr);
  /// Writes the same into `result`, whose memory is kept.
  void solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start, double tolerance,
             const BodySpeeds* speeds, CertifiedSolution& result);

 private:
  /// Holds the working memory of one thread, kept from island to island and from step to step.
  struct Memory {
    ContactProblem part;
    ProblemScaling scaling;
    Eigen::VectorXd warm_start;
    std::unique_ptr<ModelMemory> model;
  };

  /// Holds an island at rest, its problem and its solution, whose indices are those of the island.
  struct AtRest {
    ContactProblem problem;
    Eigen::VectorXd warm_start;
    double tolerance = 0.0;
    CertifiedSolution certified;
  };

  /// Holds an island of the present problem that single contacts leave, and its answer.
  struct Turn {
    const Island* island = nullptr;
    CertifiedSolution certified;  // memory of the last answer in this place, or a new one
    const CertifiedSolution* given = nullptr;  // the answer: `certified`, or one that was kept
    WorkCounts work;
  };

  /// Solves islands of one contact in closed form where the model allows it. Puts the others into
  /// the first num_turns_ of turns_.
  void find_turns(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                  double tolerance, bool limits_openings, CertifiedSolution& whole,
                  std::size_t& num_solved);
  void add_turn(const Island& island);
  /// Solves the islands of all turns, by several threads where that is worth it.
  void solve_turns(const ContactProblem& problem, const Eigen::VectorXd& warm_start,
                   double tolerance, const BodySpeeds* speeds);
  /// Writes the answers of all turns into that of the whole problem.
  void collect(const ContactProblem& problem, std::size_t num_solved,
               CertifiedSolution& result) const;

  void solve_island(const ContactProblem& problem, const Island& island,
                    const Eigen::VectorXd& warm_start, double tolerance, const BodySpeeds* speeds,
                    Memory& memory, CertifiedSolution& certified) const;

  static bool is_at_rest(const Island& island, const Eigen::VectorXd& warm_start,
                         const CertifiedSolution& certified);
  void keep_at_rest(const ContactProblem& problem, const Island& island, double tolerance,
                    const Memory& memory, CertifiedSolution certified);
  /// Returns the kept solution of an island at rest; null where the island has changed.
  const CertifiedSolution* kept_solution(const ContactProblem& problem, const Island& island,
                                         const Eigen::VectorXd& warm_start, double tolerance) const;

  const ContactModel* model_;
  const std::optional<ContactLaw> closed_form_;  // law of the model's closed form
  const ContactLaw asked_;                       // law that the model is asked for
  SingleContactSolver single_contacts_;
  IslandFinder finder_;
  std::vector<Island> coupled_;  // islands under a law that couples them
  std::vector<Turn> turns_;
  std::size_t num_turns_ = 0;
  std::vector<std::size_t> order_;  // of the turns, large islands first
  ThreadPool* pool_;
  std::vector<Memory> memories_;                  // one per thread
  std::vector<std::unique_ptr<AtRest>> at_rest_;  // by the island's first block; null: none
};

/// Solves a single problem in the same way.
CertifiedSolution solve_islands(const ContactProblem& problem, const ContactModel& model,
                                const Eigen::VectorXd& warm_start, double tolerance,
                                ThreadPool* pool = nullptr);

/// Returns the solution of a problem without islands: no impulses, and v+ = v_free.
ContactSolution free_motion_solution(const ContactProblem& problem);
/// Writes the same into `solution`, whose memory is kept.
void free_motion_solution(const ContactProblem& problem, ContactSolution& solution);

/// Returns the certificate of a step without contacts, where every law holds.
Certificate vacuous_certificate();

/// Turns the indices of contacts and joint rows of an island's certificate into those of the whole
/// problem.
void restore_indices(const ContactProblem& problem, const Island& island, Certificate& certificate);

}  // namespace amontons
