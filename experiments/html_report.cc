#include "experiments/html.h"
#include "experiments/report.h"

#include <fmt/format.h>

namespace amontons::experiments {
namespace {

std::string badge(bool passed) {
  return passed ? "<span class=\"pass\">pass</span>" : "<span class=\"fail\">FAIL</span>";
}

std::string head(const Report& report) {
  std::string out = fmt::format(
      "<p>{} of {} experiments pass{}.</p>\n<p class=\"source\">{} &middot; {} &middot; {}</p>\n",
      num_passed(report.reproductions, report.with_timing), report.reproductions.size(),
      report.origin.full ? ", at the papers' sizes" : "", escape_html(report.origin.date),
      escape_html(report.origin.machine), escape_html(report.origin.build));
  out +=
      "<nav><table><thead><tr><th></th><th>experiment</th><th>source</th><th>size there</th>"
      "<th>size here</th><th>verdict</th><th>steps with the law asked</th><th>criteria "
      "met</th></tr>"
      "</thead><tbody>\n";
  for (const Reproduction& r : report.reproductions) {
    out += fmt::format(
        "<tr><td>{}</td><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td></tr>\n",
        badge(r.passed(report.with_timing)), escape_html(r.claim.name), escape_html(r.claim.title),
        escape_html(r.claim.source), escape_html(r.claim.paper_size),
        escape_html(own_size(r, report.origin.full)),
        escape_html(verdict_in_words(r, report.origin.full, report.with_timing)),
        steps_with_law_asked(r), criteria_met(r, report.with_timing));
  }
  const Table figures = comparison_table(report.reproductions);
  const std::string published =
      figures.rows.empty() ? "" : "<h2>Published figures beside ours</h2>\n" + html_table(figures);
  if (report.set == ExperimentSet::Public) return out + "</tbody></table></nav>\n" + published;
  return out +
         "</tbody></table><p><a href=\"#errata\">Errata of the papers</a></p></nav>\n"
         "<p>The page <code>docs/published-experiments.md</code> explains the codes, such as "
         "E01, R01 and T03.</p>\n" +
         published;
}

std::string section(const Reproduction& r, bool passed) {
  std::string out = fmt::format(
      "<section id=\"{0}\"><h2>{1} {2}</h2>\n"
      "<p class=\"source\"><code>amontons reproduce {0}</code> &middot; {3} &middot; {4} &middot; "
      "{5:.1f} s</p>\n<div class=\"claim\"><h3>Claim</h3><p>{6}</p><h3>Parameters</h3><p>{7}</p>"
      "</div>\n",
      escape_html(r.claim.name), escape_html(r.claim.title), badge(passed),
      escape_html(r.claim.rows), escape_html(r.claim.source), r.wall_time_s,
      html_prose(r.claim.claim), html_prose(r.claim.parameters));
  if (!r.error.empty()) out += fmt::format("<p class=\"fail\">{}</p>\n", escape_html(r.error));
  out +=
      "<table><thead><tr><th></th><th>must hold</th><th>found</th><th>criterion</th></tr></thead>"
      "<tbody>\n";
  for (const Expectation& e : r.findings.expectations) {
    out += fmt::format("<tr><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       e.passed ? "pass" : (e.timing ? "late" : "fail"), verdict(e),
                       html_prose(e.text), escape_html(e.result), escape_html(e.criterion));
  }
  out += "</tbody></table>\n" + html_figures(r.findings.figures, r.findings.tables);
  if (const Table apart = steps_apart_table(r); !apart.rows.empty()) out += html_table(apart);
  for (const std::string& note : r.findings.notes) out += "<p>" + html_prose(note) + "</p>\n";
  if (!r.findings.runs.empty()) {
    out += "<p class=\"source\">Runs:";
    for (const std::string& run : r.findings.runs) out += " <code>" + escape_html(run) + "</code>";
    out += "</p>\n";
  }
  return out + "</section>\n";
}

// The last column names experiments and tests as code.
Table errata_table(const PaperErrata& paper) {
  Table table{"", {"id", "severity", "where", "printed", "right", "shown by"}, {}};
  for (const Erratum& e : paper.entries) {
    std::string shown;
    for (const std::string& where : e.shown_by) {
      shown += (shown.empty() ? "`" : ", `") + where + "`";
    }
    table.rows.push_back({e.id, std::string(1, e.severity), e.where, e.printed, e.right, shown});
  }
  return table;
}

std::string errata(const std::vector<PaperErrata>& papers) {
  std::string out = fmt::format("<section id=\"errata\"><h2>Errata of the papers</h2>\n<p>{}</p>\n",
                                escape_html(severity_key()));
  for (const PaperErrata& paper : papers) {
    const std::string title = paper.title.empty() ? paper.paper : paper.paper + ": " + paper.title;
    out += fmt::format("<h3>{}</h3>\n{}", escape_html(title), html_table(errata_table(paper)));
  }
  return out + "</section>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  std::string body = head(report);
  for (const Reproduction& r : report.reproductions)
    body += section(r, r.passed(report.with_timing));
  if (report.set == ExperimentSet::Public) return html_page("Public scenes", body);
  return html_page("Published experiments, reproduced", body + errata(report.errata));
}

}  // namespace amontons::experiments
