#include "amontons/geometry/shapes/height_field.h"
#include "amontons/geometry/shapes/value_noise.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/io/tables/height_map_file.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

/// Reads a scale: a number for all axes, or one per axis; negative ones mirror.
Eigen::Vector3d read_scale(const MapReader& map) {
  const YamlValue* value = map.find("scale");
  if (value == nullptr) return Eigen::Vector3d::Ones();
  const Eigen::Vector3d scale =
      value->kind == YamlValue::Kind::Sequence
          ? read_vector3(*value, map.name_of("scale"))
          : Eigen::Vector3d(Eigen::Vector3d::Constant(read_number(*value, map.name_of("scale"))));
  if (scale.cwiseAbs().minCoeff() < kSmallestNumber) {
    fail_at(value->where, map.name_of("scale") + " must not be zero");
  }
  return scale;
}

/// Returns terrain of seeded value noise: cells_x by cells_y cells over the size [m].
HeightField make_noise(const SceneReader& reader, const YamlValue& value,
                       const Eigen::Vector2d& size, const std::string& what) {
  const MapReader map(value, "noise of the " + what, scene_map("noise"));
  ValueNoise noise;
  noise.amplitude = read_non_negative(map.required("amplitude"), map.name_of("amplitude"));
  noise.wavelength = read_positive(map.required("wavelength"), map.name_of("wavelength"));
  noise.seed = reader.scene.simulation.seed;
  if (const YamlValue* seed = map.find("seed")) noise.seed = read_count(*seed, map.name_of("seed"));
  // The heights are sampled at the corners of the cells.
  const YamlValue& cells = map.required("cells");
  if (read_list(cells, map.name_of("cells")).size() != 2) {
    fail_at(cells.where, map.name_of("cells") + " must be two counts [along x, along y]");
  }
  const int cells_x = read_integer(cells.items[0], map.name_of("cells"), 1, 10'000);
  const int cells_y = read_integer(cells.items[1], map.name_of("cells"), 1, 10'000);
  // Neighboring points of the lattice must stay distinct in double precision.
  if (size.maxCoeff() / noise.wavelength > 1e9) {
    fail_at(map.where("wavelength"), map.name_of("wavelength") + " is too short for the size");
  }
  return {value_noise_heights(noise, cells_x, cells_y, size.x(), size.y()), size.x(), size.y()};
}

/// Reads terrain from a CSV table or PGM image, centered, of the given size [m].
HeightField read_height_file(SceneReader& reader, const MapReader& map,
                             const Eigen::Vector2d& size) {
  const YamlValue& file = map.required("file");
  const std::string name = read_text(file, map.name_of("file"));
  const std::string& bytes = reader.inputs.read(name, file.where);
  try {
    return parse_height_map(bytes, reader.inputs.shown_name(name), size.x(), size.y(),
                            map.number("scale", 1.0));
  } catch (const ParseError& error) {
    // The line within the terrain's file helps more than the line that names the file; the error
    // gives both.
    fail_at(file.where, std::string("terrain ") + error.what());
  } catch (const std::invalid_argument& error) {
    fail_at(file.where, std::string("terrain: ") + error.what());
  }
}

/// Reads a largest number of vertices, or -1 for no limit.
int read_vertex_limit(const YamlValue& value, const std::string& what) {
  const double number = read_number(value, what);
  const bool is_count = number == std::floor(number) && number >= kFewestVertices && number <= 1e9;
  if (!is_count && number != kNoVertexLimit) {
    fail_at(value.where,
            what + " must be an integer of at least 4, or -1 for no limit, not " + value.text);
  }
  return static_cast<int>(number);
}

/// Reads one value for all names, or a map from names to values.
template <typename Value, typename Read>
void read_by_name(const YamlValue& value, const std::string& what, ValuesByName<Value>& values,
                  Read read) {
  if (value.kind == YamlValue::Kind::Scalar) return values.add("*", read(value), value.where);
  const std::vector<YamlValue::Key>& names = read_names(value, what);
  for (std::size_t i = 0; i < names.size(); ++i) {
    values.add(names[i].text, read(value.items[i]), value.items[i].where);
  }
}

}  // namespace

void read_collide(const YamlValue& value, const std::string& what,
                  ValuesByName<MeshCollision>& choices) {
  read_by_name(value, what, choices, [&](const YamlValue& word) {
    const std::vector<std::string>& words = mesh_collisions();
    const auto place = std::find(words.begin(), words.end(), read_choice(word, what, words));
    return static_cast<MeshCollision>(place - words.begin());
  });
}

void read_vertex_limits(const YamlValue& value, const std::string& what,
                        ValuesByName<int>& limits) {
  read_by_name(value, what, limits,
               [&](const YamlValue& number) { return read_vertex_limit(number, what); });
}

MeshChoice read_mesh_choice(const MapReader& map, const MeshChoice& otherwise) {
  MeshChoice choice = otherwise;
  choice.collision = map.choice("collide", otherwise.collision);
  if (const YamlValue* limit = map.find("max_hull_vertices")) {
    choice.max_hull_vertices = read_vertex_limit(*limit, map.name_of("max_hull_vertices"));
  }
  return choice;
}

void read_mesh_of_shape(SceneReader& reader, const YamlValue& value, const std::string& what,
                        const MeshChoice& otherwise, ReadShape& result) {
  const MapReader map(value, what, scene_map("mesh"));
  // `parts` is an alternative to `collide`: other files collide in place of this one.
  const Eigen::Vector3d scale = read_scale(map);
  const YamlValue* collide = map.find("collide");
  const YamlValue* parts = map.find("parts");
  if (parts && collide) {
    fail_at(collide->where, what + " gives parts, which collide: remove collide");
  }
  // A body none of whose shapes collides has none in its meshes, either.
  MeshChoice choice = read_mesh_choice(map, otherwise);
  if (otherwise.collision == MeshCollision::None) choice.collision = MeshCollision::None;
  result.scene_shape.filter = filter_of(choice.collision, {});
  // The reader keeps meshes by name, scale and way of colliding, so that each is imported once.
  const auto make = [&](const YamlValue& file, const std::string& key) -> const MeshShape& {
    const std::string name = read_text(file, map.name_of(key));
    return reader.meshes.make(reader.inputs.shown_name(name), reader.inputs.read(name, file.where),
                              scale, choice, file.where);
  };
  // Mass properties are those of the visible mesh, even where parts collide in its place.
  const MeshShape& mesh = make(map.required("file"), "file");
  result.solid = mesh.solid;
  std::vector<Shape> shapes;
  // The files of `parts` replace the mesh in collisions; each gets its own line in the ledger.
  if (parts) {
    for (const YamlValue& item : read_list(*parts, map.name_of("parts"))) {
      const MeshShape& part = make(item, "parts");
      note_mesh(reader.scene.ledger, part, "a part of " + what, item.where);
      shapes.insert(shapes.end(), part.shapes.begin(), part.shapes.end());
    }
    if (parts->items.empty()) fail_at(parts->where, map.name_of("parts") + " must name a file");
    reader.note(ImportFate::Applied, what,
                "collides as " + std::to_string(shapes.size()) + " parts", value.where);
  } else {
    shapes = mesh.shapes;
    note_mesh(reader.scene.ledger, mesh, what, value.where);
  }
  if (shapes.empty()) {
    const YamlValue& file = map.required("file");
    fail_at(file.where, "mesh '" + reader.inputs.shown_name(read_text(file, map.name_of("file"))) +
                            "': nothing there to collide, since its triangles have no area");
  }
  // All shapes after the first share its pose and material.
  result.scene_shape.shape = shapes.front();
  result.more_parts.assign(shapes.begin() + 1, shapes.end());
}

Shape read_height_field(SceneReader& reader, const YamlValue& value, const std::string& what) {
  const MapReader map(value, what, scene_map("heightfield"));
  if (map.has("file") == map.has("noise")) {
    fail_at(map.where(), what + " needs exactly one of file and noise");
  }
  // Both lengths of the base rectangle [m] must be positive.
  const YamlValue& size_value = map.required("size");
  const Eigen::Vector2d size = read_vector2(size_value, map.name_of("size"));
  for (const YamlValue& item : size_value.items) read_positive(item, map.name_of("size"));
  if (const YamlValue* noise = map.find("noise")) {
    if (map.has("scale")) {
      fail_at(map.where("scale"), what + ": 'scale' belongs to a file; set the noise's amplitude");
    }
    return std::make_shared<const HeightField>(make_noise(reader, *noise, size, what));
  }
  return std::make_shared<const HeightField>(read_height_file(reader, map, size));
}

}  // namespace amontons::io
