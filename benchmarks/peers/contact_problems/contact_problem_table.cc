#include "benchmarks/peers/contact_problems/contact_problem_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace amontons::peers {
namespace {

using nlohmann::json;

const char* const kOurs = "Amontons";

std::vector<std::string> peers_of(const json& report) {
  std::vector<std::string> names;
  for (const json& problem : report["problems"]) {
    for (const auto& [name, solution] : problem["answers"].items()) {
      if (name != kOurs && std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

// Returns milliseconds and residual, or the failure.
std::string cell(const json& problem, const std::string& name) {
  if (!problem["answers"].contains(name)) return "";
  const json& solution = problem["answers"][name];
  if (!solution["solved"].get<bool>()) return solution.value("failure", "not solved");
  const json residual = solution.value("residual", json());
  return fmt::format("{:.3g} ({})", 1e3 * solution["time_s"].get<double>(),
                     residual.is_number() ? fmt::format("{:.0e}", residual.get<double>()) : "-");
}

const json* best_peer(const json& problem, std::string& best_name) {
  const json* best = nullptr;
  for (const auto& [name, solution] : problem["answers"].items()) {
    if (name == kOurs || !solution["solved"].get<bool>()) continue;
    if (best == nullptr || solution["time_s"] < (*best)["time_s"]) {
      best = &solution;
      best_name = name;
    }
  }
  return best;
}

bool solved_by_us(const json& problem) {
  return problem["answers"].contains(kOurs) && problem["answers"][kOurs]["solved"].get<bool>();
}

std::string row(const json& problem, const std::vector<std::string>& peers,
                std::vector<double>& ratios) {
  std::string best_name;
  const json* best = best_peer(problem, best_name);
  std::string ratio = "-";
  if (best != nullptr && solved_by_us(problem)) {
    const double value = problem["answers"][kOurs]["time_s"].get<double>() /
                         std::max((*best)["time_s"].get<double>(), 1e-9);
    ratios.push_back(value);
    ratio = fmt::format("{:.2g}", value);
  }
  std::string text =
      fmt::format("| {} | {} | {} | {} | {} |", problem["file"].get<std::string>(),
                  problem["contacts"].dump(), cell(problem, kOurs),
                  best != nullptr ? best_name + " " + cell(problem, best_name) : "none", ratio);
  for (const std::string& name : peers) text += " " + cell(problem, name) + " |";
  return text + "\n";
}

std::string summary(const json& report, const std::vector<std::string>& peers,
                    std::vector<double> ratios) {
  std::string text = fmt::format("\nSolved of {}:", report["problems"].size());
  std::vector<std::string> names = peers;
  names.insert(names.begin(), kOurs);
  for (const std::string& name : names) {
    const auto solved = std::count_if(report["problems"].begin(), report["problems"].end(),
                                      [&name](const json& problem) {
                                        return problem["answers"].contains(name) &&
                                               problem["answers"][name]["solved"].get<bool>();
                                      });
    text += fmt::format(" {} {},", name, solved);
  }
  text.back() = '.';
  if (!ratios.empty()) {
    std::sort(ratios.begin(), ratios.end());
    text += fmt::format(" Time of Amontons over the best of Siconos: median {:.2g}, worst {:.2g}.",
                        ratios[ratios.size() / 2], ratios.back());
  }
  return text + "\n";
}

}  // namespace

std::string contact_problem_table(const json& report) {
  const json& machine = report["machine"];
  const std::vector<std::string> peers = peers_of(report);
  std::string text = fmt::format(
      "# Contact problems: Amontons and Siconos' solvers\n\n{}, {}, {} cores, load {:.1f} at the "
      "start. Milliseconds at tolerance {:.0e}, at most {:g} s per solve; in brackets the same "
      "dimensionless\nnatural-map residual for every solver's solution. A cell without a time says "
      "why.\n",
      machine["time"].get<std::string>(), machine["processor"].get<std::string>(),
      machine["cores"].dump(), machine["load"].get<double>(), report["tolerance"].get<double>(),
      report["limit_s"].get<double>());
  for (const json& note : report["notes"]) text += "\n**" + note.get<std::string>() + "**\n";
  text += "\n| problem | contacts | Amontons | best of Siconos | A/best |";
  std::string rule = "\n| --- | --- | --- | --- | --- |";
  for (const std::string& name : peers) {
    text += " " + name + " |";
    rule += " --- |";
  }
  text += rule + "\n";
  std::vector<double> ratios;
  for (const json& problem : report["problems"]) text += row(problem, peers, ratios);
  return text + summary(report, peers, ratios);
}

}  // namespace amontons::peers
