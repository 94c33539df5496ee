#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace amontons {

/// Holds the trees of a system that repeat their last step (resting_trees.h): their contacts,
/// impulses and certificate. Steps then move the other trees alone, and complete() adds what is
/// held here to their reports. Every number of a whole step keeps its bits.
class RestingPart {
 public:
  /// Solves a problem as the step would.
  using Solve =
      std::function<CertifiedSolution(const ContactProblem&, const Eigen::VectorXd& warm_start)>;

  explicit RestingPart(const System& system);

  bool empty() const { return marks_.empty(); }
  /// Returns the marks of the trees at rest [articulations]; empty: there are none.
  std::span<const char> trees() const { return marks_; }
  /// Makes the next step a whole one.
  void clear();

  /// Notes the trees that repeat a whole step, where they are enough to be worth it.
  /// @param start, end  states at the start and at the end of the step.
  /// @param report      report of the step.
  /// @param contacts    contacts at the end of the step.
  void note(const State& start, const State& end, const StepReport& report,
            const std::vector<Contact>& contacts);
  /// Notes whether enough other trees repeat a step of the moving trees.
  /// @param moving  problem of that step.
  void note_others(const State& start, const State& end, const ContactProblem& moving,
                   const std::vector<Contact>& contacts);
  /// Returns true if a whole step should follow, because more trees have come to rest.
  bool should_grow() const { return should_grow_; }
  /// Leaves the trees that were noted out of the steps from now on, and removes their contacts.
  /// @param state     state at the end of the step in which they were noted.
  /// @param contacts  contacts at this state.
  void hold(const State& state, const Solve& solve, std::vector<Contact>& contacts);

  /// Returns true if impulses at rest open overlaps. Their works are then no zeros in the sums of a
  /// whole step (account_energy()).
  bool stabilizes() const { return stabilizes_; }

  /// Returns true if commands act on a tree that is held or noted.
  bool has_commands() const;
  /// Returns true if one of the contacts has a tree at rest.
  bool is_touched(const std::vector<Contact>& contacts) const;

  /// Sets the velocities of the trees at rest to zero [nv].
  void keep_at_rest(Eigen::VectorXd& velocity) const;
  /// Adds the impulses of the trees at rest to those of the others.
  /// @param impulses  sorted by key.
  void add_impulses(std::vector<WarmStartEntry>& impulses);

  /// Completes the report of a step that moved the other trees alone. Memory of `moving` is taken
  /// over where that spares a copy.
  /// @param report  report of the last step, unchanged, or any other.
  void complete(StepReport& moving, StepReport& report);

 private:
  /// Returns true if a contact has a tree that is marked.
  bool has_marked_tree(const Contact& contact, std::span<const char> marks) const;
  /// Returns true if the marks are enough of the trees that move to be worth a step without them.
  bool are_worth(std::span<const char> marks) const;
  /// Returns true if a solution moves the trees noted, or has other impulses than their step.
  bool differs(const ContactSolution& solution) const;
  /// Keeps the impulses of a state's contacts at trees at rest.
  void keep_impulses_of_contacts(const State& state);
  /// Returns true if the contacts of the moving trees have the places of the last report.
  bool keeps_places(const ContactProblem& moving) const;
  /// Merges the contacts of both parts, and notes their places.
  void merge_contacts(const ContactProblem& moving, ContactProblem& whole);
  /// Writes the contacts of the moving trees into their places.
  void replace_contacts(const ContactProblem& moving, ContactProblem& whole) const;
  void complete_problem(ContactProblem& moving, bool in_place, ContactProblem& whole);
  /// @param has_islands  true: the moving trees have contacts or rows.
  /// @param in_place     true: the report holds the trees at rest already.
  void complete_solution(bool has_islands, bool in_place, const StepReport& moving,
                         StepReport& report) const;
  /// Gives a solution the claim and the attempts of the trees at rest alone.
  void claim_at_rest(ContactSolution& whole) const;
  void complete_certificate(bool has_islands, StepReport& moving, StepReport& report) const;

  const System* system_;
  std::vector<char> may_rest_, candidates_;  // [articulations]; scratch
  std::vector<char> marks_;                  // [articulations], or empty
  // Trees for the next call of hold() [articulations], or empty; and the impulses of their
  // contacts.
  std::vector<char> noted_;
  Eigen::VectorXd noted_impulses_;
  bool should_grow_ = false;
  int steps_held_ = 0;           // steps that have left out the present trees
  int steps_to_wait_ = 0;        // whole steps before trees are noted again
  ContactProblem problem_;       // of the whole system, with the contacts of trees at rest alone
  CertifiedSolution certified_;  // its solution; contact indices are its own
  bool has_contacts_ = false;    // true: it has some
  bool stabilizes_ = false;      // true: its impulses open overlaps
  std::vector<WarmStartEntry> impulses_, merged_;  // impulses of its contacts; scratch
  // Both parts in the last report that was completed. Each has all trees, whose velocities are
  // known, and its own contacts and rows.
  Island resting_island_, moving_island_;
  std::vector<ContactKey> moving_keys_;
  std::int64_t places_since_ = 0;  // number of the first solution with these places; 0: none
};

}  // namespace amontons
