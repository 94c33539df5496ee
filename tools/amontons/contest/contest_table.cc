#include "tools/amontons/contest/contest_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons::cli {
namespace {

/// Returns the worst of the residuals that decide the certificate.
double worst_residual(const ContestEntry& entry) {
  double worst = 0.0;
  for (const char* name : {"normal", "friction", "limit", "joint_friction", "joint", "dynamics"}) {
    worst = std::max(worst, certificate_residual(entry, name));
  }
  return worst;
}

/// Returns the endings of the steps: "200 Converged", or each ending with its count.
std::string endings(const ContestEntry& entry) {
  std::string text;
  for (const auto& [status, count] : entry.summary["status"].items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.get<long>(), status);
  }
  const long missed = entry.summary["missed_certificates"].get<long>();
  if (missed > 0) text += fmt::format("; {} MISSED", missed);
  const nlohmann::ordered_json& law = entry.summary["law"];
  if (law["with_law_asked"] != law["steps"]) {
    text += fmt::format("; up to {:.1e} off its law", certificate_residual(entry, "law_distance"));
  }
  if (!entry.ended.empty()) text += "; " + entry.ended;
  return text;
}

/// Returns an error; "-" where there is none.
std::string error_text(double error) {
  return std::isfinite(error) ? fmt::format("{:.4g}", error) : "-";
}

/// Returns a number, or null where it is not finite.
nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const LawDepartures& found) {
  return {{"lift_m", found.lift.gap},
          {"predicted_lift_m", found.lift.predicted},
          {"bias_rad", found.bias.angle},
          {"to_direction_rad", found.bias.to_direction},
          {"friction_deficit", found.deficit.share},
          {"missing_dissipation_J", found.deficit.energy},
          {"friction_beyond_cone_Ns", found.excess.friction},
          {"cone_there_Ns", found.excess.bound},
          {"cap_steps", found.cap.steps},
          {"cap_price_J_per_Ns", found.cap.price},
          {"drag_Ns", found.drag}};
}

}  // namespace

experiments::Table contest_table(const std::vector<ContestEntry>& entries,
                                 const std::vector<Body>& bodies) {
  experiments::Table table{
      "",
      {"model", "apart m", "apart rad", "farthest", "at most m", "forces N", "joints N", "residual",
       "coulomb", "lift m", "energy J", "overlap m", "solve s"},
      {}};
  const bool is_measured = !entries.empty() && entries.front().measured.has_value();
  if (is_measured) {
    table.header.insert(table.header.end(), {"error against measurement m", "error rad"});
  }
  // Most measurements have no joints.
  const bool has_joints =
      is_measured && std::any_of(entries.begin(), entries.end(), [](const ContestEntry& entry) {
        return std::isfinite(entry.measured->joints);
      });
  if (has_joints) table.header.emplace_back("error of joints");
  table.header.emplace_back("steps");
  for (const ContestEntry& entry : entries) {
    const Disagreement apart = disagreement(entry, entries.front());
    const Separation most = largest_separation(entry.series, entries.front().series);
    table.rows.push_back(
        {entry.model, fmt::format("{:.2e}", apart.distance), fmt::format("{:.1e}", apart.angle),
         apart.body < 0 ? "-" : bodies[static_cast<std::size_t>(apart.body)].name,
         fmt::format("{:.1e}", most.distance),
         fmt::format("{:.1e}", std::max(most.normal_force, most.friction_force)),
         fmt::format("{:.1e}", most.joint_effort), fmt::format("{:.1e}", worst_residual(entry)),
         fmt::format("{:.1e}", certificate_residual(entry, "coulomb")),
         fmt::format("{:.1e}", entry.departures.lift.gap),
         fmt::format("{:+.4g}", entry.energy_change),
         fmt::format("{:.1e}", certificate_residual(entry, "infeasibility")),
         fmt::format("{:.2g}", entry.summary["solve_time_s"].get<double>())});
    std::vector<std::string>& row = table.rows.back();
    if (is_measured) {
      row.push_back(error_text(entry.measured->distance));
      row.push_back(error_text(entry.measured->angle));
    }
    if (has_joints) row.push_back(error_text(entry.measured->joints));
    row.push_back(endings(entry));
  }
  return table;
}

std::string contest_key(const std::string& reference) {
  return fmt::format(
      "apart: final poses against {}; at most: over the run; forces: sums over contacts, normal or "
      "friction, farthest apart in a step; joints: efforts of drives, springs, dry friction and "
      "limits along a joint, farthest apart [N or N m]; residual: worst residual of the "
      "certificate, under the "
      "claimed law; coulomb: distance to the exact law; lift: largest gap that a contact under "
      "load opens in a step; overlap: largest infeasibility; error against measurement: mean over "
      "the instants of --measured, of positions, orientations and joints [rad or m]",
      reference);
}

nlohmann::ordered_json contest_json(const ContestEntry& entry, const ContestEntry& reference,
                                    const std::vector<Body>& bodies) {
  const Disagreement apart = disagreement(entry, reference);
  const Separation most = largest_separation(entry.series, reference.series);
  const MeasuredError measured = entry.measured.value_or(MeasuredError{});
  nlohmann::ordered_json positions;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].articulation < 0) continue;
    const Eigen::Vector3d& p = entry.poses[i].translation;
    positions[bodies[i].name] = {p.x(), p.y(), p.z()};
  }
  nlohmann::ordered_json farthest;  // null where nothing differs
  if (apart.body >= 0) farthest = bodies[static_cast<std::size_t>(apart.body)].name;
  return {{"model", entry.model},
          {"distance_m", apart.distance},
          {"angle_rad", apart.angle},
          {"farthest_body", std::move(farthest)},
          {"largest_distance_m", most.distance},
          {"normal_force_apart_N", most.normal_force},
          {"friction_force_apart_N", most.friction_force},
          {"joint_effort_apart", most.joint_effort},
          {"measured_error_m", number_or_null(measured.distance)},
          {"measured_error_rad", number_or_null(measured.angle)},
          {"measured_error_joints", number_or_null(measured.joints)},
          {"residual", worst_residual(entry)},
          {"coulomb", certificate_residual(entry, "coulomb")},
          {"departures", to_json(entry.departures)},
          {"explanation",
           explain(entry.departures, reference.departures, certificate_residual(entry, "coulomb"))},
          {"energy_change_J", entry.energy_change},
          {"ended", entry.ended},
          {"final_positions", std::move(positions)},
          {"summary", entry.summary}};
}

}  // namespace amontons::cli
