#include "experiments/mutation.h"

#include <algorithm>

namespace amontons::experiments {
namespace {

constexpr double kWrongShare = 0.9;  // of the right restitution

}  // namespace

const std::vector<std::string>& mutation_words() {
  // In the order of the enumerators.
  static const std::vector<std::string> words = {"friction-halved", "no-stabilization",
                                                 "wrong-restitution", "early-stop"};
  return words;
}

std::optional<Mutation> mutation_of(const std::string& word) {
  const auto found = std::find(mutation_words().begin(), mutation_words().end(), word);
  if (found == mutation_words().end()) return std::nullopt;
  return static_cast<Mutation>(found - mutation_words().begin());
}

const char* describe(Mutation mutation) {
  switch (mutation) {
    case Mutation::FrictionHalved:
      return "friction of materials and dry friction of joints are halved";
    case Mutation::NoStabilization:
      return "gamma is 0";
    case Mutation::WrongRestitution:
      return "all restitution is nine tenths of what it should be";
    case Mutation::EarlyStop:
      return "solvers stop after one iteration";
  }
  return "";
}

void mutate(Mutation mutation, Scene& scene) {
  switch (mutation) {
    case Mutation::FrictionHalved:
      for (Material& material : scene.materials) material.friction *= 0.5;
      for (MaterialPair& pair : scene.material_pairs) {
        if (pair.friction) *pair.friction *= 0.5;
      }
      for (SceneJoint& joint : scene.joints) {
        joint.dynamics.coulomb_friction *= 0.5;
        joint.dynamics2.coulomb_friction *= 0.5;
      }
      break;
    case Mutation::NoStabilization:
      scene.simulation.gamma = 0.0;
      break;
    case Mutation::WrongRestitution:
      for (Material& material : scene.materials) material.restitution *= kWrongShare;
      for (MaterialPair& pair : scene.material_pairs) {
        if (pair.restitution) *pair.restitution *= kWrongShare;
      }
      break;
    case Mutation::EarlyStop:
      scene.simulation.max_iterations = 1;
      break;
  }
}

}  // namespace amontons::experiments
