#include "amontons/simulation/system/step_report.h"
#include "python/bindings/bindings.h"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
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
      .def_readonly("holds", &Certificate::holds,
                    "The claimed law holds: every certified residual is within the tolerance.")
      .def_property_readonly(
          "claimed",
          [](const Certificate& c) {
            if (PyErr_WarnEx(PyExc_DeprecationWarning,
                             "Certificate.claimed is now called Certificate.holds", 1) != 0) {
              throw py::error_already_set();
            }
            return c.holds;
          },
          "Deprecated: the former name of `holds`.")
      .def_property_readonly(
          "normal", [](const Certificate& c) { return c.normal.value; },
          "Residual of the normal law, dimensionless.")
      .def_property_readonly(
          "friction", [](const Certificate& c) { return c.friction.value; },
          "Residual of the friction law, dimensionless.")
      .def_property_readonly(
          "limit", [](const Certificate& c) { return c.limit.value; },
          "Residual of joint limits, dimensionless.")
      .def_property_readonly(
          "joint_friction", [](const Certificate& c) { return c.joint_friction.value; },
          "Residual of dry joint friction and of servos at their bound, dimensionless.")
      .def_property_readonly(
          "joint", [](const Certificate& c) { return c.joint.value; },
          "What loop joints miss of their velocity, relative.")
      .def_property_readonly(
          "dynamics", [](const Certificate& c) { return c.dynamics.value; },
          "|v+ - v_free - M^-1 J'p|, relative.")
      .def_property_readonly(
          "dissipation", [](const Certificate& c) { return c.dissipation.value; },
          "How far friction is from taking all it could [J], relative to 1 + kinetic energy; not "
          "certified.")
      .def_property_readonly(
          "coulomb", [](const Certificate& c) { return c.coulomb.value; },
          "Distance to the exact Coulomb law; not certified.")
      .def_readonly("energy_gained", &Certificate::energy_gained, "[J]")
      .def_readonly("infeasibility", &Certificate::infeasibility, "[m or rad]")
      .def_readonly("missed_contacts", &Certificate::missed_contacts,
                    "Overlaps that no contact of the step foresaw.")
      .def("__repr__", [](const Certificate& c) {
        return std::string("<Certificate ") + (c.holds ? "holds>" : "missed>");
      });

  py::class_<EnergyLedger>(module, "EnergyLedger",
                           "Work of each cause in one step, and energies [J].")
      .def_readonly("kinetic", &EnergyLedger::kinetic, "At the end of the step [J].")
      .def_readonly("potential", &EnergyLedger::potential,
                    "Of gravity and springs, at the end of the step [J].")
      .def_readonly("gravity", &EnergyLedger::gravity, "Work [J].")
      .def_readonly("actuators", &EnergyLedger::actuators, "Work [J].")
      .def_readonly("contact_normal", &EnergyLedger::contact_normal, "Work, of limits too [J].")
      .def_readonly("contact_friction", &EnergyLedger::contact_friction, "Work [J].")
      .def_readonly("springs", &EnergyLedger::springs, "Work [J].")
      .def_readonly("joint_friction", &EnergyLedger::joint_friction, "Work, dry and viscous [J].")
      .def_readonly("impacts", &EnergyLedger::impacts, "Work of impacts [J].")
      .def_readonly("stabilization", &EnergyLedger::stabilization,
                    "Work of what pushes overlaps and joint errors back [J].")
      .def_readonly("integration", &EnergyLedger::integration,
                    "What a step of finite length adds by itself [J].")
      .def_readonly("unexplained", &EnergyLedger::unexplained,
                    "Change of kinetic energy that no term explains: rounding [J].");

  py::class_<SolveAttempt>(module, "SolveAttempt", "One solver that was tried, and why it stopped.")
      .def_readonly("solver", &SolveAttempt::solver, "Its name.")
      .def_property_readonly(
          "status", [](const SolveAttempt& a) { return std::string(to_string(a.status)); },
          "Why it stopped, e.g. Converged.")
      .def_readonly("iterations", &SolveAttempt::iterations, "How many it took.")
      .def_readonly("time_s", &SolveAttempt::time_s, "Wall time [s].")
      .def_readonly("remark", &SolveAttempt::remark, "What else it says; may be empty.");

  py::class_<ContactSolution>(module, "ContactSolution", "The contact model's story of a step.")
      .def_property_readonly(
          "status", [](const ContactSolution& s) { return std::string(to_string(s.status)); },
          "Converged, or which weaker answer ended the step.")
      .def_property_readonly(
          "law", [](const ContactSolution& s) { return std::string(to_string(s.law.kind)); },
          "The law that the answer claims.")
      .def_readonly("iterations", &ContactSolution::iterations, "Of all attempts.")
      .def_readonly("attempts", &ContactSolution::attempts, "What was tried, in order.")
      .def_readonly("impulses", &ContactSolution::impulses,
                    "[3 nc] on body B, order t1, t2, n [N s].")
      .def_readonly("joint_impulses", &ContactSolution::joint_impulses, "[nj]")
      .def_readonly("bounded_impulses", &ContactSolution::bounded_impulses,
                    "Of limits, dry friction and servos at their bound [nb].")
      .def_readonly("velocity", &ContactSolution::velocity, "v after the step [nv].");

  py::class_<StepEvents>(module, "StepEvents",
                         "What happened in a step of event-driven or hybrid simulation.")
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
      .def_readonly("steady", &StepEvents::steady, "Hybrid: an impact of steady contacts.")
      .def_readonly("became_steady", &StepEvents::became_steady,
                    "Hybrid: pairs held since this step.")
      .def_readonly("became_bouncing", &StepEvents::became_bouncing,
                    "Hybrid: held pairs that have bounced in it.");

  py::class_<StepReport, std::shared_ptr<StepReport>>(
      module, "StepReport",
      "Everything known about one step. It does not change while you keep it, or any part of it; "
      "keeping it copies nothing.")
      .def_readonly("step", &StepReport::step, "h [s]")
      .def_readonly("certificate", &StepReport::certificate,
                    "How far the step is from the laws it claims.")
      .def_readonly("energy", &StepReport::energy, "Work of each cause.")
      .def_readonly("solver", &StepReport::solution,
                    "The contact model's answer, and how it was found.")
      .def_readonly("problem", &StepReport::problem, "The step's contact problem.")
      .def_readonly("events", &StepReport::events, "Of event-driven and hybrid simulation.")
      .def_readonly("closing_speed", &StepReport::closing_speed,
                    "Contacts were sought at least this times h apart, since an answer of the "
                    "step met what was out of sight; 0: none did [m/s].")
      .def_readonly("step_time_s", &StepReport::step_time_s, "Wall time of the step [s].")
      .def_readonly("solve_time_s", &StepReport::solve_time_s,
                    "Wall time of the contact solve [s].")
      .def_property_readonly("contacts", &contact_rows,
                             "Structured array, one row per contact, in the canonical order.");
}

}  // namespace amontons::python
