#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/system/law_tally.h"
#include "experiments/report.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace amontons::experiments {
namespace {

/// Reads the key `accept`: a word of AcceptedAnswers, or `any`.
std::optional<AcceptedAnswers> accepted(const std::string& file, const YAML::Node& value) {
  const std::string word = value.as<std::string>();
  if (word == "any") return std::nullopt;
  for (const AcceptedAnswers accept :
       {AcceptedAnswers::Exact, AcceptedAnswers::Convexified, AcceptedAnswers::Safe}) {
    if (word == to_string(accept)) return accept;
  }
  throw io::ParseError(file, value.Mark().line + 1, value.Mark().column + 1,
                       "accept is '" + word + "', it must be exact, convexified, safe or any");
}

/// Reads a verdict, which begins with one of the words.
std::string verdict(const std::string& file, const YAML::Node& value) {
  const std::string text = value.as<std::string>();
  if (begins_with_verdict_word(text)) return text;
  std::string list;
  for (const std::string& word : verdict_words()) list += (list.empty() ? "" : ", ") + word;
  throw io::ParseError(
      file, value.Mark().line + 1, value.Mark().column + 1,
      "the verdict must begin with one of: " + list + "; a reason may follow after a colon");
}

}  // namespace

const std::vector<std::string>& verdict_words() {
  static const std::vector<std::string> words = {"reproduced", "reproduced smaller",
                                                 "not reproduced", "contradicted", "reference"};
  return words;
}

bool begins_with_verdict_word(const std::string& verdict) {
  const std::vector<std::string>& words = verdict_words();
  return std::any_of(words.begin(), words.end(), [&verdict](const std::string& word) {
    return verdict == word || verdict.rfind(word + ":", 0) == 0;
  });
}

Claim load_claim(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "claim.yaml";
  if (!std::filesystem::exists(file)) {
    throw io::ParseError(file.string(), 0, 0, "no such file; every experiment needs its claim");
  }
  try {
    const YAML::Node root = YAML::LoadFile(file.string());
    const auto text = [&](const char* key) {
      if (!root[key])
        throw io::ParseError(file.string(), 0, 0, std::string("missing key '") + key + "'");
      return root[key].as<std::string>();
    };
    Claim claim;
    claim.name = folder.filename().string();
    claim.title = text("title");
    claim.rows = text("rows");
    claim.source = text("source");
    claim.claim = text("claim");
    claim.parameters = text("parameters");
    claim.paper_size = text("paper_size");
    if (root["size"]) claim.size = text("size");
    if (root["full_size"]) claim.full_size = text("full_size");
    if (root["verdict"]) claim.verdict = verdict(file.string(), root["verdict"]);
    if (root["full_verdict"]) claim.full_verdict = verdict(file.string(), root["full_verdict"]);
    if (root["picture"]) claim.picture = text("picture");
    if (root["accept"]) claim.accept = accepted(file.string(), root["accept"]);
    return claim;
  } catch (const YAML::Exception& error) {
    throw io::ParseError(file.string(), error.mark.line + 1, error.mark.column + 1, error.msg);
  }
}

}  // namespace amontons::experiments
