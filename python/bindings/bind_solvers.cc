#include "amontons/models/impulse_solution.h"
#include "amontons/models/model_registration.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "python/bindings/argument_faults.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/shared_object.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace py = pybind11;

namespace amontons::python {
namespace {

void require_callable(const py::object& solver) {
  if (PyCallable_Check(solver.ptr())) return;
  throw py::type_error(
      "solver must be a function of (problem, gap_speeds) that returns impulses [3 nc]");
}

/// Wraps a Python function as a solver of impulses, for any thread.
ImpulseSolver as_solver(const std::shared_ptr<py::object>& shared) {
  require_callable(*shared);
  return [shared](const ContactProblem& problem, const Eigen::VectorXd& gap_speeds) {
    return call_python([&] {
      // A copy, since the function may keep it.
      const py::object result =
          (*shared)(py::cast(problem, py::return_value_policy::copy), py::cast(gap_speeds));
      require_real(result, "the impulses that a solver returns");
      try {
        return result.cast<Eigen::VectorXd>();
      } catch (const py::cast_error&) {
        const std::string shape =
            py::hasattr(result, "shape") ? std::string(py::repr(result.attr("shape"))) : "";
        throw py::type_error("a solver must return an array of impulses [3 nc], not " +
                             (shape.empty() ? std::string(py::repr(py::type::of(result)))
                                            : "one of the shape " + shape));
      }
    });
  };
}

std::string name_of(const py::object& function) {
  if (py::hasattr(function, "__name__")) return function.attr("__name__").cast<std::string>();
  return "solver";
}

/// Returns the model of the last solver, or makes that of another one.
std::shared_ptr<const ContactModel> model_of(const Simulator& simulator, const py::object& solver) {
  SimulatorExtras& extras = extras_of(simulator);
  if (solver.is_none()) return nullptr;
  if (extras.own_model && extras.solver->is(solver)) return extras.own_model;
  const std::shared_ptr<py::object> shared = shared_object(solver);
  const SimulationSettings& settings = simulator.scene_settings();
  const LawKind law = make_model(settings.model, {})->traits().law.kind;
  const auto make = [&](const ModelSettings& own) {
    return make_own_model(name_of(solver), as_solver(shared), own, law);
  };
  extras.own_model = with_decorators(make, law, model_settings(settings));
  extras.solver = shared;
  return extras.own_model;
}

std::shared_ptr<StepReport> step(Simulator& simulator, const py::object& solver) {
  simulator.set_model(model_of(simulator, solver));
  interruptible([&] { simulator.step(); });
  // Read-only in Python: no function of StepReport changes it.
  return std::const_pointer_cast<StepReport>(simulator.last_report());
}

void register_solver(const std::string& name, const py::object& solver, const std::string& law) {
  const LawKind kind = law_named(law);
  const ImpulseSolver own = as_solver(shared_object(solver));
  const auto make = [name, own, kind](const ModelSettings& settings) {
    return make_own_model(name, own, settings, kind);
  };
  make({});  // refuses a law that it cannot have, while a former model keeps the name
  register_model(name, make, kind);
}

Certificate certify_problem(const ContactProblem& problem, const Eigen::VectorXd& impulses,
                            const std::string& law, double tolerance,
                            const std::optional<Eigen::VectorXd>& bounded_impulses,
                            int friction_directions) {
  require_tolerance("certify", tolerance);
  ContactLaw own = law_on(law, problem);
  own.directions = friction_directions;
  return certify_impulses(problem, impulses, bounded_impulses.value_or(Eigen::VectorXd()), own,
                          tolerance)
      .certificate;
}

}  // namespace

void bind_solvers(py::module_& module, SimulatorClass& simulator) {
  simulator.def(
      "step", &step, py::arg("solver") = py::none(),
      "Takes one step and returns its report, which is yours to keep. solver: a function of "
      "(problem, gap_speeds [nc]) that returns impulses [3 nc] in place of the scene's model, "
      "under its law; it is called for each island, so that nc is at least 1, and not where "
      "nothing "
      "touches. Joint limits and friction come as contacts. Raises what the solver raises, "
      "TypeError "
      "for what is no array of real numbers, and ValueError for another size.");
  module.def(
      "register_model", &register_solver, py::arg("name"), py::arg("solver"),
      py::arg("law") = "coulomb",
      "Adds a contact model to this process: scenes name it as simulation.model, and "
      "ContactProblem.solve() as model. solver(problem, gap_speeds [nc]) returns impulses p "
      "[3 nc], (t1, t2, n) of each contact, such that u = J v+ + bias obeys the law: 0 <= "
      "p_n, u_n + gap_speeds >= 0, friction. The certificate says how far they are. It is not "
      "called for a problem without contacts.");
  module.def("certify", &certify_problem, py::arg("problem"), py::arg("impulses"),
             py::arg("law") = "coulomb", py::arg("tolerance") = 1e-8,
             py::arg("bounded_impulses") = py::none(), py::arg("friction_directions") = 4,
             "Returns the certificate of impulses [3 nc], of any origin, by a law (coulomb, "
             "convex-cone, pyramid, convex-pyramid, frictionless, viscous) or that of a model. The "
             "velocity and the impulses of joints follow from them.");
}

}  // namespace amontons::python
