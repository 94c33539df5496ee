#pragma once

#include <Eigen/Core>
#include <pybind11/pybind11.h>

#include <string>

namespace amontons::python {

/// Checks that arrays and scalars of NumPy among the arguments of a call are no complex numbers,
/// times or Python objects, which conversions to numbers would accept, and that lists neither
/// contain themselves nor have more levels than arrays have axes.
/// @param function  record of pybind11, for the message.
/// @returns false with a TypeError set where one is.
bool are_real(PyObject* function, PyObject* args, PyObject* kwargs);

/// Returns the beginning of what a value looks like, for errors, or its type where that fails, as
/// that of very deep lists does.
std::string short_repr(pybind11::handle value);

/// Checks the same of one value.
/// @param what  name of the value, in the plural: "the impulses that a solver returns".
/// @throws pybind11::type_error
void require_real(pybind11::handle value, const std::string& what);

/// Throws std::invalid_argument unless a tolerance is positive and finite.
/// @param function  name of the function that takes it, for the message.
void require_tolerance(const std::string& function, double tolerance);

/// Throws std::invalid_argument unless a matrix is symmetric to the rounding of single precision,
/// in which bodies of which only the response is known may compute.
/// @param what  its name, for the message: "LocalProblem: W".
void require_symmetric(const Eigen::MatrixXd& matrix, const std::string& what);

/// Throws std::invalid_argument unless a limit of the effort is positive; infinity is none.
void require_effort(const std::string& function, double max_effort);

/// Returns what is wrong with the value of an argument whose type is right: a shape, or a path with
/// a null character. It is empty where nothing is.
/// @param message  that of pybind11 for arguments that do not fit, with the signatures.
std::string fault_of_value(const std::string& message, pybind11::handle args,
                           pybind11::handle kwargs);

}  // namespace amontons::python
