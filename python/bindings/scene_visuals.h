#pragma once

#include "amontons/io/import/model_visuals.h"
#include "amontons/simulation/simulator.h"

#include <pybind11/pybind11.h>

namespace amontons::python {

/// Returns the scene that an argument holds; null where it is None.
/// @param caller  function of Python that errors name.
/// @throws pybind11::type_error  for what is no scene; std::invalid_argument for that of another
/// simulator.
const Scene* scene_of(const Simulator& simulator, const pybind11::object& scene,
                      const char* caller);

/// Returns what the files of a scene's models draw; meshes come from where they were. Nothing for
/// null.
io::ModelVisuals visuals_of(const Scene* scene);

}  // namespace amontons::python
