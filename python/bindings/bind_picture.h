#pragma once

#include <pybind11/pybind11.h>

namespace amontons::python {

/// Binds the camera, and what draws runs and simulators for amontons/film.py.
void bind_picture(pybind11::module_& module);

}  // namespace amontons::python
