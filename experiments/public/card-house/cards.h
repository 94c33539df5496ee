#pragma once

#include "amontons/simulation/scene/scene.h"

#include <Eigen/Core>

namespace amontons::experiments {

/// Describes a house of cards: tents of two leaning cards, a card across from tent to tent.
struct CardHouse {
  int levels = 5;
  Eigen::Vector3d card{0.04, 1.25, 2.5};  ///< thickness, depth and length [m]
  double lean = 0.0;                      ///< of the leaning cards from the vertical [rad]
  double bridge_tilt = 0.0;               ///< of the cards across [rad]
  double half_gap = 0.0;                  ///< from the middle of a tent to that of its cards [m]
  double width = 0.0, height = 0.0;       ///< from tent to tent, and from level to level [m]
  double density = 200.0;                 ///< [kg/m^3]
};

/// Returns the house of the paper.
CardHouse published_house(int levels);

/// Returns the number of its cards.
int num_cards(const CardHouse& house);

/// Appends the cards to a scene, level by level from the floor z = 0.
void add_cards(const CardHouse& house, Scene& scene);

}  // namespace amontons::experiments
