#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/system/law_tally.h"
#include "experiments/report.h"

#include <yaml-cpp/yaml.h>

#include <fstream>

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

}  // namespace

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
    Claim claim{
        folder.filename().string(), text("title"), text("rows"), text("source"), text("claim"),
        text("parameters")};
    if (root["accept"]) claim.accept = accepted(file.string(), root["accept"]);
    return claim;
  } catch (const YAML::Exception& error) {
    throw io::ParseError(file.string(), error.mark.line + 1, error.mark.column + 1, error.msg);
  }
}

}  // namespace amontons::experiments
