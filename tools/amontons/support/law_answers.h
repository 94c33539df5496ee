#pragma once

#include "amontons/simulation/system/law_tally.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace amontons::cli {

class Verb;

/// Adds --accept WORD.
void add_accept_option(Verb& verb, std::string& accept);

/// Returns the answers that a word of --accept allows, or `otherwise` for no word.
/// @throws Failure naming the words that there are.
AcceptedAnswers accepted_answers(const std::string& word, AcceptedAnswers otherwise);

/// Returns how the law asked was answered, as docs/json.md describes it.
nlohmann::ordered_json law_json(const LawTally& tally, AcceptedAnswers accept);

}  // namespace amontons::cli
