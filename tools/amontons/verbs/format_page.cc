#include "tools/amontons/verbs/format_page.h"

#include "amontons/io/common/format_map.h"
#include "amontons/io/hdf5/hdf5_formats.h"
#include "amontons/io/run/run_judged.h"
#include "amontons/io/scene/scene_format.h"
#include "experiments/markdown_lines.h"
#include "tools/amontons/verbs/page_texts.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace amontons::cli {
namespace {

using io::FormatKey;
using io::FormatMap;

/// Returns the text as a cell of a table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// Returns "`a`, `b`".
std::string words(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

/// Returns "0 a, 1 b".
std::string codes(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(i) + " " + names[i];
  }
  return text;
}

/// Returns a default; one that a file can contain as it is written is a code span.
std::string usual(const FormatKey& key) {
  const std::string& text = key.otherwise;
  const bool is_choice = std::count(key.choices.begin(), key.choices.end(), text) > 0;
  const bool is_value = is_choice || text == "true" || text == "false" || text == "default" ||
                        text.find_first_not_of("0123456789e-+.") == std::string::npos;
  return is_value && !text.empty() ? "`" + text + "`" : text;
}

/// Returns the heading of a table and the text above the table.
std::string heading(const FormatMap& map) {
  std::string text = "\n## " + std::string(1, static_cast<char>(std::toupper(map.place.front()))) +
                     map.place.substr(1) + "\n\n";
  if (map.meaning.empty()) return text;
  return text + experiments::markdown_lines(map.meaning) + "\n\n";
}

/// Says of a dataset how verification judges it.
using Judge = std::function<std::string(std::string_view dataset)>;

/// Returns the table of a map. Files that people write have a column of defaults, runs a column
/// that says how verification judges a value.
std::string table(const FormatMap& map, bool defaults, const Judge& judge) {
  std::string text = defaults
                         ? "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n"
                     : judge ? "| name | type | unit | meaning | judged |\n|---|---|---|---|---|\n"
                             : "| name | type | unit | meaning |\n|---|---|---|---|\n";
  for (const FormatKey& key : map.keys) {
    const bool chosen = defaults && !key.choices.empty();
    text += "| `" + key.name + "` | " + (chosen ? words(key.choices) : cell(key.value)) + " | " +
            key.unit + " | ";
    if (defaults) text += usual(key) + " | ";
    if (!defaults && !key.choices.empty()) text += codes(key.choices) + ". ";
    text += cell(key.meaning) + " |";
    if (judge) text += " " + cell(judge(key.name)) + " |";
    text += "\n";
  }
  return text;
}

std::string page(const char* before, const std::vector<FormatMap>& maps, bool defaults,
                 const char* after, const Judge& judge = {}) {
  std::string text = before;
  for (const FormatMap& map : maps) text += heading(map) + table(map, defaults, judge);
  return text + after;
}

}  // namespace

std::string scene_format_page() {
  return page(kSceneFormatBefore, io::scene_format(), true, kSceneFormatAfter);
}

std::string run_format_page() {
  return page(kRunFormatBefore, io::run_format(), false, kRunFormatAfter, &io::judgement);
}

std::string problem_format_page() {
  return page(kProblemFormatBefore, io::contact_problem_format(), false, kProblemFormatAfter);
}

}  // namespace amontons::cli
