#include "amontons/io/build_info.h"
#include "amontons/io/output_error.h"
#include "amontons/io/parse_error.h"
#include "python/bindings.h"

PYBIND11_MODULE(amontons, module) {
  module.doc() = "Certified rigid-multibody simulation with contact and friction.";
  pybind11::register_exception<amontons::io::ParseError>(module, "ParseError", PyExc_ValueError);
  pybind11::register_exception<amontons::io::OutputError>(module, "OutputError", PyExc_OSError);
  amontons::python::bind_report(module);
  amontons::python::bind_simulator(module);
}
