#include "experiments/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace amontons::experiments {
namespace {

const char* verdict(const Expectation& expectation) {
  if (expectation.timing) return expectation.passed ? "met" : "not met";
  return expectation.passed ? "pass" : "FAIL";
}

std::string line(const Expectation& e) {
  return fmt::format("  {:<7} {}: {} ({}{})\n", verdict(e), e.text, e.result,
                     e.timing ? "timing: " : "", e.criterion);
}

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

void append_table(std::string& out, const Table& table) {
  out += fmt::format("<figure><figcaption>{}</figcaption><table><thead><tr>", escape(table.title));
  for (const std::string& cell : table.header) out += fmt::format("<th>{}</th>", escape(cell));
  out += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += fmt::format("<td>{}</td>", escape(cell));
    out += "</tr>\n";
  }
  out += "</tbody></table></figure>\n";
}

/// Width of text in a terminal: the characters of UTF-8, not its bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string to_text(const Table& table) {
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

void append_reproduction(std::string& out, const Reproduction& r, bool with_timing) {
  const bool passed = r.passed(with_timing);
  out += fmt::format(
      "<section id=\"{0}\"><h2>{1} <span class=\"{2}\">{3}</span></h2>\n"
      "<p class=\"source\"><code>amontons reproduce {0}</code> &middot; {4} &middot; {5}</p>\n"
      "<div class=\"claim\"><h3>What the paper "
      "says</h3><p>{6}</p><h3>Parameters</h3><p>{7}</p></div>\n",
      escape(r.claim.name), escape(r.claim.title), passed ? "pass" : "fail",
      passed ? "pass" : "fail", escape(r.claim.rows), escape(r.claim.source), escape(r.claim.claim),
      escape(r.claim.parameters));
  if (!r.error.empty()) out += fmt::format("<p class=\"fail\">{}</p>\n", escape(r.error));
  out +=
      "<table><thead><tr><th></th><th>must "
      "hold</th><th>found</th><th>criterion</th></tr></thead><tbody>\n";
  for (const Expectation& e : r.findings.expectations) {
    out += fmt::format("<tr><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       e.passed ? "pass" : (e.timing ? "late" : "fail"), verdict(e), escape(e.text),
                       escape(e.result), escape(e.criterion));
  }
  out += "</tbody></table>\n<div class=\"figures\">\n";
  for (const Figure& figure : r.findings.figures) {
    out += "<figure>" + to_svg(figure) + "</figure>\n";
  }
  for (const Table& table : r.findings.tables) append_table(out, table);
  out += "</div>\n";
  for (const std::string& note : r.findings.notes) out += fmt::format("<p>{}</p>\n", escape(note));
  if (!r.findings.runs.empty()) {
    out += "<p class=\"source\">Runs:";
    for (const std::string& run : r.findings.runs)
      out += fmt::format(" <code>{}</code>", escape(run));
    out += "</p>\n";
  }
  out += "</section>\n";
}

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--line:#8884;--pass:#059669;--fail:#dc2626;--late:#d97706}
body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem}h3{font-size:.95rem;margin:.6rem 0 0}
.source{opacity:.7;font-size:.9rem}.claim{border-left:3px solid var(--line);padding-left:1rem}
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:1rem 0}
td,th{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
td:nth-child(3){font-variant-numeric:tabular-nums}
.pass{color:var(--pass);font-weight:600}.fail{color:var(--fail);font-weight:600}
.late{color:var(--late);font-weight:600}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:1rem}
figure{margin:0}figcaption{font-weight:600;font-size:.9rem}
)";

}  // namespace

std::string to_text(const Reproduction& r, bool with_timing) {
  std::string out = fmt::format("{} - {}\n  {}\n  claim: {}\n", r.claim.name, r.claim.title,
                                r.claim.source, r.claim.claim);
  for (const Expectation& expectation : r.findings.expectations) out += line(expectation);
  for (const Table& table : r.findings.tables) out += to_text(table);
  for (const std::string& note : r.findings.notes) out += "  note    " + note + "\n";
  if (!r.error.empty()) out += "  error   " + r.error + "\n";
  out += fmt::format("  {} in {:.1f} s\n", r.passed(with_timing) ? "PASS" : "FAIL", r.wall_time_s);
  return out;
}

std::string to_json(const std::vector<Reproduction>& reproductions, bool with_timing) {
  nlohmann::json array = nlohmann::json::array();
  for (const Reproduction& r : reproductions) {
    nlohmann::json expectations = nlohmann::json::array();
    for (const Expectation& e : r.findings.expectations) {
      expectations.push_back({{"text", e.text},
                              {"result", e.result},
                              {"criterion", e.criterion},
                              {"passed", e.passed},
                              {"timing", e.timing}});
    }
    nlohmann::json tables = nlohmann::json::array();
    for (const Table& table : r.findings.tables) {
      tables.push_back({{"title", table.title}, {"header", table.header}, {"rows", table.rows}});
    }
    array.push_back({{"name", r.claim.name},
                     {"title", r.claim.title},
                     {"rows", r.claim.rows},
                     {"source", r.claim.source},
                     {"claim", r.claim.claim},
                     {"passed", r.passed(with_timing)},
                     {"error", r.error},
                     {"wall_time_s", r.wall_time_s},
                     {"expectations", std::move(expectations)},
                     {"tables", std::move(tables)},
                     {"notes", r.findings.notes},
                     {"runs", r.findings.runs}});
  }
  return array.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string to_html(const std::vector<Reproduction>& reproductions, bool with_timing) {
  const auto passed =
      std::count_if(reproductions.begin(), reproductions.end(),
                    [with_timing](const Reproduction& r) { return r.passed(with_timing); });
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>Amontons: published experiments, "
      "reproduced</title>\n<style>{}</style></head>\n<body>\n"
      "<h1>Published experiments, reproduced</h1>\n<p>{} of {} pass.</p>\n",
      kStyle, passed, reproductions.size());
  for (const Reproduction& r : reproductions) append_reproduction(out, r, with_timing);
  out += "</body></html>\n";
  return out;
}

}  // namespace amontons::experiments
