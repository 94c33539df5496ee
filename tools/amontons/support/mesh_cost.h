#pragma once

#include "amontons/math/step_times.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <optional>
#include <string>

namespace amontons::cli {

/// Holds what triangle meshes cost, and the model or body whose meshes cost most.
struct MeshCost {
  std::string owner;      ///< model or body
  bool is_model = false;  ///< true: a model
  double share = 0.0;     ///< share of its meshes in the time of all steps
  double of_all = 0.0;    ///< share of all meshes
};

/// Returns true if a shape of the system collides triangle by triangle.
bool has_meshes(const System& system);

/// Returns the cost of meshes, if any is near another shape. The time of collisions is divided
/// among the pairs of shapes by timing each once, at the given state.
std::optional<MeshCost> find_mesh_cost(const StepTimes& times, const Scene& scene,
                                       const System& system, const State& state);

/// Returns the sentence of the summary, with a line end; nothing if meshes take less than half of
/// the time.
std::string mesh_cost_text(const std::optional<MeshCost>& cost);

}  // namespace amontons::cli
