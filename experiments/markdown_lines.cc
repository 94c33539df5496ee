#include "experiments/markdown_lines.h"

#include "experiments/wrap_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace amontons::experiments {
namespace {

/// Words whose period ends no sentence.
constexpr std::array<std::string_view, 14> kAbbreviations = {
    "Fig.", "Figs.", "eq.",  "eqs.", "sec.", "secs.", "no.",
    "nos.", "e.g.",  "i.e.", "cf.",  "vs.",  "ch.",   "p."};

bool is_abbreviation(std::string_view word) {
  while (!word.empty() && (word.front() == '(' || word.front() == '*')) word.remove_prefix(1);
  return std::find(kAbbreviations.begin(), kAbbreviations.end(), word) != kAbbreviations.end();
}

/// Returns true if a period, a question or an exclamation mark before the space at `at` ends a
/// sentence: what follows does not begin with a small letter or a sign of arithmetic.
bool ends_sentence(std::string_view text, std::size_t at) {
  if (at == 0 || at + 1 >= text.size()) return false;
  if (std::string_view(".?!").find(text[at - 1]) == std::string_view::npos) return false;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  const bool opens = std::isupper(next) != 0 || std::isdigit(next) != 0 || next >= 0x80 ||
                     std::string_view("`<([&\"").find(text[at + 1]) != std::string_view::npos;
  const std::size_t space = text.rfind(' ', at - 1);
  return opens && !is_abbreviation(text.substr(space + 1, at - space - 1));
}

}  // namespace

std::string markdown_lines(std::string_view paragraph, std::string_view indent) {
  std::string result;
  std::size_t start = 0;
  bool is_code = false;
  for (std::size_t at = 0; at <= paragraph.size(); ++at) {
    const bool is_end = at == paragraph.size();
    if (!is_end && paragraph[at] == '`') is_code = !is_code;
    if (!is_end && (is_code || paragraph[at] != ' ' || !ends_sentence(paragraph, at))) continue;
    // The indent counts for the first line of each sentence but the first, too.
    const std::string sentence = (result.empty() ? "" : std::string(indent)) +
                                 std::string(paragraph.substr(start, at - start));
    result += (result.empty() ? "" : "\n") + wrap_text(sentence, kPageWidth, indent);
    start = at + 1;
  }
  return result;
}

}  // namespace amontons::experiments
