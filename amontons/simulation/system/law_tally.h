#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/math/solve_status.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace amontons {

/// Says how one step answered the law that its model was asked for.
struct AnsweredStep {
  LawKind asked = LawKind::Frictionless;     ///< the law asked
  SolveStatus status = SolveStatus::NotRun;  ///< with several islands the worst of theirs
  bool holds = false;                        ///< the certificate of the law that answered is met
  double distance = 0.0;                     ///< residual of the law asked [-] (law_distance.h)
  std::int64_t step = 0;                     ///< number of the step
  double time = 0.0;                         ///< end of the step [s]
  std::string where = {};                    ///< bodies at which the distance is largest, if known
  std::string missed = {};  ///< the condition of the certificate that is missed; empty: none
};

/// Describes a step from its report. Where a step with the law asked misses its certificate,
/// `where` names the bodies at which it does.
/// @param tolerance  of the certificate [-].
AnsweredStep answered_step(const System& system, const StepReport& report, double tolerance);

/// Returns the names of two bodies, as in "box and ground"; empty if an index is negative.
std::string names_of_bodies(const System& system, int a, int b);

/// Returns the bodies of a contact of a report, as in "box and ground"; empty if there is none.
std::string contact_name(const System& system, const StepReport& report, int contact);

/// Counts the steps of a run by their answers to the law asked.
///
/// A step had the law asked if it is Converged or Acceptable, and its certificate is met.
class LawTally {
 public:
  /// Counts the steps with one answer, and keeps the one that is farthest from the law asked.
  struct Answer {
    std::int64_t steps = 0;  ///< number of steps with this answer
    AnsweredStep worst;      ///< the farthest from the law asked
  };

  /// Bounds the steps that listed() keeps.
  static constexpr std::size_t kMostListed = 10;

  /// @param tolerance  tolerance of the certificates [-], which the text names.
  explicit LawTally(double tolerance = 1e-8) : tolerance_(tolerance) {}

  void add(const AnsweredStep& step);  ///< counts one step

  /// Returns the number of all steps.
  std::int64_t num_steps() const { return num_steps_; }
  /// Returns the number of steps with the law asked.
  std::int64_t num_asked() const { return steps_of(SolveStatus::Converged) + num_acceptable(); }
  /// Returns the number of those that are Acceptable.
  std::int64_t num_acceptable() const { return steps_of(SolveStatus::Acceptable); }
  /// Returns the number of steps that missed their certificate, whatever law answered.
  std::int64_t num_missed() const { return num_missed_; }
  /// Returns the answers whose certificate is met, or whose status alone says that it is not.
  const std::map<SolveStatus, Answer>& answers() const { return answers_; }
  /// Returns the steps that would have the law asked, had they met their certificate; `worst` is
  /// the first of them.
  const Answer& uncertified() const { return uncertified_; }
  /// Returns the first steps, at most kMostListed, that are not Converged or missed their
  /// certificate, in their order.
  const std::vector<AnsweredStep>& listed() const { return listed_; }
  /// Returns the number of all such steps.
  std::int64_t num_listed() const { return num_steps_ - steps_of(SolveStatus::Converged); }
  /// Returns the words of the laws asked, in the order of their codes.
  const std::set<LawKind>& asked() const { return asked_; }
  double tolerance() const { return tolerance_; }  ///< of the certificates [-]

  /// Returns true if every step had the law asked.
  bool is_exact() const { return num_asked() == num_steps_; }
  /// Returns true if every step met its certificate, with an answer that is accepted.
  bool is_accepted(AcceptedAnswers accept) const;

  /// Returns the counts as one sentence without a full stop, e.g. "law asked, coulomb: in 997 of
  /// 1000 steps; convexified in 3, the worst 1.2e-03 off at step 12 (t = 0.12 s), box and ground".
  /// Where numbers of steps are missing it speaks of recorded steps. An answer that meets the law,
  /// but not its certificate, is followed by the condition that is missed.
  std::string text() const;

 private:
  std::int64_t steps_of(SolveStatus status) const;
  std::string asked_text() const;

  double tolerance_;
  std::int64_t num_steps_ = 0, num_missed_ = 0, last_step_ = 0;
  bool has_gaps_ = false;  // steps between two that were added are unknown
  std::set<LawKind> asked_;
  std::map<SolveStatus, Answer> answers_;
  Answer uncertified_;
  std::vector<AnsweredStep> listed_;
};

/// Returns the word for an answer in a sentence, e.g. "convexified".
const char* word_of_answer(SolveStatus status);

/// Returns the word of a scene for accepted answers, e.g. "exact".
const char* to_string(AcceptedAnswers accept);

}  // namespace amontons
