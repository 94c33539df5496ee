#include "experiments/wrap_text.h"

#include <algorithm>
#include <vector>

namespace amontons::experiments {
namespace {

/// Counts code points: the pages are UTF-8, and its continuation bytes take no column.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Returns the position after a closing mark that follows `from`, or `from` if there is none.
std::size_t after(std::string_view text, std::string_view mark, std::size_t from) {
  const std::size_t found = text.find(mark, from);
  return found == std::string_view::npos ? from : found + mark.size();
}

/// Returns the end of the code span, link or element that begins at `at`, or `at + 1` if none does.
std::size_t end_of_unit(std::string_view text, std::size_t at) {
  if (text[at] == '`') return after(text, "`", at + 1);
  if (text.substr(at).starts_with("<code>")) return after(text, "</code>", at + 1);
  if (text[at] == '[') {
    const std::size_t middle = text.find("](", at);
    const std::size_t next = text.find('[', at + 1);
    if (middle != std::string_view::npos && next > middle) return after(text, ")", middle);
  }
  return at + 1;
}

/// Splits at spaces outside code spans, links and elements.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != ' ' && text[at] != '\n') {
      at = end_of_unit(text, at);
      continue;
    }
    if (at > start) words.push_back(text.substr(start, at - start));
    start = ++at;
  }
  if (start < text.size()) words.push_back(text.substr(start));
  return words;
}

/// Returns true for a word that starts a list, heading, quotation or table at a line's start.
bool is_mark_of_markdown(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string_view rest = word.substr(digits);
  if (digits > 0) return rest == "." || rest == ")";
  if (word.front() == '#' || word.front() == '>') return true;
  return word.size() == 1 && std::string_view("-+*|=~").find(word.front()) < 6;
}

}  // namespace

std::string wrap_text(std::string_view text, std::size_t width, std::string_view indent) {
  std::string result;
  std::size_t used = 0;
  const std::vector<std::string_view> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    // A word and the marks that follow it stay together, so that no line starts with a mark.
    std::string unit(words[i]);
    while (i + 1 < words.size() && is_mark_of_markdown(words[i + 1])) {
      unit += " " + std::string(words[++i]);
    }
    const std::size_t length = columns(unit);
    if (used > 0 && used + 1 + length > width) {
      result += "\n" + std::string(indent);
      used = columns(indent);
    } else if (used > 0) {
      result += ' ';
      ++used;
    }
    result += unit;
    used += length;
  }
  return result;
}

}  // namespace amontons::experiments
