#pragma once

#include <pybind11/pybind11.h>

// One function per group of bound types; module.cc calls them in this order.

namespace amontons::python {

void bind_report(pybind11::module_& module);
void bind_simulator(pybind11::module_& module);

}  // namespace amontons::python
