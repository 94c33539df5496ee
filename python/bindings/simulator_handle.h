#pragma once

#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/simulator.h"
#include "python/bindings/collectable.h"
#include "python/bindings/model.h"
#include "python/bindings/views/placed_contacts.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

namespace amontons::python {

/// Holds what the bindings keep beside a simulator, as long as it lives.
struct SimulatorExtras {
  explicit SimulatorExtras(const Simulator& simulator) : model(simulator) {}
  Model model;
  PlacedContacts places;                             ///< of the last step
  std::shared_ptr<pybind11::object> controller;      ///< that of set_controller(); or null
  std::shared_ptr<pybind11::object> solver;          ///< solver of the last step(); or null
  std::shared_ptr<const ContactModel> own_model;     ///< the model that it makes
  std::vector<std::unique_ptr<Observer>> observers;  ///< those of views, open or closed
};

/// Returns the extras of a simulator that Python owns. The caller holds the interpreter's lock.
SimulatorExtras& extras_of(const Simulator& simulator);

/// Visits the Python functions that a simulator owns, for the garbage collector.
int visit_functions(Simulator& simulator, visitproc visit, void* state);

/// Replaces them by None: the simulator and what they know refer to each other, and nothing else
/// refers to them.
void clear_functions(Simulator& simulator);

/// Deletes a simulator and its extras.
struct DeleteSimulator {
  void operator()(Simulator* simulator) const;
};
using SimulatorPointer = std::unique_ptr<Simulator, DeleteSimulator>;
using SimulatorClass = pybind11::class_<Simulator, SimulatorPointer>;

/// Refers to a simulator of Python, which it keeps alive, and to its model.
struct Handle {
  pybind11::object simulator;
  Model* model = nullptr;
};

/// Returns the handle of a simulator.
inline Handle handle_of(const pybind11::object& simulator) {
  return {simulator, &extras_of(simulator.cast<const Simulator&>()).model};
}

/// Visits the simulator that a handle keeps alive.
inline int visit_handle(Handle& handle, visitproc visit, void* state) {
  return visit_object(handle.simulator, visit, state);
}

/// Visits the simulator that a view of it (`owner`) keeps alive.
template <typename View>
int visit_owner(View& view, visitproc visit, void* state) {
  return visit_handle(view.owner, visit, state);
}

using ModelClass = pybind11::class_<Handle>;

/// Defines a function of the model on Simulator and on Model, so that a simulator answers without a
/// further object.
template <typename Result, typename... Arguments, typename... Extra>
void define_on_both(SimulatorClass& simulator, ModelClass& model, const char* name,
                    Result (*function)(Model&, Arguments...), const Extra&... extra) {
  simulator.def(
      name,
      [function](const Simulator& self, Arguments... arguments) {
        return function(extras_of(self).model, std::forward<Arguments>(arguments)...);
      },
      extra...);
  model.def(
      name,
      [function](const Handle& self, Arguments... arguments) {
        return function(*self.model, std::forward<Arguments>(arguments)...);
      },
      extra...);
}

}  // namespace amontons::python
