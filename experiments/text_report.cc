#include "experiments/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace amontons::experiments {
namespace {

/// Width of text in a terminal: the characters of UTF-8, not its bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string text_table(const Table& table) {
  std::vector<std::vector<std::string>> lines{table.header};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.header.size(), 0);
  for (const std::vector<std::string>& cells : lines) {
    for (std::size_t k = 0; k < cells.size() && k < widths.size(); ++k) {
      widths[k] = std::max(widths[k], width_of(cells[k]));
    }
  }
  std::string out = "  table   " + table.title + "\n";
  for (const std::vector<std::string>& cells : lines) {
    std::string text = "          ";
    for (std::size_t k = 0; k < cells.size() && k < widths.size(); ++k) {
      text += cells[k] + std::string(widths[k] - width_of(cells[k]) + 2, ' ');
    }
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace

std::string to_text(const Reproduction& r, bool with_timing) {
  std::string out = fmt::format("{} - {}\n  {}\n  claim: {}\n", r.claim.name, r.claim.title,
                                r.claim.source, r.claim.claim);
  for (const Expectation& e : r.findings.expectations) {
    out += fmt::format("  {:<7} {}: {} ({}{})\n", verdict(e), e.text, e.result,
                       e.timing ? "timing: " : "", e.criterion);
  }
  for (const Table& table : r.findings.tables) out += text_table(table);
  for (const std::string& note : r.findings.notes) out += "  note    " + note + "\n";
  if (!r.error.empty()) out += "  error   " + r.error + "\n";
  out += fmt::format("  {} in {:.1f} s\n", r.passed(with_timing) ? "PASS" : "FAIL", r.wall_time_s);
  return out;
}

}  // namespace amontons::experiments
