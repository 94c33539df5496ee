#include "benchmarks/peers/robots/robot_table.h"

#include "amontons/math/step_times.h"

#include <fmt/core.h>

#include <algorithm>

namespace amontons::peers {
namespace {

using nlohmann::json;

const json* find_entrant(const json& row, const std::string& name) {
  for (const json& entrant : row["entrants"]) {
    if (entrant["name"] == name) return &entrant;
  }
  return nullptr;
}

/// Returns a time with three digits.
std::string digits(double us) {
  if (us >= 100.0) return fmt::format("{:.0f}", us);
  return us >= 10.0 ? fmt::format("{:.1f}", us) : fmt::format("{:.2g}", us);
}

/// Returns the time of an entrant and its ratio to MuJoCo's.
std::string time_cells(const json& row, const std::string& name) {
  const json* own = find_entrant(row, name);
  if (own == nullptr) return "- | -";
  const double us = (*own)["us"], mujoco = (*find_entrant(row, "mujoco"))["us"];
  return fmt::format("{} | {:.2g}", digits(us), us / mujoco);
}

std::string contact_cell(const json& row, const std::string& name) {
  const json* own = find_entrant(row, name);
  return own == nullptr ? "-" : fmt::format("{:.1f}", (*own)["contacts"].get<double>());
}

std::string first_cells(const json& robot, const json& row) {
  return fmt::format("| {} | {} | {} |", robot["robot"].get<std::string>(),
                     row["pose"].get<std::string>(), row["window"].get<std::string>());
}

std::string time_rows(const json& robot) {
  std::string text;
  for (const json& row : robot["rows"]) {
    double spread = 0.0;
    for (const json& entrant : row["entrants"]) {
      spread = std::max(spread, entrant["spread"].get<double>());
    }
    text += fmt::format(
        "{} {} | {} | {} | {} | {} | {} | {} | {} | {:.0f} % |\n", first_cells(robot, row),
        digits((*find_entrant(row, "mujoco"))["us"].get<double>()), time_cells(row, "hull 1e-8"),
        time_cells(row, "hull 1e-3"), time_cells(row, "mesh 1e-8"), contact_cell(row, "mujoco"),
        contact_cell(row, "hull 1e-8"), contact_cell(row, "mesh 1e-8"),
        (*find_entrant(row, "hull 1e-8"))["repeated"].get<int>(), 100.0 * spread);
  }
  return text;
}

/// Returns a row for each entrant but those that differ in the tolerance alone.
std::string part_rows(const json& robot) {
  std::string text;
  for (const json& row : robot["rows"]) {
    for (const json& entrant : row["entrants"]) {
      const std::string name = entrant["name"].get<std::string>();
      if (name == "hull 1e-3") continue;
      text += first_cells(robot, row) + " " + name + " |";
      for (std::size_t part = 0; part < kNumStepParts; ++part) {
        const auto own = static_cast<StepPart>(part);
        if (own == StepPart::Log) continue;
        const double share = entrant["shares"][to_string(own)].get<double>();
        text += fmt::format(" {} ({:.0f} %) |", digits(share * entrant["us"].get<double>()),
                            100.0 * share);
      }
      text +=
          fmt::format(" {} | {} |\n", entrant["missed"].get<int>(), entrant["weaker"].get<int>());
    }
  }
  return text;
}

/// Returns what both engines were given, and how far they differ at the start.
std::string robot_line(const json& robot) {
  const json& start = robot["start"];
  return fmt::format(
      "- {}: {} dofs, {} shapes, {} pairs of shapes that may collide, {} more in MuJoCo. At the "
      "start masses differ by {:.0e}, mass matrices by {:.0e}, positions by {:.0e} m, lowest "
      "vertices by {:.0e} m.\n",
      robot["robot"].get<std::string>(), robot["dofs"].get<int>(), robot["shapes"].get<int>(),
      robot["pairs"].get<int>(), robot["extra_pairs"].get<int>(), start["mass"].get<double>(),
      start["mass_matrix"].get<double>(), start["position_m"].get<double>(),
      start["vertex_m"].get<double>());
}

}  // namespace

std::string robot_table(const json& report) {
  const json& machine = report["machine"];
  std::string text = fmt::format(
      "# Robots beside MuJoCo\n\n{}, {}, {} cores, load {:.1f} at the start. MuJoCo {} with its "
      "defaults: Newton's method, pyramids.\nRobots fall on a plane in steps of 1 ms, on one "
      "thread. Times are process CPU time of a step in microseconds: means over the window, "
      "medians of {} rounds in which the engines alternate. `/M` is Amontons over MuJoCo. "
      "\"Spread\" is the largest of (largest - smallest) / median.\nMuJoCo's shapes are convex "
      "hulls; `mesh` are the concave meshes themselves (none: all are convex). The law is "
      "`coulomb`, to the tolerance named.\nFalling are steps 0 to 500, settling 500 to 1500, lying "
      "1500 to 2500. Contacts are means of a step; Amontons' include pairs that may touch within "
      "the step. Where every velocity is zero, Amontons repeats the last step; \"repeated\" counts "
      "such steps of `hull 1e-8`.\n\n",
      machine["time"].get<std::string>(), machine["processor"].get<std::string>(),
      machine["cores"].dump(), machine["load"].get<double>(), report["mujoco"].get<std::string>(),
      report["rounds"].get<int>());
  for (const json& robot : report["robots"]) text += robot_line(robot);
  for (const json& skipped : report["skipped"]) {
    text += "- **SKIPPED** " + skipped.get<std::string>() + "\n";
  }
  text +=
      "\n| robot | start | steps | MuJoCo | hull 1e-8 | /M | hull 1e-3 | /M | mesh 1e-8 | /M | "
      "contacts MuJoCo | hull | mesh | repeated | spread |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n";
  for (const json& robot : report["robots"]) text += time_rows(robot);
  text +=
      "\nParts of the steps in microseconds: shares of wall time in a run of their own, times the "
      "CPU time above. MuJoCo's are those of its timers; its integration is part of \"other\". "
      "\"Missed\" steps fail their certificate (MuJoCo: warn); \"weaker\" ones have a weaker "
      "law.\n\n"
      "| robot | start | steps | engine | collision | dynamics | assembly | solve | certificate | "
      "other | missed | weaker |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const json& robot : report["robots"]) text += part_rows(robot);
  return text;
}

}  // namespace amontons::peers
