#include "amontons/simulation/stepping_methods.h"

#include "amontons/simulation/events/event_stepper.h"
#include "amontons/simulation/events/hybrid_stepper.h"
#include "amontons/simulation/events/impact_model.h"
#include "amontons/simulation/events/impulse_based_stepper.h"
#include "amontons/simulation/stepping/time_stepper.h"

#include <stdexcept>

namespace amontons {
namespace {

/// Returns true if contacts of two materials have viscous friction.
bool has_viscous_friction(const System& system) {
  const int n = static_cast<int>(system.materials().size());
  for (int a = 0; a < n; ++a) {
    for (int b = a; b < n; ++b) {
      if (system.properties_of_materials(a, b).viscous_friction > 0.0) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string> fault_of_sustained(const SimulationSettings& settings) {
  const SustainedContact sustained = settings.events.sustained;
  if (sustained == SustainedContact::Velocity) return std::nullopt;
  const bool is_viscous = sustained == SustainedContact::ViscousAcceleration;
  const std::string name = is_viscous ? "viscous-acceleration" : "coulomb-acceleration",
                    model = is_viscous ? "viscous" : "coulomb";
  // Forces act over time, which steps of impulses do not resolve.
  if (settings.method != "event-driven") {
    return "sustained_contact '" + name + "' belongs to method: event-driven";
  }
  if (settings.events.integrator == Integrator::SymplecticEuler) {
    return "sustained_contact '" + name +
           "' is integrated: write integrator: rk4 or dormand-prince";
  }
  // Under viscous friction alone also the baseline of the literature, for comparison.
  const bool is_baseline = is_viscous && settings.model == "lemke-plain";
  if (settings.model != model && !is_baseline) {
    return "sustained_contact '" + name + "' has model: " + model +
           " where there are no forces, not " + settings.model;
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_model(const SimulationSettings& settings) {
  const bool in_sequence = make_model(settings.model, {})->traits().resolves_impacts_only;
  if (settings.method == "impulse-based" && !in_sequence) {
    return "method 'impulse-based' has collisions alone; write model: mirtich, or leave model out";
  }
  if (settings.method != "impulse-based" && in_sequence) {
    return "model '" + settings.model + "' resolves impacts alone, not steps; write method: " +
           "impulse-based, or method: hybrid or event-driven and impact_model: " + settings.model;
  }
  if (settings.method == "impulse-based" && impact_model_name(settings) != settings.model) {
    return "method 'impulse-based' has one model for all contact; leave out impact_model";
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_viscous_friction(const SimulationSettings& settings) {
  if (settings.method != "impulse-based") return std::nullopt;
  return "method 'impulse-based' has collisions alone, in which viscous friction has no time to "
         "act";
}

std::unique_ptr<Stepper> make_stepper(const System& system, const ContactModel& model,
                                      const SimulationSettings& settings, ThreadPool* pool) {
  if (const auto fault = fault_of_sustained(settings)) throw std::invalid_argument(*fault);
  if (const auto fault = fault_of_model(settings)) throw std::invalid_argument(*fault);
  const auto no_drag = fault_of_viscous_friction(settings);
  if (no_drag && has_viscous_friction(system)) throw std::invalid_argument(*no_drag);
  if (settings.method == "time-stepping") {
    return std::make_unique<TimeStepper>(
        system, model, TimeSteppingSettings::from(settings, model.traits()), pool);
  }
  if (settings.method == "event-driven" || settings.method == "hybrid" ||
      settings.method == "impulse-based") {
    // Motions between events are evaluated at their start and not projected.
    if (settings.projection || settings.post_stabilization > 0 ||
        settings.position_iterations > 0) {
      throw std::invalid_argument(
          "simulation.projection, post_stabilization and position_iterations belong to "
          "time-stepping");
    }
    if (settings.method == "hybrid") {
      return std::make_unique<HybridStepper>(system, model, settings, pool);
    }
    if (settings.method == "impulse-based") {
      return std::make_unique<ImpulseBasedStepper>(system, model, settings, pool);
    }
    return std::make_unique<EventStepper>(system, model, settings, pool);
  }
  std::string list;
  for (const std::string& name : method_names()) list += (list.empty() ? "" : ", ") + name;
  throw std::invalid_argument("simulation.method '" + settings.method +
                              "' is not available in this version (one of: " + list + ")");
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {"time-stepping", "event-driven", "hybrid",
                                                 "impulse-based"};
  return names;
}

}  // namespace amontons
