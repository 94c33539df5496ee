#include "amontons/io/common/overwriting.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/models/common/contact_model.h"
#include "experiments/text_table.h"
#include "tools/amontons/contest/contest_page.h"
#include "tools/amontons/contest/contest_table.h"
#include "tools/amontons/contest/measured_motion.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/interrupt.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/scene_options.h"
#include "tools/amontons/support/write_text_file.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amontons::cli {
namespace {

struct ContestOptions {
  SceneOptions scene;
  std::string file, models, html, measured, measured_body;
  std::optional<double> time_unit, length_unit;
  bool quiet = false, json = false, force = false;
};

/// Returns the chosen models in their order, or all of the catalog.
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

/// Refuses options that say how to read a measured motion where there is none.
void refuse_without_measured(const ContestOptions& options) {
  const std::pair<const char*, bool> given[] = {{"--measured-body", !options.measured_body.empty()},
                                                {"--time-unit", options.time_unit.has_value()},
                                                {"--length-unit", options.length_unit.has_value()}};
  for (const auto& [option, is_given] : given) {
    if (is_given) throw io::ParseError(option, 0, 0, "it belongs to --measured FILE");
  }
}

/// Returns the scene with the start that the measured motion has; `--set` changes that, too.
Scene scene_started(const ContestOptions& options, const io::MotionFile& motion, Scene scene) {
  const auto start = start_overrides(motion);
  if (start.empty()) return scene;
  io::LoadOptions changed = load_options(options.scene);
  changed.overrides.insert(changed.overrides.begin(), start.begin(), start.end());
  return io::load_scene(options.file, changed);
}

int contest(ContestOptions options) {
  expand_shorthands(options.scene);
  const std::vector<std::string> models = entrants(options);
  Scene scene = io::load_scene(options.file, load_options(options.scene));
  System system = make_simulator(scene, options.file).system();
  std::optional<MeasuredMotion> measured;
  if (!options.measured.empty()) {
    const io::MotionUnits units{options.length_unit.value_or(1.0), options.time_unit.value_or(1.0)};
    io::MotionFile motion = read_motion(options.measured, options.measured_body, units, system);
    scene = scene_started(options, motion, std::move(scene));
    system = make_simulator(scene, options.file).system();
    measured.emplace(std::move(motion), options.measured, system, scene.simulation.duration);
  } else {
    refuse_without_measured(options);
  }

  // The page is tried before the simulations.
  if (!options.html.empty()) {
    io::refuse_overwriting(options.html, {options.file});
    refuse_foreign_output(options.html, io::kPageOutput, options.force);
    require_writable(options.html);
  }

  // One entry per model; after an interrupt the finished entries are still shown.
  const InterruptGuard interrupt;
  std::vector<ContestEntry> entries;
  for (const std::string& model : models) {
    Progress progress("contest: " + model, options.quiet);
    entries.push_back(contest_entry(scene, model, options.file, measured ? &*measured : nullptr,
                                    progress, [&interrupt] { return interrupt.requested(); }));
    if (interrupt.requested()) break;
  }
  if (!options.html.empty()) {
    write_text_file(options.html, contest_page(entries, system.bodies(), options.file));
  }

  // The first model is the reference of all comparisons.
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const ContestEntry& entry : entries) {
      list.push_back(contest_json(entry, entries.front(), system.bodies()));
    }
    print_json(list);
  } else {
    std::cout << experiments::text_table(contest_table(entries, system.bodies()))
              << contest_key(entries.front().model) << "\n";
  }
  return interrupt.requested() ? kInterrupted : kOk;
}

}  // namespace

void add_contest(CommandLine& line) {
  const auto options = std::make_shared<ContestOptions>();
  Verb verb = line.add_verb("contest", "Compare contact models on one scene in a table",
                            [options] { return contest(*options); });
  verb.argument("SCENE", options->file, "Scene file (YAML)");
  verb.option("--models", options->models, "Contact models [all]; the first is the reference",
              "A,B,...");
  add_scene_options(verb, options->scene);
  verb.option("--measured", options->measured,
              "Measured motion (CSV: t, BODY.x, .y, .z, .qw, .qx, .qy, .qz, joints; or TUM): the "
              "table has the error against it",
              "FILE");
  verb.option("--measured-body", options->measured_body,
              "The body of columns and trajectories that name none [the only one that moves]",
              "NAME");
  verb.positive("--time-unit", options->time_unit,
                "Unit of the measured times [s], such as 1e-9 for nanoseconds [1]");
  verb.positive("--length-unit", options->length_unit,
                "Unit of the measured lengths [m], such as 0.001 for millimetres [1]");
  verb.option("--html", options->html,
              "Write a page on the differences of the models over time, and their causes",
              "FILE.html");
  add_force(verb, options->force);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "The table as JSON, with the whole summary of each model");
}

}  // namespace amontons::cli
