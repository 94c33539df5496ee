#include "python/bindings/simulator_handle.h"

#include <array>
#include <unordered_map>

namespace amontons::python {
namespace {

// Never deleted: the interpreter ends before static objects do.
using Extras = std::unordered_map<const Simulator*, std::unique_ptr<SimulatorExtras>>;
Extras& all_extras() {
  static auto* const extras = new Extras;
  return *extras;
}

}  // namespace

SimulatorExtras& extras_of(const Simulator& simulator) {
  std::unique_ptr<SimulatorExtras>& own = all_extras()[&simulator];
  if (own == nullptr) own = std::make_unique<SimulatorExtras>(simulator);
  return *own;
}

int visit_functions(Simulator& simulator, visitproc visit, void* state) {
  const auto found = all_extras().find(&simulator);
  if (found == all_extras().end()) return 0;
  for (const auto& function : {found->second->controller, found->second->solver}) {
    if (function == nullptr) continue;
    if (const int result = visit_object(*function, visit, state)) return result;
  }
  return 0;
}

void clear_functions(Simulator& simulator) {
  const auto found = all_extras().find(&simulator);
  if (found == all_extras().end()) return;
  // What they release may use the table, so that they are taken first.
  const std::array functions = {found->second->controller, found->second->solver};
  for (const auto& function : functions) {
    if (function != nullptr) *function = pybind11::none();
  }
}

void DeleteSimulator::operator()(Simulator* simulator) const {
  // Python objects that it owns may be deleted with it, and use the table.
  auto own = all_extras().extract(simulator);
  delete simulator;
}

}  // namespace amontons::python
