#pragma once

#include "amontons/simulation/scene/model_frames.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Returns how many numbers a sensor of contacts has: the fields of one contact, times its places.
int contact_reading_size(const SensorContacts& contacts);

/// Returns the reading of a sensor of contacts, place by place; places without a contact are zero.
/// A contact counts where shapes touch at the start of the step or where it carries an impulse.
/// Points, gaps and axes are those of the start, forces are means over the step. The sum of several
/// contacts is in the axes of W, about the mean of their points weighted by their forces; its gap
/// is 0.
/// @throws std::invalid_argument  as require_step().
Eigen::VectorXd contact_reading(const System& system, const StepReport& report,
                                const SystemSensor& sensor);

}  // namespace amontons
