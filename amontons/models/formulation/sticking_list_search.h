#pragma once

#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace amontons {

/// Holds what the search of a list reads of the solution with the list before.
struct ListedSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd impulses;  ///< p [3 nc] [N s]
  Eigen::VectorXd slack;     ///< u_n + s [nc] [m/s]
  bool bounces = false;      ///< restitution acted: other solutions do not count
};

/// Returns true if the tangents of a contact can be held at all.
bool can_hold(const ContactProblem& problem, const ProblemScaling& scaling, std::size_t contact);

/// Returns the published list [nc]: the contacts that touch at the start of the step and can hold.
std::vector<char> touching_contacts(const ContactProblem& problem, const ProblemScaling& scaling);

/// Finds the list of contacts that stick under the law `NoSlip` (docs/theory/no-slip.md): every
/// contact that bears a load is listed, and no listed one is unloaded, whichever normal impulses
/// give the velocity. Memory is kept.
class StickingListSearch {
 public:
  /// Solves with a list [nc] and writes the solution.
  using Solver = std::function<void(const std::vector<char>& list, ListedSolution& solution)>;

  /// Begins with the problem of another step; both must stay constant. The list is empty.
  void begin(const ContactProblem& problem, const ProblemScaling& scaling, double tolerance);

  /// Makes the searches that follow patient: the list changes in the order in which gaps close, one
  /// open contact at a time (docs/theory/no-slip.md), and a contact is dropped up to twice before
  /// it joins for good. Contacts that join or leave together may do so because of each other.
  void be_patient(bool patient) { is_patient_ = patient; }

  /// Solves with one list after the other, from the one given on, until it is consistent. A contact
  /// joins, is dropped at most once, and then joins for good: at most 3 nc + 1 solves, 5 nc + 1
  /// patient ones.
  /// @returns the status of the last solve, IterationLimit where the effort is spent.
  SolveStatus search(std::vector<char> list, const Solver& solve);

  /// Drops the contacts of a list found that hang: no solution loads them while they are held, nor
  /// once they are let go alone. What joined for good was loaded under an earlier list. The widest
  /// gaps come first, and each contact takes a solve; none is dropped more than three times. A gap
  /// that closes under a load where all contacts may slip does not hang: held tangents keep it
  /// open.
  /// @returns the status of the last solve, which has the list that is left.
  SolveStatus drop_hanging(const Solver& solve);

  /// Solves with a list that stays as it is.
  SolveStatus solve(std::vector<char> list, const Solver& solve_listed);

  const std::vector<char>& list() const { return list_; }  ///< [nc]

  /// Returns true if a contact joined for good: it is loaded while it may slip, and unloaded while
  /// it is held.
  bool has_locked() const;

  /// Returns true if a contact that was open at the start joined for good: where normals differ,
  /// held tangents may keep gaps from closing, which is no reason to let the others slip.
  bool holds_open_gap() const;

 private:
  std::vector<char> loaded_of(const std::vector<char>& candidates, SelfStress self_stress) const;
  std::vector<char> loaded_contacts_outside() const;
  std::vector<char> unloaded_contacts(bool with_locked) const;
  bool lets_go(std::size_t contact, const Solver& solve);
  bool add_loaded();
  bool drop_unloaded();
  void add(std::size_t contact);
  void drop(std::size_t contact);
  std::pair<double, double> openness(std::size_t contact) const;
  double gap_speed(std::size_t contact) const;
  bool is_solved() const {
    return solution_.status == SolveStatus::Converged || solution_.status == SolveStatus::Stalled;
  }

  const ContactProblem* problem_ = nullptr;
  const ProblemScaling* scaling_ = nullptr;
  double tolerance_ = 0.0;
  bool is_patient_ = false;
  // [nc]: the list; times dropped; joined again after that; loaded while the list is empty
  std::vector<char> list_, dropped_, locked_, loaded_if_free_;
  ListedSolution solution_;
};

}  // namespace amontons
