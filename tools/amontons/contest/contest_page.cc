#include "tools/amontons/contest/contest_page.h"

#include "experiments/html.h"
#include "experiments/report.h"
#include "tools/amontons/contest/contest_table.h"

#include <fmt/format.h>

#include <string>

namespace amontons::cli {
namespace {

using experiments::Figure;

Figure distance_figure(const std::vector<ContestEntry>& entries) {
  Figure figure{
      "Largest distance of a body from " + entries.front().model, "time [s]", "[m]", false, {}};
  for (const ContestEntry& entry : entries) {  // the reference too: each plot has its colors
    experiments::Curve curve{entry.model, {}, {}};
    for (const Separation& apart : separation_over_time(entry.series, entries.front().series)) {
      curve.x.push_back(apart.time);
      curve.y.push_back(apart.distance);
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Figure series_figure(const std::vector<ContestEntry>& entries, const char* title, const char* unit,
                     bool log_y, std::vector<double> ContestSeries::*values) {
  Figure figure{title, "time [s]", unit, log_y, {}};
  for (const ContestEntry& entry : entries) {
    figure.curves.push_back({entry.model, entry.series.time, entry.series.*values});
  }
  return figure;
}

// Which laws were claimed, if not one at all steps.
std::string claimed(const LawDepartures& departures) {
  std::string text;
  for (const auto& [law, steps] : departures.laws) {
    if (!text.empty()) text += ", ";
    text += to_string(law);
    if (departures.laws.size() > 1) text += fmt::format(" ({} steps)", steps);
  }
  return text.empty() ? "no contact" : text;
}

std::string explanations(const std::vector<ContestEntry>& entries,
                         const std::vector<Body>& bodies) {
  std::string out = "<h2>Which law differs, and why</h2>\n";
  for (const ContestEntry& entry : entries) {
    const Disagreement apart = disagreement(entry, entries.front());
    std::string where = "the reference";
    if (&entry != &entries.front()) {
      where = fmt::format("ends {:.2g} m from the reference", apart.distance);
      if (apart.body >= 0) where += ", by " + bodies[static_cast<std::size_t>(apart.body)].name;
    }
    out += fmt::format("<h3>{}</h3>\n<p class=\"source\">law: {} &middot; {}</p>\n<ul>\n",
                       experiments::escape_html(entry.model), claimed(entry.departures),
                       experiments::escape_html(where));
    for (const std::string& sentence : explain(entry.departures, entries.front().departures,
                                               certificate_residual(entry, "coulomb"))) {
      out += "<li>" + experiments::escape_html(sentence) + "</li>\n";
    }
    out += "</ul>\n";
  }
  return out;
}

}  // namespace

std::string contest_page(const std::vector<ContestEntry>& entries, const std::vector<Body>& bodies,
                         const std::string& scene) {
  const experiments::Origin origin = experiments::find_origin(false);
  std::string body = fmt::format(
      "<p class=\"source\">{} &middot; {} &middot; {} &middot; {}</p>\n<div "
      "class=\"narrow\">{}</div><p class=\"source\">{}</p>\n",
      experiments::escape_html(scene), origin.date, experiments::escape_html(origin.machine),
      experiments::escape_html(origin.build),
      experiments::html_table(contest_table(entries, bodies)),
      experiments::escape_html(contest_key(entries.front().model)));
  body += explanations(entries, bodies) + "<h2>Over time</h2>\n";
  std::vector<Figure> figures = {distance_figure(entries)};
  const auto add = [&](const char* title, const char* unit, bool log_y,
                       std::vector<double> ContestSeries::*values) {
    figures.push_back(series_figure(entries, title, unit, log_y, values));
  };
  add("Kinetic and potential energy", "[J]", false, &ContestSeries::energy);
  add("Normal forces, summed", "[N]", false, &ContestSeries::normal_force);
  add("Friction forces, their sizes summed", "[N]", false, &ContestSeries::friction_force);
  add("Infeasibility", "[m or rad]", true, &ContestSeries::infeasibility);
  add("Worst residual of the certificate", "[-]", true, &ContestSeries::residual);
  add("Time of the contact solve", "[s]", true, &ContestSeries::solve_time);
  return experiments::html_page("Contest of contact models",
                                body + experiments::html_figures(figures, {}));
}

}  // namespace amontons::cli
