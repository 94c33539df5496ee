#include "tools/amontons/support/law_answers.h"

#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/failure.h"

#include <nlohmann/json.hpp>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the number of steps with one answer, and the one that is farthest from the law asked.
Json answer_json(const LawTally::Answer& answer) {
  return {{"steps", answer.steps},
          {"distance", answer.worst.distance},
          {"step", answer.worst.step},
          {"time", answer.worst.time},
          {"where", answer.worst.where}};
}

/// Returns the number of steps that missed their certificate, and the first with what it missed.
Json missed_json(const LawTally::Answer& missed) {
  Json json = answer_json(missed);
  json["missed"] = missed.worst.missed;
  return json;
}

}  // namespace

void add_accept_option(Verb& verb, std::string& accept) {
  verb.option("--accept", accept,
              "Answers that count as success: exact, convexified or safe [the scene's, else exact]",
              "WORD");
}

AcceptedAnswers accepted_answers(const std::string& word, AcceptedAnswers otherwise) {
  if (word.empty()) return otherwise;
  for (const AcceptedAnswers accept :
       {AcceptedAnswers::Exact, AcceptedAnswers::Convexified, AcceptedAnswers::Safe}) {
    if (word == to_string(accept)) return accept;
  }
  throw Failure(
      kUsage, "amontons: --accept is '" + word + "', it must be one of: exact, convexified, safe");
}

Json law_json(const LawTally& tally, AcceptedAnswers accept) {
  Json asked = Json::array(), answers = Json::object();
  for (const LawKind law : tally.asked()) asked.push_back(to_string(law));
  for (const auto& [status, answer] : tally.answers()) {
    answers[to_string(status)] = answer_json(answer);
  }
  return {{"text", tally.text()},
          {"asked", std::move(asked)},
          {"steps", tally.num_steps()},
          {"with_law_asked", tally.num_asked()},
          {"acceptable", tally.num_acceptable()},
          {"tolerance", tally.tolerance()},
          {"answers", std::move(answers)},
          {"certificate_missed", missed_json(tally.uncertified())},
          {"accept", to_string(accept)},
          {"accepted", tally.is_accepted(accept)}};
}

}  // namespace amontons::cli
