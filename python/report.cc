#include "amontons/simulation/step_report.h"
#include "python/bindings.h"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>

namespace py = pybind11;

namespace amontons::python {
namespace {

// One row of the structured array of contacts; impulses and velocities in frame C (t1, t2, n).
struct ContactRow {
  std::int32_t body_a, body_b;
  double position[3], normal[3];
  double gap, friction, restitution;
  double impulse[3], velocity[3];
  std::uint8_t mode;
};

py::array_t<ContactRow> contact_rows(const StepReport& report) {
  const ContactProblem& problem = report.problem;
  py::array_t<ContactRow> rows(static_cast<py::ssize_t>(problem.num_contacts()));
  if (problem.num_contacts() == 0) return rows;
  const Eigen::VectorXd u = problem.contact_velocities(report.solution.velocity);
  ContactRow* row = rows.mutable_data();
  for (std::size_t i = 0; i < problem.num_contacts(); ++i, ++row) {
    const Contact& contact = problem.contacts[i];
    const Eigen::Index first = ContactProblem::row(i);
    row->body_a = contact.body_a;
    row->body_b = contact.body_b;
    row->gap = contact.gap;
    row->friction = contact.friction;
    row->restitution = contact.restitution;
    row->mode = static_cast<std::uint8_t>(report.solution.modes[i]);
    for (Eigen::Index k = 0; k < 3; ++k) {
      row->position[k] = contact.position_W[k];
      row->normal[k] = contact.normal_W[k];
      row->impulse[k] = report.solution.impulses[first + k];
      row->velocity[k] = u[first + k];
    }
  }
  return rows;
}

}  // namespace

void bind_report(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(ContactRow, body_a, body_b, position, normal, gap, friction, restitution,
                       impulse, velocity, mode);

  py::class_<Certificate>(module, "Certificate", "How far a step is from the laws it claims.")
      .def_readonly("claimed", &Certificate::claimed)
      .def_property_readonly("normal", [](const Certificate& c) { return c.normal.value; })
      .def_property_readonly("friction", [](const Certificate& c) { return c.friction.value; })
      .def_property_readonly("limit", [](const Certificate& c) { return c.limit.value; })
      .def_property_readonly("joint_friction",
                             [](const Certificate& c) { return c.joint_friction.value; })
      .def_property_readonly("joint", [](const Certificate& c) { return c.joint.value; })
      .def_property_readonly("dynamics", [](const Certificate& c) { return c.dynamics.value; })
      .def_property_readonly("dissipation",
                             [](const Certificate& c) { return c.dissipation.value; })
      .def_property_readonly("coulomb", [](const Certificate& c) { return c.coulomb.value; })
      .def_readonly("energy_gained", &Certificate::energy_gained, "[J]")
      .def_readonly("infeasibility", &Certificate::infeasibility, "[m or rad]")
      .def_readonly("missed_contacts", &Certificate::missed_contacts)
      .def("__repr__", [](const Certificate& c) {
        return std::string("<Certificate ") + (c.claimed ? "claimed>" : "missed>");
      });

  py::class_<EnergyLedger>(module, "EnergyLedger",
                           "Work of each cause in one step, and energies [J].")
      .def_readonly("kinetic", &EnergyLedger::kinetic)
      .def_readonly("potential", &EnergyLedger::potential)
      .def_readonly("gravity", &EnergyLedger::gravity)
      .def_readonly("actuators", &EnergyLedger::actuators)
      .def_readonly("contact_normal", &EnergyLedger::contact_normal)
      .def_readonly("contact_friction", &EnergyLedger::contact_friction)
      .def_readonly("springs", &EnergyLedger::springs)
      .def_readonly("joint_friction", &EnergyLedger::joint_friction)
      .def_readonly("impacts", &EnergyLedger::impacts)
      .def_readonly("stabilization", &EnergyLedger::stabilization)
      .def_readonly("integration", &EnergyLedger::integration)
      .def_readonly("unexplained", &EnergyLedger::unexplained);

  py::class_<SolveAttempt>(module, "SolveAttempt", "One solver that was tried, and why it stopped.")
      .def_readonly("solver", &SolveAttempt::solver)
      .def_property_readonly("status",
                             [](const SolveAttempt& a) { return std::string(to_string(a.status)); })
      .def_readonly("iterations", &SolveAttempt::iterations)
      .def_readonly("time_s", &SolveAttempt::time_s)
      .def_readonly("remark", &SolveAttempt::remark);

  py::class_<ContactSolution>(module, "ContactSolution", "The contact model's story of a step.")
      .def_property_readonly(
          "status", [](const ContactSolution& s) { return std::string(to_string(s.status)); })
      .def_property_readonly(
          "law", [](const ContactSolution& s) { return std::string(to_string(s.law.kind)); })
      .def_readonly("iterations", &ContactSolution::iterations)
      .def_readonly("attempts", &ContactSolution::attempts)
      .def_readonly("impulses", &ContactSolution::impulses)
      .def_readonly("joint_impulses", &ContactSolution::joint_impulses);

  py::class_<StepEvents>(module, "StepEvents", "What happened in a step between time stepping's.")
      .def_readonly("impact", &StepEvents::impact, "The step takes no time: velocities jump.")
      .def_readonly("arrival", &StepEvents::arrival, "It ends early, where shapes meet.")
      .def_readonly("zeno", &StepEvents::zeno, "Bounces without end were ended in it.")
      .def_property_readonly(
          "sliding",
          [](const StepEvents& e) {
            return std::string(e.sliding == SlidingLaw::Determined  ? "determined"
                               : e.sliding == SlidingLaw::Ambiguous ? "ambiguous"
                                                                    : "impossible");
          },
          "Coulomb's law between forces and accelerations, of what slides (Painleve).")
      .def_readonly("by_forces", &StepEvents::by_forces,
                    "Contacts whose forces the integrator has found.")
      .def_readonly("steady", &StepEvents::steady, "The impact is one of steady contacts.")
      .def_readonly("became_steady", &StepEvents::became_steady, "Pairs held since this step.")
      .def_readonly("became_bouncing", &StepEvents::became_bouncing,
                    "Pairs that were held and have bounced.");

  py::class_<StepReport>(module, "StepReport", "Everything known about one step.")
      .def_readonly("step", &StepReport::step, "h [s]")
      .def_readonly("certificate", &StepReport::certificate)
      .def_readonly("energy", &StepReport::energy)
      .def_readonly("events", &StepReport::events)
      .def_readonly("solver", &StepReport::solution)
      .def_readonly("step_time_s", &StepReport::step_time_s)
      .def_readonly("solve_time_s", &StepReport::solve_time_s)
      .def_property_readonly("contacts", &contact_rows,
                             "Structured array, one row per contact, in the canonical order.");
}

}  // namespace amontons::python
