#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/problem_from_matrices.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/problem/fclib_local.h"
#include "amontons/io/problem/optimization_problem_file.h"
#include "amontons/io/problem/symmetry.h"
#include "amontons/math/effort.h"
#include "amontons/math/residual_trace.h"
#include "amontons/models/impulse_solution.h"
#include "amontons/models/islands/contact_space_solver.h"
#include "amontons/simulation/scene/scene.h"
#include "python/bindings/argument_faults.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/problems/as_vector.h"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Vector = Eigen::VectorXd;
using SparseMatrix = Eigen::SparseMatrix<double>;

/// Reads a matrix of NumPy or SciPy, dense or sparse.
SparseMatrix sparse_from(const py::object& given, const char* name) try {
  std::vector<Eigen::Triplet<double>> entries;
  if (py::hasattr(given, "tocoo")) {
    const py::object coo = given.attr("tocoo")();
    if (coo.attr("dtype").attr("kind").cast<std::string>() == "c") {
      throw py::type_error(std::string(name) + " must be real numbers, not complex ones");
    }
    const auto rows = coo.attr("row").cast<Eigen::VectorXi>();
    const auto columns = coo.attr("col").cast<Eigen::VectorXi>();
    const auto values = coo.attr("data").cast<Vector>();
    const auto shape = coo.attr("shape").cast<std::pair<Eigen::Index, Eigen::Index>>();
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      entries.emplace_back(rows[k], columns[k], values[k]);
    }
    SparseMatrix result(shape.first, shape.second);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
  }
  const py::array array = py::array::ensure(given);
  if (!array || array.ndim() != 2) throw py::cast_error();
  return given.cast<Eigen::MatrixXd>().sparseView(0.0, 0.0);
} catch (const py::cast_error&) {
  throw py::type_error(std::string(name) + " must be a matrix of numbers, of NumPy or SciPy");
}

/// Returns one number for each contact, from an array or a number for all.
Vector per_contact(const py::object& given, const char* name, Eigen::Index size) {
  if (given.is_none()) return {};
  const py::array array = py::array::ensure(given);
  if (!array || std::string_view("biuf").find(array.dtype().kind()) == std::string_view::npos) {
    throw py::type_error("ContactProblem: " + std::string(name) +
                         " must be a number, or one for each contact, not " + short_repr(given));
  }
  if (array.ndim() == 0) return Vector::Constant(size, array.attr("item")().cast<double>());
  if (array.ndim() > 1) {
    throw std::invalid_argument("ContactProblem: " + std::string(name) +
                                " must be a number, or have the shape [nc], not " +
                                std::string(py::repr(array.attr("shape"))));
  }
  return given.cast<Vector>();
}

ContactProblem problem_of(const py::object& M, const py::object& J, const py::object& friction,
                          const Vector& free_velocity, const std::optional<Vector>& velocity,
                          const py::object& gap, const py::object& restitution,
                          const std::optional<Vector>& bias, const py::object& joint_jacobian,
                          const std::optional<Vector>& joint_target, double step) {
  ProblemMatrices matrices;
  matrices.M = sparse_from(M, "M");
  matrices.J = sparse_from(J, "J");
  const Eigen::Index nc = matrices.J.rows() / 3;
  matrices.friction = per_contact(friction, "friction", nc);
  matrices.free_velocity = free_velocity;
  matrices.velocity = velocity.value_or(Vector());
  matrices.gap = per_contact(gap, "gap", nc);
  matrices.restitution = per_contact(restitution, "restitution", nc);
  matrices.bias = bias.value_or(Vector());
  if (!joint_jacobian.is_none()) matrices.G = sparse_from(joint_jacobian, "joint_jacobian");
  matrices.target = joint_target.value_or(Vector());
  matrices.step = step;
  return problem_from_matrices(matrices);
}

/// Returns the residuals that a function's iterative methods evaluate.
template <typename Solve>
Vector traced(const std::string& model, double tolerance, double max_effort, const Solve& solve) {
  require_tolerance("residual_history", tolerance);
  require_effort("residual_history", max_effort);
  ModelSettings settings;
  settings.tolerance = tolerance;
  return interruptible([&] {
    const ResidualTrace trace;
    const EffortBudget budget(max_effort);
    solve(model, settings);
    return as_vector(trace.residuals());
  });
}

Vector residual_history(const ContactProblem& problem, const std::string& model, double tolerance,
                        double max_effort) {
  return traced(model, tolerance, max_effort,
                [&](const std::string& name, const ModelSettings& settings) {
                  make_model(name, settings)->solve(problem, Vector());
                });
}

Vector local_residual_history(const io::FclibLocalProblem& local, const std::string& model,
                              double tolerance, double max_effort) {
  return traced(model, tolerance, max_effort,
                [&](const std::string& name, const ModelSettings& settings) {
                  ContactSpaceSolver(name, settings).solve(local.problem);
                });
}

Eigen::MatrixXd dense_delassus(const io::FclibLocalProblem& local) {
  const Eigen::Index n = 3 * local.problem.num_contacts();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
  for (const ContactSpaceProblem::Block& block : local.problem.blocks) {
    W.block<3, 3>(3 * block.row, 3 * block.column) += block.value;
  }
  return W;
}

/// Makes a problem from its Delassus matrix, whose blocks of zeros are left out.
io::FclibLocalProblem local_problem(const Eigen::MatrixXd& W, const Vector& q,
                                    const Vector& friction) {
  const Eigen::Index nc = friction.size();
  if (W.rows() != 3 * nc || W.cols() != 3 * nc || q.size() != 3 * nc) {
    throw std::invalid_argument("LocalProblem: for " + std::to_string(nc) +
                                " contacts W has 3 nc rows and columns, and q 3 nc entries");
  }
  require_symmetric(W, "LocalProblem: W");
  io::FclibLocalProblem local;
  const SparseMatrix entries = W.sparseView(0.0, 0.0);
  local.asymmetry = io::largest_asymmetry(entries);
  try {
    local.problem = contact_space_problem(entries, q, friction);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string("LocalProblem: ") + error.what());
  }
  return local;
}

/// Makes a problem from the response of bodies of which nothing else is known.
io::FclibLocalProblem by_test_impulses(const std::function<py::object(const Vector&)>& response,
                                       const Vector& friction) {
  if (!response) throw py::type_error("from_test_impulses: response must be a function, not None");
  const Eigen::Index n = 3 * friction.size();
  const auto checked = [&](const Vector& impulses) {
    const py::object returned = response(impulses);
    require_real(returned, "from_test_impulses: the velocities that the response returns");
    py::detail::make_caster<Vector> velocities_of;
    if (!velocities_of.load(returned, true)) {
      throw py::type_error("from_test_impulses: the response must return " + std::to_string(n) +
                           " velocities, not " + short_repr(returned));
    }
    const auto velocities = py::detail::cast_op<Vector>(velocities_of);
    if (velocities.size() != n) {
      throw std::invalid_argument("from_test_impulses: the response must return " +
                                  std::to_string(n) + " velocities, three for each contact, not " +
                                  std::to_string(velocities.size()));
    }
    return velocities;
  };
  const TestedContactSpace space = contact_space_from_test_impulses(n, checked);
  return local_problem(space.A, space.b, friction);
}

using Local = io::FclibLocalProblem;

/// Solves a problem without bodies; returns (solution, certificate).
std::pair<ContactSpaceSolution, Certificate> solve_local(const Local& problem,
                                                         const std::string& model, double tolerance,
                                                         double max_effort) {
  require_tolerance("solve", tolerance);
  require_effort("solve", max_effort);
  ModelSettings settings;
  settings.tolerance = tolerance;
  ContactSpaceSolution solution = interruptible([&] {
    const EffortBudget budget(max_effort);
    return ContactSpaceSolver(model, settings).solve(problem.problem);
  });
  const Certificate certificate = solution.certificate;
  return std::pair{std::move(solution), certificate};
}

/// Returns the certificate of impulses of a problem without bodies.
Certificate certify_local(const Local& problem, const Vector& impulses, const std::string& law,
                          double tolerance) {
  if (impulses.size() != problem.problem.q.size() || !impulses.allFinite()) {
    throw std::invalid_argument("certify: impulses must be finite, " +
                                std::to_string(problem.problem.q.size()) + " of them");
  }
  require_tolerance("certify", tolerance);
  ContactLaw own;
  own.kind = law_named(law);
  return certify(problem.problem, own, impulses, tolerance);
}

void bind_local_solution(py::module_& module) {
  py::class_<ContactSpaceSolution>(module, "LocalSolution",
                                   "Holds the solution of a contact problem without bodies.")
      .def_property_readonly(
          "status", [](const ContactSpaceSolution& s) { return std::string(to_string(s.status)); },
          "Converged, Acceptable, or the status of a weaker solution.")
      .def_property_readonly(
          "law", [](const ContactSpaceSolution& s) { return std::string(to_string(s.law.kind)); },
          "The law that the solution claims.")
      .def_readonly("impulses", &ContactSpaceSolution::impulses,
                    "Impulses [3 nc], order t1, t2, n [N s].")
      .def_readonly("velocity", &ContactSpaceSolution::velocity, "u = W p + q [3 nc] [m/s].")
      .def_readonly("attempts", &ContactSpaceSolution::attempts, "The attempts, in order.")
      .def("__repr__", [](const ContactSpaceSolution& s) {
        return std::string("<LocalSolution ") + to_string(s.status) + ", law " +
               to_string(s.law.kind) + ">";
      });
}

void bind_local_problem(py::module_& module) {
  bind_local_solution(module);
  py::class_<Local>(module, "LocalProblem",
                    "Holds a contact problem without bodies (FCLIB Local): u = W p + q, with the "
                    "contact law between p and u. Rows are (t1, t2, n) of each contact.")
      .def(py::init(&local_problem), py::arg("W"), py::arg("q"), py::arg("friction"),
           "Makes a problem from arrays: W [3 nc, 3 nc], symmetric, q [3 nc] and mu [nc]. Raises "
           "ValueError for sizes that do not fit, where W differs from its transpose by more than "
           "1e-6 of its entries, and where it is not positive semidefinite, as J M^-1 J' is.")
      .def_static(
          "from_test_impulses", &by_test_impulses, py::arg("response"), py::arg("friction"),
          "Makes the problem of bodies of which only the response is known: `response` maps "
          "contact impulses [3 nc] [N s] to the contact velocities after them [3 nc] [m/s]. "
          "It is called with zeros and with each unit impulse [Drumwright and Shell 2010, "
          "sec. 2.2]. friction: mu [nc].")
      .def_property_readonly(
          "num_contacts", [](const Local& p) { return p.problem.num_contacts(); },
          "Number of contacts nc.")
      .def_property_readonly("W", &dense_delassus,
                             "Delassus matrix [3 nc, 3 nc], a copy: the symmetric part of the W "
                             "that was given.")
      .def_readonly("asymmetry", &Local::asymmetry,
                    "Largest |W_ij - W_ji| of the W that was given, in parts of sqrt(W_ii W_jj) "
                    "or of the entries [-].")
      .def_property_readonly(
          "q", [](const Local& p) { return read_only(p.problem.q); },
          "Velocities without impulses [3 nc].")
      .def_property_readonly(
          "friction", [](const Local& p) { return read_only(p.problem.friction); },
          "Coefficients of friction mu [nc].")
      .def("solve", &solve_local, py::arg("model") = "coulomb", py::arg("tolerance") = 1e-8,
           py::arg("max_effort") = SimulationSettings().max_effort,
           "Solves the problem by any contact model; returns (solution, certificate).")
      .def(
          "residual_history", &local_residual_history, py::arg("model") = "coulomb",
          py::arg("tolerance") = 1e-8, py::arg("max_effort") = SimulationSettings().max_effort,
          "Solves the problem, and returns the residuals of all iterates of its methods, island by "
          "island, as ContactProblem.residual_history() does.")
      .def("__repr__", [](const Local& p) {
        return "<LocalProblem of " + std::to_string(p.problem.num_contacts()) + " contacts>";
      });
  module.def("certify", &certify_local, py::arg("problem"), py::arg("impulses"),
             py::arg("law") = "coulomb", py::arg("tolerance") = 1e-8,
             "Returns the certificate of impulses of a LocalProblem.");
}

/// Reads whatever `amontons solve` reads.
py::object load_problem(const std::filesystem::path& path) {
  const std::string file = path.string();
  const io::Hdf5Handle handle = io::open_hdf5_file(file);
  if (io::has_object(handle, "lcp/free")) return py::cast(io::load_mixed_lcp(file));
  if (io::has_object(handle, "lcp")) return py::cast(io::load_lcp(file));
  if (io::has_object(handle, "qp")) return py::cast(io::load_box_qp(file));
  if (io::has_object(handle, "fclib_local")) return py::cast(io::load_fclib_local(file));
  return py::cast(io::load_contact_problem(file));
}

}  // namespace

void bind_problem_arrays(py::module_& module, py::class_<ContactProblem>& problem) {
  problem
      .def(py::init(&problem_of), py::arg("M"), py::arg("J"), py::arg("friction"),
           py::arg("free_velocity"), py::arg("velocity") = py::none(), py::arg("gap") = py::none(),
           py::arg("restitution") = py::none(), py::arg("bias") = py::none(),
           py::arg("joint_jacobian") = py::none(), py::arg("joint_target") = py::none(),
           py::arg("step") = 1.0,
           "Makes a problem from arrays of NumPy, or matrices of SciPy: M (v+ - v_free) = J'p + "
           "G'c, u = J v+ + bias, G v+ = joint_target. J has the rows (t1, t2, n) of each contact; "
           "friction, gap [m] and restitution are [nc], or one number for all. step: h [s], by "
           "which gaps are divided.")
      .def(
          "residual_history", &residual_history, py::arg("model") = "coulomb",
          py::arg("tolerance") = 1e-8, py::arg("max_effort") = SimulationSettings().max_effort,
          "Solves the problem, and returns the residuals of all iterates of its methods in their "
          "order, one method after the other: of cone problems the natural map, of pivoting what "
          "each basis is short of a solution (docs/theory/lcp.md). A model of register_model() has "
          "one, that of the impulses it returns. Closed forms have none.")
      .def_property_readonly(
          "gap_speeds", [](const ContactProblem& p) { return p.stabilized_gaps(); },
          "s of the condition u_n + s >= 0, without restitution [nc] [m/s].")
      .def_property_readonly(
          "friction_offset",
          [](const ContactProblem& p) {
            Vector values(static_cast<Eigen::Index>(p.num_contacts()));
            for (Eigen::Index i = 0; i < values.size(); ++i) {
              values[i] = p.contacts[static_cast<std::size_t>(i)].friction_offset;
            }
            return values;
          },
          "Largest friction without a load, besides mu p_n [nc] [N s]; that of dry joints.")
      .def("__repr__", [](const ContactProblem& p) {
        return "<ContactProblem of " + std::to_string(p.num_contacts()) + " contacts, nv " +
               std::to_string(p.mass_matrix.size()) + ">";
      });
  bind_local_problem(module);
  module.def(
      "load_problem", &load_problem, py::arg("file"),
      "Reads what `amontons solve` reads: a saved contact problem or an FCLIB Global one as "
      "ContactProblem, FCLIB Local as LocalProblem, and linear complementarity and quadratic "
      "programs.");
}

}  // namespace amontons::python
