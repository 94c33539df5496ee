#include "amontons/io/common/parse_error.h"
#include "experiments/report.h"

#include <yaml-cpp/yaml.h>

#include <fstream>

namespace amontons::experiments {

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
    return {folder.filename().string(), text("title"), text("rows"), text("source"), text("claim"),
            text("parameters")};
  } catch (const YAML::Exception& error) {
    throw io::ParseError(file.string(), error.mark.line + 1, error.mark.column + 1, error.msg);
  }
}

}  // namespace amontons::experiments
