#pragma once

#include "amontons/simulation/scene/scene.h"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace amontons::experiments {

/// Names a deliberate error of a simulation. Criteria of what it changes must fail.
enum class Mutation {
  FrictionHalved,    ///< of materials, dry and viscous, and dry friction of the scene's joints
  NoStabilization,   ///< gamma = 0
  WrongRestitution,  ///< 0.9 of every coefficient of restitution
  EarlyStop,         ///< one iteration of each method for each law
  LargerShapes,      ///< 1 %, about their origins; half-spaces, height fields and meshes stay
  HeavierBodies,     ///< 1 %: masses and inertias
  DampedJoints,      ///< viscous friction of 0.01 N m s or N s/m more in each joint
  RoundedAnswers,    ///< four digits of what a check asks solvers and distances for itself
};

/// Returns the words of all mutations, such as "friction-halved".
const std::vector<std::string>& mutation_words();
/// Returns the mutation of a word, or nothing.
std::optional<Mutation> mutation_of(const std::string& word);
/// Describes a mutation in a sentence without its end: "all friction is halved".
const char* describe(Mutation mutation);

/// Makes the error in a scene, in a shape, or in an answer of a solver.
void mutate(Mutation mutation, Scene& scene);
void mutate(Mutation mutation, Shape& shape);
void mutate(Mutation mutation, Eigen::Ref<Eigen::VectorXd> answer);

}  // namespace amontons::experiments
