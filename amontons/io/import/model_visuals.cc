#include "amontons/io/import/model_visuals.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/mesh/visual_mesh.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace amontons::io {

void add_mesh_visual(ModelVisual part, const std::string& uri, const std::string& model_file,
                     InputFiles& inputs, ModelVisuals& visuals) {
  try {
    const InputFile file = inputs.read_look(uri, model_file);
    part.mesh = file.path;
    // The files that it names lie in its folder.
    for (const std::string& name : files_of_mesh(file.path, file.bytes)) {
      const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
      const std::string given = uri.substr(0, uri.rfind('/') + 1);
      if (visuals.files.count(folder + name) > 0) continue;
      try {
        visuals.files[folder + name] = inputs.read_look(given + name, model_file).bytes;
      } catch (const ParseError&) {
        visuals.missing.push_back(given + name);
      }
    }
    visuals.files.emplace(file.path, file.bytes);
    visuals.parts.push_back(std::move(part));
  } catch (const ParseError&) {
    std::vector<std::string>& missing = visuals.missing;
    if (std::find(missing.begin(), missing.end(), uri) == missing.end()) missing.push_back(uri);
  }
}

void note_missing_look(const std::string& uri, const std::string& model_file,
                       const InputFiles& inputs, const std::string& element,
                       const SourceLocation& where, ImportLedger& ledger) {
  if (inputs.knows_look(uri, model_file)) return;
  const auto own =
      std::find_if(ledger.entries.begin(), ledger.entries.end(), [&](const LedgerEntry& entry) {
        return entry.element == element && entry.where.file == where.file &&
               entry.where.line == where.line;
      });
  if (own != ledger.entries.end()) own->reason = missing_look(uri);
}

std::string missing_look(const std::string& uri) {
  return "looks only: its mesh '" + uri + "' is missing, so that the replay does not draw it";
}

std::vector<double> visual_numbers(const char* text, std::size_t count) {
  std::istringstream words(text != nullptr ? text : "");
  std::vector<double> numbers;
  for (std::string word; words >> word;) {
    numbers.push_back(0.0);
    if (!parse_number(word, numbers.back()).empty()) return {};
  }
  return numbers.size() == count ? numbers : std::vector<double>();
}

std::optional<Rgba> visual_color(const char* text) {
  std::vector<double> numbers = visual_numbers(text, 4);
  if (numbers.empty()) {
    numbers = visual_numbers(text, 3);
    numbers.push_back(1.0);
  }
  if (numbers.size() != 4) return std::nullopt;
  Rgba color{};
  for (std::size_t k = 0; k < 4; ++k) {
    color[k] = static_cast<float>(std::clamp(numbers[k], 0.0, 1.0));
  }
  return color;
}

}  // namespace amontons::io
