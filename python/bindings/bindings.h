#pragma once

#include "amontons/contact/contact_problem.h"
#include "python/bindings/arrays.h"
#include "python/bindings/simulator_handle.h"

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>

// One function per group of bound types; module.cc calls them in this order.

namespace amontons::python {

void bind_errors(pybind11::module_& module);
void bind_interrupts(pybind11::module_& module);
void bind_outputs(pybind11::module_& module);
void bind_motion_files(pybind11::module_& module);
void bind_motion_track(pybind11::module_& module);
void bind_report(pybind11::module_& module);
void bind_scene(pybind11::module_& module);
void bind_state(pybind11::module_& module);
/// Returns the class Simulator, to which the following functions add.
SimulatorClass bind_simulator(pybind11::module_& module);
/// Returns the class Model.
ModelClass bind_model(pybind11::module_& module, SimulatorClass& simulator);
void bind_views(pybind11::module_& module, SimulatorClass& simulator, ModelClass& model);
void bind_joint_views(pybind11::module_& module, SimulatorClass& simulator, ModelClass& model);
void bind_frames(pybind11::module_& module, SimulatorClass& simulator, ModelClass& model);
void bind_sensors(pybind11::module_& module, SimulatorClass& simulator);
void bind_queries(pybind11::module_& module, SimulatorClass& simulator);
void bind_changes(pybind11::module_& module, SimulatorClass& simulator);
void bind_solvers(pybind11::module_& module, SimulatorClass& simulator);
/// Returns the class ContactProblem.
pybind11::class_<ContactProblem> bind_problem(pybind11::module_& module);
void bind_problem_arrays(pybind11::module_& module, pybind11::class_<ContactProblem>& problem);
void bind_programs(pybind11::module_& module, pybind11::class_<ContactProblem>& problem);
void bind_rollout(pybind11::module_& module);
void bind_recorder(pybind11::module_& module);
void bind_run(pybind11::module_& module);
void bind_profile(pybind11::module_& module);
void bind_view(pybind11::module_& module);

/// Lets every function of the module refuse wrong arguments in plain words.
void use_plain_errors(const pybind11::module_& module);

}  // namespace amontons::python
