#pragma once

#include "amontons/math/thread_pool.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/stepping/stepper.h"
#include "amontons/simulation/system/system.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amontons {

/// Makes the stepper that simulation.method names.
/// @param model  made from the scene's settings; it and the system must outlive the stepper.
/// @param pool   shares the islands of a step, if given.
/// @throws std::invalid_argument for an unknown method, and for one that does not fit the model,
/// the way of sustained contacts, or the viscous friction of the system's materials.
std::unique_ptr<Stepper> make_stepper(const System& system, const ContactModel& model,
                                      const SimulationSettings& settings, ThreadPool* pool);

/// Returns the methods that make_stepper() knows.
const std::vector<std::string>& method_names();

/// Explains in one sentence why the method and the contact model do not fit; else returns nothing.
std::optional<std::string> fault_of_model(const SimulationSettings& settings);

/// Explains in one sentence why contacts cannot be sustained by forces (events.sustained). Returns
/// nothing where that is not asked for, or is possible.
std::optional<std::string> fault_of_sustained(const SimulationSettings& settings);

/// Explains in one sentence why the method has no viscous friction; returns nothing where it has.
std::optional<std::string> fault_of_viscous_friction(const SimulationSettings& settings);

}  // namespace amontons
