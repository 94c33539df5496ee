#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/step_report.h"
#include "python/bindings/bindings.h"
#include "python/bindings/law_asked.h"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace py = pybind11;

namespace amontons::python {
namespace {

// One row of the structured array of contacts. Impulses and velocities are in frame C (t1, t2, n).
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
  // The padding of rows has the same bits, too.
  std::memset(rows.mutable_data(), 0, static_cast<std::size_t>(rows.nbytes()));
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

/// Returns the residuals of a certificate by name, each with where it is worst.
py::dict residuals(const Certificate& c) {
  py::dict result;
  const auto add = [&](const char* name, const Residual& residual) {
    const py::object where =
        residual.where < 0 ? py::object(py::none()) : py::object(py::int_(residual.where));
    result[name] = py::make_tuple(residual.value, where);
  };
  add("normal", c.normal);
  add("friction", c.friction);
  add("limit", c.limit);
  add("joint_friction", c.joint_friction);
  add("joint", c.joint);
  add("dynamics", c.dynamics);
  add("rounding", c.rounding);
  add("loop", c.loop);
  add("overlap", c.overlap);
  add("dissipation", c.dissipation);
  add("coulomb", c.coulomb);
  add("law_distance", c.law_distance);
  add("inequality", c.inequality);
  return result;
}

std::string text_of(double value) { return std::string(py::repr(py::float_(value))); }

/// Binds the residuals of the laws, each a number.
void bind_residuals(py::class_<Certificate>& certificate) {
  certificate
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
          "Velocity error of loop joints, relative.")
      .def_property_readonly(
          "dynamics", [](const Certificate& c) { return c.dynamics.value; },
          "Residual |v+ - v_free - M^-1 J'p|, relative.")
      .def_property_readonly(
          "rounding", [](const Certificate& c) { return c.rounding.value; },
          "Rounding left by impulses that cancel, dimensionless.")
      .def_property_readonly(
          "dissipation", [](const Certificate& c) { return c.dissipation.value; },
          "Energy that friction could still dissipate [J], relative to 1 + kinetic energy; not "
          "certified.")
      .def_property_readonly(
          "coulomb", [](const Certificate& c) { return c.coulomb.value; },
          "Distance to the exact Coulomb law; not certified.")
      .def_property_readonly(
          "law_distance", [](const Certificate& c) { return c.law_distance.value; },
          "Distance from the law asked: its residual at this solution; not certified.")
      .def_property_readonly(
          "inequality", [](const Certificate& c) { return c.inequality.value; },
          "Largest overlap, pull or excess over the friction cone, dimensionless; an acceptable "
          "step keeps it within the tolerance.")
      .def_property_readonly(
          "loop", [](const Certificate& c) { return c.loop.value; },
          "Largest error of a loop joint that the step has widened, relative to its lever.")
      .def_property_readonly(
          "overlap", [](const Certificate& c) { return c.overlap.value; },
          "Largest overlap that the step has deepened, relative to the smaller body.");
}

void bind_certificate(py::module_& module) {
  py::class_<Certificate> certificate(module, "Certificate",
                                      "Holds how far a step is from the laws it claims.");
  certificate
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
          "Deprecated: the former name of `holds`.");
  bind_residuals(certificate);
  certificate
      .def_readonly("energy_gained", &Certificate::energy_gained,
                    "Kinetic energy above what stabilization and restitution may inject [J].")
      .def_readonly("infeasibility", &Certificate::infeasibility,
                    "Largest overlap or joint error after the step [m or rad]; not certified.")
      .def_readonly("energy_created", &Certificate::energy_created,
                    "Energy of the step without a cause, beyond its allowance [J].")
      .def_readonly(
          "missed_contacts", &Certificate::missed_contacts,
          "Number of overlaps after the step that no contact of the step covers, and of pairs "
          "that pass through each other within it.")
      .def_readonly("missed_overlap", &Certificate::missed_overlap,
                    "Depth of the deepest of these overlaps [m].")
      .def_readonly("missed_body_a", &Certificate::missed_body_a,
                    "Index of the first body of that overlap; -1 without one.")
      .def_readonly("missed_body_b", &Certificate::missed_body_b,
                    "Index of its second body; -1 without one.")
      .def_property_readonly("residuals", &residuals,
                             "{name: (value, index of the contact, row of joints or tree where it "
                             "is worst, or None)}.")
      .def("__repr__", [](const Certificate& c) {
        // It does not hold its tolerance, which is seldom another one.
        if (!c.holds) {
          const double tolerance = SimulationSettings().tolerance;
          return "<Certificate missed: " + missed_condition(c, tolerance).text + ">";
        }
        return "<Certificate holds, worst residual " + text_of(c.worst_of_laws()) + ">";
      });
}

/// Binds the energy balance of a step.
void bind_energy(py::module_& module) {
  py::class_<EnergyLedger>(module, "EnergyLedger",
                           "Holds the work of each cause in one step, and energies [J]. A step "
                           "begins after what a program changes there: set_mass(), set_gravity() "
                           "and set_state() change the energies from step to step besides.")
      .def_readonly("kinetic", &EnergyLedger::kinetic, "Kinetic energy at the end of the step [J].")
      .def_readonly("potential", &EnergyLedger::potential,
                    "Energy of gravity and springs at the end of the step [J].")
      .def_readonly("gravity", &EnergyLedger::gravity, "Work of gravity [J].")
      .def_readonly("actuators", &EnergyLedger::actuators, "Work of actuators [J].")
      .def_readonly("contact_normal", &EnergyLedger::contact_normal,
                    "Work of normal impulses, including those of limits [J].")
      .def_readonly("contact_friction", &EnergyLedger::contact_friction,
                    "Work of contact friction [J].")
      .def_readonly("springs", &EnergyLedger::springs, "Work of springs [J].")
      .def_readonly("joint_friction", &EnergyLedger::joint_friction,
                    "Work of joint friction, dry and viscous [J].")
      .def_readonly("impacts", &EnergyLedger::impacts, "Work of impacts [J].")
      .def_readonly("stabilization", &EnergyLedger::stabilization,
                    "Work of the removal of overlaps and joint errors [J].")
      .def_readonly("integration", &EnergyLedger::integration,
                    "Energy that a step of finite length adds by itself [J].")
      .def_readonly("unexplained", &EnergyLedger::unexplained,
                    "Change of kinetic energy that no term explains: rounding [J].")
      .def("__repr__", [](const EnergyLedger& e) {
        return "<EnergyLedger kinetic " + text_of(e.kinetic) + " J, potential " +
               text_of(e.potential) + " J>";
      });
}

/// Binds the solution, with one SolveAttempt per method that was tried.
void bind_solution(py::module_& module) {
  py::class_<SolveAttempt>(module, "SolveAttempt",
                           "Records one solver that was tried, and the reason why it stopped.")
      .def_readonly("solver", &SolveAttempt::solver, "Name of the solver.")
      .def_property_readonly(
          "status", [](const SolveAttempt& a) { return std::string(to_string(a.status)); },
          "Why it stopped, e.g. Converged.")
      .def_readonly("iterations", &SolveAttempt::iterations, "Number of iterations.")
      .def_readonly("time_s", &SolveAttempt::time_s, "Wall time [s].")
      .def_readonly("remark", &SolveAttempt::remark, "Further information; may be empty.")
      .def("__repr__", [](const SolveAttempt& a) {
        return "<SolveAttempt " + a.solver + ": " + to_string(a.status) + " after " +
               std::to_string(a.iterations) + " iterations>";
      });

  py::class_<ContactSolution>(module, "ContactSolution",
                              "Holds the contact model's solution of a step, and how it was found.")
      .def_property_readonly(
          "status", [](const ContactSolution& s) { return std::string(to_string(s.status)); },
          "Converged, Acceptable, or the status of the weaker solution that ended the step.")
      .def_property_readonly(
          "law", [](const ContactSolution& s) { return std::string(to_string(s.law.kind)); },
          "The law that the solution claims; of several islands that of the weakest.")
      .def_property_readonly(
          "within", [](const ContactSolution& s) { return s.law.within; },
          "Bound within which an acceptable solution claims its law; 0: the tolerance.")
      .def_readonly("iterations", &ContactSolution::iterations, "Iterations of all attempts.")
      .def_readonly("attempts", &ContactSolution::attempts, "The attempts, in order.")
      .def_readonly("impulses", &ContactSolution::impulses,
                    "Impulses [3 nc] on body B, order t1, t2, n [N s].")
      .def_readonly("joint_impulses", &ContactSolution::joint_impulses,
                    "Impulses of loop joints [nj].")
      .def_readonly("bounded_impulses", &ContactSolution::bounded_impulses,
                    "Impulses of limits, dry friction and servos at their bound [nb].")
      .def_readonly("velocity", &ContactSolution::velocity, "v after the step [nv].")
      .def("__repr__", [](const ContactSolution& s) {
        return std::string("<ContactSolution ") + to_string(s.status) + ", law " +
               to_string(s.law.kind) + ", " + std::to_string(s.iterations) + " iterations>";
      });
}

/// Binds events, which time stepping leaves at their defaults.
void bind_events(py::module_& module) {
  py::class_<StepEvents>(module, "StepEvents",
                         "Describes the events in a step of event-driven or hybrid simulation.")
      .def_readonly("impact", &StepEvents::impact, "The step takes no time: velocities jump.")
      .def_readonly("arrival", &StepEvents::arrival,
                    "The step ends early, where shapes meet or contact forces change their law.")
      .def_readonly("zeno", &StepEvents::zeno,
                    "The step ended a sequence of infinitely many bounces.")
      .def_property_readonly(
          "sliding",
          [](const StepEvents& e) {
            return std::string(e.sliding == SlidingLaw::Determined  ? "determined"
                               : e.sliding == SlidingLaw::Ambiguous ? "ambiguous"
                                                                    : "impossible");
          },
          "Coulomb's law between forces and accelerations at sliding contacts (Painleve): "
          "determined, ambiguous or impossible.")
      .def_readonly("by_forces", &StepEvents::by_forces,
                    "Number of contacts whose forces the integrator has found.")
      .def_readonly("force_error", &StepEvents::force_error,
                    "Estimated error of the integrator in that motion, the sum over its parts "
                    "(m, rad, m/s or rad/s).")
      .def_readonly("steady", &StepEvents::steady, "Hybrid: an impact of sustained contacts.")
      .def_readonly("became_steady", &StepEvents::became_steady,
                    "Hybrid: number of pairs with sustained contact since this step.")
      .def_readonly("became_bouncing", &StepEvents::became_bouncing,
                    "Hybrid: number of sustained pairs that have bounced in the step.")
      .def("__repr__", [](const StepEvents& e) {
        return std::string("<StepEvents") + (e.impact ? " impact" : "") +
               (e.arrival ? " arrival" : "") + (e.zeno ? " zeno" : "") + ">";
      });
}

}  // namespace

void bind_report(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(ContactRow, body_a, body_b, position, normal, gap, friction, restitution,
                       impulse, velocity, mode);

  bind_certificate(module);
  bind_energy(module);
  bind_solution(module);
  bind_events(module);
  // A shared pointer lets Python keep a report and its parts without a copy.
  py::class_<StepReport, std::shared_ptr<StepReport>>(
      module, "StepReport",
      "Holds all results of one step. A report that you keep, or a part of it, does not change; "
      "keeping "
      "it copies nothing.")
      .def_readonly("step", &StepReport::step, "Length h of the step [s].")
      .def_readonly("h", &StepReport::step, "The same length [s].")
      .def_property_readonly(
          "law_asked", [](const StepReport& r) { return std::string(to_string(r.law_asked)); },
          "The law that the model of the step was asked for.")
      .def_property_readonly("has_law_asked", &has_law_asked,
                             "The step was answered by the law asked, and met its certificate.")
      .def_readonly("certificate", &StepReport::certificate,
                    "How far the step is from the laws it claims.")
      .def_readonly("energy", &StepReport::energy, "Work of each cause.")
      .def_readonly("solver", &StepReport::solution,
                    "The contact model's solution, and how it was found.")
      .def_readonly("solution", &StepReport::solution, "The same solution.")
      .def_readonly("problem", &StepReport::problem, "The step's contact problem.")
      .def_readonly("events", &StepReport::events, "Events of event-driven and hybrid simulation.")
      .def_readonly("closing_speed", &StepReport::closing_speed,
                    "Retries with a wider contact horizon sought contacts up to a gap of at least "
                    "this speed times h [m/s]; 0 without a retry.")
      .def_readonly("step_time_s", &StepReport::step_time_s, "Wall time of the step [s].")
      .def_property_readonly(
          "work",
          [](const StepReport& report) {
            return py::dict(py::arg("factorizations") = report.work.factorizations,
                            py::arg("sweeps") = report.work.sweeps,
                            py::arg("pivots") = report.work.pivots,
                            py::arg("effort") = report.work.effort());
          },
          "Work of the step's solvers: counts, and their effort in equivalent factorizations.")
      .def_readonly("solve_time_s", &StepReport::solve_time_s,
                    "Wall time of the contact solve [s].")
      .def_property_readonly(
          "contacts", &contact_rows,
          "Structured array, one row per contact, in the canonical order. Positions are those "
          "that the solver had, before the bodies moved; sim.contacts has them on "
          "the bodies at the end of the step.")
      .def("__repr__", [](const StepReport& r) {
        return "<StepReport of " + text_of(r.step) + " s, " +
               std::to_string(r.problem.num_contacts()) + " contacts, " +
               (r.certificate.holds ? "certified" : "NOT certified") + ">";
      });
}

}  // namespace amontons::python
