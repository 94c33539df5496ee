#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/joint_check.h"
#include "amontons/io/import/welded_limits.h"
#include "amontons/io/scene/model_check.h"
#include "amontons/io/scene/model_density.h"
#include "amontons/io/scene/model_file.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace amontons::io {
namespace {

/// Reads initial positions [m or rad] by joint; where a file holds several models, by
/// "model/joint".
void read_joint_positions(const MapReader& map, const std::string& name,
                          std::vector<SceneModel>& models) {
  const YamlValue* value = map.find("joint_positions");
  if (value == nullptr) return;
  // Candidates are all joints of one coordinate; `known` and `joints` have the same order.
  std::vector<std::string> known;
  std::vector<std::pair<SceneModel*, std::string>> joints;
  for (SceneModel& model : models) {
    const std::string prefix = model.name == name ? "" : model.name.substr(name.size() + 1) + "/";
    for (const ModelJoint& joint : model.joints) {
      if (num_velocities(joint.type) != 1) continue;
      known.push_back(prefix + joint.name);
      joints.emplace_back(&model, joint.name);
    }
  }
  // Each name must be one of the candidates.
  const std::string what = map.name_of("joint_positions");
  const std::vector<YamlValue::Key>& names = read_names(*value, what);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::find(known.begin(), known.end(), names[i].text);
    if (found == known.end()) {
      fail_at(names[i].where, what + ": the model has no joint '" + names[i].text +
                                  "' of one coordinate" + did_you_mean(names[i].text, known));
    }
    const auto& [model, joint] = joints[static_cast<std::size_t>(found - known.begin())];
    model->joint_positions[joint] =
        read_number(value->items[i], "position of joint '" + names[i].text + "'");
  }
}

/// Refuses a model's name that is reserved, contains '/' or is taken.
void check_name_of_model(const SceneReader& reader, const std::string& name,
                         const SourceLocation& where) {
  if (name == "world" || name.find('/') != std::string::npos) {
    fail_at(where, "a model cannot be called '" + name + "': 'world' and '/' are taken");
  }
  const auto taken = [&](const auto& other) { return other.name == name; };
  const Scene& scene = reader.scene;
  if (std::any_of(scene.models.begin(), scene.models.end(), taken) ||
      std::any_of(scene.bodies.begin(), scene.bodies.end(), taken)) {
    fail_at(where, "there is already a body or model '" + name + "'");
  }
}

/// Reads `collide`, `max_hull_vertices` and `self_collide` of a model.
void read_collisions(SceneReader& reader, const MapReader& map, SceneModel& model,
                     MeshChoices& choices) {
  model.self_collide = map.choice("self_collide", model.self_collide);
  if (const YamlValue* limits = map.find("max_hull_vertices")) {
    read_vertex_limits(*limits, map.name_of("max_hull_vertices"), choices.max_hull_vertices);
  }
  const YamlValue* value = map.find("collide");
  if (value == nullptr) return;
  // Version 0.1 had these words of self_collide under collide.
  const std::string& word = value->kind == YamlValue::Kind::Scalar ? value->text : "";
  if (word != "default" && word != "all") {
    return read_collide(*value, map.name_of("collide"), choices.collide);
  }
  if (map.has("self_collide")) {
    fail_at(value->where, map.name_of("collide") + " must be one of mesh, hull, parts, none; '" +
                              word + "' is a word of self_collide");
  }
  model.self_collide = word == "all" ? ModelCollisions::All : ModelCollisions::Default;
  reader.note(ImportFate::Applied, map.name_of("collide"),
              "'" + word + "' is a word of self_collide, which says so now", value->where);
}

/// Refuses names in `collide` and `max_hull_vertices` that no link has, and notes the links that do
/// not collide.
void check_collide(SceneReader& reader, const MapReader& map, const std::vector<SceneModel>& models,
                   const ModelMeshChoices& choices) {
  std::vector<std::string> links;
  for (const SceneModel& model : models) {
    for (const ModelLink& link : model.links) {
      const std::string name = model.name + "/" + link.name;
      reader.bodies_read.push_back(name);
      links.push_back(name.substr(choices.name.size() + 1));
      const bool collides = choices.of(name, {}).collision != MeshCollision::None;
      if (link.shapes.empty() || collides) continue;
      reader.note(ImportFate::Ignored, "shapes of link '" + name + "'",
                  "none of them collides, as asked", link.where);
    }
  }
  choices.model.check(links, map.what());
}

/// Returns the reading of a model's file by its format.
/// @param context  settings for the file; what it adds goes to the reading.
ModelReading read_file_of(const std::string& text, const ImportContext& context,
                          const SceneModel& model) {
  ModelReading reading;
  const std::size_t num_materials = context.materials.size();
  reading.materials = context.materials;
  ImportContext own{context.inputs,         context.meshes, reading.ledger, reading.materials,
                    reading.material_pairs, reading.world,  context.collide};
  own.keyframe = context.keyframe;
  own.density = context.density;
  own.visuals = context.visuals;
  reading.models = read_model_file(text, own, model);
  reading.materials.erase(reading.materials.begin(),
                          reading.materials.begin() + static_cast<std::ptrdiff_t>(num_materials));
  return reading;
}

/// Reads the file of a model, unless it has been read, and adds what it brings to the scene.
/// @returns its models.
std::vector<SceneModel> add_file_of(SceneReader& reader, const std::string& text,
                                    const ImportContext& context, const SceneModel& model) {
  const std::string settings = model.name + "\n" + model.file + "\n" +
                               context.keyframe.value_or("\n") + "\n" +
                               (context.density ? shortest_text(*context.density) : "");
  const ModelReading& reading =
      reader.readings.get(settings, [&] { return read_file_of(text, context, model); });
  Scene& scene = reader.scene;
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(scene.ledger.entries, reading.ledger.entries);
  append(scene.materials, reading.materials);
  append(scene.material_pairs, reading.material_pairs);
  if (reading.world.gravity) reader.world.gravity = reading.world.gravity;
  if (reading.world.step) reader.world.step = reading.world.step;
  if (reading.world.friction) reader.world.friction = reading.world.friction;
  reader.world.shells.insert(reading.world.shells.begin(), reading.world.shells.end());
  return reading.models;
}

/// Completes the models of a file by what the scene says of them, with the checks that all formats
/// share.
/// @param density  that of links without mass [kg/m^3], if the scene gives it.
/// @param name     of the model in the scene.
void complete_models(SceneReader& reader, const MapReader& map, std::optional<double> density,
                     const std::string& name, std::vector<SceneModel>& models) {
  std::optional<BaseType> base;
  if (map.has("base")) base = map.choice("base", BaseType::Free);
  // Masses and other numbers of the scene, then the base, then what depends on it.
  std::vector<bool> weighed(models.size(), false);  // roots that have mass by the density alone
  for (std::size_t i = 0; density && i < models.size(); ++i) {
    const bool had_mass = has_root_mass(models[i]);
    give_masses(models[i], *density, reader.scene.ledger);
    weighed[i] = !had_mass && has_root_mass(models[i]);
  }
  read_model_parts(reader, map, name, models);
  for (std::size_t i = 0; i < models.size(); ++i) {
    SceneModel& one = models[i];
    choose_base(one, base, weighed[i], reader.scene.ledger);
    weigh_links_without_mass(one, reader.scene.ledger);
    check_masses_of_model(one);
    check_joints_of_model(one, reader.scene.ledger);
  }
  for (SceneModel& one : models) {
    widen_limits_within_welds(one, reader.scene.ledger);
    drop_dynamics_of_rows(one, reader.scene.ledger);
  }
}

/// Reads one item of `models` with the file it names.
void read_model(SceneReader& reader, const YamlValue& value) {
  const YamlValue* name = value.find("name");
  const std::string what = name ? "model '" + read_text(*name, "name of a model") + "'" : "a model";
  const MapReader map(value, what, scene_map("model"));
  // The scene's settings form a prototype, which the format's reader completes for each model of
  // the file.
  SceneModel model;
  model.name = read_text(map.required("name"), "name of a model");
  check_name_of_model(reader, model.name, map.where("name"));
  const YamlValue& file = map.required("file");
  model.file = read_text(file, map.name_of("file"));
  model.where = file.where;
  if (const YamlValue* v = map.find("pose")) model.pose = read_pose(*v, map.name_of("pose"));
  model.coordinates = map.choice("coordinates", model.coordinates);
  ModelMeshChoices collide{reader.collide, {}, model.name};
  read_collisions(reader, map, model, collide.model);

  // A reader may add materials and ledger lines of its own.
  const std::string& text = reader.inputs.read(model.file, file.where);
  ImportContext context{reader.inputs,
                        reader.meshes,
                        reader.scene.ledger,
                        reader.scene.materials,
                        reader.scene.material_pairs,
                        reader.world,
                        collide};
  context.visuals = reader.visuals;
  if (const YamlValue* v = map.find("keyframe")) {
    context.keyframe = read_text(*v, map.name_of("keyframe"));
  }
  if (map.has("density")) {
    context.density = map.number("density", 0.0);
    if (!(*context.density > 0.0))
      fail_at(map.where("density"), map.name_of("density") + " must be positive");
  }
  std::vector<SceneModel> models = add_file_of(reader, text, context, model);
  check_collide(reader, map, models, collide);
  // Positions refer to joints of the file, so that they are read while all of these are complete.
  read_joint_positions(map, model.name, models);
  complete_models(reader, map, context.density, model.name, models);
  reader.note(ImportFate::Applied, what, "", value.where);
  for (SceneModel& one : models) reader.scene.models.push_back(std::move(one));
}

}  // namespace

void read_models(SceneReader& reader, const YamlValue& value) {
  for (const YamlValue& item : read_list(value, "models")) read_model(reader, item);
}

}  // namespace amontons::io
