#include "amontons/contact/contact_problem.h"
#include "amontons/contact/impulse_cap.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/math/effort.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/models/model_registration.h"
#include "amontons/models/reactions/jam.h"
#include "amontons/simulation/scene/scene.h"
#include "python/bindings/argument_faults.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

// Corners of a friction polygon that a search for jams takes: more take minutes.
constexpr int kMostDirections = 1000;

template <double Contact::*Field>
Eigen::VectorXd column(const ContactProblem& problem) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(problem.num_contacts()));
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    values(static_cast<Eigen::Index>(i)) = problem.contacts[i].*Field;
  }
  return values;
}

template <Eigen::Vector3d Contact::*Field>
Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> points(const ContactProblem& problem) {
  Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> values(
      static_cast<Eigen::Index>(problem.num_contacts()), 3);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    values.row(static_cast<Eigen::Index>(i)) = (problem.contacts[i].*Field).transpose();
  }
  return values;
}

/// Throws unless what numbers of a problem give is finite.
void require_range(bool is_finite, const std::string& name) {
  if (is_finite) return;
  throw std::invalid_argument(name +
                              ": products of the problem's numbers are beyond the range of "
                              "doubles");
}

Eigen::MatrixXd delassus(const ContactProblem& problem) {
  std::vector<int> all(problem.num_contacts());
  std::iota(all.begin(), all.end(), 0);
  const Eigen::MatrixXd A = interruptible([&] { return ContactSpace(problem).delassus(all); });
  require_range(A.allFinite(), "A");
  return A;
}

Eigen::VectorXd free_contact_velocity(const ContactProblem& problem) {
  const Eigen::VectorXd b =
      interruptible([&] { return ContactSpace(problem).free_contact_velocity(); });
  require_range(b.allFinite(), "b");
  return b;
}

void check_size(const char* name, Eigen::Index size, Eigen::Index expected) {
  if (size == expected) return;
  throw std::invalid_argument(std::string(name) + " must have " + std::to_string(expected) +
                              " entries, not " + std::to_string(size));
}

Eigen::VectorXd contact_velocities(const ContactProblem& problem, const Eigen::VectorXd& v) {
  check_size("contact_velocities: v", v.size(), problem.mass_matrix.size());
  if (!v.allFinite()) throw std::invalid_argument("contact_velocities: v must be finite");
  const Eigen::VectorXd u = problem.contact_velocities(v);
  require_range(u.allFinite(), "contact_velocities");
  return u;
}

std::pair<ContactSolution, Certificate> solve(const ContactProblem& problem,
                                              const std::string& model, double tolerance,
                                              std::optional<int> friction_directions,
                                              const Eigen::VectorXd& warm_start, double max_effort,
                                              const std::string& impulse_cap) {
  if (warm_start.size() != 0) {
    check_size(
        "solve: warm_start", warm_start.size(),
        problem.contact_jacobian.rows() + static_cast<Eigen::Index>(problem.bounded_rows.size()));
  }
  require_effort("solve", max_effort);
  if (!warm_start.allFinite()) throw std::invalid_argument("solve: warm_start must be finite");
  require_tolerance("solve", tolerance);
  ModelSettings settings;
  settings.tolerance = tolerance;
  settings.friction_directions = friction_directions;
  settings.impulse_cap = impulse_cap_named(impulse_cap);
  const std::unique_ptr<ContactModel> own = make_model(model, settings);
  CertifiedSolution certified = interruptible([&] {
    const EffortBudget budget(max_effort);
    return solve_islands(problem, *own, warm_start, tolerance);
  });
  return {std::move(certified.solution), std::move(certified.certificate)};
}

// Returns the settings of a search with polygons of a number of corners.
JamSettings jam_settings(const char* name, int directions) {
  if (directions > kMostDirections) {
    throw std::invalid_argument(std::string(name) + ": directions must be at most " +
                                std::to_string(kMostDirections) + ", not " +
                                std::to_string(directions));
  }
  JamSettings settings;
  settings.directions = directions;
  return settings;
}

// One dict a jam: arrays of contacts, their reactions, limits and their shares.
py::list jams(const ContactProblem& problem, int directions) {
  const JamSettings settings = jam_settings("jams", directions);
  py::list result;
  const JamSearch found = interruptible([&] { return find_jams(problem, settings); });
  for (const Jam& jam : found.jams) {
    py::dict own;
    own["contacts"] = jam.contacts;
    own["reactions"] = Eigen::MatrixXd(jam.reactions.transpose());
    own["limits"] = jam.limits;
    own["limit_reactions"] = jam.limit_reactions;
    result.append(own);
  }
  return result;
}

// One dict a pointed island: its contacts and limits that touch, and a velocity that proves it.
py::list opening_velocities(const ContactProblem& problem, int directions) {
  const JamSettings settings = jam_settings("opening_velocities", directions);
  py::list result;
  const JamSearch found = interruptible([&] { return find_jams(problem, settings); });
  for (const OpeningVelocity& opening : found.openings) {
    py::dict own;
    own["contacts"] = opening.contacts;
    own["limits"] = opening.limits;
    own["velocity"] = opening.velocity;
    result.append(own);
  }
  return result;
}

/// Binds evaluation, solution and file of the problem.
void bind_problem_functions(py::class_<ContactProblem>& type) {
  type.def("contact_velocities", &contact_velocities, py::arg("v"),
           "Contact velocities u = J v + bias [3 nc] [m/s] at velocities v [nv].")
      .def("solve", &solve, py::arg("model") = "coulomb", py::arg("tolerance") = 1e-8,
           py::arg("friction_directions") = py::none(), py::arg("warm_start") = Eigen::VectorXd(),
           py::arg("max_effort") = SimulationSettings().max_effort,
           py::arg("impulse_cap") = "island",
           "Solves the problem by any contact model, island by island; returns (solution, "
           "certificate). warm_start: impulses [3 nc], then those of bounded rows; or empty. "
           "max_effort: limit of the effort on an island, in equivalent factorizations. "
           "impulse_cap: of maximum-dissipation, 'island' or 'system', the contacts whose normal "
           "impulses one kappa bounds.")
      .def(
          "jams", &jams, py::arg("directions") = 8,
          "Returns, island by island, reactions that balance each other without a load: {contacts, "
          "reactions [k, 3] in the frames (t1, t2, n), limits, limit_reactions}, with normal parts "
          "that sum to 1. directions: corners of the polygon within each friction disc with which "
          "the search starts, 3 to 1000.")
      .def("opening_velocities", &opening_velocities, py::arg("directions") = 8,
           "Returns, for each island whose friction cone is pointed, a velocity [nv] that proves "
           "it: "
           "{contacts, limits, velocity}. Every reaction of the cones works on it, and loop joints "
           "keep. Islands without one jam (jams()), or are too large to examine. directions: "
           "corners of the polygon within each friction disc with which the search starts, 3 to "
           "1000.")
      .def(
          "save",
          [](const ContactProblem& problem, const std::filesystem::path& file, bool force) {
            io::refuse_foreign_output(file.string(), io::kProblemOutput, force, "force=True");
            io::save_contact_problem(file.string(), problem);
          },
          py::arg("file"), py::arg("force") = false,
          "Writes the problem for `amontons solve` and Siconos (FCLIB Global, HDF5). force: True "
          "replaces any file; else a file that is no contact problem of Amontons is refused. "
          "Raises ParseError for a file that is refused, OutputError if it cannot be written.");
}

}  // namespace

py::class_<ContactProblem> bind_problem(py::module_& module) {
  py::class_<ContactProblem> type(
      module, "ContactProblem",
      "Holds one step's contact problem: M (v+ - v_free) = J'p + joint rows, u = J v+ + bias, and "
      "a contact "
      "law between p and u. J has the rows (t1, t2, n) of each contact; impulses act on body B.");
  type.def_readonly("step", &ContactProblem::step, "Length h of the step [s]; 0 for an impact.")
      .def_readonly("gamma", &ContactProblem::gamma, "Share of an overlap that a step removes.")
      .def_property_readonly("num_contacts", &ContactProblem::num_contacts,
                             "Number of contacts nc.")
      .def_property_readonly(
          "M", [](const ContactProblem& p) { return p.mass_matrix.to_dense(); },
          "Mass matrix [nv, nv], a copy.")
      .def_property_readonly(
          "J", [](const ContactProblem& p) { return p.contact_jacobian.to_dense(); },
          "Contact Jacobian [3 nc, nv], a copy.")
      .def_property_readonly(
          "joint_jacobian", [](const ContactProblem& p) { return p.joint_jacobian.to_dense(); },
          "Rows of loop joints [nj, nv], a copy.")
      .def_property_readonly(
          "A", &delassus, "Delassus matrix [3 nc, 3 nc]: u = A p + b, with loop joints satisfied.")
      .def_property_readonly("b", &free_contact_velocity,
                             "Contact velocities without contact impulses [3 nc] [m/s].")
      .def_readonly("velocity", &ContactProblem::velocity, "v at the start of the step [nv].")
      .def_readonly("free_velocity", &ContactProblem::free_velocity,
                    "v at its end without contact and loop joints [nv].")
      // One entry per contact, in the order of the rows of J.
      .def_property_readonly("gap", &column<&Contact::gap>,
                             "Signed distances [nc] [m]; negative for an overlap.")
      .def_property_readonly("friction", &column<&Contact::friction>,
                             "Coefficients of friction mu [nc].")
      .def_property_readonly("viscous_friction", &column<&Contact::viscous_friction>,
                             "Coefficients of viscous friction mu_v [nc] [N s/m].")
      .def_property_readonly("restitution", &column<&Contact::restitution>,
                             "Coefficients of restitution e [nc].")
      .def_property_readonly("position", &points<&Contact::position_W>,
                             "Positions of the contacts [nc, 3], world axes [m].")
      .def_property_readonly("normal", &points<&Contact::normal_W>,
                             "Unit normals [nc, 3], world axes, from A to B.");
  bind_problem_functions(type);

  module.def(
      "model_names", [] { return model_names(); },
      "Returns the names of the contact models of the package, without those of "
      "register_model(), method_names() and of the model of impacts, mirtich.");
  module.def(
      "method_names", [] { return model_names(ModelGroup::Methods); },
      "Returns the names of the models that solve a law by one method alone, to compare methods.");
  return type;
}

}  // namespace amontons::python
