#include "amontons/simulation/stepper.h"

#include "amontons/simulation/time_stepper.h"

#include <stdexcept>

namespace amontons {

std::unique_ptr<Stepper> make_stepper(const System& system, const ContactModel& model,
                                      const SimulationSettings& settings, ThreadPool* pool) {
  const TimeSteppingSettings stepping = TimeSteppingSettings::from(settings, model.traits());
  if (settings.method == "time-stepping") {
    return std::make_unique<TimeStepper>(system, model, stepping, pool);
  }
  std::string list;
  for (const std::string& name : method_names()) list += (list.empty() ? "" : ", ") + name;
  throw std::invalid_argument("simulation.method '" + settings.method +
                              "' is not available in this version (one of: " + list + ")");
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {"time-stepping"};
  return names;
}

}  // namespace amontons
