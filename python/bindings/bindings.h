#pragma once

#include "amontons/simulation/simulator.h"

#include <Eigen/Core>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

// One function per group of bound types; module.cc calls them in this order.

namespace amontons::python {

void bind_errors(pybind11::module_& module);
void bind_problem(pybind11::module_& module);
void bind_report(pybind11::module_& module);
void bind_scene(pybind11::module_& module);
void bind_state(pybind11::module_& module);
/// Returns the class Simulator, to which bind_model() adds.
pybind11::class_<Simulator> bind_simulator(pybind11::module_& module);
void bind_model(pybind11::module_& module, pybind11::class_<Simulator>& simulator);
void bind_rollout(pybind11::module_& module);
void bind_recorder(pybind11::module_& module);
void bind_profile(pybind11::module_& module);

/// Returns a read-only view of a vector, which keeps its owner alive and follows its changes.
pybind11::array view(const Eigen::VectorXd& vector, const pybind11::object& owner);

}  // namespace amontons::python
