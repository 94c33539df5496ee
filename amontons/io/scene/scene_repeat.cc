#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace amontons::io {
namespace {

// Largest number of copies of one repeat; more would fill the memory ahead of the first step.
constexpr double kMaxCopies = 1e5;

/// Holds one item of `repeat`.
struct Repeat {
  std::string body;
  int nx = 1, ny = 1, nz = 1;
  Eigen::Vector3d spacing = Eigen::Vector3d::Zero();
  double jitter = 0.0;
  SourceLocation where;
};

/// Reads one item of `repeat`.
Repeat read_one(const YamlValue& value) {
  const MapReader map(value, "a repeat", scene_map("repeat"));
  Repeat repeat;
  repeat.where = value.where;
  repeat.body = read_text(map.required("body"), "body of a repeat");
  // The product of the counts is bounded, in floating point so that it cannot overflow.
  const YamlValue& grid = map.required("grid");
  if (read_list(grid, "grid of a repeat").size() != 3) {
    fail_at(grid.where, "grid of a repeat must be three counts [along x, along y, along z]");
  }
  repeat.nx = read_integer(grid.items[0], "grid of a repeat", 1, 1'000'000);
  repeat.ny = read_integer(grid.items[1], "grid of a repeat", 1, 1'000'000);
  repeat.nz = read_integer(grid.items[2], "grid of a repeat", 1, 1'000'000);
  if (1.0 * repeat.nx * repeat.ny * repeat.nz > kMaxCopies) {
    fail_at(grid.where, "grid of a repeat asks for more than 100000 copies");
  }
  // Spacing and jitter are lengths [m].
  repeat.spacing = read_vector3(map.required("spacing"), "spacing of a repeat");
  if (const YamlValue* v = map.find("jitter")) {
    repeat.jitter = read_non_negative(*v, "jitter of a repeat");
  }
  return repeat;
}

/// Returns a number uniform in [-amplitude, amplitude). It takes 53 bits of the generator itself,
/// because the standard's distributions differ from library to library.
double draw(std::mt19937_64& generator, double amplitude) {
  const double unit = std::ldexp(static_cast<double>(generator() >> 11), -53);
  return amplitude * (2.0 * unit - 1.0);
}

/// Returns the copies of a body, x fastest, then y, then z.
std::vector<SceneBody> make_copies(const SceneBody& original, const Repeat& repeat,
                                   std::mt19937_64& generator) {
  std::vector<SceneBody> copies;
  for (int z = 0; z < repeat.nz; ++z) {
    for (int y = 0; y < repeat.ny; ++y) {
      for (int x = 0; x < repeat.nx; ++x) {
        SceneBody copy = original;
        copy.name.append("/").append(std::to_string(copies.size()));
        Eigen::Vector3d offset = repeat.spacing.cwiseProduct(Eigen::Vector3d(x, y, z));
        Eigen::Vector3d jitter;
        for (double& component : jitter) component = draw(generator, repeat.jitter);
        // Three numbers are drawn in any case, so that the base does not change the later copies.
        if (original.base == BaseType::Planar) jitter.y() = 0.0;
        offset += jitter;
        copy.pose.translation += offset;
        copies.push_back(std::move(copy));
      }
    }
  }
  return copies;
}

}  // namespace

void read_repeats(SceneReader& reader, const YamlValue& value) {
  // One generator serves all repeats, in the order of the list.
  std::mt19937_64 generator(reader.scene.simulation.seed);
  std::vector<SceneBody>& bodies = reader.scene.bodies;
  std::vector<std::string> names;
  for (const SceneBody& body : bodies) names.push_back(body.name);
  std::vector<std::string> repeated;
  for (const YamlValue& item : read_list(value, "repeat")) {
    const Repeat repeat = read_one(item);
    // A body can be repeated once, since it is gone afterwards.
    const SourceLocation& where = item.find("body")->where;
    if (std::find(repeated.begin(), repeated.end(), repeat.body) != repeated.end()) {
      fail_at(where, "body '" + repeat.body + "' is repeated twice; use one larger grid");
    }
    const auto original = std::find_if(bodies.begin(), bodies.end(), [&](const SceneBody& body) {
      return body.name == repeat.body;
    });
    if (original == bodies.end()) {
      fail_at(where, "there is no body '" + repeat.body + "'" + did_you_mean(repeat.body, names));
    }
    // The copies take the place of the original, so that the order of the other bodies is kept.
    const std::vector<SceneBody> copies = make_copies(*original, repeat, generator);
    const auto place = bodies.erase(original);
    bodies.insert(place, copies.begin(), copies.end());
    repeated.push_back(repeat.body);
    reader.note(ImportFate::Applied, "repeat of body '" + repeat.body + "'", "", item.where);
  }
}

}  // namespace amontons::io
