#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace amontons::python {

/// Checks that arrays and scalars of NumPy among the arguments of a call are no complex numbers,
/// times or Python objects, which conversions to numbers would accept.
/// @param function  record of pybind11, for the message.
/// @returns false with a TypeError set where one is.
bool are_real(PyObject* function, PyObject* args, PyObject* kwargs);

/// Returns what is wrong with the value of an argument whose type is right: a shape, or a path with
/// a null character. It is empty where nothing is.
/// @param message  that of pybind11 for arguments that do not fit, with the signatures.
std::string fault_of_value(const std::string& message, pybind11::handle args,
                           pybind11::handle kwargs);

}  // namespace amontons::python
