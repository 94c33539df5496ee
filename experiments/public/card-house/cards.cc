#include "experiments/public/card-house/cards.h"

#include "experiments/public/scene_parts.h"

#include <cmath>
#include <numbers>
#include <string>

namespace amontons::experiments {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

}  // namespace

CardHouse published_house(int levels) {
  CardHouse house;
  house.levels = levels;
  house.lean = 25.0 * kDegree;
  house.bridge_tilt = -kDegree;
  house.half_gap = 0.55;
  house.width = 2.2;
  house.height = 0.5 * house.width * (std::tan(65.0 * kDegree) + std::tan(3.0 * kDegree));
  return house;
}

int num_cards(const CardHouse& house) {
  const int n = house.levels;
  return n * (n + 1) + n * (n - 1) / 2;
}

void add_cards(const CardHouse& house, Scene& scene) {
  const auto card = [&](const std::string& name, double x, double z, double angle) {
    scene.bodies.push_back(solid(name, Box{house.card}, house.density, turned({x, 0.0, z}, angle)));
  };
  for (int level = 0; level < house.levels; ++level) {
    const int tents = house.levels - level;
    for (int tent = 0; tent < tents; ++tent) {
      const std::string place = "-" + std::to_string(level) + "-" + std::to_string(tent);
      const double x = house.width * (tent - 0.5 * (tents - 1));
      const double middle = (level + 0.5) * house.height;
      // A card across lies under each tent but those on the floor.
      if (level > 0) {
        card("across" + place, x, level * house.height, 0.5 * std::numbers::pi + house.bridge_tilt);
      }
      card("left" + place, x - house.half_gap, middle, house.lean);
      card("right" + place, x + house.half_gap, middle, -house.lean);
    }
  }
}

}  // namespace amontons::experiments
