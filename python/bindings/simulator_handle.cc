#include "python/bindings/simulator_handle.h"

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

void DeleteSimulator::operator()(Simulator* simulator) const {
  // Python objects that it owns may be deleted with it, and use the table.
  auto own = all_extras().extract(simulator);
  delete simulator;
}

}  // namespace amontons::python
