#include "amontons/io/parse_error.h"
#include "amontons/models/contact_model.h"
#include "tools/amontons/command_line.h"
#include "tools/amontons/contest_entry.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/interrupt.h"
#include "tools/amontons/scene_options.h"
#include "tools/amontons/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ContestOptions {
  SceneOptions scene;
  std::string file, models;
  bool quiet = false, json = false;
};

/// The models asked for, in that order, or all of the catalog.
std::vector<std::string> entrants(const ContestOptions& options) {
  if (options.models.empty()) return model_names();
  std::vector<std::string> asked;
  std::istringstream list(options.models);
  for (std::string model; std::getline(list, model, ',');) {
    try {
      make_model(model, {});
    } catch (const std::invalid_argument& error) {
      throw io::ParseError("--models", 0, 0, error.what());
    }
    asked.push_back(model);
  }
  return asked;
}

double figure(const ContestEntry& entry, const char* name) {
  // JSON has no number for what is not finite.
  const nlohmann::json& value = entry.summary["certificate"][name]["value"];
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

/// The worst of the figures that the certificate judges.
double worst_residual(const ContestEntry& entry) {
  double worst = 0.0;
  for (const char* name : {"normal", "friction", "limit", "joint friction", "joint", "dynamics"}) {
    worst = std::max(worst, figure(entry, name));
  }
  return worst;
}

/// How the steps ended: "200 Converged", or each ending with its count.
std::string endings(const ContestEntry& entry) {
  std::string text;
  for (const auto& [status, count] : entry.summary["status"].items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.get<long>(), status);
  }
  const long missed = entry.summary["missed_certificates"].get<long>();
  if (missed > 0) text += fmt::format("; {} MISSED", missed);
  if (!entry.ended.empty()) text += "; " + entry.ended;
  return text;
}

Json to_json(const ContestEntry& entry, const ContestEntry& reference,
             const std::vector<Body>& bodies) {
  const Disagreement apart = disagreement(entry, reference);
  Json positions;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].articulation < 0) continue;
    const Eigen::Vector3d& p = entry.poses[i].translation;
    positions[bodies[i].name] = {p.x(), p.y(), p.z()};
  }
  return {{"model", entry.model},
          {"distance_m", apart.distance},
          {"angle_rad", apart.angle},
          {"farthest_body",
           apart.body < 0 ? Json() : Json(bodies[static_cast<std::size_t>(apart.body)].name)},
          {"residual", worst_residual(entry)},
          {"coulomb", figure(entry, "coulomb")},
          {"lift_m", entry.lift},
          {"predicted_lift_m", entry.predicted_lift},
          {"energy_change_J", entry.energy_change},
          {"ended", entry.ended},
          {"final_positions", std::move(positions)},
          {"summary", entry.summary}};
}

std::string farthest_body(const Disagreement& apart, const std::vector<Body>& bodies) {
  return apart.body < 0 ? "-" : bodies[static_cast<std::size_t>(apart.body)].name;
}

void print_table(const std::vector<ContestEntry>& entries, const std::vector<Body>& bodies) {
  std::size_t width = std::string("farthest").size();
  for (const ContestEntry& entry : entries) {
    width = std::max(width, farthest_body(disagreement(entry, entries.front()), bodies).size());
  }
  std::cout << fmt::format("{:<21}{:>10} {:>9}  {:<{}} {:>9} {:>9} {:>9} {:>11} {:>8}  {}\n",
                           "model", "apart m", "apart rad", "farthest", width, "residual",
                           "coulomb", "lift m", "energy J", "solve s", "steps");
  for (const ContestEntry& entry : entries) {
    const Disagreement apart = disagreement(entry, entries.front());
    std::cout << fmt::format(
        "{:<21}{:>10.2e} {:>9.1e}  {:<{}} {:>9.1e} {:>9.1e} {:>9.1e} {:>+11.4g} {:>8.2g}  {}\n",
        entry.model, apart.distance, apart.angle, farthest_body(apart, bodies), width,
        worst_residual(entry), figure(entry, "coulomb"), entry.lift, entry.energy_change,
        entry.summary["solve_time_s"].get<double>(), endings(entry));
  }
  std::cout << fmt::format(
      "apart: final poses against {}; residual: worst figure of the certificate, law as claimed; "
      "coulomb: distance to the exact law; lift: largest gap that a contact under load opens in a "
      "step\n",
      entries.front().model);
}

int contest(ContestOptions options) {
  take_shorthands(options.scene);
  const std::vector<std::string> models = entrants(options);
  const Scene scene = io::load_scene(options.file, load_options(options.scene));
  const System system = make_simulator(scene, options.file).system();
  const InterruptGuard interrupt;
  std::vector<ContestEntry> entries;
  for (const std::string& model : models) {
    Progress progress("contest: " + model, options.quiet);
    entries.push_back(contest_entry(scene, model, options.file, progress,
                                    [&interrupt] { return interrupt.requested(); }));
    if (interrupt.requested()) break;
  }
  if (options.json) {
    Json list = Json::array();
    for (const ContestEntry& entry : entries) {
      list.push_back(to_json(entry, entries.front(), system.bodies()));
    }
    std::cout << list.dump(2) << "\n";
  } else {
    print_table(entries, system.bodies());
  }
  return interrupt.requested() ? kInterrupted : kOk;
}

}  // namespace

void add_contest(CommandLine& line) {
  const auto options = std::make_shared<ContestOptions>();
  Verb verb = line.add_verb(
      "contest", "The same scene under every contact model, in one table of disagreements",
      [options] { return contest(*options); });
  verb.argument("SCENE", options->file, "Scene file (YAML)");
  verb.option("--models", options->models, "Contact models [all]; the first is the reference",
              "A,B,...");
  add_scene_options(verb, options->scene);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "The table as JSON, each model with its whole summary");
}

}  // namespace amontons::cli
