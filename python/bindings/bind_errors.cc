#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/math/named_index.h"
#include "amontons/simulation/system/divergence_error.h"
#include "python/bindings/argument_faults.h"
#include "python/bindings/bindings.h"

namespace amontons::python {
namespace {

/// Returns a message, without its middle where it repeats a name of thousands of letters.
pybind11::str without_middle(const pybind11::str& message) {
  constexpr pybind11::ssize_t kMost = 1000, kStart = 100, kEnd = 300;
  const auto length = static_cast<pybind11::ssize_t>(pybind11::len(message));
  if (length <= kMost) return message;
  const auto part = [&message](pybind11::ssize_t first, pybind11::ssize_t end) {
    return pybind11::str(message[pybind11::slice(first, end, 1)]);
  };
  return part(0, kStart) + pybind11::str(" ... ") + part(length - kEnd, length);
}

}  // namespace

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
  unknown.attr("__str__") = pybind11::cpp_function(
      [](const pybind11::handle& error) {
        return without_middle(pybind11::handle(PyExc_BaseException).attr("__str__")(error));
      },
      pybind11::is_method(unknown), pybind11::name("__str__"));
  pybind11::register_exception<io::OutputError>(module, "OutputError", PyExc_OSError).doc() =
      "A file could not be written; starts with the file.";
  pybind11::register_exception<DivergenceError>(module, "DivergenceError", PyExc_ArithmeticError)
      .doc() = "A velocity left all bounds. The state is that at the start of the step.";
  module.def("_require_real", &require_real, pybind11::arg("value"), pybind11::arg("name"));
}

}  // namespace amontons::python
