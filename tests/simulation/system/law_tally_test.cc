#include "amontons/simulation/system/law_tally.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace amontons {
namespace {

/// Returns a step under Coulomb's law that ended with a status.
AnsweredStep step_with(SolveStatus status, double distance = 0.0, bool holds = true,
                       std::int64_t number = 1) {
  return {.asked = LawKind::Coulomb,
          .status = status,
          .holds = holds,
          .distance = distance,
          .step = number,
          .time = 0.01 * static_cast<double>(number),
          .where = "box and ground"};
}

/// Returns the tally of some steps.
LawTally tally_of(const std::vector<AnsweredStep>& steps) {
  LawTally tally;
  for (const AnsweredStep& step : steps) tally.add(step);
  return tally;
}

}  // namespace

TEST_CASE("Each word accepts what the words before it accept, and never a missed certificate") {
  for (int code = 0; code <= static_cast<int>(kLastSolveStatus); ++code) {
    const auto status = static_cast<SolveStatus>(code);
    const LawTally met = tally_of({step_with(SolveStatus::Converged), step_with(status, 0.1)});
    CAPTURE(to_string(status));
    const bool is_asked = status == SolveStatus::Converged || status == SolveStatus::Acceptable;
    CHECK(met.is_exact() == is_asked);
    CHECK(met.is_accepted(AcceptedAnswers::Exact) == is_asked);
    CHECK(met.is_accepted(AcceptedAnswers::Convexified) ==
          (is_asked || status == SolveStatus::Convexified));
    CHECK(met.is_accepted(AcceptedAnswers::Safe));
    const LawTally missed =
        tally_of({step_with(SolveStatus::Converged), step_with(status, 0.1, false)});
    CHECK_FALSE(missed.is_exact());
    for (const AcceptedAnswers accept :
         {AcceptedAnswers::Exact, AcceptedAnswers::Convexified, AcceptedAnswers::Safe}) {
      CHECK_FALSE(missed.is_accepted(accept));
    }
  }
}

TEST_CASE("The text counts every step once, with the worst of each answer") {
  CHECK(tally_of({step_with(SolveStatus::Converged), step_with(SolveStatus::Converged)}).text() ==
        "law asked, coulomb: in all 2 steps, within 1.0e-08");
  CHECK(tally_of({step_with(SolveStatus::Converged),
                  step_with(SolveStatus::Acceptable, 2e-6, true, 5),
                  step_with(SolveStatus::Acceptable, 3e-5, true, 7)})
            .text() ==
        "law asked, coulomb: in all 3 recorded steps, 1 within 1.0e-08 and 2 acceptable, the worst "
        "3.0e-05 at step 7 (t = 0.07 s), box and ground");
  CHECK(tally_of({step_with(SolveStatus::Converged),
                  step_with(SolveStatus::Convexified, 0.2, true, 4),
                  step_with(SolveStatus::Convexified, 0.1, true, 6),
                  step_with(SolveStatus::Safe, 0.4, true, 9),
                  step_with(SolveStatus::Converged, 1e-12, false, 3)})
            .text() ==
        "law asked, coulomb: in 1 of 5 recorded steps, within 1.0e-08; convexified in 2, the worst "
        "2.0e-01 "
        "off at step 4 (t = 0.04 s), box and ground; without friction in 1, the worst 4.0e-01 off "
        "at step 9 (t = 0.09 s), box and ground; certificate missed in 1, first at step 3 (t = "
        "0.03 s), box and ground");
}

TEST_CASE("An answer that meets the law names the condition of its certificate that it misses") {
  AnsweredStep stalled = step_with(SolveStatus::Stalled, 5e-17, false, 36);
  stalled.missed = "energy bound missed by 1.9e-01 J";
  const std::string words =
      "stalled in 1, the worst 5.0e-17 off at step 36 (t = 0.36 s), box and "
      "ground";
  CHECK(tally_of({stalled}).text() ==
        "law asked, coulomb: in 0 of 1 steps; " + words + ": energy bound missed by 1.9e-01 J");
  // The distance says it all where the law itself is missed.
  stalled.distance = 0.2;
  CHECK(tally_of({stalled}).text().find("energy") == std::string::npos);
}

TEST_CASE("The first steps that do not reach the law asked are kept, and all are counted") {
  LawTally tally;
  for (int i = 1; i <= 100; ++i) {
    const SolveStatus status = i % 4 == 0   ? SolveStatus::Acceptable
                               : i % 6 == 0 ? SolveStatus::Convexified
                                            : SolveStatus::Converged;
    tally.add(step_with(status, 1e-3 * i, i != 7, i));
  }
  // A fourth of them, eight multiples of six that are none of four, and the seventh.
  CHECK(tally.num_listed() == 25 + 8 + 1);
  std::vector<std::int64_t> numbers;
  for (const AnsweredStep& step : tally.listed()) numbers.push_back(step.step);
  CHECK(numbers == std::vector<std::int64_t>{4, 6, 7, 8, 12, 16, 18, 20, 24, 28});
  CHECK(tally.listed().back().distance == 1e-3 * 28);
}

TEST_CASE("The first missed certificate is told with what it misses") {
  AnsweredStep step = step_with(SolveStatus::Converged, 1e-12, false, 3);
  step.missed = "2.9e-03 J without a cause";
  CHECK(tally_of({step}).text() ==
        "law asked, coulomb: in 0 of 1 steps; certificate missed in 1, first at step 3 (t = 0.03 "
        "s), box and ground: 2.9e-03 J without a cause");
}

TEST_CASE("A distance that is no number is the worst, and no steps are all answered") {
  const LawTally tally = tally_of({step_with(SolveStatus::Infeasible, 5.0, false, 1),
                                   step_with(SolveStatus::Infeasible, std::nan(""), false, 2),
                                   step_with(SolveStatus::Infeasible, 7.0, false, 3)});
  CHECK(tally.answers().at(SolveStatus::Infeasible).steps == 3);
  CHECK(tally.answers().at(SolveStatus::Infeasible).worst.step == 2);
  CHECK(LawTally().text() == "law asked: no steps");
  CHECK(LawTally().is_exact());
}

}  // namespace amontons
