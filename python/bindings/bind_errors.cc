#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/math/named_index.h"
#include "amontons/simulation/system/divergence_error.h"
#include "python/bindings/argument_faults.h"
#include "python/bindings/bindings.h"

namespace amontons::python {

// The messages are those of the command line; std::invalid_argument is a ValueError.
void bind_errors(pybind11::module_& module) {
  pybind11::register_exception<io::ParseError>(module, "ParseError", PyExc_ValueError).doc() =
      "A file could not be read or understood; starts with file:line:column.";
  // Callers of maps expect KeyError, and those of functions ValueError.
  const auto both =
      pybind11::make_tuple(pybind11::handle(PyExc_KeyError), pybind11::handle(PyExc_ValueError));
  auto unknown = pybind11::register_exception<UnknownNameError>(module, "UnknownNameError", both);
  unknown.doc() =
      "A scene, run or program has nothing of that name; the message has the nearest one. It is a "
      "KeyError and a ValueError.";
  // KeyError would quote the message.
  unknown.attr("__str__") = pybind11::handle(PyExc_BaseException).attr("__str__");
  pybind11::register_exception<io::OutputError>(module, "OutputError", PyExc_OSError).doc() =
      "A file could not be written; starts with the file.";
  pybind11::register_exception<DivergenceError>(module, "DivergenceError", PyExc_ArithmeticError)
      .doc() = "A velocity left all bounds. The state is that at the start of the step.";
  module.def("_require_real", &require_real, pybind11::arg("value"), pybind11::arg("name"));
}

}  // namespace amontons::python
