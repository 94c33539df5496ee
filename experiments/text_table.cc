#include "experiments/text_table.h"

#include <algorithm>
#include <vector>

namespace amontons::experiments {
namespace {

/// Width of text in a terminal: the characters of UTF-8, not its bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string text_table(const Table& table, std::size_t indent) {
  std::vector<std::vector<std::string>> lines{table.header};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.header.size(), 0);
  for (const std::vector<std::string>& cells : lines) {
    for (std::size_t k = 0; k < cells.size() && k < widths.size(); ++k) {
      widths[k] = std::max(widths[k], width_of(cells[k]));
    }
  }
  std::string out;
  for (const std::vector<std::string>& cells : lines) {
    std::string line(indent, ' ');
    for (std::size_t k = 0; k < cells.size() && k < widths.size(); ++k) {
      line += cells[k] + std::string(widths[k] - width_of(cells[k]) + 2, ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace amontons::experiments
