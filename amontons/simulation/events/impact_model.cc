#include "amontons/simulation/events/impact_model.h"

#include "amontons/simulation/stepping/time_stepping_settings.h"

namespace amontons {

std::string impact_model_name(const SimulationSettings& settings) {
  // Impacts of the hybrid and the impulse-based method come in sequence, as published.
  const char* usual = settings.method == "event-driven" ? "coulomb" : "mirtich";
  return settings.events.impact_model.value_or(usual);
}

std::unique_ptr<ContactModel> make_impact_model(const SimulationSettings& settings) {
  ModelSettings own = model_settings(settings);
  own.restitution = settings.restitution_law;
  return make_model(impact_model_name(settings), own);
}

}  // namespace amontons
