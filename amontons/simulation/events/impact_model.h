#pragma once

#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/scene/scene.h"

#include <memory>
#include <string>

namespace amontons {

/// Returns the name of the model that resolves impacts, by the event-driven and hybrid methods:
/// events.impact_model, or the method's own.
std::string impact_model_name(const SimulationSettings& settings);

/// Makes that model, with the scene's restitution law.
/// @throws std::invalid_argument for a restitution law that the model does not know.
std::unique_ptr<ContactModel> make_impact_model(const SimulationSettings& settings);

}  // namespace amontons
