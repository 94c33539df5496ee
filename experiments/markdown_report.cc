#include "experiments/html.h"
#include "experiments/markdown_lines.h"
#include "experiments/report.h"
#include "experiments/svg_plot.h"
#include "experiments/wrap_text.h"

#include <fmt/format.h>

namespace amontons::experiments {
namespace {

/// Returns the text with entities for characters that some dialect of Markdown gives a meaning;
/// all dialects leave entities alone, also in tables.
std::string escape(const std::string& text) {
  constexpr std::string_view kSpecial = "<>&\"*_`|[]~#\\$!";
  std::string result;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) {
      result += fmt::format("&#{};", static_cast<int>(c));
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string prose(const std::string& text) { return with_code(text, escape); }

std::string row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + prose(cell) + " |";
  return out + "\n";
}

std::string table(const Table& t) {
  std::string out = t.title.empty() ? "" : markdown_lines("**" + escape(t.title) + "**") + "\n\n";
  out += row(t.header) + "|";
  for (std::size_t i = 0; i < t.header.size(); ++i) out += "---|";
  out += "\n";
  for (const std::vector<std::string>& cells : t.rows) out += row(cells);
  return out + "\n";
}

const char* word(bool passed) { return passed ? "pass" : "FAIL"; }

/// Returns the title, the command that writes the page, and date, machine and build.
std::string origin(const Report& report) {
  const bool papers = report.set == ExperimentSet::Papers;
  std::string out = papers ? "# Published experiments, reproduced\n\n" : "# Public scenes\n\n";
  out += markdown_lines(
      fmt::format("Written by `amontons reproduce {} --markdown FILE.md`: {} of {} experiments "
                  "pass{}.",
                  papers ? "--all" : "--set public", num_passed(report.reproductions, false),
                  report.reproductions.size(), report.origin.full ? ", at the papers' sizes" : ""));
  return out + fmt::format("\n\n- date: {}\n- machine: {}\n- build: {}\n\n",
                           escape(report.origin.date), escape(report.origin.machine),
                           escape(report.origin.build));
}

/// Returns the table of published figures beside ours, with its heading; nothing without figures.
std::string published_beside_ours(const Report& report) {
  const Table figures = comparison_table(report.reproductions);
  return figures.rows.empty() ? "" : "## Published figures beside ours\n\n" + table(figures);
}

/// Opens a page of public scenes: each published figure beside ours.
std::string head_of_scenes(const Report& report) {
  std::string out = origin(report);
  out += markdown_lines(
      "These scenes are test scenes that others published for simulators. "
      "Their geometry is written from the published numbers. "
      "Where no figure is published, a closed form or a law of conservation is the reference. "
      "The law asked is Coulomb's unless the scene says otherwise; its residual is at most 1e-8. "
      "In an acceptable step no method comes so near: it has the best iterate of the law, at most "
      "1e-4 off ([Fallbacks](concepts.md#fallbacks)); the worst is named here, and the first ten "
      "in the section of the scene. "
      "[Reproduction](reproduction.md) has the experiments of the papers, "
      "[Benchmarks](benchmarks.md#public-scenes) other simulators on the scenes that they can "
      "express.");
  out +=
      "\n\n| | scene | source | size there | size here | verdict | criteria met "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const Reproduction& r : report.reproductions) {
    out +=
        fmt::format("| {} | [{}](#{}) | {} | {} | {} | {} | {} |\n", word(r.passed(false)),
                    escape(r.claim.title), r.claim.name, escape(r.claim.source),
                    escape(r.claim.paper_size), escape(own_size(r, report.origin.full)),
                    escape(verdict_in_words(r, report.origin.full, false)), criteria_met(r, false));
  }
  return out + "\n" + published_beside_ours(report);
}

std::string head(const Report& report) {
  if (report.set == ExperimentSet::Public) return head_of_scenes(report);
  std::string out = origin(report);
  out += markdown_lines(
      "The experiments come first, then the [errata of the papers](#errata). "
      "[Published experiments](published-experiments.md) explains the codes, such as E01, R01 and "
      "T03. The letters (a), (b) number the criteria of one experiment.");

  // One row for each experiment leads to its section.
  out +=
      "\n\n| | experiment | source | size there | size here | verdict | steps with the law asked | "
      "criteria met |\n|---|---|---|---|---|---|---|---|\n";
  for (const Reproduction& r : report.reproductions) {
    out += fmt::format("| {} | [{}](#{}) | {} | {} | {} | {} | {} | {} |\n", word(r.passed(false)),
                       escape(r.claim.title), r.claim.name, escape(r.claim.source),
                       escape(r.claim.paper_size), escape(own_size(r, report.origin.full)),
                       escape(verdict_in_words(r, report.origin.full, false)),
                       steps_with_law_asked(r), criteria_met(r, false));
  }
  return out + "\n" + published_beside_ours(report);
}

/// Returns the table of criteria. A long table is folded, with the failed rows above it.
std::string criteria(const Findings& findings) {
  constexpr std::size_t kShown = 12;
  const std::vector<std::string> header = {"", "must hold", "found", "criterion"};
  Table all{"", header, {}}, failed{"", header, {}};

  // Wall times differ between machines, so they are counted only.
  int timings = 0;
  for (const Expectation& e : findings.expectations) {
    if (e.timing) {
      ++timings;
      continue;
    }
    all.rows.push_back({verdict(e), e.text, e.result, e.criterion});
    if (!e.passed) failed.rows.push_back(all.rows.back());
  }

  // The table, folded where it is long.
  std::string out;
  if (all.rows.size() <= kShown) {
    out = table(all);
  } else {
    if (!failed.rows.empty()) out = table(failed);
    out += fmt::format(
        "<details markdown=\"1\"><summary>All {} criteria</summary>\n\n{}</details>\n\n",
        all.rows.size(), table(all));
  }
  if (timings > 0) {
    out += fmt::format("Not here: {} criteri{} on wall times.\n\n", timings,
                       timings == 1 ? "on" : "a");
  }
  return out;
}

/// Returns the picture of a scene, if it lies beside the page.
std::string picture(const Claim& claim, const std::filesystem::path& pictures) {
  if (claim.picture.empty() || !std::filesystem::exists(pictures / claim.picture)) return "";
  return fmt::format("![{}]({}/{})\n\n", escape(claim.title), pictures.filename().string(),
                     claim.picture);
}

std::string section(const Reproduction& r, const Report& report, const std::string& folder,
                    std::vector<MarkdownReport::Image>& images) {
  // The heading, the codes of the experiment and the claim.
  std::string out = fmt::format("<a id=\"{0}\"></a>\n\n## {1}: {2}\n\n", r.claim.name,
                                escape(r.claim.title), word(r.passed(false)));
  out += markdown_lines(fmt::format("<code>amontons reproduce {}</code> - {} - {}", r.claim.name,
                                    escape(r.claim.rows), escape(r.claim.source)));
  out += "\n\n" + markdown_lines("> **Claim.** " + prose(r.claim.claim), "> ") + "\n>\n" +
         markdown_lines("> **Parameters.** " + prose(r.claim.parameters), "> ") + "\n\n";
  if (!r.error.empty()) out += "**Error:** " + escape(r.error) + "\n\n";

  // Each figure is a file of its own, which the page shows.
  out += picture(r.claim, report.pictures);
  for (std::size_t i = 0; i < r.findings.figures.size(); ++i) {
    const Figure& figure = r.findings.figures[i];
    const std::string name = fmt::format("{}-{}.svg", r.claim.name, i + 1);
    // The link stands below the picture, so that its line stays short.
    out += fmt::format("![{0}][{1}]\n\n[{1}]: {2}/{1}\n\n", escape(figure.title), name, folder);
    images.push_back({name, to_svg_file(figure)});
  }

  // Tables, notes and the criteria close the section.
  for (const Table& t : r.findings.tables) out += table(t);
  for (const std::string& note : r.findings.notes) {
    out += markdown_lines(prose(note)) + "\n\n";
  }
  // Steps in several simulations of one scene follow each other.
  const Table apart = steps_apart_table(r);
  if (report.set == ExperimentSet::Public && !apart.rows.empty()) out += table(apart);
  return out + criteria(r.findings);
}

/// Returns an item of a list. Its parts are lines of the page and begin lines of its source.
std::string errata_item(const Erratum& e) {
  std::vector<std::string> parts = {
      fmt::format("- **{}** ({}), {}.", e.id, e.severity, prose(e.where)),
      "Printed: " + prose(e.printed) + ".", "Right: " + prose(e.right) + "."};
  std::string shown;
  for (const std::string& place : e.shown_by) {
    shown += (shown.empty() ? "<code>" : ", <code>") + escape(place) + "</code>";
  }
  if (!shown.empty()) parts.push_back("Shown by " + shown + ".");

  // The first line of a part is indented here, the others by wrap_text.
  std::string out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k + 1 < parts.size()) parts[k] += "<br>";
    const std::string indent = k == 0 ? "" : "  ";
    out += indent + wrap_text(parts[k], kPageWidth - indent.size(), "  ") + "\n";
  }
  return out;
}

std::string errata(const std::vector<PaperErrata>& papers, const char* heading) {
  std::string out = wrap_text(escape(severity_key()), kPageWidth, "") + "\n\n";
  for (const PaperErrata& paper : papers) {
    out += fmt::format("{} {}: {}\n\n", heading, escape(paper.id), escape(paper.paper));
    if (!paper.title.empty()) {
      out += wrap_text(escape(paper.title) + ".", kPageWidth, "") + "\n\n";
    }
    for (const Erratum& e : paper.entries) out += errata_item(e);
    out += "\n";
  }
  out.pop_back();  // one line end closes the page
  return out;
}

}  // namespace

std::string errata_page(const std::vector<PaperErrata>& papers) {
  return "# Errata of the papers\n\n"
         "<!-- Made by `amontons manual errata`; edit experiments/errata.yaml. -->\n\n"
         "Places of the five papers that do not hold as they are printed.\n"
         "Each was found by a numeric example or by an argument of a line.\n"
         "Comments and tests cite an erratum by its id, for example errata AH-6.\n\n" +
         errata(papers, "##");
}

MarkdownReport to_markdown(const Report& report, const std::string& image_folder) {
  MarkdownReport result;
  result.text = head(report);
  for (const Reproduction& r : report.reproductions) {
    result.text += section(r, report, image_folder, result.images);
  }
  if (report.set == ExperimentSet::Papers) {
    result.text +=
        "<a id=\"errata\"></a>\n\n## Errata of the papers\n\n" + errata(report.errata, "###");
  } else {
    result.text.pop_back();  // one line end closes the page
  }
  return result;
}

}  // namespace amontons::experiments
