#pragma once

#include "amontons/simulation/scene/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace amontons::experiments {

/// Names a deliberate error of a simulation. Criteria of what it changes must fail.
enum class Mutation {
  FrictionHalved,    ///< of materials, and dry friction of the scene's joints
  NoStabilization,   ///< gamma = 0
  WrongRestitution,  ///< 0.9 of every coefficient of restitution
  EarlyStop,         ///< one iteration of each method for each law
};

/// Returns the words of all mutations, such as "friction-halved".
const std::vector<std::string>& mutation_words();
/// Returns the mutation of a word, or nothing.
std::optional<Mutation> mutation_of(const std::string& word);
/// Describes a mutation in a sentence without its end: "all friction is halved".
const char* describe(Mutation mutation);

/// Makes the error in a scene.
void mutate(Mutation mutation, Scene& scene);

}  // namespace amontons::experiments
