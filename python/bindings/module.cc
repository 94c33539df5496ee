#include "amontons/io/common/build_info.h"
#include "amontons/math/elementary.h"
#include "python/bindings/bind_picture.h"
#include "python/bindings/bindings.h"

#include <string>

PYBIND11_MODULE(_core, module) {
  using namespace amontons;
  module.doc() = "The compiled part of the package amontons.";
  module.attr("__version__") = io::version();
  module.attr("build") = io::build_description();
  // Those of Python are the C library's, whose last bits depend on the processor.
  module.def("_exp", &elementary::exp, py::arg("x"));
  module.def("_log", &elementary::log, py::arg("x"));
  python::bind_errors(module);
  python::bind_interrupts(module);
  python::bind_outputs(module);
  python::bind_motion_files(module);
  auto problem = python::bind_problem(module);
  python::bind_report(module);
  python::bind_programs(module, problem);
  python::bind_problem_arrays(module, problem);
  python::bind_scene(module);
  python::bind_state(module);
  auto simulator = python::bind_simulator(module);
  auto model = python::bind_model(module, simulator);
  python::bind_views(module, simulator, model);
  python::bind_joint_views(module, simulator, model);
  python::bind_frames(module, simulator, model);
  python::bind_sensors(module, simulator);
  python::bind_queries(module, simulator);
  python::bind_changes(module, simulator);
  python::bind_solvers(module, simulator);
  python::bind_rollout(module);
  python::bind_motion_track(module);
  python::bind_recorder(module);
  python::bind_run(module);
  python::bind_picture(module);
  python::bind_profile(module);
  python::bind_view(module);
  python::use_plain_errors(module);
}
