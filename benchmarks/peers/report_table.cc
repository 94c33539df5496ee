#include "benchmarks/peers/report.h"

#include <fmt/core.h>

#include <cmath>

namespace amontons::peers {
namespace {

using nlohmann::json;

std::string number(const json& value) {
  return value.is_number() ? fmt::format("{:.2g}", value.get<double>()) : "-";
}

const json& main_value(const json& result) {
  static const json nothing;
  return result.contains("figures") && !result["figures"].empty()
             ? result["figures"].front()["value"]
             : nothing;
}

// Returns Amontons over the peer; a peer without error has no ratio.
std::string ratio(const json& ours, const json& theirs) {
  if (!ours.is_number() || !theirs.is_number()) return "-";
  const double numerator = std::abs(ours.get<double>()), divisor = std::abs(theirs.get<double>());
  if (divisor == 0.0) return numerator == 0.0 ? "1" : "-";
  return fmt::format("{:.2g}", numerator / divisor);
}

std::string errors_text(const json& result) {
  std::string text;
  for (const json& figure : result.value("figures", json::array())) {
    if (!text.empty()) text += ", ";
    text += figure["name"].get<std::string>() + " " + number(figure["value"]);
  }
  return text;
}

// Returns how the run ended, unless it ended as planned.
std::string end_text(const json& result) {
  const std::string status = result["status"];
  if (status == "finished") return "";
  if (!result.contains("reached_s")) return status;
  return fmt::format("{} at {:.3g} s of {:.3g}", status, result["reached_s"].get<double>(),
                     result["duration_s"].get<double>());
}

const json* reference(const json& results) {
  for (const json& result : results) {
    if (result["engine"] == "amontons") return &result;
  }
  return nullptr;
}

std::string row(const std::string& id, const json& result, const json* ours) {
  const bool is_peer = result["engine"] != "amontons" && ours != nullptr;
  const auto value = [&result](const char* key) { return result.value(key, json()); };
  return fmt::format(
      "| {} | {} {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", id,
      result["engine"].get<std::string>(), result["setting"].get<std::string>(),
      number(value("median_ms")), number(value("p95_ms")),
      is_peer ? ratio(ours->value("median_ms", json()), value("median_ms")) : "",
      errors_text(result), is_peer ? ratio(main_value(*ours), main_value(result)) : "",
      value("contacts").is_number() ? value("contacts").dump() : "-",
      value("errors").is_number() && value("errors") != 0 ? value("errors").dump() : "",
      end_text(result));
}

std::string heading(const json& report) {
  const json& machine = report["machine"];
  std::string text = fmt::format(
      "# Amontons and its peers, side by side\n\n{}, {}, {} cores, load {:.1f} at the start. Times "
      "are "
      "process CPU time per step.\nErrors come from body states alone. `t A/p` is the time of "
      "Amontons (first row of the case) over the peer's, `e A/p` the same for the first error "
      "named.\n\n",
      machine["time"].get<std::string>(), machine["processor"].get<std::string>(),
      machine["cores"].dump(), machine["load"].get<double>());
  for (const json& engine : report["engines"]) {
    text += fmt::format("- {} {}", engine["name"].get<std::string>(),
                        engine["version"].get<std::string>());
    for (const json& setting : engine["settings"]) {
      if (engine["name"] == "amontons" && setting["name"] != "default") continue;
      text += fmt::format("; `{}`: {}", setting["name"].get<std::string>(),
                          setting["description"].get<std::string>());
    }
    text += "\n";
  }
  for (const json& missing : report["missing"]) {
    text += fmt::format("- **MISSING: {}** is not built here; none of its rows exist.\n",
                        missing.get<std::string>());
  }
  return text + "\n";
}

/// Returns a line on each case that was measured on another processor than the report's.
std::string cases_from_elsewhere(const json& report) {
  std::string text;
  for (const json& c : report["cases"]) {
    if (!c.contains("machine") || c["machine"]["processor"] == report["machine"]["processor"]) {
      continue;
    }
    text += fmt::format("- {} was measured on {}, {}\n", c["id"].get<std::string>(),
                        c["machine"]["processor"].get<std::string>(),
                        c["machine"]["time"].get<std::string>());
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string markdown_table(const json& report) {
  std::string text = heading(report) + cases_from_elsewhere(report);
  text +=
      "| case | engine | ms | ms p95 | t A/p | errors | e A/p | contacts | failures | ended |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const json& c : report["cases"]) {
    const json* ours = reference(c["results"]);
    for (const json& result : c["results"]) text += row(c["id"], result, ours);
  }
  return text;
}

}  // namespace amontons::peers
