#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/simulation/scene/scene.h"

#include <vector>

namespace amontons::io {

/// Knows the laws that the contact models of a scene claim, and checks those that a run records.
///
/// A row may claim one of these laws, or a weaker one if its status says so.
class LawCheck {
 public:
  /// @throws std::invalid_argument if the scene names a model that does not exist.
  explicit LawCheck(const Scene& scene);

  /// Returns the law of this kind that the scene asks for, in steps, impacts or forces; null: it
  /// asks for none.
  const ContactLaw* law_asked(LawKind kind) const;

  /// Checks kind, directions, restitution and activation gap of the law.
  void check_law(const RunRow& row, const ContactProblem& problem,
                 VerificationChecks& checks) const;
  /// Checks the status of the solver.
  /// @param is_met  the recorded impulses obey the recorded law.
  void check_status(const RunRow& row, const ContactProblem& problem, bool is_met,
                    VerificationChecks& checks) const;
  /// Returns true if the law `NoSlip` holds contacts by their loads alone (StickingList::Loaded).
  bool holds_by_loads() const { return holds_by_loads_; }

 private:
  /// Says how the law of a row relates to the laws asked.
  struct Standing {
    bool is_asked = false;    ///< a model is asked for it, or nothing was solved
    bool is_relaxed = false;  ///< it relaxes another
    bool is_weaker = false;   ///< it is another, weaker law, and the status is no success
  };
  Standing standing_of(const RunRow& row, const ContactProblem& problem) const;

  bool touching_only_ = false;  // the model of steps takes contacts that touch alone
  bool holds_by_loads_ = true;
  std::vector<ContactLaw> asked_;
};

}  // namespace amontons::io
