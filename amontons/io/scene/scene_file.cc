#include "amontons/io/scene/scene_file.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/printable.h"
#include "amontons/io/scene/coupled_starts.h"
#include "amontons/io/scene/model_check.h"
#include "amontons/io/scene/scene_faults.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/io/yaml/yaml_overrides.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

/// Refuses every version of the format but 1.
void check_version(const MapReader& document) {
  const YamlValue& version = document.required("amontons");
  if (version.kind != YamlValue::Kind::Scalar || version.quoted || version.text != "1") {
    fail_at(version.where, "this version reads format 1 only; write amontons: 1");
  }
}

/// Refuses a first step that is longer than the time to simulate, since no step is shortened.
void check_first_step(const YamlValue& simulation, const SimulationSettings& settings) {
  constexpr double kRounding = 1e-9;  // share of a step
  if (settings.duration >= (1.0 - kRounding) * settings.steps.front()) return;
  const MapReader map(simulation, "simulation", scene_map("simulation"));
  fail_at(map.required("step").where, "step of the simulation is longer than its duration, " +
                                          shortest_text(settings.duration) +
                                          " s: no step is shortened; give a shorter step");
}

/// Reads the parts in the order in which they refer to each other, not in that of the file.
void read_document(SceneReader& reader, const YamlValue& value) {
  const MapReader document(value, "the scene", scene_map("scene"));
  check_version(document);
  // The settings come first: `repeat` and noise use the seed.
  reader.scene.gravity = document.vector3("gravity", reader.scene.gravity);
  read_simulation(reader, document.required("simulation"));
  if (const YamlValue* v = document.find("output")) read_output(reader, *v);
  // Shapes name materials; a scene without any has the material `default`.
  reader.scene.materials = {};
  if (const YamlValue* v = document.find("materials")) {
    read_materials(reader, *v);
  } else {
    reader.scene.materials.push_back({.name = "default"});
  }
  if (const YamlValue* v = document.find("collide")) {
    read_collide(*v, "collide of the scene", reader.collide.collide);
  }
  if (const YamlValue* v = document.find("max_hull_vertices")) {
    read_vertex_limits(*v, "max_hull_vertices of the scene", reader.collide.max_hull_vertices);
  }
  // Bodies, their copies and models come ahead of joints, and these ahead of their actuators.
  if (const YamlValue* v = document.find("bodies")) read_bodies(reader, *v);
  if (const YamlValue* v = document.find("repeat")) read_repeats(reader, *v);
  if (const YamlValue* v = document.find("models")) read_models(reader, *v);
  if (const YamlValue* v = document.find("frames")) read_frames(reader, *v);
  if (const YamlValue* v = document.find("joints")) read_joints(reader, *v);
  if (const YamlValue* v = document.find("couplings")) read_couplings(reader, *v);
  if (const YamlValue* v = document.find("actuators")) read_actuators(reader, *v);
  reader.collide.check(reader.bodies_read, "the scene");
  if (const YamlValue* v = document.find("collision_filters")) read_collision_filters(reader, *v);
  check_first_step(document.required("simulation"), reader.scene.simulation);
  // All joints and motions are known, so that the start positions can be settled and checked,
  // and the mass matrices there.
  start_coupled_joints(reader.scene);
  for (SceneModel& model : reader.scene.models) {
    replace_singular_inertias(model, reader.scene.ledger);
    check_inertia_of_model(model, reader.world.shells, reader.scene.ledger);
    note_start_positions(model, reader.scene.ledger);
    note_tendon_starts(model, reader.scene.ledger);
  }
}

/// Refuses control characters in keys and texts: names go to terminals, which obey them.
/// @param around  key of the value, for the message.
void refuse_control_characters(const YamlValue& value, const std::string& around) {
  const auto refuse = [](const std::string& text, const SourceLocation& where,
                         const std::string& what) {
    if (has_control_characters(text)) fail_at(where, what + " must not have control characters");
  };
  refuse(value.text, value.where, around.empty() ? "a text" : around);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (value.kind == YamlValue::Kind::Map)
      refuse(value.keys[i].text, value.keys[i].where, "a key");
    refuse_control_characters(value.items[i],
                              value.kind == YamlValue::Kind::Map ? value.keys[i].text : around);
  }
}

/// Adds the material `default`, which every scene has, to a document that does not define it, where
/// an override names it.
void add_default_material(YamlValue& document, const std::string& path) {
  constexpr std::string_view kPath = "materials.default.";
  if (path.compare(0, kPath.size(), kPath) != 0 || document.kind != YamlValue::Kind::Map) return;
  const SourceLocation where{"override " + std::string(kPath), 0, 0};
  const auto key = std::find_if(document.keys.begin(), document.keys.end(),
                                [](const YamlValue::Key& k) { return k.text == "materials"; });
  const auto index = key - document.keys.begin();
  if (key == document.keys.end()) {
    document.keys.push_back({"materials", where});
    document.items.emplace_back().where = where;
  }
  YamlValue& materials = document.items[static_cast<std::size_t>(index)];
  if (materials.kind == YamlValue::Kind::Null) materials.kind = YamlValue::Kind::Sequence;
  if (materials.kind != YamlValue::Kind::Sequence) return;  // the reader refuses it
  for (const YamlValue& material : materials.items) {
    const YamlValue* name = material.find("name");
    if (name != nullptr && name->text == "default") return;
  }
  materials.items.push_back(parse_yaml("{name: default}", where.file));
}

/// Refuses an override of a model's joint or link as if it were one of the scene's own, with the
/// path that it has.
void refuse_part_of_model(const YamlValue& document, const std::string& path) {
  const YamlValue* models = document.find("models");
  if (models == nullptr) return;
  struct List {
    std::string own, parts, format;
  };
  for (const auto& [own, parts, format] :
       {List{"joints.", "joints.", "model_joint"}, List{"bodies.", "links.", "model_link"}}) {
    const std::size_t slash = path.find('/');
    if (path.compare(0, own.size(), own) != 0 || slash == std::string::npos) continue;
    // Other keys, such as `pose`, have no place in a model.
    const std::vector<std::string> keys = scene_map(format).names();
    const auto is_named = [&path](const std::string& key) {
      return (path + ".").find("." + key + ".") != std::string::npos;
    };
    if (std::none_of(keys.begin(), keys.end(), is_named)) continue;
    const std::string name = path.substr(own.size(), slash - own.size());
    for (const YamlValue& model : models->items) {
      const YamlValue* known = model.find("name");
      if (known == nullptr || known->text != name) continue;
      fail_at({"override " + path, 0, 0}, "this is a part of model '" + name + "'; write models." +
                                              name + "." + parts + path.substr(slash + 1));
    }
  }
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& name, const FileSource& source,
                  const LoadOptions& options) {
  MeshShapes own_meshes;
  SceneReader reader{{},
                     InputFiles(source, name, options.packages, options.looks),
                     options.meshes != nullptr ? *options.meshes : own_meshes};
  reader.visuals = options.visuals;
  // Overrides change the tree ahead of the strict reading, so that they are checked like the file.
  YamlValue document = parse_yaml(text, name);
  for (const auto& [path, value] : options.overrides) {
    add_default_material(document, path);
    refuse_part_of_model(document, path);
    apply_override(document, path, value);
  }
  refuse_control_characters(document, "");
  const auto read = [&](const YamlValue& tree) {
    // Files and meshes are read once.
    reader.scene = {};
    reader.world = {};
    reader.collide = {};
    reader.bodies_read = {};
    if (options.visuals != nullptr) *options.visuals = {};
    read_document(reader, tree);
  };
  try {
    read(document);
  } catch (const ParseError& error) {
    throw_scene_faults(error, std::move(document), read,
                       [&](const std::string& file) { return reader.inputs.shown_name(file); });
  }
  // Text, overrides and the files that were read are kept: a run stores the whole scene in its log.
  reader.scene.file = name;
  reader.scene.text = text;
  reader.scene.overrides = options.overrides;
  reader.scene.inputs = reader.inputs.take();
  if (options.world != nullptr) *options.world = reader.world;
  return std::move(reader.scene);
}

Scene load_scene(const std::filesystem::path& file, const LoadOptions& options) {
  // Other files are named relative to the folder of the scene.
  const DiskFiles disk(file.parent_path());
  const FileSource& source = options.source ? *options.source : disk;
  std::string text;
  try {
    text = source.read(file.filename().string());
  } catch (const std::runtime_error& error) {
    throw ParseError(file.string(), 0, 0, std::string("cannot read the scene: ") + error.what());
  }
  return parse_scene(text, file.string(), source, options);
}

}  // namespace amontons::io
