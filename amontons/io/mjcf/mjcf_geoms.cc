#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_assets.h"
#include "amontons/io/mjcf/mjcf_touching.h"

#include <algorithm>
#include <cmath>

// <geom>: shape, place, mass, and what it may touch.

namespace amontons::io {
namespace {

/// Reads the half-lengths of a shape [m], at least zero: as many as its type has.
std::vector<double> read_sizes(const MjcfElement& geom, std::size_t count) {
  std::vector<double> size = geom.merged_numbers("size", 1, 3);
  if (size.size() < count) {
    geom.fail("size", "must be " + std::to_string(count) + " number(s) for this type" +
                          (size.empty() ? "; it is not given" : ""));
  }
  size.resize(count);
  for (const double length : size) {
    if (!(length >= 0.0))
      geom.fail("size", "must not be negative, but is " + shortest_text(length));
  }
  return size;
}

/// Reads a capsule, cylinder, box or ellipsoid, whose size may follow from its two ends. There is
/// none where a size is zero; but a capsule of no length is a sphere.
std::optional<Shape> read_long_shape(const MjcfElement& geom, const std::string& type, Pose& X_PG) {
  const bool round = type == "capsule" || type == "cylinder";
  std::vector<double> size;
  if (geom.has("fromto")) {
    const MjcfSegment segment = read_mjcf_segment(geom);
    X_PG = segment.X_PG;
    // With two ends the size is only the radius or half width.
    const double width = read_sizes(geom, 1)[0];
    size = round ? std::vector{width, segment.half_length}
                 : std::vector{width, width, segment.half_length};
  } else {
    size = read_sizes(geom, round ? 2 : 3);
  }
  const double least = *std::min_element(size.begin(), size.end());
  if (type == "capsule" && size[0] >= kSmallestNumber && size[1] < kSmallestNumber) {
    return Sphere{size[0]};
  }
  if (least < kSmallestNumber) return std::nullopt;
  // MJCF has half-lengths where shapes here have full ones, except for an ellipsoid's semi-axes.
  if (type == "capsule") return Capsule{size[0], 2.0 * size[1]};
  if (type == "cylinder") return Cylinder{size[0], 2.0 * size[1]};
  const Eigen::Vector3d half(size[0], size[1], size[2]);
  if (type == "box") return Box{2.0 * half};
  return Ellipsoid{half};
}

/// Returns the mass [kg]: as given, or from the density [kg/m^3], that of water by default. Without
/// a volume a density gives none.
double read_mass(const MjcfElement& geom, const std::optional<SolidProperties>& solid) {
  const bool given = geom.has("mass");
  const double number = given ? geom.number("mass", 0.0) : geom.number("density", 1000.0);
  if (!(number >= 0.0)) {
    geom.fail(given ? "mass" : "density", "must not be negative, but is " + shortest_text(number));
  }
  const bool has_volume = solid && solid->volume >= kSmallestNumber;
  if (given && number > 0.0 && !has_volume) {
    geom.fail("mass", "is asked of a shape that has no volume; give the body an <inertial>");
  }
  if (!has_volume) return 0.0;
  return given ? number : number * solid->volume;
}

/// Notes a mass by the volume of a mesh, or of a shape fitted to one, that differs from what MuJoCo
/// makes of it by more than 1 %.
void note_legacy_mass(MjcfReader& reader, const MjcfElement& geom, const std::string& type,
                      double mass, double volume) {
  const std::optional<MjcfLegacyVolume> legacy = legacy_mjcf_volume(reader, geom, type);
  if (!legacy) return;
  const auto differs = [volume](double other) { return std::abs(other - volume) > 0.01 * volume; };
  if (!differs(legacy->now) && !differs(legacy->before)) return;
  const auto text = [&](double other) { return rounded_text(mass * other / volume) + " kg"; };
  std::string reason = "its mass is that of the volume of the mesh, " + rounded_text(mass) +
                       " kg; the legacy inertia of MuJoCo makes it " + text(legacy->now);
  if (legacy->before != legacy->now) reason += ", before version 3.0.1 " + text(legacy->before);
  geom.note(ImportFate::Approximated, reason);
}

/// Spreads the mass of a geom over its surface, where shellinertia says so.
void spread_over_surface(const MjcfElement& geom, const std::string& type, MjcfShape& shape) {
  if (!geom.has("shellinertia")) return;
  if (type == "mesh" || type == "sdf") {
    geom.note("shellinertia", ImportFate::Ignored, "the attribute `inertia` of a mesh says it");
  } else if (geom.flag("shellinertia").value_or(false) && shape.solid) {
    shape.is_shell = true;
    shape.solid = surface_properties(shape.shapes.front());
  }
}

/// Reads friction, and how many dimensions of it a contact has.
/// @param override  friction of all contacts, if the file sets one.
void read_friction(const MjcfElement& geom, const std::optional<double>& override,
                   MjcfGeom& result) {
  result.condim = geom.integer("condim", 3);
  if (result.condim != 1 && result.condim != 3 && result.condim != 4 && result.condim != 6) {
    geom.fail("condim", "must be 1, 3, 4 or 6, not " + std::to_string(result.condim));
  }
  result.priority = geom.integer("priority", 0);
  const std::vector<double> friction = geom.numbers("friction", 1, 3);
  // The first number is sliding friction; those against turning have no counterpart here.
  if (!friction.empty()) {
    result.friction = friction[0];
    if (!(friction[0] >= 0.0)) {
      geom.fail("friction", "must not be negative, but is " + shortest_text(friction[0]));
    }
  }
  if (friction.size() > 1) result.torsion = friction[1];
  if (friction.size() > 2) result.rolling = friction[2];
  if (override) result.friction = *override;
}

/// Returns the surface of a shape around which a tendon may pass; nothing for other shapes. Its
/// body is not known yet.
std::optional<TendonObstacle> obstacle_of(const Shape& shape, const Pose& X_BS) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    return TendonObstacle{-1, X_BS, {false, sphere->radius}, {}};
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    return TendonObstacle{-1, X_BS, {true, cylinder->radius}, {}};
  }
  return std::nullopt;
}

/// Reads a number of 32 bits, which may have a sign or not. Higher bits do not count, as in MuJoCo.
std::uint32_t read_bits(const MjcfElement& geom, const std::string& attribute) {
  const double value = geom.number(attribute, 1.0);
  // Beyond 2^53 the lower bits of a number are not known.
  constexpr double kTwoTo32 = 4294967296.0, kLargest = 9007199254740992.0;
  if (value != std::floor(value) || std::abs(value) > kLargest) {
    geom.fail(attribute, "must be an integer, not " + shortest_text(value));
  }
  if (value >= kTwoTo32 || value < -0.5 * kTwoTo32) {
    geom.note(attribute, ImportFate::Applied, "its lower 32 bits count");
  }
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

}  // namespace

MjcfShape read_mjcf_shape(MjcfReader& reader, const MjcfElement& geom, const std::string& type,
                          const std::string& link, Pose& X_PG) {
  X_PG = geom.has("fromto") ? Pose{} : read_mjcf_pose(reader, geom);
  if (type == "mesh") return load_mjcf_mesh(reader, geom, link);
  if (type == "sdf") return load_mjcf_sdf(reader, geom, link);
  MjcfShape result;
  // Planes and height fields are surfaces without mass.
  if (type == "plane") {
    result.shapes = {HalfSpace{}};
    if (geom.has("size")) {
      geom.note("size", ImportFate::Ignored, "how far a plane is drawn; it reaches everywhere");
    }
    return result;
  }
  if (type == "hfield") {
    result.shapes = {load_mjcf_height_field(reader, geom)};
    return result;
  }
  if (geom.has("mesh")) return fit_mjcf_shape(reader, geom, type);
  if (type != "sphere") {
    if (auto shape = read_long_shape(geom, type, X_PG)) result.shapes = {std::move(*shape)};
  } else if (const double radius = read_sizes(geom, 1)[0]; radius >= kSmallestNumber) {
    result.shapes = {Sphere{radius}};
  }
  if (!result.shapes.empty()) result.solid = shape_properties(result.shapes.front());
  return result;
}

SpatialInertia read_mjcf_geom(MjcfReader& reader, const MjcfItem& item, int body, bool has_mass,
                              ModelLink& link) {
  const MjcfElement& geom = item.element;
  // A geom without a type is a sphere.
  const std::string type = geom.word(
      "type",
      {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"},
      "sphere");
  const bool surface = type == "plane" || type == "hfield";
  MjcfGeom result;
  result.body = body;
  if (geom.has("name")) result.name = geom.text("name");
  // Filters: two geoms touch if the category of one meets the mask of the other.
  result.category = read_bits(geom, "contype");
  result.mask = read_bits(geom, "conaffinity");
  const bool touches = reader.flags.contact && (result.category != 0 || result.mask != 0 ||
                                                reader.paired.count(result.name) > 0);
  // Mass counts for solids of the chosen groups, if the body takes its mass from geoms.
  const int group = geom.integer("group", 0);
  const MjcfCompiler& compiler = reader.compiler_of(geom);
  const bool counts_mass = has_mass && !surface && group >= compiler.first_group &&
                           group <= compiler.last_group &&
                           (!geom.has("mass") || geom.number("mass", 0.0) != 0.0);
  if (geom.has("group")) {
    geom.note("group", ImportFate::Ignored, "chooses what a viewer draws, and not more here");
  }
  // A geom that neither touches nor has mass nor carries a tendon needs no shape, so that its mesh
  // is not loaded.
  const bool wraps = reader.wrapped.count(result.name) > 0;
  if (!touches && !counts_mass && !wraps) {
    geom.note(ImportFate::Ignored, "it touches nothing and has no mass that counts");
    note_mjcf_idle_contact(geom);
    return {};
  }
  // The pose of the shape in its body leads through the <frame> P and the geom G.
  Pose X_PG;
  const std::string link_name = reader.model.name + "/" + link.name;
  const MeshCollision choice = reader.context.collide.of(link_name, {}).collision;
  MjcfShape shape = read_mjcf_shape(reader, geom, type, link_name, X_PG);
  spread_over_surface(geom, type, shape);
  const Pose X_BS = item.X_BP * X_PG * shape.X_GS;
  result.element = geom;
  if (touches) {
    read_friction(geom, reader.friction_override, result);
  } else {
    note_mjcf_idle_contact(geom);
  }
  if ((touches || shape.shapes.empty()) && !shape.collides_as.reason.empty()) {
    geom.note("mesh", shape.collides_as.fate, shape.collides_as.reason);
  }
  if (wraps && !shape.shapes.empty()) {
    result.obstacle = obstacle_of(shape.shapes.front(), X_BS);
  }
  if (shape.shapes.empty()) {
    if (type != "mesh") {
      geom.note(ImportFate::Ignored, "nothing there to collide: a size of its shape is 0");
    }
  } else if (touches) {
    result.index = static_cast<int>(link.shapes.size());
    result.num_shapes = static_cast<int>(shape.shapes.size());
    for (const Shape& part : shape.shapes) {
      link.shapes.push_back(
          {part, X_BS, "default", filter_of(choice, {result.category, result.mask}), result.name});
    }
  } else {
    geom.note(ImportFate::Applied, wraps ? "tendons wrap around it: it touches nothing else"
                                         : "its mass only: it touches nothing");
  }
  reader.geoms.push_back(result);
  const double mass = counts_mass ? read_mass(geom, shape.solid) : 0.0;
  if (mass > 0.0 && shape.is_shell && !geom.has("mass")) {
    reader.context.world.shells.insert(link_name);
  }
  if (mass > 0.0 && geom.has("mesh") && !geom.has("mass")) {
    note_legacy_mass(reader, geom, type, mass, shape.solid->volume);
  }
  return mass > 0.0 ? transform(X_BS, with_mass(*shape.solid, mass)) : SpatialInertia{};
}

}  // namespace amontons::io
