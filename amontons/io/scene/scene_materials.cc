#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/simulation/stepping_methods.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Reads a coefficient of restitution in [0, 1].
double read_restitution(const MapReader& map, const YamlValue& value) {
  return read_within(value, map.name_of("restitution"), 0.0, 1.0);
}

/// Reads a coefficient of viscous friction [N s/m].
double read_viscous_friction(const SceneReader& reader, const MapReader& map,
                             const YamlValue& value) {
  const double coefficient = read_non_negative(value, map.name_of("viscous_friction"));
  const auto fault = fault_of_viscous_friction(reader.scene.simulation);
  if (coefficient > 0.0 && fault) fail_at(value.where, *fault);
  return coefficient;
}

/// Reads one material.
void read_material(SceneReader& reader, const YamlValue& value) {
  const YamlValue* name = value.find("name");
  const std::string what =
      name ? "material '" + read_text(*name, "name of a material") + "'" : "a material";
  const MapReader map(value, what, scene_map("material"));
  // Shapes name materials, so that a name must be unique.
  Material material;
  material.name = read_text(map.required("name"), "name of a material");
  for (const Material& other : reader.scene.materials) {
    if (other.name == material.name) {
      fail_at(map.where("name"), "there is already a material '" + material.name + "'");
    }
  }
  if (const YamlValue* v = map.find("friction")) {
    material.friction = read_non_negative(*v, map.name_of("friction"));
  }
  if (const YamlValue* v = map.find("restitution"))
    material.restitution = read_restitution(map, *v);
  if (const YamlValue* v = map.find("viscous_friction")) {
    material.viscous_friction = read_viscous_friction(reader, map, *v);
  }
  reader.note(ImportFate::Applied, what, "", value.where);
  reader.scene.materials.push_back(std::move(material));
}

/// Reads the coefficients of two materials that meet; a coefficient not given follows from both
/// materials.
void read_pair(SceneReader& reader, const YamlValue& value) {
  const MapReader map(value, "a pair of materials", scene_map("pair"));
  const YamlValue& names = map.required("pair");
  if (read_list(names, "pair").size() != 2) fail_at(names.where, "pair must name two materials");
  // Both names must be known.
  const std::vector<std::string> known = material_names(reader.scene);
  MaterialPair pair;
  pair.first = read_name(names.items[0], "a material of a pair", known);
  pair.second = read_name(names.items[1], "a material of a pair", known);
  // Pairs are unordered: (a, b) and (b, a) are the same.
  for (const MaterialPair& other : reader.scene.material_pairs) {
    if ((other.first == pair.first && other.second == pair.second) ||
        (other.first == pair.second && other.second == pair.first)) {
      fail_at(names.where,
              "the pair of '" + pair.first + "' and '" + pair.second + "' is given twice");
    }
  }
  // At least one coefficient must differ from the rule, else the pair has no effect.
  if (const YamlValue* v = map.find("friction")) {
    pair.friction = read_non_negative(*v, map.name_of("friction"));
  }
  if (const YamlValue* v = map.find("restitution")) pair.restitution = read_restitution(map, *v);
  if (const YamlValue* v = map.find("viscous_friction")) {
    pair.viscous_friction = read_viscous_friction(reader, map, *v);
  }
  if (!pair.friction && !pair.restitution && !pair.viscous_friction) {
    fail_at(value.where, "this pair of materials sets nothing; give friction or restitution");
  }
  reader.note(ImportFate::Applied, "materials '" + pair.first + "' and '" + pair.second + "'", "",
              value.where);
  reader.scene.material_pairs.push_back(std::move(pair));
}

}  // namespace

std::vector<std::string> material_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const Material& material : scene.materials) names.push_back(material.name);
  return names;
}

void read_materials(SceneReader& reader, const YamlValue& value) {
  // A pair may name materials that follow it in the list, so that all materials are read first.
  for (const YamlValue& item : read_list(value, "materials")) {
    if (item.find("pair") == nullptr) read_material(reader, item);
  }
  const std::vector<std::string> names = material_names(reader.scene);
  if (std::find(names.begin(), names.end(), "default") == names.end()) {
    reader.scene.materials.push_back({.name = "default"});
  }
  for (const YamlValue& item : value.items) {
    if (item.find("pair") != nullptr) read_pair(reader, item);
  }
}

}  // namespace amontons::io
