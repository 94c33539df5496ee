#include "experiments/html.h"

#include "experiments/svg_plot.h"
#include "experiments/typeset.h"

#include <fmt/format.h>

namespace amontons::experiments {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--line:#8884;--pass:#059669;--fail:#dc2626;--late:#d97706}
body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem}h3{font-size:.95rem;margin:.6rem 0 0}
a{color:inherit}code{font-size:.9em;overflow-wrap:anywhere}
.source{opacity:.7;font-size:.9rem}.claim{border-left:3px solid var(--line);padding-left:1rem}
.wide{overflow-x:auto}.narrow table{font-size:.8rem}
.narrow td,.narrow th{padding:.25rem .35rem}.narrow td:not(:last-child),.narrow th{white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:1rem 0}
td,th{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
td{font-variant-numeric:tabular-nums}
.pass{color:var(--pass);font-weight:600}.fail{color:var(--fail);font-weight:600}
.late{color:var(--late);font-weight:600}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:1rem}
figure{margin:0;min-width:0}svg{max-width:100%;height:auto}figcaption{font-weight:600;font-size:.9rem}
)";

}  // namespace

std::string escape_html(const std::string& text) {
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
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string with_code(const std::string& text, std::string (*escape)(const std::string&)) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('`', at);
    const std::size_t close =
        open == std::string::npos ? std::string::npos : text.find('`', open + 1);
    if (close == std::string::npos) return result + typeset(text.substr(at), escape);
    result += typeset(text.substr(at, open - at), escape) + "<code>" +
              escape(text.substr(open + 1, close - open - 1)) + "</code>";
    at = close + 1;
  }
}

std::string html_table(const Table& table) {
  std::string out = "<figure class=\"wide\">";
  if (!table.title.empty()) {
    out += fmt::format("<figcaption>{}</figcaption>", escape_html(table.title));
  }
  out += "<table><thead><tr>";
  for (const std::string& cell : table.header) out += "<th>" + html_prose(cell) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + html_prose(cell) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></figure>\n";
}

std::string html_figures(const std::vector<Figure>& figures, const std::vector<Table>& tables) {
  std::string out = "<div class=\"figures\">\n";
  for (const Figure& figure : figures) out += "<figure>" + to_svg(figure) + "</figure>\n";
  for (const Table& table : tables) out += html_table(table);
  return out + "</div>\n";
}

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"generator\" content=\"Amontons\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>Amontons: {0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n{2}"
      "</body></html>\n",
      escape_html(title), kStyle, body);
}

}  // namespace amontons::experiments
