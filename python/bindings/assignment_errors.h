#pragma once

#include <pybind11/pybind11.h>

namespace amontons::python {

/// Words the errors of a type where a program assigns to an attribute that is read-only or missing:
/// they say what to call instead, or the nearest name.
void word_assignments(pybind11::handle type);

}  // namespace amontons::python
