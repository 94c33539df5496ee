#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/system/divergence_error.h"
#include "python/bindings/bindings.h"

namespace amontons::python {

// The messages are those of the command line; std::invalid_argument is a ValueError.
void bind_errors(pybind11::module_& module) {
  pybind11::register_exception<io::ParseError>(module, "ParseError", PyExc_ValueError).doc() =
      "A file could not be read or understood; starts with file:line:column.";
  pybind11::register_exception<io::OutputError>(module, "OutputError", PyExc_OSError).doc() =
      "A file could not be written; starts with the file.";
  pybind11::register_exception<DivergenceError>(module, "DivergenceError", PyExc_ArithmeticError)
      .doc() = "A velocity left all bounds. The state is that at the start of the step.";
}

}  // namespace amontons::python
