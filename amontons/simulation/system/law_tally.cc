#include "amontons/simulation/system/law_tally.h"

#include "amontons/contact/certificate/missed_condition.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace amontons {
namespace {

/// Counts a step, and keeps it if it is the farthest from the law asked. NaN is farther than any
/// number.
void count(const AnsweredStep& step, LawTally::Answer& answer) {
  const bool is_worse = !(step.distance <= answer.worst.distance);
  if (answer.steps++ == 0 || (is_worse && !std::isnan(answer.worst.distance))) answer.worst = step;
}

/// Returns "step 12 (t = 0.12 s), box and ground".
std::string place(const AnsweredStep& step) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "step %lld (t = %.6g s)",
                static_cast<long long>(step.step), step.time);
  return text.data() + (step.where.empty() ? "" : ", " + step.where);
}

/// Returns "3, the worst 1.2e-03 off at step 12 (t = 0.12 s), box and ground". Where the law itself
/// is met, the condition follows that the certificate misses.
std::string count_and_worst(const LawTally::Answer& answer, double tolerance) {
  const AnsweredStep& worst = answer.worst;
  const bool names_missed = worst.distance <= tolerance && !worst.missed.empty();
  return std::to_string(answer.steps) + ", the worst " + scientific(worst.distance) + " off at " +
         place(worst) + (names_missed ? ": " + worst.missed : "");
}

}  // namespace

std::string names_of_bodies(const System& system, int a, int b) {
  if (a < 0 || b < 0) return "";
  return system.bodies()[static_cast<std::size_t>(a)].name + " and " +
         system.bodies()[static_cast<std::size_t>(b)].name;
}

std::string contact_name(const System& system, const StepReport& report, int contact) {
  if (contact < 0 || contact >= static_cast<int>(report.problem.contacts.size())) return "";
  const Contact& c = report.problem.contacts[static_cast<std::size_t>(contact)];
  return names_of_bodies(system, c.body_a, c.body_b);
}

AnsweredStep answered_step(const System& system, const StepReport& report, double tolerance) {
  const Certificate& certificate = report.certificate;
  AnsweredStep step{.asked = report.law_asked,
                    .status = report.solution.status,
                    .holds = certificate.holds,
                    .distance = certificate.law_distance.value,
                    .step = report.end->step_count,
                    .time = report.end->time,
                    .where = contact_name(system, report, certificate.law_distance.where)};
  if (step.holds) return step;
  const MissedCondition missed =
      missed_condition(certificate, tolerance, report.solution.law.within);
  step.missed = missed.text;
  if (!answers_law_asked(step.status)) return step;
  step.where = contact_name(system, report, missed.contact);
  if (certificate.missed_contacts > 0) {
    step.where = names_of_bodies(system, certificate.missed_body_a, certificate.missed_body_b);
  }
  return step;
}

void LawTally::add(const AnsweredStep& step) {
  has_gaps_ = has_gaps_ || (num_steps_ > 0 && step.step > last_step_ + 1);
  last_step_ = step.step;
  ++num_steps_;
  if (!step.holds) ++num_missed_;
  asked_.insert(step.asked);
  const bool is_listed = step.status != SolveStatus::Converged || !step.holds;
  if (is_listed && listed_.size() < kMostListed) listed_.push_back(step);
  // A status that claims the law is no answer where the certificate is missed.
  if (!answers_law_asked(step.status) || step.holds) {
    count(step, answers_[step.status]);
  } else if (uncertified_.steps++ == 0) {
    uncertified_.worst = step;
  }
}

std::int64_t LawTally::steps_of(SolveStatus status) const {
  const auto own = answers_.find(status);
  return own == answers_.end() ? 0 : own->second.steps;
}

bool LawTally::is_accepted(AcceptedAnswers accept) const {
  if (num_missed_ > 0) return false;
  switch (accept) {
    case AcceptedAnswers::Exact:
      return is_exact();
    case AcceptedAnswers::Convexified:
      return num_asked() + steps_of(SolveStatus::Convexified) == num_steps_;
    case AcceptedAnswers::Safe:
      return true;
  }
  throw std::invalid_argument("is_accepted: no such AcceptedAnswers");
}

std::string LawTally::asked_text() const {
  std::string laws;
  for (const LawKind law : asked_)
    laws += (laws.empty() ? "" : " and ") + std::string(to_string(law));
  return laws;
}

std::string LawTally::text() const {
  if (num_steps_ == 0) return "law asked: no steps";
  const std::string total = std::to_string(num_steps_) + (has_gaps_ ? " recorded" : "") + " steps";
  std::string out = "law asked, " + asked_text() + ": in " +
                    (is_exact() ? "all " + total : std::to_string(num_asked()) + " of " + total);
  // Within which bound the law was met.
  const std::string exact = "within " + scientific(tolerance_);
  if (num_acceptable() > 0) {
    out += ", " + std::to_string(steps_of(SolveStatus::Converged)) + " " + exact + " and " +
           std::to_string(num_acceptable()) + " acceptable, the worst " +
           scientific(answers_.at(SolveStatus::Acceptable).worst.distance) + " at " +
           place(answers_.at(SolveStatus::Acceptable).worst);
  } else if (num_asked() > 0) {
    out += ", " + exact;
  }
  // The weaker answers, then claims without a certificate.
  for (const auto& [status, answer] : answers_) {
    if (answers_law_asked(status)) continue;
    out +=
        "; " + std::string(word_of_answer(status)) + " in " + count_and_worst(answer, tolerance_);
  }
  if (uncertified_.steps > 0) {
    const AnsweredStep& first = uncertified_.worst;
    out += "; certificate missed in " + std::to_string(uncertified_.steps) + ", first at " +
           place(first) + (first.missed.empty() ? "" : ": " + first.missed);
  }
  return out;
}

const char* word_of_answer(SolveStatus status) {
  switch (status) {
    case SolveStatus::NotRun:
      return "not solved";
    case SolveStatus::Converged:
      return "met";
    case SolveStatus::IterationLimit:
      return "stopped at the iteration limit";
    case SolveStatus::Stalled:
      return "stalled";
    case SolveStatus::Infeasible:
      return "infeasible";
    case SolveStatus::RayTermination:
      return "ended on a ray";
    case SolveStatus::Convexified:
      return "convexified";
    case SolveStatus::Safe:
      return "without friction";
    case SolveStatus::NumericalFailure:
      return "failed numerically";
    case SolveStatus::Acceptable:
      return "acceptable";
  }
  throw std::invalid_argument("word_of_answer: no such SolveStatus");
}

const char* to_string(AcceptedAnswers accept) {
  switch (accept) {
    case AcceptedAnswers::Exact:
      return "exact";
    case AcceptedAnswers::Convexified:
      return "convexified";
    case AcceptedAnswers::Safe:
      return "safe";
  }
  throw std::invalid_argument("to_string: no such AcceptedAnswers");
}

}  // namespace amontons
